/** Imports of tables: the rows and reports of each file, and the rates that a calculation finds with the import. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReleaseFor, ReleasePart } from '../../shared/catalog/content.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { releaseWith } from '../../shared/catalog/merge-releases.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { packRates } from '../../shared/cli/pack/local-tables.ts';
import type { Format } from '../../shared/importers/importers.ts';
import { impactOfImport } from '../../shared/importers/releases/measure-impact.ts';
import type { Summary } from '../../shared/importers/summary.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import formatRows from '../fixtures/imports/formats.json' with { type: 'json' };
import {
  alternativesAt,
  changed,
  createReleaseFor,
  fixture,
  getBase,
  getHead,
  getNames,
  headers,
  type Imported,
  importFiles,
  listEntries,
  ofKind,
  percentsIn,
  type TestFile,
  tableFile,
} from '../fixtures/imports/harness.ts';
import { boundaryRows, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
import tables from '../fixtures/imports/tables.json' with { type: 'json' };
import { type Change, changedFile } from '../fixtures/imports/workbooks.ts';
import { ask, refusal } from '../support/builders.ts';
import { readCases } from '../support/facts.ts';
import { changesAt } from '../support/local-content.ts';

type Texts = Readonly<Record<string, string>>;

type Table = {
  readonly format: Format;
  readonly state: string;
  readonly cases: readonly Omit<Case, 'format' | 'state'>[];
};

/**
 * A file and the expected result of its import. Expected texts of the summary match the beginnings of the actual texts.
 */
type Case = Omit<Table, 'cases'> & {
  readonly title: string;
  /** Fixtures with an optional new name and one replacement. Without fixtures, the file has `rows` below `header`. */
  readonly files?: readonly string[];
  readonly name?: string;
  readonly replace?: readonly [file: string, from: string, to: string];
  readonly header?: string;
  /** The change of the valid file of a state's own format. */
  readonly change?: Change;
  /** For SST: rows in the syntax of `rateRows` and `boundaryRows`, or complete lines. */
  readonly rows?: readonly string[];
  readonly rates?: readonly string[];
  readonly fips?: string;
  /** The expected error for the whole file. */
  readonly refused?: string;
  /** The rates of each part, then the days of its locations. */
  readonly parts?: Texts;
  /** The names and types of the jurisdictions of all parts. */
  readonly names?: Texts;
  /** The jurisdictions of ZIP+4 codes: `''` has no local tax, and `null` no row. */
  readonly locals?: Readonly<Record<string, string | null>>;
  /**
   * The combined rate, level, coverage and warnings of addresses, over the built-in release or without it. An address
   * is a ZIP or `-`, a city, the ZIP and city that the sale is shipped from, a product tax code, a policy for ambiguous
   * addresses and a day.
   */
  readonly over_built_in?: Texts;
  readonly without_fallback?: Texts;
  readonly bad?: readonly string[];
  readonly skipped?: readonly string[];
  readonly remarks?: readonly string[];
  readonly notes?: readonly string[];
  readonly rows_kept?: string;
  /** The changes against the built-in release on 2026-11-22, in millionths of a percent. */
  readonly impact?: object;
};

const listFiles = (one: Case): readonly TestFile[] => {
  const {
    format,
    state,
    files,
    name,
    replace,
    header = headers[format as keyof typeof headers],
    rows = [],
    rates = [],
  } = one;
  if (files)
    return files.map((file) => {
      const [of, from = '', to = ''] = replace ?? [];
      return { ...(of === file ? changed(file, from, to) : fixture(file)), ...(name !== undefined && { name }) };
    });
  if (one.change) return [changedFile(format, one.change)];
  if (format !== 'sst') return [{ name: 'rates.csv', content: [header, ...rows].join('\n') }];
  const fips = one.fips ?? stateFips(state);
  const boundary = boundaryRows(fips, ...rows);
  return sstFiles(
    state,
    rates.flatMap((row) => (row.includes(',') ? row : rateRows(fips, row))),
    boundary,
  );
};

