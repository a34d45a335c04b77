import * as z from 'zod/mini';
import { stateCode } from '../content/location/zip-states.ts';

/** The letters of a state that is written as `MI`, `US-MI` or `Michigan`, in any case; `null` if there is none. */
export const stateLetters = (text: string): string | null => stateCode(text.replace(/^US-/i, ''));

const state = z
  .string()
  .check(z.refine((text) => stateLetters(text) !== null, 'Send a two-letter state code, or the name of the state.'));

/** The query parameters of GET /coverage. */
export const CoverageQuery = z.object({ state: z.optional(state) });

z.globalRegistry.add(state, {
  description: 'Only this state: its two letters, its jurisdiction code or its name.',
  examples: ['MI'],
});
