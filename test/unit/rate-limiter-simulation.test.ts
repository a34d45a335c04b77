import { describe, expect, it } from 'vitest';
import { type Scene, simulate, usablePercent } from '../support/rate-limit-simulation.ts';

const limit = 2000;
const usual = { limit, windows: 3, arrival: 'even', cold: false } as const;
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const expectWithinLimit = (admitted: readonly number[], most = limit) => {
  for (const count of admitted) expect(count).toBeLessThanOrEqual(most);
};

describe.each([1, 10, 40, 100])('rate limit across %i instances', (instances) => {
  describe.each(['even', 'uneven', 'bursty'] as const)('with %s arrivals', (arrival) => {
    it.each([true, false])('admits all requests at half of the limit (cold: %s)', async (cold) => {
      const { requested, admitted } = await simulate({ ...usual, instances, demand: limit / 2, arrival, cold });
      expect(sum(requested)).toBeGreaterThan(limit);
      expect(admitted).toEqual(requested);
    });

    it.each([
      { demand: 1, cold: true, writesMax: { 1: 0.07, 10: 0.25, 40: 0.75, 100: 1 } },
      { demand: 1, cold: false, writesMax: { 1: 0.07, 10: 0.25, 40: 0.75, 100: 0.98 } },
      { demand: 5, cold: true, writesMax: { 1: 0.04, 10: 0.04, 40: 0.2, 100: 0.2 } },
      { demand: 5, cold: false, writesMax: { 1: 0.04, 10: 0.04, 40: 0.2, 100: 0.2 } },
    ])('admits 98 to 100 % of the limit at $demand times the limit (cold: $cold)', async (given) => {
      const { demand, cold, writesMax } = given;
      const result = await simulate({ ...usual, instances, demand: demand * limit, arrival, cold });
      expectWithinLimit(result.admitted);
      expect(usablePercent(result, limit)).toBeGreaterThanOrEqual(98);
      expect(result.writesPerRequest).toBeLessThanOrEqual(writesMax[instances as keyof typeof writesMax]);
    });
  });

  it.each([{ demand: 0.95 }, { demand: 1.2 }, { demand: 5 }])(
    'admits at least 98 % of the limit when load of $demand times the limit moves between instances',
    async ({ demand }) => {
      const result = await simulate({ ...usual, instances, demand: demand * limit, arrival: 'moving' });
      expectWithinLimit(result.admitted);
      expect(usablePercent(result, limit)).toBeGreaterThanOrEqual(98);
    },
  );

  it('lost replies waste part of the limit and never exceed it', async () => {
    const scene: Scene = { ...usual, instances, demand: 1.2 * limit, lostReplies: 0.05 };
    const result = await simulate(scene);
    expectWithinLimit(result.admitted);
    // One lease in twenty is counted twice.
    expect(usablePercent(result, limit)).toBeGreaterThanOrEqual(85);
    expect(sum(result.admitted)).toBeLessThan(sum((await simulate({ ...scene, lostReplies: 0 })).admitted));
  });
});

it.each([1, 3, 10])(
  '9 of 10 requests need no write at 10 requests per second on each of %i instances',
  async (instances) => {
    const result = await simulate({ ...usual, instances, demand: 100 * instances, windows: 6 });
    expect(result.writesPerRequest).toBeLessThanOrEqual(0.1);
  },
);

it.each([1, 7, 60, 200])('enforces a limit of %i and admits at least 98 % of it', async (small) => {
  const result = await simulate({ ...usual, limit: small, instances: 10, demand: 3 * small, seed: small });
  expectWithinLimit(result.admitted, small);
  expect(usablePercent(result, small)).toBeGreaterThanOrEqual(98);
});
