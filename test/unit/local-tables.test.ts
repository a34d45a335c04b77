import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Area, localTable, type Period } from '../../shared/catalog/local/local-table.ts';
import manifest from '../../shared/catalog/local/manifest.json' with { type: 'json' };
import { rateOfArea } from '../../shared/catalog/local/place-choice.ts';
import {
  countyNames,
  districtNames,
  listStates,
  rateRows,
  sourceRows,
  zipRows,
} from '../../shared/catalog/local/text-tables.ts';
import { statesOfZip } from '../../shared/catalog/location/zip-states.ts';
import { packRates } from '../../shared/cli/pack/generated-files.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';

describe('local tables', () => {
  const counties = countyNames();
  const districts = districtNames();
  const sources = new Map(sourceRows().map((row) => [row.key, row]));

  // Millionths of a percent, by string arithmetic of its own.
  const millionths = (percent: string): bigint => {
    const [whole = '0', decimals = ''] = percent.split('.');
    return BigInt(whole + decimals.padEnd(6, '0'));
  };
  const repeated = (texts: readonly string[]): string[] => [
    ...new Set(texts.filter((text, at) => texts.indexOf(text) !== at)),
  ];
  const isDay = (text: string): boolean =>
    /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);

  describe.each(listStates())('the rate table of %s', (state) => {
    const rows = rateRows(state);
    const rated = rows.filter(({ rate }) => rate !== '');

    it('has percents within bounds, whose parts sum to them', () => {
      for (const { rate, parts, county, place } of rated) {
        const what = `${county} ${place}`;
        expect(rate, what).toMatch(/^\d{1,2}(\.\d{1,4})?$/);
        expect(Number(rate), what).toBeLessThanOrEqual(12);
        if (parts === '') continue;
        const shares = parts.split(';').map((part) => part.split('=')[1] ?? '');
        expect(
          shares.reduce((sum, share) => sum + millionths(share), 0n),
          what,
        ).toBe(millionths(rate));
      }
    });

    it('names each area once on a day, in a county of its own state', () => {
      expect(repeated(rows.map(({ county, place, from }) => `${county} ${place} ${from}`))).toEqual([]);
      const byArea = Map.groupBy(rows, ({ county, place }) => `${county} ${place}`);
      for (const [area, own] of byArea) {
        const firsts = own.map(({ from }) => from);
        expect(firsts, `${area}: the oldest first`).toEqual(firsts.toSorted());
        // The rates before and after a change differ, unless a part of the one replaced a part of the other.
        const rates = own.map(({ rate, parts }) => `${rate} ${parts}`);
        for (const [at, rate] of rates.entries()) expect(rate, `${area} changes`).not.toBe(rates[at - 1]);
      }
      for (const { county, place, rate } of rows) {
        if (county === '') expect([place !== '', rate], place).toEqual([true, '']);
        else expect(counties.has(`${stateFips(state)}${county}`), county).toBe(true);
      }
    });

    it('has the names of its districts, and the source and confidence of each rate', () => {
      for (const row of rated) {
        const what = `${row.county} ${row.place}`;
        for (const part of row.parts === '' ? [] : row.parts.split(';')) {
          const [, level, kind] = /^(county|city|district|city\+county)(?::([A-Z0-9-]+))?=/.exec(part) ?? [];
          expect(level, `${what}: ${part}`).toBeDefined();
          if (level === 'district' || kind !== undefined) expect(districts.has(`${state} ${kind}`), part).toBe(true);
        }
        expect(sources.has(row.source), `${what}: ${row.source}`).toBe(true);
        expect(['high', 'medium-high', 'medium', 'low'], what).toContain(row.confidence);
        for (const day of [row.from, row.to]) expect(day === '' || isDay(day), `${what}: ${day}`).toBe(true);
      }
    });

    it('has one rate for each jurisdiction on a day, in any areas of an address', () => {
      const days = { established: '2026-10-01', approximate: '2022-01-01' };
      const changes = rows.flatMap(({ from }) => (from >= '2022' ? [from] : []));
      const areas = localTable(packRates(state), '').areas();
      for (const day of new Set(['2022-01-01', '2026-11-22', ...changes])) {
        const rates = new Map<string, string>();
        for (const area of areas)
          for (const { code, rate } of rateOfArea(area, day, days)?.period.taxes ?? []) {
            expect(rates.get(code) ?? rate, `${code} on ${day}, ${area.county} ${area.place}`).toBe(rate);
            rates.set(code, rate);
          }
      }
    });

    it('has a reason for each rate that is not established, and no parts', () => {
      for (const { rate, parts, note, place } of rows)
        if (rate === '') expect([parts, note.length > 10], place).toEqual(['', true]);
    });
  });

  describe.each(listStates())('the ZIP table of %s', (state) => {
    const rows = zipRows(state);

    it('names each ZIP once, in a county of the rate table', () => {
      const known = new Set(rateRows(state).map(({ county }) => county));
      expect(repeated(rows.map(({ zip5 }) => zip5))).toEqual([]);
      for (const { zip5, counties: ofZip } of rows) {
        expect(zip5).toMatch(/^\d{5}$/);
        for (const county of ofZip.split('|'))
          expect(known.has(county.replace(/:.*/, '')), `${zip5} ${county}`).toBe(true);
      }
    });

    it('has whole percents of the residents of each ZIP, which are at most all of them', () => {
      const percentsOf = (list: string) =>
        list.split('|').flatMap((one) => (one.includes(':') ? [one.split(':')[1]] : []));
      for (const { zip5, residents, counties: ofZip, names } of rows) {
        expect(residents, zip5).toMatch(/^(|[1-9]\d*)$/);
        const [ofCounties, ofNames] = [percentsOf(ofZip), percentsOf(names)];
        for (const percent of [...ofCounties, ...ofNames]) expect(percent, zip5).toMatch(/^(0|[1-9]\d?|100)$/);
        const sum = (percents: readonly (string | undefined)[]) =>
          percents.reduce((all, percent) => all + Number(percent), 0);
        if (ofCounties.length > 0)
          expect([ofCounties.length, sum(ofCounties)], zip5).toEqual([ofZip.split('|').length, 100]);
        // Each is rounded by itself, and a postal name that nobody may use has at least one percent.
        expect(sum(ofNames), zip5).toBeLessThanOrEqual(110);
        if (residents === '') expect(ofNames, zip5).toEqual([]);
      }
    });

    it('agrees with the postal service on the state of each ZIP', () => {
      const others = rows.filter(({ zip5 }) => !statesOfZip(zip5).includes(state)).map(({ zip5 }) => zip5);
      expect(others).toEqual([]);
    });
  });

  it.each(Object.entries(manifest))('has the hash of the manifest: %s', (name, hash) => {
    const content = readFileSync(new URL(`../../shared/catalog/local/${name}`, import.meta.url));
    expect(createHash('sha256').update(content).digest('hex')).toBe(hash);
  });
});

