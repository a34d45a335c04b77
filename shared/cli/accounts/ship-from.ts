import * as z from 'zod/mini';
import { readAddress } from '../../content/location/address.ts';
import { PostalAddress } from '../../content/location/postal-address.ts';
import { problemIn, type Reading } from './reading.ts';

// What a request may misspell without harm would be stored here for good.
const Address = z.strictObject(PostalAddress.shape, 'Send an object.');

/** Where an account's goods are sent from, where a request does not say it; `null` is nowhere known. */
export const shipFromFrom = (value: unknown): Reading<PostalAddress | null> => {
  if (value === null) return { value };
  const { success, data, error } = Address.safeParse(value);
  if (!success) return { send: `null or an address of line1, city, state, postal_code, country (${problemIn(error)})` };
  const address = readAddress(data, '');
  if (address.ok) return { value: data };
  return { send: `an address that can be located: ${address.problems.map(({ detail }) => detail).join(' ')}` };
};
