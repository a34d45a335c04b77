import { filingMutants, redactionMutants, variedMutants } from './mutants.ts';
import { filingsEvery, redactionsEvery, variedFirst } from './order.ts';
import { type Outcome, runSchedules } from './pool.ts';

/** Where to start with a bug that few schedules find. If the schedules change, the search continues from there. */
const starts: Readonly<Record<string, number>> = {
  'redacted draft credit recomputed with the data of its sale': 11_850,
  'sweep over a draft that was finalized': 480,
  'record that others are writing passed over': 1100,
  'calculated tax of a void credit not given back': 3880,
  'calculated tax of a credit taken from the recorded tax': 4760,
  'entry filed whatever became of its transaction': 47_900,
  'filing that two work on counted twice': 16_700,
  'return filed with exceptions that nobody acknowledged': 4800,
  'canceled period closed again by the schedule': 3660,
  'entries left by a redaction': 1080,
  'entries looked for among the open ones alone': 540,
  'entry that a filing moves passed over': 130_620,
  'entry moved back as it was before its redaction': 15_960,
  'closing day kept after a change of the time zone': 11_610,
  'jurisdictions added up over all currencies': 3790,
  'period closed by settings that changed meanwhile': 5790,
  'refund without tax left out of the return of its sale': 2810,
  'draft credit with the customer of a sale that is being redacted': 8970,
};

const schedulesMax = 5000;

/** The seeds of the schedules that can find a bug: those about filings, with redactions, varied ones, or all. */
const seedsFor = (mutant: string): { readonly first: number; readonly every: number } => {
  if (mutant in variedMutants) return { first: variedFirst, every: filingsEvery };
  // Entries are moved by filings.
  const ofRedactions = mutant in redactionMutants ? redactionsEvery : 1;
  const ofFilings = mutant in filingMutants || (ofRedactions > 1 && /entr/.test(mutant)) ? filingsEvery : 1;
  return { first: ofRedactions * ofFilings, every: ofRedactions * ofFilings };
};

/** Run the first 5,000 schedules that can find a seeded bug, until one has a violation. */
export const search = (mutant: string, workers = 1): Promise<Outcome> => {
  const { first, every } = seedsFor(mutant);
  const from = starts[mutant] ?? first;
  const count = schedulesMax * every - from + first;
  return runSchedules({ from, count, every, workers, mutant, endsAtFirst: true });
};
