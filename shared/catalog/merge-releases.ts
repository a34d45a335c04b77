import { assert } from '../base/assert.ts';
import type { ReleasePart } from './content.ts';
import type { Release } from './release.ts';
import type { Jurisdiction, Rate } from './release-values.ts';

type Addition = Pick<ReleasePart, 'jurisdictions' | 'rates' | 'locations' | 'streets'>;

/**
 * A release with more jurisdictions, rates and locations, without duplicates. An addition contains either every rate of a
 * jurisdiction or none.
 */
export const releaseWith = (release: Release, additions: readonly Addition[]): Release => {
  const [state, ...locals] = release.jurisdictions;
  const jurisdictions = new Map<string, Jurisdiction>([state, ...locals].map((place) => [place.code, place]));
  const rates: Rate[] = [...release.rates];
  const rated = new Set(rates.map(({ jurisdiction }) => jurisdiction));
  for (const addition of additions) {
    for (const jurisdiction of addition.jurisdictions)
      if (!jurisdictions.has(jurisdiction.code)) jurisdictions.set(jurisdiction.code, jurisdiction);
    const added = addition.rates.filter(({ jurisdiction }) => !rated.has(jurisdiction));
    for (const rate of added) rates.push(rate);
    for (const { jurisdiction } of added) rated.add(jurisdiction);
  }
  jurisdictions.delete(state.code);
  // Among an address's parts, only the ZIP's has streets.
  const streets = [release, ...additions].find((part) => part.streets)?.streets;
  const locations = [release, ...additions].flatMap((part) => part.locations);
  return {
    ...release,
    ...(streets && { streets }),
    jurisdictions: [state, ...jurisdictions.values()],
    rates,
    locations: [...new Set(locations)],
  };
};

/** Merge two views of a release, each loaded for one address, so that the jurisdictions of both can tax one sale. */
export const mergedRelease = (a: Release, b: Release): Release => {
  if (a === b) return a;
  // An import may cover one address, and its fallback release the other.
  assert((a.pinnedBy ?? a.id) === (b.pinnedBy ?? b.id), `${a.id} and ${b.id} are not parts of one release.`);
  return releaseWith(a, [b]);
};