/** Calculates the tax of an address. Warnings about the evidence of built-in values are omitted. */
const responseAt = (releaseFor: ReleaseFor, state: string, key: string): string => {
  const [sale = '', tax_date = '2026-11-21'] = key.split(' on ');
  const words = sale.split(' ');
  const policy = (['highest_rate', 'reject'] as const).find((name) => words.includes(name));
  const product_tax_code = words.find((word) => word.includes('.')) ?? 'GENERAL';
  const places = words.filter((word) => word !== policy && word !== product_tax_code).join(' ');
  const [to, from] = places.split(' from ').map((place) => {
    const [zip = '', ...city] = place.split(' ');
    return { state, postal_code: zip === '-' ? null : zip, city: city.join(' ') || null };
  });
  const sold = { tax_date, line_items: [{ unit_price: '1000000.00', product_tax_code }] };
  const asked = { ...sold, ...(to && { to }), ...(from && { ship_from: { address: from } }) };
  const options = { releaseFor, settings: { ambiguous_address: policy ?? ('warn' as const) } };
  if (refusal(asked, options).length > 0) return 'refused';
  const { tax_amount, warnings, line_items } = ask(asked, options);
  const { level, ambiguous, coverage } = line_items[0]?.address_resolution ?? {};
  const codes = warnings.flatMap(({ code }) => (/^(content_unconfirmed|remote_seller_rate)$/.test(code) ? [] : code));
  const found = [`${Number(tax_amount) / 10_000}%`, level, ...(ambiguous ? ['ambiguous'] : []), coverage].join(' ');
  return [found, ...(codes.length > 0 ? [codes.join(', ')] : [])].join(': ');
};

const getDays = ({ from, to }: { readonly from: string | null; readonly to: string | null }): string =>
  from === null && to === null ? '' : ` ${from ?? ''}..${to ?? ''}`;

const partText = (state: string, { jurisdictions, rates, locations }: ReleasePart): string => {
  const getCode = (code: string) => code.replace(`US-${state}-`, '');
  const rated = rates.map(({ jurisdiction, rate, food_rate, interstate, ...days }) => {
    const food = food_rate === undefined ? '' : ` food ${food_rate}`;
    const others = interstate === undefined ? '' : ` interstate ${Object.values(interstate).join('/')}`;
    return `${getCode(jurisdiction)} ${rate}${food}${others}${getDays(days)}`;
  });
  const unrated = jurisdictions.filter(({ code }) => rates.every(({ jurisdiction }) => jurisdiction !== code));
  const days = [...new Set(locations.map(getDays))].join();
  const texts = [...rated, ...unrated.map(({ code }) => `${getCode(code)} unknown`)].join(', ');
  return days === '' ? texts : `${texts} |${days}`;
};

const matchStarts = (texts: readonly string[] = []) =>
  texts.map((text) => expect.stringMatching(`^${RegExp.escape(text)}`));
const counted = (all: Summary['skipped']) =>
  all.map(({ firstLine, count, reason }) => `${firstLine} ×${count} ${reason}`);

const input = ['files', 'name', 'replace', 'header', 'change', 'rows', 'rates', 'fips'] as const;
const results = ['parts', 'names', 'locals', 'over_built_in', 'without_fallback', 'rows_kept', 'impact'] as const;
const cases = readCases<Table>(tables, { required: ['format', 'state', 'cases'] }).flatMap(({ cases: own, ...table }) =>
  readCases<Table['cases'][number]>(own, {
    required: ['title'],
    optional: input,
    oneOf: ['refused', 'bad', 'skipped', 'remarks', 'notes', ...results],
  }).map((one): Case => ({ ...table, ...one })),
);

