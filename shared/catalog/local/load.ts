import { getOrAdd } from '../../base/collections.ts';
import { textOf } from '../../packed/unpack.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import type { Release } from '../release.ts';
import { type LocalTable, localTable } from './local-table.ts';
import { listOffsets, readRates, readTax } from './packed-table.ts';

const tables = new Map<string, LocalTable>();

type OfState = Pick<Release, 'state'>;

const ratesOf = ({ state }: OfState) => readRates(textOf(`rates-${stateOfJurisdiction(state)}`));

/** The local tables of a release's state, loaded on first use and cached. */
export const loadLocalTable = (release: OfState): LocalTable => {
  const { state } = release;
  return getOrAdd(tables, state, () => localTable(ratesOf(release), textOf(`zips-${stateOfJurisdiction(state)}`)));
};

/** The codes of all jurisdictions in the local tables of a release's state. */
export const codesInTable = (release: OfState): ReadonlySet<string> => {
  const { taxes } = ratesOf(release);
  return new Set(listOffsets(taxes.split('\n')).map((offset) => readTax(taxes, offset).code));
};

/** Whether an address that no location of a release names has no local tax. */
export const isRestUntaxed = (release: Release): boolean =>
  release.coverage === 'complete' && (release.local === undefined || loadLocalTable(release).isUntaxed);
