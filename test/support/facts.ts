import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import type { Effect } from '../../shared/catalog/release.ts';
import contentSchemas from '../fixtures/content-schemas.json' with { type: 'json' };
import { warningCodes } from './builders.ts';

/** Tables of facts in `test/fixtures`, typed by hand from laws and official lists. */

type Words<Text extends string> = Text extends `${infer First} ${infer Others}` ? First | Words<Others> : Text;

/** Reads a CSV file. `columns` are the columns that the tests use. */
const readFacts = <Columns extends string>(name: string, columns: Columns) => {
  const rows = parse<Readonly<Record<Words<Columns>, string>>>(
    readFileSync(new URL(`../fixtures/${name}`, import.meta.url)),
    { columns: true },
  );
  expect(Object.keys(rows[0] ?? {})).toEqual(expect.arrayContaining(columns.split(' ')));
  return rows as readonly (typeof rows)[number][];
};

type RowKeys<Row> = {
  readonly required?: readonly (keyof Row)[];
  readonly optional?: readonly (keyof Row)[];
  /** At least one of these keys must be present. Usually they are the expectations. */
  readonly oneOf?: readonly (keyof Row)[];
};

/** Returns the rows of a JSON table. Throws for a row with an unknown key, so that a misspelled expectation is found. */
export const readCases = <Row extends object>(
  rows: readonly object[],
  { required = [], optional = [], oneOf = [] }: RowKeys<Row>,
): readonly Row[] => {
  const known = new Set<PropertyKey>([...required, ...optional, ...oneOf]);
  for (const row of rows) {
    const unknown = Object.keys(row).filter((key) => !known.has(key));
    const missing = required.filter((key) => !Object.hasOwn(row, key));
    if (unknown.length > 0) throw new Error(`Unknown key ${unknown.join(', ')} in ${JSON.stringify(row)}`);
    if (missing.length > 0) throw new Error(`Missing key ${missing.join(', ')} in ${JSON.stringify(row)}`);
    if (oneOf.length > 0 && !oneOf.some((key) => Object.hasOwn(row, key)))
      throw new Error(`None of ${oneOf.join(', ')} in ${JSON.stringify(row)}`);
  }
  return rows as readonly Row[];
};

/**
 * The expected tax on a product: in total (`tax`), or of the state only (`state_tax`). Each price is a line item.
 * `shipping` is an amount, or an amount and a code. `local` is a local tax in percent that replaces the built-in local
 * tables, by default a county's. `warns` and `says`: see `expectWarnings`.
 */
export const productTaxes = readFacts(
  'product-taxes.csv',
  'topic state zip city code price quantity day local shipping tax state_tax warns says',
);

/**
 * Expects the warnings of a row. `warns` lists warning codes; `only` means that there are no other codes. `says` lists
 * parts of warning texts, separated by `|`; `code ... text` requires a warning with that code. A `!` in front of an
 * entry means that it must be absent.
 */
export const expectWarnings = (outcome: Outcome, { warns, says }: { warns: string; says: string }): void => {
  const codes = warningCodes(outcome);
  const texts = outcome.warnings.map(({ code, message }) => `${code}: ${message}`);
  const [first, ...others] = warns.split(' ').filter(Boolean);
  if (first === 'only') expect(codes).toEqual(others);
  else
    for (const code of [first ?? [], ...others].flat())
      expect([code, codes.includes(code.replace('!', ''))]).toEqual([code, !code.startsWith('!')]);
  for (const said of says.split('|').filter(Boolean)) {
    const parts = said.replace('!', '').split(' ... ');
    const isFound = texts.some((text) => parts.every((part) => text.includes(part)));
    expect([said, isFound, texts]).toEqual([said, !said.startsWith('!'), texts]);
  }
};

/**
 * The rate of a state, its tax on 100.00 of general goods, and its tax on 100.00 of each kind of goods: `T` is the same
 * amount, `E` is zero, and `?` is not established (taxed like general goods, with a warning). `a/b` has the tax for
 * personal and business buyers; `a/b/c` adds a buyer of unknown use. Digital goods are downloads with permanent rights.
 * Shipping with `E` is exempt if its code has the attribute for separately stated charges; with `N`, it is exempt
 * unless its code has the attribute for charges included in the price.
 */
export const stateTreatments = readFacts(
  'state-treatments.csv',
  'state rate goods clothing groceries candy soft otc digital saas shipping',
);

const rates = readFacts(
  'local-rates.csv',
  'topic city state zip county day percent highest level found name warns says note',
);

