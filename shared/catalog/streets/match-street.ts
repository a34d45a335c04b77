import { isInForce } from '../effective.ts';
import type { Streets } from '../release.ts';
import type { StreetAddress } from './street-address.ts';
import { anyStreet, type NearRange, scanRanges, unitStatus } from './street-ranges.ts';

/**
 * `found`: all rows that could contain the address have these codes. `outside`: the rows list the street exactly as
 * written, but no street of that name has the house number. `unknown`: the rows are inconclusive.
 */
type StreetMatch =
  | { readonly kind: 'found'; readonly codes: readonly string[] }
  | { readonly kind: 'outside' | 'unknown' };

/**
 * Selects the ranges that apply: the ranges with the unit if there are any, otherwise the ranges of the whole house.
 */
const chooseRanges = (ranges: readonly NearRange[], { unit }: StreetAddress) => {
  const readable = ranges.filter(({ isUnread }) => !isUnread);
  const having = Map.groupBy(readable, (range) => (range.unit ? unitStatus(range.unit, unit) : 'whole'));
  const certain = having.get('yes') ?? having.get('whole') ?? [];
  const others = [having.get('maybe') ?? [], ranges.filter(({ isUnread }) => isUnread)];
  return { certain, possible: [certain, ...others].flat() };
};

/** Finds the jurisdictions of a street address on a tax day. */
export const matchStreet = (
  { names, sets }: Streets,
  address: StreetAddress,
  day: string,
  establishedFrom: string,
): StreetMatch => {
  const { house, street } = address;
  const isCurrent = (set: number): boolean => {
    const dated = sets[set];
    return dated !== undefined && isInForce(dated, day, establishedFrom);
  };
  // A row without a street could contain any address in the ZIP.
  const scanned = [anyStreet.name, street.name].flatMap((name) =>
    Object.hasOwn(names, name) ? scanRanges(names[name] ?? '', house) : [],
  );
  const near = scanned.flatMap((one) => one.near).filter(({ set }) => isCurrent(set));
  if (near.length === 0) {
    const isListed = scanned.some((one) => one.sets.get(street.affixes)?.values().some(isCurrent));
    return { kind: isListed ? 'outside' : 'unknown' };
  }
  const own = near.filter(({ affixes }) => affixes === street.affixes || affixes === anyStreet.affixes);
  const { certain, possible } = chooseRanges(own, address);
  const lists = new Map(
    [...new Set(possible.map(({ set }) => set))].flatMap((set) => {
      const codes = sets[set]?.codes;
      return codes ? [[codes.toSorted().join(' '), codes] as const] : [];
    }),
  );
  const [codes, ...others] = lists.values();
  return certain.length > 0 && codes && others.length === 0 ? { kind: 'found', codes } : { kind: 'unknown' };
};
