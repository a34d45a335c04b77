import { describe, expect, it } from 'vitest';
import { type CursorScope, decodeCursor, encodeCursor } from '../../shared/cursor.ts';

const position = 'fil_1';
const scope: CursorScope = { list: 'filings', secret: 'secret', filters: { state: 'US-MI', status: 'filed' } };
const cursor = encodeCursor(position, scope);

describe('a cursor', () => {
  // Recorded with the version before: a client may be in the middle of a list when a new version is deployed.
  it('a cursor of an earlier version is still valid', () => {
    const filings = 'ZmlsXzE.zf8jDTfpe0-hVHbhnUiKtJ-B9gElFwo-8UQR1cP6lcE';
    const transactions =
      'eyJpZCI6InR4bl8xIiwidGF4X2RhdGUiOiIyMDI2LTEwLTA4VDAwOjAwOjAwLjAwMFoifQ.FOAkeHz4z0sxTu65-6ciByib7DmS5YJ7Uxy5zsd2UV0';
    expect(decodeCursor(filings, { ...scope, filters: { state: 'US-MI' } })).toBe(position);
    expect(decodeCursor(transactions, { ...scope, list: 'transactions', filters: { status: 'filed' } })).toBe(
      '{"id":"txn_1","tax_date":"2026-10-08T00:00:00.000Z"}',
    );
  });

  it('is valid for any order of its filters', () => {
    expect(decodeCursor(cursor, { ...scope, filters: { status: 'filed', state: 'US-MI' } })).toBe(position);
  });

  it.each([
    ['list', { list: 'transactions' }],
    ['secret', { secret: 'other' }],
    ['filters', { filters: { state: 'US-MI' } }],
  ] as const)('is refused with another %s', (_, change) => {
    expect(decodeCursor(cursor, { ...scope, ...change })).toBeNull();
  });

  it.each(['', '.', 'x', 'x.y', `${cursor}.x`, `x${cursor}`, cursor.slice(0, -2), `${cursor}xx`])(
    '%s is refused',
    (text) => {
      expect(decodeCursor(text, scope)).toBeNull();
    },
  );
});
