import { assert } from '../base/assert.ts';
import type { ReleasePart } from './content.ts';
import type { Release } from './release.ts';
import type { Jurisdiction, Rate } from './release-values.ts';

type Addition = Pick<ReleasePart, 'jurisdictions' | 'rates' | 'locations' | 'streets'>;

/**
 * Returns a release with more jurisdictions, rates and locations, without duplicates. An addition must contain either
 * every rate of a jurisdiction or none.
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
  // Only the part for the ZIP has streets.
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

/** Merges two views of a release, each loaded for one address, so one sale can be taxed in both places. */
export const mergedRelease = (a: Release, b: Release): Release => {
  if (a === b) return a;
  // One address may be covered by an import and the other by its fallback release.
  assert((a.pinnedBy ?? a.id) === (b.pinnedBy ?? b.id), `${a.id} and ${b.id} are not parts of one release.`);
  return releaseWith(a, [b]);
};
