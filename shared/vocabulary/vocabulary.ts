/** The vocabulary as plain data, with the look-ups that its readers share (specification 2.1 and 2.2). */
import { unpack } from '../packed/unpack.ts';

export type ProductAttributeGroup = {
  readonly key: string;
  readonly name: string;
  /** A product may carry at most one attribute of such a group. */
  readonly mutually_exclusive: boolean;
};

/** On disk and on the wire alike, so that the list is sent without a conversion. */
export type ProductAttribute = {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly group: ProductAttributeGroup;
  /** Single labels, not paths; empty means every product. */
  readonly ptcs: readonly string[];
};

const vocabulary = unpack<{ attributes: ProductAttribute[]; productTaxCodes: string[] }>('vocabulary');

/** Every attribute, sorted by code as a string: the order that pages are cut from (specification 4.1). */
export const productAttributes: readonly ProductAttribute[] = vocabulary.attributes;

/** Every product tax code by its full path, family after family. */
export const productTaxCodes: readonly string[] = vocabulary.productTaxCodes;

/** The component that applicability goes by: `APPAREL` of `CLOTHING.APPAREL`. */
export const labelOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Find an attribute by its code. */
export const attributeByCode: ReadonlyMap<string, ProductAttribute> = new Map(
  productAttributes.map((attribute) => [attribute.code, attribute]),
);

/**
 * Find a full path by itself or by its label: no two paths end alike, so a label names one product tax code.
 *
 * The specification (2.1) writes product tax codes "as single labels" in `ptcs`; a client may send back what it read there.
 */
export const pathByName: ReadonlyMap<string, string> = new Map(
  productTaxCodes.flatMap((code) => [
    [labelOf(code), code],
    [code, code],
  ]),
);
