import * as z from 'zod/mini';

const text = z.nullish(z.string('Send a string.').check(z.maxLength(500, 'Send at most 500 characters.')));

/** A postal address as a request carries it (specification 2.4). */
export const PostalAddress = z.object(
  { line1: text, city: text, county: text, state: text, postal_code: text, country: text },
  'Send an object.',
);
export type PostalAddress = z.infer<typeof PostalAddress>;
