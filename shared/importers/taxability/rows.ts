import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import type { Rule } from '../../catalog/release.ts';
import { findProduct, type ProductTaxCode } from '../../vocabulary/product-tax-code.ts';

// Reads the tables of taxability that people edit. Only `npm run content` and the tests read them.

/**
 * How a state treats a product tax code.
 *
 * - `attributes`: joined with `+`; all must hold. `-_X` must not hold. Empty: the default row of the code.
 * - `treatment`: `taxable`, `exempt`, `rate` (percent in `state_rate` instead of the state's rate), `partial`, `threshold`,
 *   `not_sales_tax` (another tax instead), `rule` (a topic) or `unknown`.
 * - `local`: the local taxes treat it as the state does (`same`), at their full rate (`full`), not at all (`none`) or by
 *   rules of their own (`own`).
 * - `condition`: what the treatment also depends on.
 * - `other_tax`: the name of the tax that applies instead, where the treatment is `not_sales_tax`.
 * - `from`, `to`: the first and last day, if they are known.
 */
export type TaxabilityRow = Readonly<
  Record<
    | 'state'
    | 'code'
    | 'attributes'
    | 'treatment'
    | 'state_rate'
    | 'local'
    | 'condition'
    | 'from'
    | 'to'
    | 'citation'
    | 'confidence'
    | 'note'
    | 'other_tax',
    string
  >
>;

const read = <Row>(name: string): Row[] =>
  parse(readFileSync(fileURLToPath(new URL(name, import.meta.url))), { columns: true });

const folder = fileURLToPath(new URL('rows/', import.meta.url));

/** The rows of all tables, in their order. */
export const taxabilityRows = (): readonly TaxabilityRow[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => read<TaxabilityRow>(`rows/${name}`));

/** The treatment by a rule where a condition is unknown, and the sentences for it. */
type Conditional = { readonly answer: string; readonly assumption: string };

/** Finds what a row with a condition answers; `undefined` if the table of conditions does not have it. */
export type Conditions = (row: TaxabilityRow) => Conditional | undefined;

/** Reads the table of conditions: by condition, treatment and, where they differ, by state. */
export const readConditions = (): Conditions => {
  const rows = read<Conditional & { condition: string; treatment: string; states?: string }>('conditions.csv');
  const byKey = Map.groupBy(rows, ({ condition, treatment }) => JSON.stringify([condition, treatment]));
  return ({ condition, treatment, state }) => {
    const found = byKey.get(JSON.stringify([condition, treatment])) ?? [];
    return found.find(({ states }) => states?.split('+').includes(state)) ?? found.find(({ states }) => !states);
  };
};

// The attributes of the rows of taxability.

/** The attributes of a rule: `any` has at most one; several are in `all`. */
export type RowAttributes = Rule['attributes'];

/** The attributes of a rule for products that have all of the required ones and none of the others. */
export const requiring = (required: readonly string[], none: readonly string[] = []): RowAttributes =>
  required.length > 1 ? { any: [], all: [...required].sort(), none } : { any: required, none };

/** The attributes of a row: those with a minus are the ones that a product must not have. */
export const attributesOf = ({ attributes }: TaxabilityRow): RowAttributes => {
  const all = attributes === '' ? [] : attributes.split('+');
  return requiring(
    all.filter((one) => !one.startsWith('-')),
    all.filter((one) => one.startsWith('-')).map((one) => one.slice(1)),
  );
};

/** The attributes that a product must have. */
export const requiredOf = ({ any, all = [] }: RowAttributes): readonly string[] => [...any, ...all];

/** The product of a code with attributes; `null` if the vocabulary does not allow it. */
export const productOf = (code: string, attributes: readonly string[]): ProductTaxCode | null =>
  findProduct([code, ...attributes].join('.'));
