/** The product tax codes as GET /product-tax-codes lists them. */
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
  /** A code, a code of another service, or words of a product. */
  readonly q?: string | undefined;
};

const crosswalkPath = ({ levyCode }: CrosswalkRow): string => levyCode.split('._')[0] as string;

let items: readonly CatalogItem[] | undefined;

/** Every product tax code, sorted by code as a string. Unpacked on first use. */
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
    // A general code of another service is not an equivalent of a single code.
    equivalents: (rows.get(code) ?? []).flatMap(({ system, code, match }) =>
      match === 'family' ? [] : [{ system, code, match }],
    ),
    taxability: null,
  }));
  return items;
};

/** Whether an item is one of the codes or families that rows of the crosswalk map to. */
const isTarget = (rows: readonly CrosswalkRow[]): ((item: CatalogItem) => boolean) => {
  const targets = new Set(rows.map(crosswalkPath));
  return ({ code, family }) => targets.has(code) || targets.has(family);
};

/** The items that a text means: by a code, by a code of another service, or else by words of a product. */
const search = (items: readonly CatalogItem[], text: string): readonly CatalogItem[] => {
  const named = items.filter(({ code }) => code === text.toUpperCase());
  if (named.length > 0) return named;
  const rows = crosswalkRows(text);
  return rows.length > 0 ? items.filter(isTarget(rows)).slice(0, resultsMax) : searchItems(items, text);
};

/**
 * The items that match every filter, in the order of the catalog; with `q` at most `resultsMax`, the best first.
 *
 * A general code of another service selects the family that it maps to.
 */
export const selectItems = ({ family, equivalent, q }: CatalogFilters): readonly CatalogItem[] => {
  const rows = equivalent && crosswalkRows(equivalent.code).filter(({ system }) => system === equivalent.system);
  const isEquivalent = rows && isTarget(rows);
  const filtered =
    family === undefined && !isEquivalent
      ? catalog()
      : catalog().filter(
          (item) => (family === undefined || item.family === family) && (!isEquivalent || isEquivalent(item)),
        );
  return q === undefined ? filtered : search(filtered, q.trim());
};
