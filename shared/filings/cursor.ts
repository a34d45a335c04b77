import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import type { Problem } from '../problem.ts';

const signatureOf = (secret: string, payload: string, list: unknown): Buffer =>
  createHmac('sha256', secret)
    .update(`filings\n${payload}\n${canonicalJson(list)}`)
    .digest();

/** Where a list goes on, opaque to the client: signed with the account's secret, for this very list only. */
export const cursorOf = (place: string, secret: string, list: unknown): string => {
  const payload = Buffer.from(place).toString('base64url');
  return `${payload}.${signatureOf(secret, payload, list).toString('base64url')}`;
};

/** The place that a cursor of ours holds; `null` for any other text, another account's or another list's included. */
export const placeOf = (cursor: string, secret: string, list: unknown): string | null => {
  const [payload = '', signature = '', ...rest] = cursor.split('.');
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(secret, payload, list);
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Buffer.from(payload, 'base64url').toString('utf8');
};

export const invalidCursor: Problem = {
  code: 'validation_invalid_cursor',
  title: 'Invalid starting_after',
  detail: 'Send the next_cursor of a page of this very list: same filters, same account.',
  source: { parameter: 'starting_after' },
};