/**
 * Returns the expected combined rates of addresses by topic. Empty address fields are omitted. `highest` is the rate
 * with the policy `highest_rate`. `found` is the resolution of the address: `complete` (certain), `partial` (the rate
 * is not established), `ambiguous`, or `partial ambiguous`. `warns` and `says`: see `expectWarnings`.
 */
export const localRates = (topic: string) =>
  rates
    .filter((row) => row.topic === topic)
    .map(({ city, state, zip, county, percent, ...others }) => ({
      ...others,
      to: {
        ...(state && { state }),
        ...(city && { city }),
        ...(zip && { postal_code: zip }),
        ...(county && { county }),
      },
      percent: percent === '' ? undefined : Number(percent),
    }));

/** Returns the sales tax holidays of 2026. `exempt_at` is the highest exempt price of a unit; empty without a limit. */
export const holidays = (topic: string) =>
  readFacts('holidays.csv', 'topic state code first last exempt_at').filter((row) => row.topic === topic);

// The states and territories with a general sales tax.
const taxing =
  'AL AZ AR CA CO CT DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO NE NV NJ NM NY NC ND OH OK PA RI SC SD TN TX UT VT VA WA WV WI WY PR'.split(
    ' ',
  );

const readStates = (text: string): readonly string[] => {
  const [first, , ...except] = text.split(' ');
  return first === 'taxing' ? taxing.filter((state) => !except.includes(state)) : text.split(' ');
};

/**
 * The expected tax on products at 100.00 by state: an amount, `general` for the tax on general goods, or `as CODE` for
 * the tax on a different product. `established` is `no` if the response warns that the treatment is not established.
 */
export const treatments = readFacts('treatments.csv', 'topic states codes tax established note').map((row) => ({
  ...row,
  states: readStates(row.states),
  codes: row.codes.split(' '),
}));

/** Due dates of returns. `due` is empty if the date is not known. */
export const dueDates = readFacts('due-dates.csv', 'state frequency period_end due source note');

/** The vendor's discount on a tax due, calculated by hand from the law. */
export const vendorDiscounts = readFacts('vendor-discounts.csv', 'state tax discount law');

/** The period that contains a day, in states with a special filing calendar. Source: the state's forms. */
export const statePeriods = readFacts('state-periods.csv', 'state frequency day start end form');

/** The expected parts of street addresses. All parts are empty if the address is ambiguous. */
export const streetAddresses = readFacts('street-addresses.csv', 'line1 house name directions_and_suffix unit note');

/**
 * The expected taxable and exempt amounts of a line under an effect, in a state with a general rate of 6 %. `price` is
 * the price of all units.
 */
export const taxedEffects = readFacts('effects.csv', 'effect quantity price discount taxable exempt rate tax reason');

/**
 * The expected age of a state's official files on a day. `files` are the file names of the last update, and
 * `failing_since` is the day of its first failure. The files are stale if `reason` is not empty.
 */
export const stalenessCases = readFacts(
  'staleness.csv',
  'state files last_modified imported failing_since day as_of next_expected reason note',
);

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

const ajv = new Ajv2020({
  allErrors: true,
  schemas: [contentSchemas],
  formats: {
    date: isDay,
    uri: (text) => URL.canParse(text),
  },
});

/**
 * Returns the schema errors of a value of a content file: a release without its rates and rules, a rate, or a
 * publisher.
 */
export const schemaErrors = (name: 'release' | 'rate' | 'publisher', value: unknown): readonly unknown[] => {
  const validate = ajv.getSchema(`content#/$defs/${name}`);
  return validate?.(value) === true ? [] : (validate?.errors ?? [name]);
};

const allReadings = Map.groupBy(readFacts('readings.csv', 'topic text result note'), ({ topic }) => topic);

/** Returns the texts of a topic, each with the expected result of reading it. Throws for an unknown topic. */
export const readings = (topic: string) => {
  const rows = allReadings.get(topic);
  if (!rows) throw new Error(`readings.csv has no topic ${topic}.`);
  return rows;
};

/** Parses the text of an effect, such as `base_cap amount=5000 per=line`. */
export const readEffect = (text: string): Effect => {
  const [type, ...fields] = text.split(' ').map((part) => part.split('='));
  const values = fields.map(([key, value]) => [key, /true|false/.test(value ?? '') ? value === 'true' : value]);
  return { type: type?.[0], ...Object.fromEntries(values) };
};
