/** List cursors: opaque to the client, and signed with the account's secret for one list and its filters. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from './json.ts';

/** The format of a cursor in the OpenAPI document: base64url of a position and its SHA-256. */
const exampleCursor = `${Buffer.from('2026-10-08').toString('base64url')}.${'A'.repeat(43)}`;
export const cursorKeywords = { pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{43}$', examples: [exampleCursor] };

/** The format of a cursor or of the last item's id. */
export const cursorOrIdKeywords = { pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]{43})?$', examples: [exampleCursor] };

/** The scope of a cursor. Each kind of list signs a different string, so a cursor is valid only for its list. */
export type CursorScope = {
  readonly list: 'transactions' | 'filings' | 'filing-periods' | 'customers' | 'reports';
  readonly secret: string;
  readonly filters: unknown;
};

const signCursor = (payload: string, { list, secret, filters }: CursorScope): Buffer =>
  createHmac('sha256', secret)
    .update(`${list === 'transactions' ? '' : `${list}\n`}${payload}\n${canonicalJson(filters)}`)
    .digest();

export const encodeCursor = (position: string, scope: CursorScope): string => {
  const payload = Buffer.from(position).toString('base64url');
  return `${payload}.${signCursor(payload, scope).toString('base64url')}`;
};

/** Returns the position in a cursor, or `null` if it was not signed for this scope. */
export const decodeCursor = (cursor: string, scope: CursorScope): string | null => {
  const [payload = '', signature = '', ...others] = cursor.split('.');
  const actual = Buffer.from(signature, 'base64url');
  const expected = signCursor(payload, scope);
  if (others.length > 0 || actual.length !== expected.length || !timingSafeEqual(actual, expected)) return null;
  return Buffer.from(payload, 'base64url').toString('utf8');
};
