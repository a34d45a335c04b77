import { filingMutants } from './filing-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import type { Patch } from './platform.ts';

/** All seeded bugs, by name. */
export const mutants: Readonly<Record<string, readonly Patch[]>> = { ...ledgerMutants, ...filingMutants };
