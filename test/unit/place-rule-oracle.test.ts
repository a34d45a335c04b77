/**
 * The rule of `find-place.ts` on every ZIP with each of its names, other cities and none, against a slow reading of the
 * tables.
 */
import { describe, expect, it } from 'vitest';
import {
  countyNames,
  listStates,
  type RateRow,
  rateRows,
  type ZipRow,
  zipRows,
} from '../../shared/catalog/local/text-tables.ts';
import { type PostalAddress, readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { ask, refusal, warningCodes } from '../support/builders.ts';
import { withTables } from '../support/local-tables.ts';
import {
  expectedOf,
  finderIn,
  type Lot,
  lotsNamed,
  lotsOf,
  type Named,
  rowsOn,
  rowsThere,
  standInRates,
} from '../support/place-oracle.ts';

const day = '2026-11-20';

/** The local rate that an address gets, in millionths of a percent, and its resolution. */
const answerTo = (sent: PostalAddress) => {
  const address = readAddress(sent, '');
  if (!address.ok) throw new Error(`${JSON.stringify(sent)} is not read`);
  const { place, resolution } = locate(address.value, withTables, day, false);
  const rates = new Map(
    (place.release?.rates ?? []).filter(({ from }) => (from ?? '') <= day).map((one) => [one.jurisdiction, one.rate]),
  );
  const local = place.jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => Number(rates.get(code)));
  return { rate: Math.round(local.reduce((sum, rate) => sum + rate, 0) * 1e8), ...resolution };
};
const answerOf = (state: string, postal_code: string, city: string) => answerTo({ state, postal_code, city });

const letters = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');

type Case = { readonly city: string; readonly possible: readonly Lot[]; readonly isExact: boolean };

/** The first name of other ZIPs of the state that is no name of this one: of a near ZIP, and of one anywhere. */
const otherCities = (all: readonly ZipRow[], at: number, isOwn: (name: string) => boolean): readonly string[] =>
  [at + 1, at + 7919].flatMap((start) => {
    const names = Array.from({ length: 20 }, (_, step) =>
      all[(start + step) % all.length]?.names.replace(/[|=:].*/, ''),
    );
    return names.find((name) => name && !isOwn(name)) ?? [];
  });

/** The cities that an address in a ZIP may have, with the areas that each leaves possible. */
const casesOf = (lots: readonly Lot[], all: readonly ZipRow[], at: number, named: Named): readonly Case[] => {
  const zip = all[at] as ZipRow;
  const texts = zip.names.split('|');
  const own = new Set(texts.flatMap((text) => rowsThere(zip, text, named)));
  const spellings = new Set(texts.flatMap((text) => text.replace(/:.*/, '').split('=')).map(letters));
  const isOwn = (name: string) => spellings.has(letters(name)) || named(name).some((row) => own.has(row));
  return [
    ...texts.map((text) => ({
      city: text.replace(/[=:].*/, ''),
      possible: lotsNamed(lots, zip, text, named),
      isExact: true,
    })),
    ...['', 'Xyzzy'].map((city) => ({ city, possible: lots, isExact: true })),
    ...otherCities(all, at, isOwn).map((city) => {
      const places = named(city).map((row) => ({ row, percent: 0 }));
      // A name without a place may be anywhere in its own ZIPs.
      return { city, possible: [...lots, ...places], isExact: places.length > 0 };
    }),
  ];
};

const states = listStates().filter((state) => rateRows(state).some(({ rate }) => rate !== '0'));
const met = { certain: 0, ambiguous: 0, partial: 0 };

/** The problem of the answer to an address, or `null`. */
const faultOf = (state: string, rows: readonly RateRow[], zip: ZipRow, { city, possible, isExact }: Case) => {
  const { rates, ambiguous, coverage } = expectedOf(possible);
  const answer = answerOf(state, zip.zip5, city);
  met[ambiguous ? 'ambiguous' : coverage === 'partial' ? 'partial' : 'certain'] += 1;
  const known = rates.includes(null) ? [...rates, ...standInRates(rows, zip)] : rates;
  const isSame = answer.ambiguous === ambiguous && answer.coverage === coverage;
  const isNoBetter = (answer.ambiguous || !ambiguous) && (answer.coverage === 'partial' || coverage === 'complete');
  if (known.includes(answer.rate) && (isExact ? isSame : isNoBetter)) return null;
  return `${zip.zip5} ${city}: ${JSON.stringify([answer, rates, ambiguous, coverage])}`;
};

describe.each(states)('%s', (state) => {
  const rows = rowsOn(rateRows(state), day);
  const named = finderIn(rows);
  const zips = zipRows(state);

  it('gives each ZIP the rate of most residents, and names every uncertainty, with each of its names, another and none', () => {
    const wrong = zips.flatMap((zip, at) => {
      const cases = casesOf(lotsOf(rows, zip, named), zips, at, named);
      return cases.flatMap((one) => faultOf(state, rows, zip, one) ?? []);
    });
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it('warns of each uncertainty, and the policies refuse it', () => {
    // Every 20th ZIP: the calculation only reads what the test above compares.
    for (const [at, zip] of zips.entries())
      for (const { city } of at % 20 === 0 ? casesOf(lotsOf(rows, zip, named), zips, at, named) : []) {
        const { ambiguous, coverage } = answerOf(state, zip.zip5, city);
        const request = { to: { state, postal_code: zip.zip5, city }, tax_date: day };
        const codes = warningCodes(ask(request, { releaseFor: withTables }));
        const refused = (settings: Parameters<typeof refusal>[1]) => refusal(request, settings).map(({ code }) => code);
        const text = JSON.stringify(request);
        expect(codes.includes('address_ambiguous'), text).toBe(ambiguous);
        expect(codes.includes('local_rates_missing'), text).toBe(coverage === 'partial');
        expect(refused({ releaseFor: withTables, settings: { ambiguous_address: 'reject' } }), text).toEqual(
          ambiguous ? ['validation_address_unresolvable'] : [],
        );
        expect(refused({ releaseFor: withTables, settings: { incomplete_coverage: 'reject' } }), text).toEqual(
          coverage === 'partial' ? ['validation_not_covered'] : [],
        );
      }
  });
});

it('finds every row of the tables by the city or county that it names, or marks the address as ambiguous', () => {
  const counties = countyNames();
  const wrong: string[] = [];
  const count = { rows: 0, certain: 0 };
  for (const state of listStates()) {
    const zips = zipRows(state);
    const zipIn = (county: string) => zips.find((zip) => zip.counties.startsWith(county))?.zip5 ?? null;
    for (const row of rowsOn(rateRows(state), day)) {
      if (row.rate === '') continue;
      count.rows += 1;
      const county = counties.get(`${stateFips(state)}${row.county}`) ?? null;
      const address =
        row.place === '' ? { state, county } : { state, county, city: row.place, postal_code: zipIn(row.county) };
      const { rate, ambiguous, coverage } = answerTo(address);
      if (ambiguous) continue;
      if (rate === Math.round(Number(row.rate) * 1e6) && coverage === 'complete') count.certain += 1;
      else wrong.push(`${state} ${row.county} ${row.place}: ${rate} instead of ${row.rate}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(count.rows).toBeGreaterThan(8500);
  expect(count.certain).toBeGreaterThan(2000);
});

it('meets all outcomes', () => {
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(1000);
});
