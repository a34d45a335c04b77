import type { ReleaseHead, ReleasePart } from '../content.ts';
import type { Jurisdiction, Rate, Release } from '../release.ts';

/** A release with the content of these parts, without duplicates. */
export const releaseView = (head: ReleaseHead, parts: readonly ReleasePart[]): Release => {
  if (parts.length === 0) return head;
  const [state, ...locals] = head.jurisdictions;
  const jurisdictions = new Map<string, Jurisdiction>([state, ...locals].map((place) => [place.code, place]));
  const rates: Rate[] = [...head.rates];
  const rated = new Set(rates.map(({ jurisdiction }) => jurisdiction));
  for (const part of parts) {
    for (const jurisdiction of part.jurisdictions)
      if (!jurisdictions.has(jurisdiction.code)) jurisdictions.set(jurisdiction.code, jurisdiction);
    // A part contains either every rate of a jurisdiction or none.
    const added = part.rates.filter(({ jurisdiction }) => !rated.has(jurisdiction));
    for (const rate of added) rates.push(rate);
    for (const { jurisdiction } of added) rated.add(jurisdiction);
  }
  jurisdictions.delete(state.code);
  return {
    ...head,
    jurisdictions: [state, ...jurisdictions.values()],
    rates,
    locations: [...head.locations, ...parts.flatMap(({ locations }) => locations)],
  };
};
