import { assert } from '../../assert.ts';
import type { Release } from '../release.ts';

const union = <Value>(a: readonly Value[], b: readonly Value[], keyOf: (value: Value) => string): Value[] => [
  ...new Map([...b, ...a].map((value) => [keyOf(value), value])).values(),
];

/** Merge two views of a release, each loaded for one address, so that the jurisdictions of both can tax one sale. */
export const mergedRelease = (a: Release, b: Release): Release => {
  if (a === b) return a;
  // An import may answer for one address and the release below it for the other.
  assert((a.pinnedBy ?? a.id) === (b.pinnedBy ?? b.id), `${a.id} and ${b.id} are not parts of one release.`);
  const [state, ...locals] = a.jurisdictions;
  return {
    ...a,
    jurisdictions: [
      state,
      ...union(locals, b.jurisdictions, ({ code }) => code).filter(({ code }) => code !== state.code),
    ],
    rates: union(a.rates, b.rates, ({ jurisdiction, from, to }) => `${jurisdiction} ${from} ${to}`),
    locations: [...new Set([...a.locations, ...b.locations])],
  };
};
