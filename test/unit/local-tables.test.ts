import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rateOfArea } from '../../shared/catalog/local/dated-rate.ts';
import { localTable } from '../../shared/catalog/local/local-table.ts';
import manifest from '../../shared/catalog/local/manifest.json' with { type: 'json' };
import {
  countyNames,
  districtNames,
  editionsOf,
  rateRows,
  sourceRows,
  zipRows,
} from '../../shared/catalog/local/text-tables.ts';
import { statesOfZip } from '../../shared/catalog/location/zip-states.ts';
import { packRates } from '../../shared/cli/pack/pack-tables.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';

const folder = new URL('../../shared/catalog/local/', import.meta.url);
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

describe.each(editionsOf('rates'))('the rate table %s', (edition) => {
  const state = edition.slice(0, 2);
  const rows = rateRows(edition);
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
      for (const day of [row.from, row.to ?? '']) expect(day === '' || isDay(day), `${what}: ${day}`).toBe(true);
    }
  });

  it('has one rate for each jurisdiction on a day, in any areas of an address', () => {
    const days = { established: '2026-10-01', approximate: '2022-01-01' };
    const changes = rows.flatMap(({ from }) => (from >= '2022' ? [from] : []));
    const areas = localTable(packRates(edition), '').areas();
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

describe.each(editionsOf('zips'))('the ZIP table %s', (edition) => {
  const state = edition.slice(0, 2);
  const rows = zipRows(edition);

  it('names each ZIP once, in a county of the rate table', () => {
    const known = new Set(rateRows(edition).map(({ county }) => county));
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

describe('the editions of local tables', () => {
  it('are never edited: each file has the hash that it was released with', () => {
    const files = ['rates', 'zips'].flatMap((kind) =>
      readdirSync(new URL(`${kind}/`, folder)).map((name) => `${kind}/${name}`),
    );
    const hashes = files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(new URL(name, folder)))
        .digest('hex'),
    ]);
    expect(Object.fromEntries(hashes)).toEqual(manifest);
  });
});