it.each(cases)('$format in $state: $title', async (one) => {
  const { format, state, locals = {}, over_built_in: overBuiltIn = {}, without_fallback: withoutFallback = {} } = one;
  const names = one.change ? { names: getNames(state) } : {};
  const importing = importFiles(format, state, listFiles(one), names);
  if (one.refused !== undefined) return expect(importing).rejects.toThrow(one.refused);
  const imported = await importing;
  const { parts, built } = imported;
  const { summary } = built;
  const byPart = (text: (part: ReleasePart) => string) =>
    Object.fromEntries([...parts].map(([key, part]) => [key, text(part)]));
  if (one.parts) expect(byPart((part) => partText(state, part))).toEqual(one.parts);
  if (one.names)
    expect(byPart((part) => part.jurisdictions.map(({ name, type }) => `${name}, ${type}`).join('; '))).toEqual(
      one.names,
    );
  for (const [zip9, codes] of Object.entries(locals)) {
    const [found] = alternativesAt(parts.get(zip9.slice(0, 5)), zip9, '2026-11-21');
    expect([zip9, found?.map((code) => code.replace(`US-${state}-`, '')).join(' ') ?? null]).toEqual([zip9, codes]);
  }
  expect(summary.bad.first.map(({ line, reason }) => `${line} ${reason}`)).toEqual(matchStarts(one.bad));
  if (one.skipped || !one.change) expect(counted(summary.skipped)).toEqual(matchStarts(one.skipped));
  expect(counted(summary.remarks)).toEqual(matchStarts(one.remarks));
  // The notes about rules and settings of the base release do not depend on the format.
  const notes = summary.notes.filter((note) => !/^These (rules|jurisdictions) /.test(note));
  expect(notes).toEqual(matchStarts(one.notes));
  if (one.rows_kept) expect(`${summary.rowsKept} of ${summary.rowsRead}`).toBe(one.rows_kept);
  if (built.outcome === 'nothing') return expect([parts.size, overBuiltIn, withoutFallback]).toEqual([0, {}, {}]);
  if (one.impact) {
    async function* all() {
      yield* parts.values();
    }
    const impact = await impactOfImport(getHead(imported), all, { below: getBase(state).id }, '2026-11-22');
    const texts = JSON.stringify(impact, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(Object.keys(one.impact)).not.toEqual([]);
    expect(JSON.parse(texts)).toMatchObject(one.impact);
  }
  const ofImport = createReleaseFor(imported);
  for (const [key, text] of Object.entries(withoutFallback))
    expect(`${key}: ${responseAt(ofImport, state, key)}`).toBe(`${key}: ${text}`);
  const fallback = { ...getBase(state), pinnedBy: getHead(imported).id };
  const withFallback: ReleaseFor = (address) => ({ ...ofImport(address), fallback }) as typeof fallback;
  for (const [key, text] of Object.entries(overBuiltIn)) {
    const expected = text === 'built-in' ? responseAt(() => fallback, state, key) : text;
    expect(`${key}: ${responseAt(withFallback, state, key)}`).toBe(`${key}: ${expected}`);
  }
});

/**
 * Models the tax of a WooCommerce shop with a rate table, based on `find_rates` and `calc_exclusive_tax` in
 * plugins/woocommerce/includes/class-wc-tax.php of woocommerce/woocommerce. Rates are whole numbers of 0.0001 %.
 */
type ShopRow = {
  /** `75001`, `7500*` or `75001...75003`. Empty matches every ZIP code. */
  readonly zips: readonly string[];
  readonly cities: readonly string[];
  readonly rate: number;
  readonly priority: number;
  readonly compound: boolean;
};

const hasZip = (entry: string, zip: string): boolean => {
  if (entry.endsWith('*')) return zip.startsWith(entry.slice(0, -1));
  const [low, high = low] = entry.split('...');
  return Number(low) <= Number(zip) && Number(zip) <= Number(high);
};

/** Returns the number of joined rows that the shop's query counts for a row; `null` if the row does not match. */
const joined = ({ zips, cities }: ShopRow, zip: string, city: string | null): number | null => {
  const found = zips.filter((entry) => hasZip(entry, zip)).length;
  const isCity = city !== null && cities.includes(city);
  if (zips.length === 0) return cities.length === 0 ? 0 : isCity ? cities.length : null;
  if (found === 0 || (cities.length > 0 && !isCity)) return null;
  return cities.length > 0 ? found : found * zips.length;
};

/**
 * Returns the rows that the shop applies at an address: the first of each priority, sorted by count and then by table
 * order.
 */
const shopRows = (rows: readonly ShopRow[], zip: string, city: string | null): readonly ShopRow[] => {
  const counted = rows.flatMap((row) => {
    const count = joined(row, zip, city);
    return count === null ? [] : [{ row, count }];
  });
  const sorted = counted.toSorted((a, b) => a.row.priority - b.row.priority || b.count - a.count);
  return sorted.flatMap(({ row }, index) => (sorted[index - 1]?.row.priority === row.priority ? [] : [row]));
};

// A price on which the tax of four compound rates is exact.
const price = 10n ** 24n;
const share = (amount: bigint, { rate }: ShopRow): bigint => (amount * BigInt(rate)) / 1_000_000n;

/** Returns the tax on 1,000,000.00 in units of 0.00000001. */
const shopTax = (rows: readonly ShopRow[]): bigint => {
  let tax = rows.filter(({ compound }) => !compound).reduce((sum, row) => sum + share(price, row), 0n);
  for (const row of rows.filter(({ compound }) => compound)) tax += share(price + tax, row);
  return tax / 10n ** 10n;
};

const table = (...rows: readonly string[]) => tableFile('woocommerce', ...rows);

const text = ({ zips, cities, rate, priority, compound }: ShopRow): string =>
  `US,TX,${zips.join('; ')},${cities.join('; ')},${(rate / 10_000).toFixed(4)},Tax,${priority},${Number(compound)},1,`;
const zips = ['75001', '75002', '75003', '75101'];
const cities = ['ADDISON', 'PLANO'];
const stateRate = 62_500;

const Zips = fc.oneof(
  fc.constant([]),
  fc.subarray(zips, { minLength: 1, maxLength: 2 }),
  fc.constantFrom(['7500*'], ['75001...75002'], ['751*', '75003']),
);
const Row: fc.Arbitrary<ShopRow> = fc.record({
  zips: Zips,
  cities: fc.oneof({ arbitrary: fc.constant([]), weight: 3 }, fc.subarray(cities, { minLength: 1 })),
  rate: fc.constantFrom(5000, 10_000, 20_000, stateRate, 82_500),
  priority: fc.constantFrom(1, 1, 2, 3),
  compound: fc.constantFrom(true, false, false),
});
const row: ShopRow = { zips: [], cities: [], rate: 72_500, priority: 1, compound: false };
const stateRow: ShopRow = { ...row, rate: stateRate };
const Table = fc
  .tuple(fc.boolean(), fc.array(Row, { minLength: 1, maxLength: 3 }))
  .map(([hasState, rows]) => (hasState ? [stateRow, ...rows] : rows));

const pitfalls: ShopRow[][] = [
  // The shop prefers the row with more ZIPs, regardless of the order of the rows.
  [
    { ...row, zips: ['75001'], cities: ['PLANO'] },
    { ...row, zips: ['75001', '75002'], rate: 82_500 },
  ],
  // Two taxes with the same name and rate at a place are separate taxes.
  [
    stateRow,
    { ...row, zips: ['75001'], rate: 5000, priority: 2 },
    { ...row, zips: ['7500*'], rate: 5000, priority: 3 },
  ],
];

const isWide = (row: ShopRow): boolean => row.zips.length + row.cities.length === 0;

it('charges the same as the shop with an imported WooCommerce table, or reports the row that differs', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(Table, async (rows) => {
      const files = [table(...rows.map(text))];
      const entries = await listEntries('woocommerce', 'TX', files);
      const reported = [...ofKind(entries, 'bad'), ...ofKind(entries, 'remark')];
      if (reported.length > 0 || ofKind(entries, 'span').length + ofKind(entries, 'city').length === 0) return;
      const releaseFor = createReleaseFor(await importFiles('woocommerce', 'TX', files));
      for (const postal_code of zips)
        for (const city of [null, ...cities]) {
          const applied = shopRows(rows, postal_code, city);
          if (applied.every(isWide)) continue;
          const asked = {
            to: { state: 'TX', postal_code, city },
            tax_date: '2026-11-20',
            line_items: [{ unit_price: '1000000.00' }],
          };
          const { tax_amount, line_items } = ask(asked, { releaseFor });
          const shop = shopTax(applied);
          // Skips an address whose ZIP and city match rows that contradict each other.
          if (line_items[0]?.address_resolution.ambiguous) continue;
          compared += 1;
          expect({ postal_code, city, tax_amount }).toEqual({
            postal_code,
            city,
            tax_amount: `${shop / 100_000_000n}.${String((shop % 100_000_000n) / 1_000_000n).padStart(2, '0')}`,
          });
        }
    }),
    { numRuns: 250, examples: pitfalls.map((rows) => [rows]) },
  );
  expect(compared).toBeGreaterThan(150);
});

