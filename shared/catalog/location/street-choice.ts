import type { ReleaseFor } from '../content.ts';
import type { Release } from '../release.ts';
import { matchStreet } from '../streets/match-street.ts';
import { readStreetAddress } from '../streets/street-address.ts';
import { addressesByState, type TaxAddress } from './address.ts';
import { type LocalChoice, pickLocals } from './local-choice.ts';
import { newLocalSet, type Span } from './location-index.ts';

/** `outside`: the street rows of the ZIP do not have the address, so they do not decide. */
type StreetChoice = LocalChoice | 'outside' | 'unknown';

/** Find the local jurisdictions of an address by its street, among the spans in force in its ZIP. */
export const chooseByStreet = (
  { streets, established_from }: Release,
  near: readonly Span[],
  { line1 }: TaxAddress,
  day: string,
): StreetChoice => {
  const address = streets && line1 !== undefined ? readStreetAddress(line1) : null;
  if (!streets || !address) return 'unknown';
  const match = matchStreet(streets, address, day, established_from);
  if (match.kind !== 'found') return match.kind;
  const { key } = newLocalSet(match.codes);
  const areas = near.flatMap(({ area }) => {
    const set = area.of_streets ? area.sets.find((one) => one.key === key) : undefined;
    return set ? [{ ...area, sets: [set] }] : [];
  });
  return pickLocals('street', areas) ?? 'unknown';
};

const hasStreets = (release: Release | undefined): boolean =>
  release !== undefined && (release.streets !== undefined || hasStreets(release.fallback));

/** The address without its street if the content has no streets of its ZIP, so that addresses of one ZIP are equal. */
export const withRelevantStreet = (address: TaxAddress, releaseFor: ReleaseFor): TaxAddress => {
  const { line1, ...others } = address;
  const isRelevant = line1 === undefined || addressesByState(address).some((one) => hasStreets(releaseFor(one)));
  return isRelevant ? address : others;
};
