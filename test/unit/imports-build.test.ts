import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { contentHash } from '../../shared/importers/build.ts';
import type { Entry, Span } from '../../shared/importers/importer.ts';
import { importers } from '../../shared/importers/importers.ts';
import { type LocalRate, LocalTaxes } from '../../shared/importers/local-taxes.ts';
import { alternativesAt, buildEntries, getHead } from '../fixtures/imports/harness.ts';
import { getRelease, listedRelease } from '../support/builders.ts';

const codes = ['A', 'B', 'C', 'D'].map((letter) => `US-RI-${letter}`);
const jurisdictions = codes.map(
  (code): Entry => ({
    kind: 'tax',
    jurisdiction: { code, name: code, type: 'district', tax_type: 'sales' },
    rates: [{ rate: '0.01', from: '2020-01-01', to: null }],
  }),
);
const span = (low: string, high: string, locals: readonly string[], more: Partial<Span> = {}): Span => {
  return { kind: 'span', low, high, from: null, to: null, locals, ...more };
};
const readParts = async (...spans: readonly Entry[]) => (await buildEntries('RI', [...jurisdictions, ...spans])).parts;

describe('the parts of a release', () => {
  it('creates one part per ZIP in a span, then one per city, sorted', async () => {
    const city = (name: string): Entry => ({ kind: 'city', city: name, from: null, to: null, locals: [] });
    // The ZIPs 02700 to 02799 are in Massachusetts.
    const parts = await readParts(span('026990000', '028020000', []), city('WARWICK'), city('BRISTOL'));
    expect([...parts.keys()]).toEqual(['02800', '02801', '02802', 'BRISTOL', 'WARWICK']);
    expect(parts.get('02801')?.locations.map(({ zips }) => zips)).toEqual([[['02801', '02801']]]);
    expect(parts.get('02802')?.locations.map(({ zips }) => zips)).toEqual([[['028020000', '028020000']]]);
    expect(parts.get('BRISTOL')?.locations).toMatchObject([{ zips: [], cities: ['BRISTOL'], alternatives: [[]] }]);
  });

  it('includes exactly the jurisdictions and rates that a part references', async () => {
    const parts = await readParts(span('028010000', '028019999', ['US-RI-B']), span('028020000', '028029999', []));
    expect(parts.get('02801')?.jurisdictions.map(({ code }) => code)).toEqual(['US-RI-B']);
    expect(parts.get('02801')?.rates).toEqual([
      { jurisdiction: 'US-RI-B', rate: '0.01', from: '2020-01-01', to: null, source: 'import', confidence: 'high' },
    ]);
    expect(parts.get('02802')).toMatchObject({ jurisdictions: [], rates: [] });
  });

  it('merges ranges with the same set and dates into one location, for any order of the jurisdictions in a row', async () => {
    const parts = await readParts(
      span('028010100', '028010199', ['US-RI-A', 'US-RI-B']),
      span('028010000', '028010049', ['US-RI-B', 'US-RI-A']),
      span('028010200', '028010299', ['US-RI-A', 'US-RI-B'], { to: '2026-12-31' }),
    );
    const texts = parts.get('02801')?.locations.map(({ zips, to }) => `${zips.map(String).join(' ')} to ${to}`);
    const two = '028010000,028010049 028010100,028010199 to null';
    expect(texts).toEqual([two, '028010200,028010299 to 2026-12-31']);
  });
});