type Row = {
  readonly format: Format;
  readonly state: string;
  /** The combined rates of cities, in percent, one for each alternative. */
  readonly rates: readonly (readonly [city: string, day: string, percents: readonly number[], because: string])[];
  /** The local jurisdictions of cities: code, name, type, kind and the state's own code. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
  /** The reasons of skipped rows, remarks and notes of the valid file: first line, count and reason. */
  readonly summary: readonly string[];
  readonly note?: string;
  readonly bad: readonly (Change & { readonly line: number; readonly reason: string })[];
  readonly refused: readonly (Change & { readonly message: string })[];
};

const formats = readCases<Row>(formatRows, {
  required: ['format', 'state', 'rates', 'codes', 'summary', 'bad', 'refused'],
  optional: ['note'],
});
const changeKeys = ['replace', 'content', 'name', 'rows', 'row', 'column', 'cell', 'added', 'header', 'title'] as const;
const responseKeys = ['district', 'districts', 'more'] as const;
for (const { bad, refused } of formats) {
  readCases<(typeof bad)[number]>(bad, { required: ['line', 'reason'], oneOf: [...changeKeys, ...responseKeys] });
  readCases<(typeof refused)[number]>(refused, { required: ['message'], oneOf: [...changeKeys, ...responseKeys] });
}

