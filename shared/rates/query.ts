import * as z from 'zod/mini';
import { day, text } from '../calculations/fields.ts';

const addressMax = 500;

/** The query parameters of GET /rates: an address in parts, and a tax day. */
export const RatesQuery = z.object({
  postal_code: z.optional(text(addressMax)),
  city: z.optional(text(addressMax)),
  state: z.optional(text(addressMax)),
  county: z.optional(text(addressMax)),
  line1: z.optional(text(addressMax)),
  country: z.optional(text(addressMax)),
  date: z.optional(day),
});
export type RatesQuery = z.infer<typeof RatesQuery>;
