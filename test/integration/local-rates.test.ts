/**
 * Every row of the tables of local rates is reachable: each place by its city and a ZIP of its county, each county's
 * remainder by its name, through POST /calculations. The rates are read from the text tables, and added up here.
 */
import { expect, it } from 'vitest';
import { builtInRelease } from '../../shared/content/built-in.ts';
import { countyNames, editionsOf, type RateRow, rateRows, zipRows } from '../../shared/content/local/text-tables.ts';
import { stateFips } from '../../shared/content/state-fips.ts';
import { newCaller } from '../support/api.ts';

type Question = {
  readonly what: string;
  readonly address: object;
  readonly percent: string;
  readonly isNarrow: boolean;
};

// Hundred-thousandths of a percent: the dollars of tax on 10,000,000.00.
const units = (percent: string): bigint => {
  const [whole = '0', decimals = ''] = percent.split('.');
  return BigInt(whole + decimals.padEnd(5, '0'));
};

const key = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '');
const names = countyNames();

/** A ZIP of a county where mail uses a place's name, if there is one; else one whose main county it is; else any. */
const zipFor = (edition: string) => {
  const zips = zipRows(edition).map((row) => ({
    ...row,
    list: row.counties.split('|'),
    keys: row.places.split('|').map(key),
  }));
  return ({ county, place }: RateRow): string | undefined => {
    const main = zips.filter(({ list }) => list[0] === county);
    const named = main.find(({ keys }) => keys.includes(key(place)));
    return (named ?? main[0] ?? zips.find(({ list }) => list.includes(county)))?.zip5;
  };
};

const questionsOf = (edition: string): Question[] => {
  const state = edition.slice(0, 2);
  const zipOf = zipFor(edition);
  const stateRate = builtInRelease(state)?.rates.findLast(
    ({ jurisdiction, from }) => jurisdiction === `US-${state}` && (from ?? '') <= '2026-11-01',
  )?.rate;
  return rateRows(edition)
    .filter(({ rate }) => rate !== '')
    .flatMap((row): Question[] => {
      const county = names.get(`${stateFips(state)}${row.county}`);
      const percent = String(units(row.rate) + BigInt(Math.round(Number(stateRate) * 1e7)));
      const what = `${edition} ${row.county} ${row.place}`;
      if (row.place === '') return [{ what, percent, address: { state, county }, isNarrow: true }];
      const address = { state, city: row.place, postal_code: zipOf(row) };
      return [
        { what, percent, address, isNarrow: false },
        { what: `${what}, with its county`, percent, address: { ...address, county }, isNarrow: true },
      ];
    });
};

const questions = editionsOf('rates').flatMap(questionsOf);

it('has a question for each of more than 8,500 rows', () => {
  expect(new Set(questions.map(({ what }) => what.split(', with')[0])).size).toBeGreaterThan(8500);
});

it('gets the rate of every row, or the ambiguity of its ZIP', async () => {
  const { call } = await newCaller();
  const wrong: string[] = [];
  let ambiguous = 0;
  for (let start = 0; start < questions.length; start += 500) {
    const asked = questions.slice(start, start + 500);
    const { status, body } = await call('POST', '/calculations', {
      body: {
        tax_date: '2026-11-01',
        line_items: asked.map(({ address }) => ({
          product_tax_code: 'GENERAL',
          quantity: '100000',
          unit_price: '100.00',
          customer: { address },
        })),
      },
    });
    expect(status).toBe(200);
    for (const [index, { what, percent, isNarrow }] of asked.entries()) {
      const line = body.line_items[index];
      if (BigInt(line.tax_amount.replace('.', '')) === BigInt(percent) * 100n && line.address_resolution.coverage === 'complete') continue;
      if (!isNarrow && line.address_resolution.ambiguous) ambiguous += 1;
      else wrong.push(`${what}: ${line.tax_amount} instead of ${percent}`);
    }
  }
  expect(wrong).toEqual([]);
  // Most rows are certain by city and ZIP alone.
  expect(ambiguous).toBeLessThan(100);
});
