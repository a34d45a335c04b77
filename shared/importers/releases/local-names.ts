import { unpack } from '../../packed/unpack.ts';
import type { NameTables } from '../own-codes.ts';

type Packed = Pick<NameTables, 'counties' | 'districts'> & { readonly rates: Readonly<Record<string, string>> };

/** The tables of public names that ship with the service, for a state by its two letters. */
export const readNameTables = (state: string): NameTables => {
  const { rates, ...shared } = unpack<Packed>('local-names');
  return { ...shared, rates: rates[state] ?? '' };
};