describe('dated rates', () => {
  /** Which rate of an area answers on a tax day. */

  const days = { established: '2026-10-01', approximate: '2022-01-01' };

  type Row = { readonly rate: string; readonly from?: string; readonly to?: string; readonly asOf?: string };

  const periodOf = ({ rate, from = '', to = '', asOf = '2026-01-01' }: Row): Period => ({
    from: from || null,
    to: to || null,
    taxes: [{ code: 'US-XX-01-A', name: 'A', type: 'city', kind: null, rate }],
    units: 0n,
    evidence: { source: 'test', confidence: 'high' },
    published: { asOf, due: '2026-04-08', overdueMs: Date.parse('2026-04-09') },
  });

  const areaOf = (first: Row, ...others: readonly Row[]): Area => ({
    county: '001',
    place: 'A',
    aliases: [],
    names: ['A'],
    plainNames: ['A'],
    offset: 0,
    taxes: [],
    units: 0n,
    periods: [periodOf(first), ...others.map(periodOf)],
  });

  const rateOn = (area: Area, day: string) => {
    const found = rateOfArea(area, day, days);
    const { of, because } = found?.approximation ?? {};
    return found && [found.period.taxes?.[0]?.rate, ...(of && because ? [of, because] : [])];
  };

  const undated = areaOf({ rate: '1' });
  const dated = areaOf({ rate: '1', from: '2024-04-01' });
  const changed = areaOf({ rate: '1' }, { rate: '2', from: '2024-04-01' }, { rate: '3', from: '2027-01-01' });
  const ended = areaOf({ rate: '1', from: '2019-01-01', to: '2026-12-31' });
  const gap = areaOf({ rate: '1', from: '2022-01-01', to: '2022-06-30' }, { rate: '2', from: '2026-07-01' });

  it.each([
    { area: undated, day: '2021-12-31', is: null, because: 'nothing is known' },
    { area: undated, day: '2022-01-01', is: ['1', '2026-10-01', 'undated'], because: 'the first day is not known' },
    { area: undated, day: '2026-09-30', is: ['1', '2026-10-01', 'undated'], because: 'the first day is not known' },
    { area: undated, day: '2026-10-01', is: ['1'], because: 'it is established' },
    { area: dated, day: '2021-12-31', is: null, because: 'nothing is known' },
    { area: dated, day: '2024-03-31', is: ['1', '2024-04-01', 'first'], because: 'no earlier one is on record' },
    { area: dated, day: '2024-04-01', is: ['1'], because: 'it is the first day' },
    { area: changed, day: '2022-01-01', is: ['1', '2024-03-31', 'undated'], because: 'the first day is not known' },
    { area: changed, day: '2024-03-31', is: ['1'], because: 'it is the last day before the change' },
    { area: changed, day: '2024-04-01', is: ['2'], because: 'it is the day of the change' },
    { area: changed, day: '2026-12-31', is: ['2'], because: 'the next one has not begun' },
    { area: changed, day: '2027-01-01', is: ['3'], because: 'the next one begins' },
    { area: ended, day: '2018-12-31', is: null, because: 'nothing is known' },
    { area: ended, day: '2026-12-31', is: ['1'], because: 'it is the last day' },
    { area: ended, day: '2027-01-01', is: ['1', '2026-12-31', 'ended'], because: 'what follows is not known' },
    { area: gap, day: '2022-06-30', is: ['1'], because: 'it is the last day of the first' },
    { area: gap, day: '2022-07-01', is: ['2', '2026-07-01', 'first'], because: 'the day of the change is not known' },
  ])('the rate on $day is $is: $because', ({ area, day, is }) => expect(rateOn(area, day)).toEqual(is));

  it.each([
    {
      asOf: ['2025-07-01', '2026-01-01'],
      day: '2025-12-31',
      is: null,
      because: 'a newer source has the day of its end',
    },
    { asOf: ['2025-07-01', '2025-07-01'], day: '2025-12-31', is: '2025-07-01', because: 'no newer source has it' },
    { asOf: ['2025-07-01', '2026-01-01'], day: '2026-01-01', is: '2026-01-01', because: 'it is the newest' },
  ])('the source of the rate on $day is of $is: $because', ({ asOf: [first, second], day, is }) => {
    const area = areaOf({ rate: '1', asOf: first ?? '' }, { rate: '2', from: '2026-01-01', asOf: second ?? '' });
    expect(rateOfArea(area, day, days)?.published?.asOf ?? null).toBe(is);
  });
});
