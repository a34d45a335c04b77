import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Rule } from '../../catalog/release.ts';
import type { JurisdictionType } from '../../catalog/release-values.ts';
import { findProduct, isWithin, type ProductTaxCode } from '../../vocabulary/product-tax-code.ts';

// Reads the taxability tables that people edit. Only `npm run content` and the tests read them.

type Column =
  | ('state' | 'code' | 'attributes' | 'treatment' | 'state_rate' | 'local' | 'condition')
  | ('from' | 'to' | 'citation' | 'confidence' | 'note' | 'other_tax');

/**
 * A state's treatment of a product tax code.
 *
 * - `attributes`: joined with `+`; a product must have all of them, and none marked like `-_X`. Empty: the default row of the code.
 * - `treatment`: `taxable`, `exempt`, `rate` (percent in `state_rate` instead of the state's rate), `partial`, `threshold`,
 *   `not_sales_tax` (a different tax applies), `rule` (a topic) or `unknown`.
 * - `local`: local taxes follow the state (`same`), apply at their full rate (`full`), do not apply (`none`) or have
 *   separate rules (`own`).
 * - `condition`: an additional condition of the treatment.
 * - `other_tax`: the name of the tax that applies instead if the treatment is `not_sales_tax`.
 * - `from`, `to`: the first and last day, if they are known.
 */
export type TaxabilityRow = Readonly<Record<Column, string>>;

const read = <Row>(name: string): Row[] => parse(readFileSync(new URL(name, import.meta.url)), { columns: true });

/** Returns the rows of all tables, in order. */
export const taxabilityRows = (): readonly TaxabilityRow[] =>
  readdirSync(new URL('rows/', import.meta.url))
    .sort()
    .flatMap((name) => read<TaxabilityRow>(`rows/${name}`));

/** The treatment that a rule assumes if a condition is unknown, and the sentences that explain it. */
type Conditional = { readonly answer: string; readonly assumption: string };

/** Returns the treatment for a row with a condition; `undefined` if the table of conditions does not have it. */
export type Conditions = (row: TaxabilityRow) => Conditional | undefined;

/** Reads the table of conditions: by condition, treatment and, if they differ, by state. */
export const readConditions = (): Conditions => {
  const rows = read<Conditional & { condition: string; treatment: string; states?: string }>('conditions.csv');
  const byKey = Map.groupBy(rows, ({ condition, treatment }) => JSON.stringify([condition, treatment]));
  return ({ condition, treatment, state }) => {
    const found = byKey.get(JSON.stringify([condition, treatment])) ?? [];
    return found.find(({ states }) => states?.split('+').includes(state)) ?? found.find(({ states }) => !states);
  };
};

/** Local taxes that follow the state on a code for which cities have separate rules. */
type Following = { readonly levels: readonly JurisdictionType[]; readonly kinds: readonly string[] };

const splitList = <Value extends string>(text: string): Value[] => (text === '' ? [] : (text.split('+') as Value[]));

const followingRows = read<Record<'state' | 'codes' | 'not_codes' | 'levels' | 'kinds', string>>('following.csv');

/**
 * Returns the levels, and the kinds of districts, whose taxes follow the state (`US-CO`) on a code. In the table, no codes
 * means all codes.
 */
export const findFollowing = (state: string, code: string): readonly Following[] =>
  followingRows
    .filter((row) => {
      const isListed = (codes: string) => splitList(codes).some((one) => isWithin(code, one));
      return `US-${row.state}` === state && (row.codes === '' || isListed(row.codes)) && !isListed(row.not_codes);
    })
    .map(({ levels, kinds }) => ({ levels: splitList(levels), kinds: splitList(kinds) }));

// The attributes of taxability rows.

/** The attributes of a rule: `any` has at most one; several are in `all`. */
export type RowAttributes = Rule['attributes'];

/** Returns the rule attributes for products that have all required attributes and none of the excluded ones. */
export const requiring = (required: readonly string[], none: readonly string[] = []): RowAttributes =>
  required.length > 1 ? { any: [], all: [...required].sort(), none } : { any: required, none };

/** Returns the attributes of a row. A minus marks an attribute that a product must not have. */
export const getAttributes = ({ attributes }: TaxabilityRow): RowAttributes => {
  const all = attributes === '' ? [] : attributes.split('+');
  return requiring(
    all.filter((one) => !one.startsWith('-')),
    all.filter((one) => one.startsWith('-')).map((one) => one.slice(1)),
  );
};

/** Returns the attributes that a product must have. */
export const getRequired = ({ any, all = [] }: RowAttributes): readonly string[] => [...any, ...all];

/** Returns the product of a code with attributes; `null` if the vocabulary does not allow it. */
export const getProduct = (code: string, attributes: readonly string[]): ProductTaxCode | null =>
  findProduct([code, ...attributes].join('.'));
