import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson } from '../canonical-json.ts';
import type { ListPosition } from './ledger.ts';

const Cursor = z.object({ id: z.string(), tax_date: z.string() });

const signatureOf = (secret: string, payload: string, filters: unknown): Buffer =>
  createHmac('sha256', secret)
    .update(`${payload}\n${canonicalJson(filters)}`)
    .digest();

/** Where a list goes on, opaque to the client: signed with the account's secret, for these filters only (decisions 6). */
export const cursorOf = ({ id, tax_date }: ListPosition, secret: string, filters: unknown): string => {
  const payload = Buffer.from(JSON.stringify({ id, tax_date })).toString('base64url');
  return `${payload}.${signatureOf(secret, payload, filters).toString('base64url')}`;
};

/** The position that a cursor of ours holds; `null` for any other text, another account's or other filters' included. */
export const positionOf = (cursor: string, secret: string, filters: unknown): ListPosition | null => {
  const [payload = '', signature = '', ...rest] = cursor.split('.');
  if (rest.length > 0) return null;
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(secret, payload, filters);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return Cursor.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
};
