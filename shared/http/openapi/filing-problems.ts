import { cancelFirst, closeFirst, confirmationMissing, filingNotFound, noPeriodEnd } from '../../filings/problems.ts';
import type { Problem } from '../../problem.ts';
import type { Operation } from '../routes.ts';

/** The refusals that a client of filings meets first, as the service words them. */
export const filingProblemExamples: Readonly<Partial<Record<Operation, readonly Problem[]>>> = {
  'create-filing': [
    closeFirst('US-MI', '2026-09-30'),
    noPeriodEnd('US-MI', { before: '2026-09-30', after: '2026-10-31' }),
  ],
  'get-filing': [filingNotFound],
  'update-filing': [filingNotFound, cancelFirst('US-MI', '2026-11-30'), confirmationMissing],
};
