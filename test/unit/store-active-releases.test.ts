import { describe, expect, it } from 'vitest';
import { type ActiveReleases, previousMax, withActive } from '../../shared/content/loading/active-releases.ts';

const none: ActiveReleases = { version: 0, states: {} };
const id = (counter: number) => `US-MN@2026-11-21.${counter}`;
const activated = (...counters: readonly (number | null)[]): ActiveReleases =>
  counters.reduce<ActiveReleases>(
    (active, counter, index) => withActive(active, 'US-MN', counter === null ? null : id(counter), `at ${index}`),
    none,
  );
const history = ({ states }: ActiveReleases) =>
  states['US-MN'] && [states['US-MN'].release, ...states['US-MN'].previous.map(({ release }) => release)];

describe('the active releases', () => {
  it('count every change, and remember what was active before, the newest first', () => {
    expect(activated(1, 2)).toEqual({
      version: 2,
      states: {
        'US-MN': {
          release: id(2),
          activated_at: 'at 1',
          previous: [{ release: id(1), activated_at: 'at 0' }],
        },
      },
    });
  });

  it('forget what they went back over, so that going back again leads further back', () => {
    expect(history(activated(1, 2, 3, 2))).toEqual([id(2), id(1)]);
    expect(history(activated(1, 2, 3, 2, 1))).toEqual([id(1)]);
    expect(history(activated(1, 2, 3, 1))).toEqual([id(1)]);
    expect(history(activated(1, 2, 1, 3))).toEqual([id(3), id(1)]);
  });

  it('have nothing of a state that is back at its built-in release', () => {
    expect(activated(1, 2, null)).toEqual({ version: 3, states: {} });
    expect(history(activated(1, null, 2))).toEqual([id(2)]);
  });

  it('keep the time of a release that is activated again, but count that', () => {
    expect(activated(1, 1)).toEqual({
      version: 2,
      states: { 'US-MN': { release: id(1), activated_at: 'at 0', previous: [] } },
    });
  });

  it('remember no more than ten before', () => {
    const many = Array.from({ length: 30 }, (_, index) => index + 1);
    expect(previousMax).toBe(10);
    expect(history(activated(...many))).toEqual(many.slice(-11).reverse().map(id));
  });

  it('leave other states alone', () => {
    const both = withActive(activated(1), 'US-OH', 'US-OH@2026-11-21.1', 'later');
    expect(Object.keys(withActive(both, 'US-MN', null, 'now').states)).toEqual(['US-OH']);
  });
});
