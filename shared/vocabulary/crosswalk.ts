/** Maps codes of other tax services to Levy's product tax codes (code-crosswalk.csv). */
import { lazy } from '../base/collections.ts';
import { unpackLines } from '../packed/unpack.ts';

/** The services and their display names. */
export const systemNames = { stripe: 'Stripe', taxjar: 'TaxJar', avalara: 'Avalara' } as const;
export type System = keyof typeof systemNames;

export type CrosswalkRow = {
  readonly system: System;
  /** The other service's code. */
  readonly code: string;
  /** A product tax code with the attributes that complete it, or a family. */
  readonly levyCode: string;
  /**
   * The scope of the other service's code compared with the product tax code without attributes.
   *
   * `exact` next to `broader` rows: every state taxes the products of these rows the same.
   *
   * `family`: a general code, such as "all services". The client must choose a code of that family.
   */
  readonly match: 'exact' | 'broader' | 'narrower' | 'family';
};

/** Returns all rows, ordered by system and code. Unpacked on first use. */
export const crosswalk = lazy((): readonly CrosswalkRow[] =>
  unpackLines('code-crosswalk').map((line) => {
    const [system, code, levyCode, match] = line.split(',');
    return { system, code, levyCode, match } as CrosswalkRow;
  }),
);

const rowsByCode = lazy(() => Map.groupBy(crosswalk(), (row) => row.code.toUpperCase()));

/**
 * Returns the rows for a code of a different service, case-insensitively; empty if the crosswalk does not contain it.
 */
export const crosswalkRows = (code: string): readonly CrosswalkRow[] => rowsByCode().get(code.toUpperCase()) ?? [];

/**
 * Returns the row with the product tax code that replaces a code of a different service: the only exact row, or the
 * only row if none is exact. `undefined` if there is none, or if the products of the code can be taxed differently.
 */
export const equivalentRow = (system: System, code: string): CrosswalkRow | undefined => {
  const rows = crosswalkRows(code).filter((row) => row.system === system && row.match !== 'family');
  const exact = rows.filter(({ match }) => match === 'exact');
  const [row, ...others] = exact.length > 0 ? exact : rows;
  return others.length === 0 ? row : undefined;
};
