import type { Release } from '../release.ts';

const union = <Value>(one: readonly Value[], other: readonly Value[], keyOf: (value: Value) => string): Value[] => [
  ...new Map([...other, ...one].map((value) => [keyOf(value), value])).values(),
];

/** Put together what a release holds for two addresses, so that the jurisdictions of both can tax one sale. */
export const mergedRelease = (one: Release, other: Release): Release => {
  if (one === other) return one;
  // An import may answer for one address and the release below it for the other.
  if ((one.pinnedBy ?? one.id) !== (other.pinnedBy ?? other.id))
    throw new Error(`${one.id} and ${other.id} are not parts of one release.`);
  const [state, ...locals] = one.jurisdictions;
  return {
    ...one,
    jurisdictions: [
      state,
      ...union(locals, other.jurisdictions, ({ code }) => code).filter(({ code }) => code !== state.code),
    ],
    rates: union(one.rates, other.rates, ({ jurisdiction, from, to }) => `${jurisdiction} ${from} ${to}`),
    locations: [...new Set([...one.locations, ...other.locations])],
  };
};