const read = (format: Format, state: string, file: TestFile) =>
  importFiles(format, state, [file], { names: getNames(state) });

const codesIn = (imported: Imported, city: string): readonly string[] =>
  (imported.parts.get(city)?.jurisdictions ?? []).map(({ code, name, type, kind, reporting_code }) =>
    [code, name, type, kind ?? '-', reporting_code ?? '-'].join(' | '),
  );

const lines = (reasons: Summary['skipped']) =>
  reasons.map(({ firstLine, count, reason }) => [firstLine, count, reason].join(' | '));

describe.each(formats)('the $format importer', ({ format, state, rates, codes, summary, bad, refused }) => {
  const importing = read(format, state, changedFile(format, {}));

  it.each(rates)('reads %s on %s: %j, because %s', async (city, day, percents) => {
    expect(percentsIn(await importing, city, day)).toEqual(percents);
  });

  it('contains the codes that rules reference, each with the code of the state', async () => {
    const imported = await importing;
    expect(Object.fromEntries(Object.keys(codes).map((city) => [city, codesIn(imported, city)]))).toEqual(codes);
  });

  it('counts skipped rows and remarks', async () => {
    const { built } = await importing;
    expect(built.summary.bad.count).toBe(0);
    expect(getHead(await importing)).toMatchObject({ coverage: 'partial', format });
    expect([
      ...lines(built.summary.skipped),
      ...lines(built.summary.remarks),
      ...built.summary.notes.filter((note) => note.startsWith('These are missing')),
    ]).toEqual(summary);
  });

  it.each(bad)('reports the row of a changed file: $reason', async ({ line, reason, ...change }) => {
    const file = changedFile(format, change);
    const { built } = await read(format, state, file);
    const found = built.summary.bad.first.map((one) => [one.file, one.line, one.reason.slice(0, reason.length)]);
    expect(found).toEqual([[`${file.name}${format === 'virginia' ? ', sheet Current' : ''}`, line, reason]]);
  });

  it.each(refused)('refuses a file of another layout: $message', async ({ message, ...change }) => {
    await expect(read(format, state, changedFile(format, change))).rejects.toThrow(message);
  });
});

