import type { ReleasePart } from '../../catalog/content.ts';
import { inForce } from '../../catalog/effective.ts';
import { formatFraction } from '../../catalog/fractions.ts';
import { isRestUntaxed } from '../../catalog/local/load.ts';
import { combinedRate } from '../../catalog/location/combined-rate.ts';
import { ownCodesAt, withOwnRates } from '../../catalog/own-rules.ts';
import type { Location, Release } from '../../catalog/release.ts';
import { type Change, changesOver, establishedSpan, piecesOf, type Span } from '../../importers/releases/timeline.ts';
import {
  isZip,
  overlayLocations,
  type Piece,
  splitPieces,
  type ZipRange,
  zipRangesOf,
  zipText,
} from '../../importers/releases/zip-pieces.ts';

/** A release's head, and its part for one ZIP or city; without a part it names no location there. */
export type Side = { readonly head: Release; readonly part: ReleasePart | undefined };

/** A change of a combined rate. Rates are fractions; `null` is not known. */
export type LocationChange = Change & {
  /** A five-digit ZIP, or a city. */
  readonly key: string;
  /** The ranges of the ZIP; empty for a city that is known by its name. */
  readonly zips: readonly ZipRange[];
};

/** All inputs of a combined rate as text, to skip the ZIPs that do not change. */
const decisiveOf = ({ head, part }: Side): string => {
  const { state, rates, coverage, local, established_from, established_to, own } = head;
  const ofOwn = [own?.jurisdictions, own?.rates];
  return JSON.stringify([state, rates, coverage, local, established_from, established_to, part, ofOwn]);
};

/** The release with the rates and locations of one ZIP or city. */
const releaseOf = ({ head, part }: Side): Release => {
  if (!part) return { ...head, locations: [] };
  const jurisdictions: Release['jurisdictions'] = [...head.jurisdictions, ...part.jurisdictions];
  return withOwnRates({ ...head, jurisdictions, rates: [...head.rates, ...part.rates], locations: part.locations });
};

/** The combined rate on a day: the lowest of several sets of jurisdictions (SSUTA section 305). */
const combined = (key: string, release: Release, locations: readonly Location[], day: string): string | null => {
  if (release.established_to !== null && release.established_to < day) return null;
  // The state rate alone is right only if the release states that the rest has no local taxes.
  if (locations.length === 0 && !isRestUntaxed(release)) return null;
  const usual = locations.filter(({ of_addresses }) => !of_addresses);
  const sets = locations.length > 0 ? usual.flatMap(({ alternatives }) => alternatives) : [[]];
  const own = ownCodesAt(release, isZip(key) ? key : null, day);
  const rates = sets.map((codes) => combinedRate(release, [release.state, ...codes, ...own], day));
  const known = rates.filter((rate) => rate !== undefined);
  return known.length === 0 ? null : formatFraction(known.reduce((least, rate) => (rate < least ? rate : least)));
};

type Overlaid = { readonly inForce: string; readonly pieces: readonly (readonly Location[])[] };

/** The combined rate of each piece of the ZIP, for each piece of time. */
const ratesOver = (key: string, release: Release, pieces: readonly Piece[], times: readonly Span[]) => {
  const numbers = new Map(release.locations.map((location, index) => [location, index]));
  const numbersOf = (locations: readonly Location[]) => locations.map((location) => numbers.get(location)).join(' ');
  const zones = release.locations.flatMap((location) => zipRangesOf(key, location)).sort((a, b) => a.width - b.width);
  let overlaid: Overlaid | null = null;
  return times.map(({ from: day }) => {
    const current = new Set(inForce(release.locations, day, release.established_from));
    const name = numbersOf([...current]);
    // Rates change more often than borders, so most pieces of time have the same locations as the previous one.
    if (overlaid?.inForce !== name) {
      const now = zones.filter(({ location }) => current.has(location));
      overlaid = { inForce: name, pieces: overlayLocations(pieces, now) };
    }
    const known = new Map<string, string | null>();
    return overlaid.pieces.map((found) => {
      const place = numbersOf(found);
      if (!known.has(place)) known.set(place, combined(key, release, found, day));
      return known.get(place) ?? null;
    });
  });
};

const spansOf = ({ state, established_from, established_to, rates, locations, own }: Release, part?: ReleasePart) => {
  const dated = [
    ...rates.filter(({ jurisdiction }) => jurisdiction === state),
    ...(part?.rates ?? []),
    ...(own?.rates ?? []),
    ...locations,
  ];
  return [
    { from: established_from, to: established_to },
    ...dated.map((value) => establishedSpan(value, established_from)),
  ];
};

/**
 * All differences of combined rates in one ZIP or city, with ranges and days. Ranges with the same change are one
 * entry.
 */
export const compareLocations = (key: string, before: Side, after: Side): readonly LocationChange[] => {
  if (decisiveOf(before) === decisiveOf(after)) return [];
  const [was, is] = [releaseOf(before), releaseOf(after)];
  const pieces = splitPieces(
    key,
    [...was.locations, ...is.locations].flatMap((location) => zipRangesOf(key, location)),
  );
  const times = piecesOf([...spansOf(was, before.part), ...spansOf(is, after.part)]);
  const [old, next] = [ratesOver(key, was, pieces, times), ratesOver(key, is, pieces, times)];
  const found = new Map<string, { change: Change; zips: [number, number][] }>();
  for (const [index, { low, high }] of pieces.entries()) {
    const at = (rates: typeof old) => (_: Span, time: number) => rates[time]?.[index] ?? null;
    for (const change of changesOver(times, at(old), at(next))) {
      const text = JSON.stringify(change);
      const zips = found.get(text)?.zips ?? [];
      const last = zips.at(-1);
      if (last && last[1] === low - 1) last[1] = high;
      else zips.push([low, high]);
      found.set(text, { change, zips });
    }
  }
  return [...found.values()].map(({ change, zips }) => ({
    key,
    zips: isZip(key) ? zips.map(([low, high]): ZipRange => [zipText(low), zipText(high)]) : [],
    ...change,
  }));
};
