import type { Release } from '../release.ts';

const merged = new WeakMap<Release, WeakMap<Release, Release>>();

const union = <Value>(one: readonly Value[], other: readonly Value[], keyOf: (value: Value) => string): Value[] => [
  ...new Map([...other, ...one].map((value) => [keyOf(value), value])).values(),
];

const merge = (one: Release, other: Release): Release => {
  if (one.id !== other.id) throw new Error(`${one.id} and ${other.id} are not parts of one release.`);
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

/**
 * Put together what a release holds for two addresses, so that the jurisdictions of both can tax one sale.
 *
 * The same two give the same object: what is found out about a release is kept by the object.
 */
export const mergedRelease = (one: Release, other: Release): Release => {
  if (one === other) return one;
  const known = merged.get(one)?.get(other);
  if (known) return known;
  const made = merge(one, other);
  const others = merged.get(one) ?? new WeakMap<Release, Release>();
  merged.set(one, others.set(other, made));
  return made;
};
