import { describe, expect, it } from 'vitest';
import { coversDay, inForce, possiblyInForce } from '../../shared/content/effective.ts';

const established = '2026-01-01';
const old = { from: '2018-10-01', to: '2026-09-30' };
const next = { from: '2026-10-01', to: null };
const unknown = { from: null, to: null };

describe('inForce', () => {
  it.each([
    ['2018-09-30', []],
    ['2018-10-01', [old]],
    ['2025-12-31', [old]],
    ['2026-01-01', [old, unknown]],
    ['2026-09-30', [old, unknown]],
    ['2026-10-01', [next, unknown]],
    ['2999-12-31', [next, unknown]],
  ])('on %s', (day, values) => expect(inForce([old, next, unknown], day, established)).toEqual(values));
});

describe('coversDay', () => {
  it.each([
    [unknown, '2025-12-31', false],
    [unknown, '2026-01-01', true],
    [old, '1999-01-01', true],
  ])('%o on %s: %s', (value, day, covers) => expect(coversDay(value, day, established)).toBe(covers));
});

describe('possiblyInForce', () => {
  it.each([
    [unknown, '1999-01-01', true],
    [{ from: null, to: '2026-09-30' }, '2026-10-01', false],
    [old, '2018-09-30', false],
    [old, '2026-09-30', true],
  ])('%o on %s: %s', (value, day, holds) => expect(possiblyInForce(value, day)).toBe(holds));
});
