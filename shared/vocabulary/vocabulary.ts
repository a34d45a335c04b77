/** The vocabulary as plain data, with shared look-ups. */

import type * as z from 'zod/mini';
import { lazy } from '../base/collections.ts';
import { unpack } from '../packed/unpack.ts';
import type { Fulfillment, ProductAttributeItem } from './schema.ts';

/** Stored in the same shape as in responses. `ptcs` contains labels, not paths; empty means all products. */
export type ProductAttribute = z.infer<typeof ProductAttributeItem>;

/** Returns the last component, which determines the attributes that apply: `APPAREL` in `CLOTHING.APPAREL`. */
export const codeLabel = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Returns the first component: `CLOTHING` for `CLOTHING.APPAREL`, and `GENERAL` for `GENERAL`. */
export const codeFamily = (path: string): string => path.split('.')[0] as string;

/** Returns whether an attribute applies to the product tax code with a label. */
export const appliesTo = ({ ptcs }: ProductAttribute, label: string): boolean =>
  ptcs.length === 0 || ptcs.includes(label);

/** The packed vocabulary. `fulfillment` is keyed by code and by attribute. A code without it is shipped. */
export type PackedVocabulary = {
  readonly attributes: readonly ProductAttribute[];
  readonly productTaxCodes: readonly string[];
  readonly fulfillment: Readonly<Record<string, Fulfillment>>;
};

const indexed = ({ attributes: productAttributes, productTaxCodes, fulfillment }: PackedVocabulary) => ({
  /** Sorted by code as a string, the order of pages. */
  productAttributes,
  /** Full paths, grouped by family. */
  productTaxCodes,
  /** The full paths in each family. */
  codesByFamily: Map.groupBy(productTaxCodes, codeFamily),
  attributeByCode: new Map(productAttributes.map((attribute) => [attribute.code, attribute])),
  /** How a product reaches the buyer, keyed by code and by attribute. */
  fulfillmentByName: new Map(Object.entries(fulfillment)),
  /**
   * Maps paths and labels to full paths. Labels are unique.
   *
   * `ptcs` contains labels, and clients may send back the labels that they read.
   */
  pathByName: new Map(
    productTaxCodes.flatMap((code) => [
      [codeLabel(code), code],
      [code, code],
    ]),
  ),
});

/** Returns the vocabulary, unpacked on first use, because authentication does not need it. */
export const vocabulary = lazy(() => indexed(unpack<PackedVocabulary>('vocabulary')));

/**
 * Returns a page of items sorted by code: the items after a code, at most `limit`.
 *
 * The code is compared as a string and need not exist, so a cursor remains valid if its item is removed.
 */
export const listPage = <Url extends string, Item extends { readonly code: string }>(
  url: Url,
  items: readonly Item[],
  limit: number,
  startingAfter: string | undefined,
) => {
  const rest = startingAfter === undefined ? items : items.filter(({ code }) => code > startingAfter);
  return { object: 'list' as const, url, has_more: rest.length > limit, data: rest.slice(0, limit) };
};
