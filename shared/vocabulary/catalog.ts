/** The product tax codes as GET /product-tax-codes lists them. */
import type * as z from 'zod/mini';
import { unpack } from '../packed/unpack.ts';
import { type CrosswalkRow, crosswalk, crosswalkRows } from './crosswalk.ts';
import type { ProductTaxCodeItem } from './schema.ts';
import { familyOf } from './vocabulary.ts';

type CatalogItem = z.infer<typeof ProductTaxCodeItem>;
type Texts = Pick<CatalogItem, 'code' | 'name' | 'description' | 'examples' | 'fulfillment'>;

type CatalogFilters = {
  readonly family?: string | undefined;
  readonly equivalent?: { readonly system: string; readonly code: string } | undefined;
};

const pathOf = ({ levyCode }: CrosswalkRow): string => levyCode.split('._')[0] as string;

let items: readonly CatalogItem[] | undefined;

/** Every product tax code, sorted by code as a string. Unpacked on first use. */
export const catalog = (): readonly CatalogItem[] => {
  if (items) return items;
  const rows = Map.groupBy(crosswalk(), pathOf);
  items = unpack<Texts[]>('product-tax-codes').map(({ code, name, description, examples, fulfillment }) => ({
    object: 'product_tax_code',
    code,
    name,
    description,
    family: familyOf(code),
    examples,
    fulfillment,
    // A general code of another service is not an equivalent of a single code.
    equivalents: (rows.get(code) ?? []).flatMap(({ system, code, match }) =>
      match === 'family' ? [] : [{ system, code, match }],
    ),
  }));
  return items;
};

/**
 * The items that match every filter, in the order of the catalog.
 *
 * A general code of another service selects the family that it maps to.
 */
export const selectItems = ({ family, equivalent }: CatalogFilters): readonly CatalogItem[] => {
  const rows = equivalent && crosswalkRows(equivalent.code).filter(({ system }) => system === equivalent.system);
  const targets = rows && new Set(rows.map(pathOf));
  return catalog().filter(
    (item) =>
      (family === undefined || item.family === family) &&
      (targets === undefined || targets.has(item.code) || targets.has(item.family)),
  );
};
