/** The product tax codes, as listed by GET /product-tax-codes. */
import type * as z from 'zod/mini';
import { unpack } from '../packed/unpack.ts';
import { type CrosswalkRow, crosswalk, crosswalkRows } from './crosswalk.ts';
import type { ProductTaxCodeItem } from './schema.ts';
import { resultsMax, searchItems } from './search.ts';
import { codeFamily } from './vocabulary.ts';

type CatalogItem = z.infer<typeof ProductTaxCodeItem>;
type Texts = Pick<CatalogItem, 'code' | 'name' | 'description' | 'examples' | 'synonyms' | 'fulfillment'>;

type CatalogFilters = {
  readonly family?: string | undefined;
  readonly equivalent?: { readonly system: string; readonly code: string } | undefined;
  /** A product tax code, a code of a different service, or words that describe a product. */
  readonly q?: string | undefined;
};

const crosswalkPath = ({ levyCode }: CrosswalkRow): string => levyCode.split('._')[0] as string;

let items: readonly CatalogItem[] | undefined;

/** Returns all product tax codes, sorted by code as a string. Unpacked on first use. */
export const catalog = (): readonly CatalogItem[] => {
  if (items) return items;
  const rows = Map.groupBy(crosswalk(), crosswalkPath);
  items = unpack<Texts[]>('product-tax-codes').map(({ code, name, description, examples, synonyms, fulfillment }) => ({
    object: 'product_tax_code',
    code,
    name,
    description,
    family: codeFamily(code),
    examples,
    synonyms,
    fulfillment,
    // A general code of a different service is not equivalent to a single code.
    equivalents: (rows.get(code) ?? []).flatMap(({ system, code, levyCode, match }) =>
      match === 'family' ? [] : [{ system, code, match, product_tax_code: levyCode }],
    ),
    taxability: null,
  }));
  return items;
};

/** Returns a test for whether an item is a code or in a family that the crosswalk rows map to. */
const isTarget = (rows: readonly CrosswalkRow[]): ((item: CatalogItem) => boolean) => {
  const targets = new Set(rows.map(crosswalkPath));
  return ({ code, family }) => targets.has(code) || targets.has(family);
};

/** Finds items by code, by a code of a different service, or else by words that describe a product. */
const search = (items: readonly CatalogItem[], text: string): readonly CatalogItem[] => {
  const named = items.filter(({ code }) => code === text.toUpperCase());
  if (named.length > 0) return named;
  const rows = crosswalkRows(text);
  return rows.length > 0 ? items.filter(isTarget(rows)).slice(0, resultsMax) : searchItems(items, text);
};

/**
 * Returns the items that match every filter, in catalog order. With `q`, returns at most `resultsMax` items, best
 * first.
 *
 * A general code of a different service selects the family that it maps to.
 */
export const selectItems = ({ family, equivalent, q }: CatalogFilters): readonly CatalogItem[] => {
  const rows = equivalent && crosswalkRows(equivalent.code).filter(({ system }) => system === equivalent.system);
  const isEquivalent = rows && isTarget(rows);
  // The search caches its index by array, so a search without filters must pass the catalog's own array.
  const filtered =
    family === undefined && !isEquivalent
      ? catalog()
      : catalog().filter(
          (item) => (family === undefined || item.family === family) && (!isEquivalent || isEquivalent(item)),
        );
  return q === undefined ? filtered : search(filtered, q.trim());
};
