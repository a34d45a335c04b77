import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { stateJurisdiction } from './jurisdiction.ts';

const advice = 'Send a two-letter state code, or the name of the state.';

/** A state, as its two-letter code, jurisdiction code or name. */
export const state = described(
  z.string(advice).check(z.refine((text) => stateJurisdiction(text) !== null, advice)),
  'The state: its two-letter code, its jurisdiction code or its name.',
  // Names are compared without case, periods and repeated spaces, so a pattern cannot list them.
  { minLength: 2, pattern: '^[A-Za-z.\\s-]+$', examples: ['MI'] },
);
