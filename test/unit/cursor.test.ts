import { describe, expect, it } from 'vitest';
import { type CursorScope, decodeCursor, encodeCursor } from '../../shared/base/cursor.ts';

const position = 'fil_1';
const scope: CursorScope = { list: 'filings', secret: 'secret', filters: { state: 'US-MI', status: 'filed' } };
const cursor = encodeCursor(position, scope);

describe('a cursor', () => {
  it('is valid with its filters in any order', () => {
    expect(decodeCursor(cursor, { ...scope, filters: { status: 'filed', state: 'US-MI' } })).toBe(position);
  });

  it.each([
    ['list', { list: 'transactions' }],
    ['secret', { secret: 'other' }],
    ['filters', { filters: { state: 'US-MI' } }],
  ] as const)('is rejected with a different %s', (_, change) => {
    expect(decodeCursor(cursor, { ...scope, ...change })).toBeNull();
  });

  it.each(['', '.', 'x', 'x.y', `${cursor}.x`, `x${cursor}`, cursor.slice(0, -2), `${cursor}xx`])(
    'rejects %s',
    (text) => {
      expect(decodeCursor(text, scope)).toBeNull();
    },
  );
});
