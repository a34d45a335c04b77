/** The product tax codes as GET /product-tax-codes lists them. */
import { unpack } from '../packed/unpack.ts';
import { type CrosswalkRow, crosswalk, crosswalkRows, type System } from './crosswalk.ts';
import { familyOf } from './vocabulary.ts';

type Texts = {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
};

export type CatalogItem = Texts & {
  readonly object: 'product_tax_code';
  readonly family: string;
  readonly equivalents: readonly { system: System; code: string; match: CrosswalkRow['match'] }[];
};

export type CatalogFilters = {
  readonly family?: string | undefined;
  readonly equivalent?: { readonly system: string; readonly code: string } | undefined;
};

const pathOf = ({ levyCode }: CrosswalkRow): string => levyCode.split('._')[0] as string;

let items: readonly CatalogItem[] | undefined;

/** Every product tax code, sorted by code as a string. Unpacked on first use. */
export const catalog = (): readonly CatalogItem[] => {
  if (items) return items;
  // A general code of another service is not an equivalent of a single code.
  const equivalents = Map.groupBy(
    crosswalk().filter(({ match }) => match !== 'family'),
    pathOf,
  );
  items = unpack<Texts[]>('product-tax-codes').map(({ code, name, description, examples }) => ({
    object: 'product_tax_code',
    code,
    name,
    description,
    family: familyOf(code),
    examples,
    equivalents: (equivalents.get(code) ?? []).map(({ system, code, match }) => ({ system, code, match })),
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
