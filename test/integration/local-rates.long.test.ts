/**
 * Every row of the tables of local rates is reachable through POST /calculations: each place by its city and a ZIP of its
 * county, each county's remainder by its name, and each place that is the main postal place of a ZIP by that ZIP. The
 * test reads the rates from the text tables and adds them up itself.
 */
import { expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { countyNames, listStates, type RateRow, rateRows, zipRows } from '../../shared/catalog/local/text-tables.ts';
import { stateFips } from '../../shared/vocabulary/jurisdiction.ts';
import { newCaller } from '../support/api.ts';

type Question = {
  readonly what: string;
  readonly address: object;
  readonly percent: string;
};

// Hundred-thousandths of a percent: the dollars of tax on 10,000,000.00.
const units = (percent: string): bigint => {
  const [whole = '0', decimals = ''] = percent.split('.');
  return BigInt(whole + decimals.padEnd(5, '0'));
};

const day = '2026-11-01';
/** The row of each area on the day: the last one that has begun. */
const rowsOnDay = (state: string): readonly RateRow[] => {
  const begun = rateRows(state).filter(({ from }) => from <= day);
  return [...new Map(begun.map((row) => [`${row.county} ${row.place}`, row])).values()];
};

const key = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '');
const names = countyNames();

/** A ZIP of a county where mail uses a place's name, if there is one; else one whose main county it is; else any. */
const zipFor = (state: string) => {
  const zips = zipRows(state).map((row) => ({
    ...row,
    list: row.counties.split('|').map((county) => county.replace(/:.*/, '')),
    keys: row.names.split(/[|=]/).map(key),
  }));
  return ({ county, place }: RateRow): string | undefined => {
    const main = zips.filter(({ list }) => list[0] === county);
    const named = main.find(({ keys }) => keys.includes(key(place)));
    return (named ?? main[0] ?? zips.find(({ list }) => list.includes(county)))?.zip5;
  };
};

/** The state's and a local rate together, in hundred-thousandths of a percent. */
const combined = (state: string, local: string): string => {
  const stateRate = builtInRelease(state)?.rates.findLast(
    ({ jurisdiction, from }) => jurisdiction === `US-${state}` && (from ?? '') <= day,
  )?.rate;
  return String(units(local) + BigInt(Math.round(Number(stateRate) * 1e7)));
};

const questionsOf = (state: string): Question[] => {
  const zipOf = zipFor(state);
  return rowsOnDay(state)
    .filter(({ rate }) => rate !== '')
    .flatMap((row): Question[] => {
      const county = names.get(`${stateFips(state)}${row.county}`);
      const percent = combined(state, row.rate);
      const what = `${state} ${row.county} ${row.place}`;
      if (row.place === '') return [{ what, percent, address: { state, county } }];
      const address = { state, city: row.place, postal_code: zipOf(row) };
      return [
        { what, percent, address },
        { what: `${what}, with its county`, percent, address: { ...address, county } },
      ];
    });
};

const questions = listStates().flatMap(questionsOf);

it('tests each of more than 8,500 rows', () => {
  expect(new Set(questions.map(({ what }) => what.split(', with')[0])).size).toBeGreaterThan(8500);
});

type Line = {
  readonly tax_amount: string;
  readonly address_resolution: { readonly ambiguous: boolean; readonly coverage: string };
};

/** Calls `check` with the line of each address, 500 lines per calculation. */
const askAll = async <Asked extends { readonly address: object }>(
  asked: readonly Asked[],
  check: (line: Line, asked: Asked) => void,
) => {
  const { call } = await newCaller();
  for (let start = 0; start < asked.length; start += 500) {
    const page = asked.slice(start, start + 500);
    const { status, body } = await call('POST', '/calculations', {
      body: {
        tax_date: day,
        line_items: page.map(({ address }) => ({
          product_tax_code: 'GENERAL',
          quantity: '100000',
          unit_price: '100.00',
          customer: { address },
        })),
      },
    });
    expect(status).toBe(200);
    for (const [index, one] of page.entries()) check(body.line_items[index] as Line, one);
  }
};

const hasTax = ({ tax_amount }: Line, percent: string): boolean =>
  BigInt(tax_amount.replace('.', '')) === BigInt(percent) * 100n;

it('returns the rate of every row, or marks the address as ambiguous', async () => {
  const wrong: string[] = [];
  let certain = 0;
  await askAll(questions, (line, { what, percent }) => {
    const { coverage, ambiguous } = line.address_resolution;
    if (hasTax(line, percent) && coverage === 'complete' && !ambiguous) certain += 1;
    // Mail for most places also goes beyond their limits, and a county alone does not say which place.
    else if (!ambiguous) wrong.push(`${what}: ${line.tax_amount} instead of ${percent}`);
  });
  expect(wrong).toEqual([]);
  expect(certain).toBeGreaterThan(4000);
});

// Only letters count, and Saint equals St: `O Fallon` and `O'Fallon` are one name.
const letters = (name: string) =>
  key(
    name
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .replace(/^saint /i, 'st '),
  );

type PostalQuestion = {
  readonly what: string;
  readonly address: object;
  /** The combined rates of the places with the ZIP's postal name. */
  readonly percents: readonly string[];
};

const postalQuestionsOf = (state: string): PostalQuestion[] => {
  const places = Map.groupBy(
    rowsOnDay(state).filter(({ place }) => place !== ''),
    ({ place }) => letters(place),
  );
  return zipRows(state).flatMap(({ zip5, counties, names: postal }): PostalQuestion[] => {
    const [name = ''] = postal.split(/[|=:]/);
    const inZip = counties.split('|').map((county) => county.replace(/:.*/, ''));
    const rows = (places.get(letters(name)) ?? []).filter(({ county }) => county === '' || inZip.includes(county));
    if (rows.length === 0) return [];
    const percents = rows.filter(({ rate }) => rate !== '').map(({ rate }) => combined(state, rate));
    const address = { state, postal_code: zip5 };
    return [
      { what: `${state} ${zip5} ${name}`, address: { ...address, city: name }, percents },
      { what: `${state} ${zip5}`, address, percents },
    ];
  });
};

it("returns the rate of each ZIP's main postal place, however its words are split", async () => {
  const asked = listStates().flatMap(postalQuestionsOf);
  expect(asked.length).toBeGreaterThan(10_000);
  const wrong: string[] = [];
  await askAll(asked, (line, { what, percents }) => {
    const { coverage, ambiguous } = line.address_resolution;
    if (ambiguous || coverage === 'partial' || percents.some((percent) => hasTax(line, percent))) return;
    wrong.push(`${what}: ${line.tax_amount} instead of ${percents.join(' or ')}`);
  });
  expect(wrong).toEqual([]);
});