describe('jurisdictions of a ZIP+4', () => {
  const letters = fc.subarray(codes);
  // Most numbers are close to the first ZIP+4 of a ZIP, so that ranges overlap in every way.
  const number = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 28_009_990, max: 28_010_020 }) },
    { weight: 1, arbitrary: fc.constantFrom(28_000_000, 28_019_999, 28_020_000) },
  );
  const day = fc.constantFrom(null, '2026-01-01', '2026-01-02', '2026-02-28', '2026-03-01', '2026-12-31');
  const spans = fc.array(
    fc
      .tuple(number, fc.constantFrom(0, 3, 5, 8, 9999, 19_999), letters, day, day, fc.constantFrom(0, 1))
      .map(([low, width, locals, a, b, rank]): Span => {
        const [from, to] = a !== null && b !== null && a > b ? [b, a] : [a, b];
        const text = (value: number) => String(value).padStart(9, '0');
        return span(text(low), text(Math.min(low + width, 28_029_999)), locals, { from, to, rank });
      }),
    { minLength: 1, maxLength: 12 },
  );

  /** Returns the sets with the lowest rank, then of the narrowest span, without cutting spans to ZIPs. */
  const expected = (list: readonly Span[], zip9: string, on: string): string[][] => {
    const there = list
      .filter(({ low, high, from, to }) => low <= zip9 && zip9 <= high && (from ?? '') <= on && on <= (to ?? '9'))
      .map((one) => ({
        order: (one.rank ?? 0) * 1e10 + (Number(one.high) - Number(one.low)),
        codes: [...one.locals].toSorted(),
      }));
    const lowest = Math.min(...there.map(({ order }) => order));
    const best = there.filter(({ order }) => order === lowest);
    return [...new Set(best.map((one) => one.codes.join()))]
      .toSorted()
      .map((text) => (text === '' ? [] : text.split(',')));
  };

  it('selects the set of the narrowest span of the lowest rank, for every span, day and ZIP', async () => {
    await fc.assert(
      fc.asyncProperty(spans, fc.array(number, { minLength: 1, maxLength: 8 }), async (list, numbers) => {
        const parts = await readParts(...list);
        for (const { zips } of [...parts.values()].flatMap(({ locations }) => locations))
          expect(new Set(zips.map(String)).size).toBe(zips.length);
        const some = numbers.map((value) => String(value).padStart(9, '0'));
        for (const zip9 of [...some, ...list.flatMap(({ low, high }) => [low, high])])
          for (const on of ['2026-01-01', '2026-01-02', '2026-03-01', '2027-01-01']) {
            const found = alternativesAt(parts.get(zip9.slice(0, 5)), zip9, on);
            const distinct = [...new Set(found.map((set) => set.join()))].toSorted();
            expect(distinct.map((text) => (text === '' ? [] : text.split(',')))).toEqual(expected(list, zip9, on));
          }
      }),
      { numRuns: 100 },
    );
  });

  it('selects correctly from more spans than fit in one partition', async () => {
    const many = Array.from({ length: 9000 }, (_, index) => {
      const zip9 = `0280${index % 2}${String(Math.floor(index / 2)).padStart(4, '0')}`;
      return span(zip9, zip9, [codes[index % 3] as string]);
    });
    const parts = await readParts(...many);
    for (const index of [0, 1, 4095, 4096, 4097, 8191, 8192, 8999]) {
      const one = many[index] as Span;
      expect(alternativesAt(parts.get(one.low.slice(0, 5)), one.low, '2026-11-21')).toEqual([one.locals]);
    }
    expect([...parts.values()].flatMap(({ locations }) => locations.flatMap(({ zips }) => zips))).toHaveLength(9000);
  });
});

