import { filingMutants } from './filing-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';

/** A change of one place of the service's source, which must be there exactly once, in whichever file. */
export type Patch = { readonly find: string; readonly replace: string };

/** All bugs that can be put into the service, by name. */
export const mutants: Readonly<Record<string, readonly Patch[]>> = { ...ledgerMutants, ...filingMutants };
