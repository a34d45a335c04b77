/** The attributes of the rows of taxability. */

import type { Rule } from '../../catalog/release.ts';
import { findProduct, type ProductTaxCode } from '../../vocabulary/product-tax-code.ts';
import type { TaxabilityRow } from './read-rows.ts';

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