it('uses the city code of the rules on groceries in the arizona importer', async () => {
  const imported = await read('arizona', 'AZ', fixture('TPT_RATETABLE_ALL_11012026.csv'));
  const named = getBase('AZ').rules.flatMap(({ jurisdictions }) => jurisdictions ?? []);
  const codes = [...imported.parts.values()].flatMap(({ jurisdictions }) => jurisdictions.map(({ code }) => code));
  expect(named.filter((code) => codes.includes(code))).toContain('US-AZ-01-55000');
});

describe('the cdtfa importer', () => {
  const good = fixture('cdtfa.csv');
  const listCodes = ({ parts }: Imported, city: string) => parts.get(city)?.jurisdictions.map(({ code }) => code);

  it('generates a code for each rate of a city if no tables exist', async () => {
    expect(codesIn(await importFiles('cdtfa', 'CA', [good]), 'ALAMEDA')).toEqual([
      'US-CA-DISTRICT-ALAMEDA | Alameda, local taxes | district | - | -',
    ]);
    const replace = ['ANGELS CAMP,ANGELS CAMP,Angels Camp', 'ALAMEDA,ALAMEDA,Alameda'] as const;
    const shared = changedFile('cdtfa', { replace });
    expect(listCodes(await importFiles('cdtfa', 'CA', [shared]), 'ALAMEDA')?.toSorted()).toEqual([
      'US-CA-DISTRICT-ALAMEDA',
      'US-CA-DISTRICT-ALAMEDA-CALAVERAS',
    ]);
  });

  it('uses the codes and names of the built-in content', async () => {
    const address = readAddress({ state: 'CA', postal_code: '94501', city: 'Alameda' }, '');
    if (!address.ok) throw new Error('The address is refused.');
    const { code, name } = locate(address.value, () => getBase('CA'), '2026-11-21', false).place.jurisdictions[1] ?? {};
    expect((await read('cdtfa', 'CA', good)).parts.get('ALAMEDA')?.jurisdictions).toMatchObject([{ code, name }]);
  });
});

it('uses the jurisdictions of the built-in tables in the colorado importer, with their names and types', async () => {
  const { parts } = await read('colorado', 'CO', changedFile('colorado'));
  const taxes = packRates('CO').taxes.split('\n');
  const cities = ['AURORA', 'ASPEN', 'EAGLE VAIL', 'GRAND JUNCTION', 'DENVER'];
  // The tables do not include the district's tax, and include the transit tax of Pitkin County in the county's rate.
  const others = ['US-CO-63-LID-037', 'US-CO-63-MTS-097'];
  const own = cities.flatMap((city) => parts.get(city)?.jurisdictions ?? []);
  for (const { code, name, type, kind } of own.filter((one) => !others.includes(one.code))) {
    const start = `${code}~${name}~${type}~${kind ?? ''}`;
    expect(
      taxes.filter((tax) => tax.startsWith(start)),
      code,
    ).toHaveLength(1);
  }
});

