import * as z from 'zod/mini';
import { state } from '../content/location/state-field.ts';
import { described } from '../described.ts';

/** The query parameters of GET /coverage. */
export const CoverageQuery = z.object({
  state: described(z.optional(state), 'Only this state: its two-letter code, its jurisdiction code or its name.'),
});