describe('the head of a release', () => {
  const whole = span('028010000', '028019999', ['US-RI-A']);

  it('includes a hash that is unique to the content', async () => {
    const one = await buildEntries('RI', [...jurisdictions, whole]);
    const { content_hash, ...head } = getHead(one);
    const again = await buildEntries('RI', [...jurisdictions, whole]);
    const other = await buildEntries('RI', [...jurisdictions, { ...whole, locals: ['US-RI-B'] }]);
    expect(content_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(getHead(again).content_hash).toBe(content_hash);
    expect(getHead(other).content_hash).not.toBe(content_hash);
    // The hash identifies the parts, regardless of the key order in objects.
    const turned: typeof head = JSON.parse(JSON.stringify(head), (_, value) =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toReversed())
        : value,
    );
    expect(await contentHash(turned, one.parts.values())).toBe(content_hash);
    expect(await contentHash({ ...head, bottom: 'US-RI@2020-01-01.1' }, one.parts.values())).not.toBe(content_hash);
  });

  it('keeps the base state rate if the file has none, and drops the base locations', async () => {
    const table = { jurisdiction: 'US-PA-ALLEGHENY', rate: '0.01', steps: ['0.50'], nothing_below: null };
    const [rounding] = getRelease({ rounding: { method: 'bracket', brackets: [table] } }).settings.rounding;
    const base = { ...listedRelease, settings: { ...listedRelease.settings, rounding: [rounding as never] } };
    const imported = await buildEntries('PA', [span('150010000', '150019999', [])], base);
    const head = getHead(imported);
    expect(head.rates).toEqual(base.rates.filter(({ jurisdiction }) => jurisdiction === 'US-PA'));
    expect(head).toMatchObject({ jurisdictions: [base.jurisdictions[0]], locations: [], coverage: 'partial' });
    expect(imported.built.summary.notes).toEqual([expect.stringContaining('US-PA-ALLEGHENY')]);
  });

  it('creates no head if no row names a place', async () => {
    const { built } = await buildEntries('RI', jurisdictions);
    expect(built.outcome).toBe('nothing');
  });

  it('rejects two rates of a jurisdiction for one day from an importer', async () => {
    const rate = (from: string | null, to: string | null, value = '0.02'): Entry => ({
      kind: 'tax',
      jurisdiction: { code: 'US-RI-A', name: 'A', type: 'district', tax_type: 'sales' },
      rates: [{ rate: value, from, to }],
    });
    // US-RI-A has 0.01 since 2020-01-01.
    for (const other of [rate('2020-01-01', null), rate(null, null), rate('2026-01-01', '2026-01-01')])
      await expect(buildEntries('RI', [...jurisdictions, other, whole])).rejects.toThrow('two rates of US-RI-A');
    for (const other of [rate(null, '2019-12-31'), rate('2019-01-01', null, '0.01')])
      expect((await buildEntries('RI', [...jurisdictions, other, whole])).built.outcome).toBe('built');
  });

  it('rejects a jurisdiction without a tax entry from an importer', async () => {
    await expect(buildEntries('RI', [whole])).rejects.toThrow('US-RI-A');
  });
});

describe('the summary', () => {
  const bad = (line: number, more = {}): Entry => ({ kind: 'bad', line, reason: 'wrong', ...more });
  const skipped = (line: number, reason: string): Entry => ({ kind: 'skipped', line, reason });
  const file = (name: string): Entry => ({ kind: 'file', name });
  const rows = (count: number): Entry => ({ kind: 'rows', count });
  const readSummary = async (...entries: readonly Entry[]) => (await buildEntries('RI', entries)).built.summary;

  it('counts problems of a whole file separately from bad rows', async () => {
    const summary = await readSummary(file('a.csv'), bad(1), bad(2), rows(2), bad(1, { isOfFile: true }));
    expect(summary).toMatchObject({ rowsRead: 2, rowsKept: 0, bad: { count: 3, rows: 2 } });
    expect(summary.bad.first.map(({ file, line }) => `${file} ${line}`)).toEqual(['a.csv 1', 'a.csv 2', 'a.csv 1']);
  });

  it('counts reasons and lists the first fifty bad rows', async () => {
    const summary = await readSummary(
      ...[file('a.csv'), rows(30), file('b.csv')],
      ...Array.from({ length: 60 }, (_, index) => bad(index + 1)),
      ...[skipped(61, 'old'), skipped(62, 'older'), skipped(63, 'old')],
      rows(70),
    );
    expect(summary.bad.count).toBe(60);
    expect(summary.bad.first).toHaveLength(50);
    expect(summary.bad.first[49]).toEqual({ file: 'b.csv', line: 50, reason: 'wrong' });
    expect(summary.skipped).toEqual([
      { reason: 'old', count: 2, file: 'b.csv', firstLine: 61 },
      { reason: 'older', count: 1, file: 'b.csv', firstLine: 62 },
    ]);
    expect([summary.rowsRead, summary.rowsKept]).toEqual([100, 37]);
    expect(summary.files.map(({ name, rows }) => `${name} ${rows}`)).toEqual(['a.csv 30', 'b.csv 70']);
  });
});

