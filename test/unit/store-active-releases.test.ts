import { describe, expect, it } from 'vitest';
import { type ActiveReleases, previousMax, withActive, withPrevious } from '../../shared/catalog/content.ts';

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
  it('count every change, and list the previous releases, newest first', () => {
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

  it('drop the releases after the target of a rollback', () => {
    expect(history(activated(1, 2, 3, 2))).toEqual([id(2), id(1)]);
    expect(history(activated(1, 2, 3, 2, 1))).toEqual([id(1)]);
    expect(history(activated(1, 2, 3, 1))).toEqual([id(1)]);
    expect(history(activated(1, 2, 1, 3))).toEqual([id(3), id(1)]);
  });

  it('record what was active before the built-in release (null), and when', () => {
    expect(history(activated(1, 2, null))).toEqual([null, id(2), id(1)]);
    expect(history(activated(1, null, 2))).toEqual([id(2), null, id(1)]);
    expect(history(activated(1, null, 2, null))).toEqual([null, id(1)]);
    expect(activated(null)).toEqual({ version: 1, states: {} });
  });

  it('roll back one by one to the built-in release, and then not further', () => {
    const back = (active: ActiveReleases) => withPrevious(active, 'US-MN', 'back');
    const one = back(back(activated(1, null, 2)));
    expect(one).toEqual({ version: 5, states: { 'US-MN': { release: id(1), activated_at: 'back', previous: [] } } });
    expect(history(back(activated(1, null, 2)))).toEqual([null, id(1)]);
    expect(back(one)).toEqual({ version: 6, states: {} });
    expect(back(back(one))).toEqual({ version: 7, states: {} });
  });

  it('keep the time of a release that is activated again, but increment the version', () => {
    expect(activated(1, 1)).toEqual({
      version: 2,
      states: { 'US-MN': { release: id(1), activated_at: 'at 0', previous: [] } },
    });
  });

  it('keep at most ten previous releases', () => {
    const many = Array.from({ length: 30 }, (_, index) => index + 1);
    expect(previousMax).toBe(10);
    expect(history(activated(...many))).toEqual(many.slice(-11).reverse().map(id));
  });

  it('leave other states unchanged', () => {
    const both = withActive(activated(1), 'US-OH', 'US-OH@2026-11-21.1', 'later');
    const { 'US-OH': ohio } = both.states;
    expect(withActive(both, 'US-MN', null, 'now').states['US-OH']).toEqual(ohio);
    expect(withPrevious(both, 'US-MN', 'now').states).toEqual({ 'US-OH': ohio });
  });
});
