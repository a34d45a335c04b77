import * as z from 'zod/mini';

const text = z.nullish(z.string().check(z.maxLength(500)));

/** A postal address as a request carries it (specification 2.4). */
export const PostalAddress = z.object({ line1: text, city: text, state: text, postal_code: text, country: text });
export type PostalAddress = z.infer<typeof PostalAddress>;