describe('the texas importer', () => {
  const good = fixture('taxrates.txt');

  it('uses the codes of the file without tables, with the same combined rates', async () => {
    const byFile = await importFiles('texas', 'TX', [good]);
    const cities = ['ABERNATHY', 'AUSTIN', 'BEE CAVE'];
    const found = cities.map((city) =>
      byFile.parts.get(city)?.locations.map(({ from, to, alternatives }) => [from, to, alternatives.map(String)]),
    );
    expect(found).toEqual([
      [['2026-10-01', null, ['US-TX-2095015,US-TX-4095000', 'US-TX-2095015,US-TX-5152999']]],
      [['2026-10-01', null, ['US-TX-2227016,US-TX-3227999']]],
      [['2026-10-01', null, ['US-TX-2227098']]],
    ]);
    expect(byFile.built.summary).toMatchObject({ rowsRead: 5, rowsKept: 4 });
    const byTable = await read('texas', 'TX', good);
    const releaseFor = (imported: Imported) => releaseWith(getHead(imported), [...imported.parts.values()]);
    const releases = { before: releaseFor(byFile), after: releaseFor(byTable) };
    expect([...byTable.parts.keys()]).toEqual(cities);
    expect(await changesAt('TX', cities, releases, '2026-11-22')).toEqual([]);
  });
});

it('reports a row without an additional separator at its end if the first 100 rows have one', async () => {
  const shifted = Array.from({ length: 100 }, (_, at) => `TX,${78600 + at},A,0.0625,0.0625,0,0,0,0,`);
  const { built } = await importFiles('zip-rates', 'TX', [
    tableFile('zip-rates', ...shifted, 'TX,78701,AUSTIN,0.0625,0.0625,0,0,0,1'),
  ]);
  expect(built.summary.bad.first.map(({ line, reason }) => [line, reason.split(':')[0]])).toEqual([
    [102, 'has 9 cells, but the first rows have 10'],
  ]);
});

it('reports rows that are all shifted by a decimal comma, so that the empty last column looks like a separator', async () => {
  const { name, content } = fixture('taxrates_current.csv');
  const [header, ...lines] = content.toString().trim().split(/\r?\n/);
  const withoutPlaceInCounty = lines.filter((line) => line.endsWith(',"","",""'));
  const shifted = withoutPlaceInCounty.map((line) => line.replace(/"(\d)\.(\d{4})"/, '$1,$2'));
  const { built } = await read('alabama', 'AL', { name, content: Buffer.from([header, ...shifted].join('\n')) });
  const { rowsRead, rowsKept, bad } = built.summary;
  expect(shifted.length).toBeGreaterThan(1);
  expect([rowsRead, rowsKept, bad.count]).toEqual([shifted.length, 0, shifted.length]);
  expect(bad.first[0]?.reason).toMatch(/^has 14 cells, but the header has 13: /);
});

it('omits periods that ended before the release in the virginia importer', async () => {
  const { built } = await read('virginia', 'VA', changedFile('virginia'));
  expect(built.summary.files.map(({ name }) => name.split(', ')[1])).toEqual(['sheet Current', 'sheet Next']);
});

it('keeps the rate of an earlier Illinois file with an uncertainty if the rate now depends on the address', async () => {
  const file = fixture('ordmache-current.txt').content.toString();
  const line = file.split('\n').find((one) => one.includes('CHICAGO')) ?? '';
  // The row of Chicago with the flag Y and zeros, as in the row of ALTON.
  const open = `${line.slice(0, 60)}Y20261101${'0'.repeat(20)} ${line.slice(90, 132)}${'0'.repeat(16)}${line.slice(148)}`;
  const [earlier, now] = [
    await read('illinois', 'IL', changedFile('illinois')),
    await read('illinois', 'IL', changedFile('illinois', { replace: [line, open] })),
  ].map(createReleaseFor) as [ReleaseFor, ReleaseFor];
  const below: ReleaseFor = (address) => ({ ...earlier(address), fallback: getBase('IL') }) as Release;
  const releaseFor: ReleaseFor = (address) => ({ ...now(address), fallback: below(address) }) as Release;
  const to = { state: 'IL', postal_code: '60601', city: 'Chicago' };
  const { tax_amount, line_items } = ask({ to, tax_date: '2026-11-21' }, { releaseFor });
  expect([tax_amount, line_items[0]?.address_resolution.ambiguous]).toEqual(['10.50', true]);
});
