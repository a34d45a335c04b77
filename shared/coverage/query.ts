import * as z from 'zod/mini';
import { stateJurisdiction } from '../jurisdiction.ts';

const advice = 'Send a two-letter state code, or the name of the state.';
const state = z.string().check(z.refine((text) => stateJurisdiction(text) !== null, advice));

/** The query parameters of GET /coverage. */
export const CoverageQuery = z.object({ state: z.optional(state) });

z.globalRegistry.add(state, {
  description: 'Only this state: its two letters, its jurisdiction code or its name.',
  examples: ['MI'],
});