it.each([
  [null, null, null],
  ['2026-11-21', null, null],
  ['2020-01-01', '2026-11-21', '2026-11-21'],
  ['2017-10-01', '2018-12-31', '2019-03-31'],
])('writes the last day of a release with locations from %s to %s', async (from, to, last) => {
  const dated = span('028010000', '028019999', ['US-RI-A'], { from, to });
  const ended = span('028020000', '028029999', ['US-RI-A'], { from: '2017-10-01', to: '2019-03-31' });
  const { built } = await buildEntries('RI', [...jurisdictions, dated, ended]);
  expect(built).toMatchObject({ outcome: 'built', head: { last_day: last } });
});

it('finds a built-in release of the state for every importer for a single state', () => {
  for (const { onlyState } of Object.values(importers)) {
    if (onlyState !== null) expect(builtInReleases().map(({ state }) => state)).toContain(`US-${onlyState}`);
  }
});

describe('rows of local rate files', () => {
  const place = (names: string, ...rates: readonly LocalRate[]) => {
    const tax = { code: `US-RI-${names}`, name: names, type: 'city', tax_type: 'sales' } as const;
    return { names: names.split('/'), taxes: [{ tax, rates }] };
  };
  const rate = (rate: string, from: string, to: string | null = null) => ({ rate, from, to });
  /** Returns the bad rows, the rates and the cities; a city without taxes depends on the address. */
  const read = (...rows: readonly (readonly ReturnType<typeof place>[])[]) => {
    const taxes = new LocalTaxes();
    const entries = [...rows.flatMap((places, line) => [...taxes.add(places, line)]), ...taxes.entries()];
    return {
      bad: entries.flatMap((entry) => (entry.kind === 'bad' ? entry.line : [])),
      rates: entries.flatMap((entry) => (entry.kind === 'tax' ? entry.rates : [])),
      cities: entries.flatMap((entry) =>
        entry.kind === 'city' ? [[entry.city, entry.from, entry.to, entry.flags ? 'by address' : 'taxed']] : [],
      ),
    };
  };

  it('keeps the rate of the days before rows that contradict each other', () => {
    const rows = [rate('0.01', '2025-07-01'), rate('0.02', '2026-07-01'), rate('0.03', '2026-07-01')];
    expect(read(...rows.map((row) => [place('BRISTOL', row)]))).toMatchObject({
      bad: [2],
      cities: [
        ['BRISTOL', '2025-07-01', '2026-06-30', 'taxed'],
        ['BRISTOL', '2026-07-01', null, 'by address'],
      ],
    });
  });

  it('refuses a file whose places all depend on the address', () => {
    const [bristol, warwick] = [
      place('BRISTOL', rate('0.02', '2026-01-01')),
      place('WARWICK', rate('0.02', '2026-02-01')),
    ];
    expect(read([place('BRISTOL', rate('0.01', '2026-01-01'))], [warwick, bristol])).toMatchObject({
      bad: [1],
      cities: [
        ['WARWICK', '2026-02-01', null, 'by address'],
        ['BRISTOL', '2026-01-01', null, 'by address'],
      ],
    });
  });

  it('ends a rate on the day before the next rate of its row', () => {
    const prior = rate('0.01', '2025-01-01', '2026-01-31');
    expect(read([place('BRISTOL', prior, rate('0.02', '2026-01-01'))])).toMatchObject({
      bad: [],
      rates: [rate('0.01', '2025-01-01', '2025-12-31'), rate('0.02', '2026-01-01')],
    });
  });

  it('reports a rate with a last day that follows an open-ended rate as a bad row', () => {
    const rows = [rate('0.01', '2025-01-01'), rate('0.02', '2026-01-01', '2026-12-31')];
    expect(read(...rows.map((row) => [place('BRISTOL', row)])).bad).toEqual([1]);
  });
});
