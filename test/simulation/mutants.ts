import { filingMutants } from './filing-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';

/** A replacement in the service's source. The text must occur exactly once in all files. */
export type Patch = { readonly find: string; readonly replace: string };

/** All seeded bugs, by name. */
export const mutants: Readonly<Record<string, readonly Patch[]>> = { ...ledgerMutants, ...filingMutants };
