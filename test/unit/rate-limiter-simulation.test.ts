import { describe, expect, it } from 'vitest';
import { usablePercent } from '../../shared/cli/bench/rate-limit/figures.ts';
import { type Scene, simulate } from '../../shared/cli/bench/rate-limit/simulation.ts';

const limit = 2000;
const usual = { limit, windows: 3, arrival: 'even', cold: false } as const;
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const expectNeverOver = (admitted: readonly number[], most = limit) => {
  for (const count of admitted) expect(count).toBeLessThanOrEqual(most);
};

describe.each([1, 10, 40, 100])('of %i instances', (instances) => {
  describe.each(['even', 'uneven', 'bursty'] as const)('under %s demand', (arrival) => {
    it.each([true, false])('half of the limit is admitted whole (cold: %s)', async (cold) => {
      const { asked, admitted } = await simulate({ ...usual, instances, demand: limit / 2, arrival, cold });
      expect(sum(asked)).toBeGreaterThan(limit);
      expect(admitted).toEqual(asked);
    });

    it.each([
      { demand: 1, cold: true, writesMax: { 1: 0.07, 10: 0.25, 40: 0.75, 100: 1 } },
      { demand: 1, cold: false, writesMax: { 1: 0.07, 10: 0.25, 40: 0.75, 100: 0.98 } },
      { demand: 5, cold: true, writesMax: { 1: 0.04, 10: 0.04, 40: 0.2, 100: 0.2 } },
      { demand: 5, cold: false, writesMax: { 1: 0.04, 10: 0.04, 40: 0.2, 100: 0.2 } },
    ])('$demand times the limit is never over it, nor 98 % of it under (cold: $cold)', async (given) => {
      const { demand, cold, writesMax } = given;
      const seen = await simulate({ ...usual, instances, demand: demand * limit, arrival, cold });
      expectNeverOver(seen.admitted);
      expect(usablePercent(seen, limit)).toBeGreaterThanOrEqual(98);
      expect(seen.writesPerRequest).toBeLessThanOrEqual(writesMax[instances as keyof typeof writesMax]);
    });
  });

  it.each([{ demand: 0.95 }, { demand: 1.2 }, { demand: 5 }])(
    '98 % can be used where demand of $demand times the limit moves away from its instances',
    async ({ demand }) => {
      const seen = await simulate({ ...usual, instances, demand: demand * limit, arrival: 'moving' });
      expectNeverOver(seen.admitted);
      expect(usablePercent(seen, limit)).toBeGreaterThanOrEqual(98);
    },
  );

  it('lost replies use up some of the limit, and never more than it', async () => {
    const scene: Scene = { ...usual, instances, demand: 1.2 * limit, lostReplies: 0.05 };
    const seen = await simulate(scene);
    expectNeverOver(seen.admitted);
    // A lease in twenty counts twice, sometimes a large one.
    expect(usablePercent(seen, limit)).toBeGreaterThanOrEqual(85);
    expect(sum(seen.admitted)).toBeLessThan(sum((await simulate({ ...scene, lostReplies: 0 })).admitted));
  });
});

it.each([1, 3, 10])('9 of 10 requests cost no write at 10 a second in each of %i instances', async (instances) => {
  const seen = await simulate({ ...usual, instances, demand: 100 * instances, windows: 6 });
  expect(seen.writesPerRequest).toBeLessThanOrEqual(0.1);
});

it.each([1, 7, 60, 200])('a limit of %i is kept and used', async (small) => {
  const seen = await simulate({ ...usual, limit: small, instances: 10, demand: 3 * small, seed: small });
  expectNeverOver(seen.admitted, small);
  expect(usablePercent(seen, small)).toBeGreaterThanOrEqual(98);
});

it('is the same on every run', async () => {
  const scene: Scene = { ...usual, instances: 10, demand: limit, lostReplies: 0.01 };
  const seen = await simulate(scene);
  expect(await simulate(scene)).toEqual(seen);
  expect(await simulate({ ...scene, seed: 8 })).not.toEqual(seen);
});
