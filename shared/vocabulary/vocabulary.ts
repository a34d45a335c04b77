/** The vocabulary as plain data, with the look-ups that its readers share. */
import type * as z from 'zod/mini';
import { unpack } from '../packed/unpack.ts';
import type { Fulfillment, ProductAttributeItem } from './schema.ts';

/** The same shape on disk and in responses. `ptcs` has single labels, not paths; empty means every product. */
export type ProductAttribute = z.infer<typeof ProductAttributeItem>;

/** The last component, which decides applicability: `APPAREL` of `CLOTHING.APPAREL`. */
export const codeLabel = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The first component: `CLOTHING` of `CLOTHING.APPAREL`, and `GENERAL` of `GENERAL`. */
export const codeFamily = (path: string): string => path.split('.')[0] as string;

/** Whether an attribute applies to the product tax code that ends in a label. */
export const appliesTo = ({ ptcs }: ProductAttribute, label: string): boolean =>
  ptcs.length === 0 || ptcs.includes(label);

/** The packed vocabulary. `fulfillment` is by code and by attribute; a code without it is shipped. */
export type PackedVocabulary = {
  readonly attributes: readonly ProductAttribute[];
  readonly productTaxCodes: readonly string[];
  readonly fulfillment: Readonly<Record<string, Fulfillment>>;
};

const indexed = ({ attributes: productAttributes, productTaxCodes, fulfillment }: PackedVocabulary) => ({
  /** Sorted by code as a string, the order of pages. */
  productAttributes,
  /** By their full paths, family after family. */
  productTaxCodes,
  /** The full paths of each family. */
  codesByFamily: Map.groupBy(productTaxCodes, codeFamily),
  attributeByCode: new Map(productAttributes.map((attribute) => [attribute.code, attribute])),
  /** How a product reaches the buyer, by code and by attribute. */
  fulfillmentByName: new Map(Object.entries(fulfillment)),
  /**
   * The full path by path and by label: labels are unique.
   *
   * `ptcs` has product tax codes as single labels; a client may send back what it read.
   */
  pathByName: new Map(
    productTaxCodes.flatMap((code) => [
      [codeLabel(code), code],
      [code, code],
    ]),
  ),
});
type Vocabulary = ReturnType<typeof indexed>;

let known: Vocabulary | undefined;

/** The vocabulary, unpacked on first use, because authentication does not need it. */
export const vocabulary = (): Vocabulary => {
  known ??= indexed(unpack<PackedVocabulary>('vocabulary'));
  return known;
};

/**
 * Cut a page out of items that are sorted by code: those after a code, at most `limit`.
 *
 * The code is compared as a string and need not exist, so a cursor outlives its item.
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
