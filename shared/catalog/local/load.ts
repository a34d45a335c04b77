import { getOrAdd } from '../../base/collections.ts';
import { textOf } from '../../packed/unpack.ts';
import type { LocalTables, Release } from '../release.ts';
import { type LocalTable, localTable } from './local-table.ts';
import { listOffsets, readRates, readTax } from './packed-table.ts';

const tables = new Map<string, LocalTable>();

/** The local tables that a release names, loaded on first use and cached. */
export const loadLocalTable = ({ rates, zips }: LocalTables): LocalTable => {
  const load = () => localTable(readRates(textOf(`rates-${rates}`)), textOf(`zips-${zips}`));
  return getOrAdd(tables, `${rates} ${zips}`, load);
};

/** The codes of all jurisdictions in the local tables of a state. */
export const codesInTable = ({ rates }: LocalTables): ReadonlySet<string> => {
  const { taxes } = readRates(textOf(`rates-${rates}`));
  return new Set(listOffsets(taxes.split('\n')).map((offset) => readTax(taxes, offset).code));
};

/** Whether an address that no location of a release names has no local tax. */
export const isRestUntaxed = ({ coverage, local }: Release): boolean =>
  coverage === 'complete' && (local === undefined || loadLocalTable(local).isUntaxed);
