import { filingMutants } from './filing-mutants.ts';
import { ledgerMutants } from './ledger-mutants.ts';
import type { Patch } from './platform.ts';
import { redactionMutants } from './redaction-mutants.ts';
import { variedMutants } from './varied-mutants.ts';

/** All seeded bugs, by name. */
export const mutants: Readonly<Record<string, readonly Patch[]>> = {
  ...ledgerMutants,
  ...filingMutants,
  ...redactionMutants,
  ...variedMutants,
};
