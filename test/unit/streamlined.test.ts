import { expect, it } from 'vitest';
import { isStreamlinedMember } from '../../shared/catalog/streamlined.ts';

it('accepts returns of a state that left the Agreement for periods up to its last day', () => {
  const left = { MN: '2026-09-30' };
  const days = ['2026-09-30', '2026-10-31'];
  expect(days.map((day) => isStreamlinedMember('US-MN', day, left))).toEqual([true, false]);
  expect(days.map((day) => isStreamlinedMember('US-OH', day, left))).toEqual([true, true]);
});
