/**
 * Stores ranges of house numbers as text, because a ZIP has thousands of ranges and a look-up reads only one street
 * name.
 */
import { isInForce } from '../effective.ts';
import type { Streets } from '../release.ts';
import type { HouseNumber, Street, StreetAddress, Unit } from './street-address.ts';

/**
 * `E`, `O`, `B`: even, odd, both. `U`: the row could not be parsed, so its jurisdictions are possible for any number on
 * the street.
 */
type Parity = 'E' | 'O' | 'B' | 'U';

/** The units that a range is limited to. `parity` is `E`, `O` or `B`, as in the row. */
export type UnitRange = {
  readonly designator: string;
  readonly low: string;
  readonly high: string;
  readonly parity: string;
};

/** A range of house numbers on a street, inclusive. */
export type StreetRange = {
  readonly street: Street;
  readonly prefix: string;
  readonly low: number;
  readonly high: number;
  readonly parity: Parity;
  readonly unit: UnitRange | null;
};

/** A placeholder for a street that could not be parsed from a row. */
export const anyStreet: Street = { name: '', affixes: '*' };

/** A placeholder for a row that could have any address in its ZIP. */
export const anyAddress: StreetRange = { street: anyStreet, prefix: '', low: 0, high: 0, parity: 'U', unit: null };

/** Formats a range: `0E100-198`, `3O1-99/APT,1,10,B`. The text starts with the index of the range's set. */
export const rangeText = (
  set: number,
  { low, high, parity, unit }: Pick<StreetRange, 'low' | 'high' | 'parity' | 'unit'>,
): string =>
  `${set}${parity}${low}-${high}${unit ? `/${[unit.designator, unit.low, unit.high, unit.parity].join()}` : ''}`;

/** Formats the fields that the ranges of a group have in common. */
export const groupText = ({ street, prefix }: Pick<StreetRange, 'street' | 'prefix'>): string =>
  `${street.affixes}|${prefix}`;

/** Formats all ranges of one street name, by group: `N,ST,|:0E100-198 0O101-199;,AVE,|N56W:1B1-50`. */
export const nameText = (rangesByName: ReadonlyMap<string, Iterable<string>>): string =>
  [...rangesByName].map(([group, texts]) => `${group}:${[...texts].join(' ')}`).join(';');

/** Counts the ranges in the text of a street name. */
export const rangeCount = (text: string): number => text.split(/[ ;]/).length;

/** A range that could contain a house. */
type NearRange = {
  readonly set: number;
  readonly affixes: string;
  readonly isUnread: boolean;
  readonly unit: UnitRange | null;
};

const parseUnit = (text: string): UnitRange | null => {
  if (text === '') return null;
  const [designator = '', low = '', high = '', parity = ''] = text.slice(1).split(',');
  return { designator, low, high, parity };
};

/** The ranges in a text that could contain a house, and the sets of all ranges by directions and suffix. */
type Scanned = { readonly near: readonly NearRange[]; readonly sets: ReadonlyMap<string, ReadonlySet<number>> };

// Character codes are compared for speed: a street can have a thousand ranges, and a look-up scans all of its text.
const zero = 48;
const nine = 57;
const slash = 47;
const codeB = 66;
const codeE = 69;
const codeU = 85;

const isDigit = (code: number): boolean => code >= zero && code <= nine;

const hasParityCode = (code: number, number: number): boolean =>
  code === codeB || (code === codeE) === (number % 2 === 0);

/** Returns the end of the number that starts at a position. */
const endOfNumber = (text: string, start: number): number => {
  let at = start;
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1;
  return at;
};

const numberAt = (text: string, start: number, end: number): number => {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - zero;
  return value;
};

/** Finds the ranges that could contain a house in the text of its street name. */
const scanRanges = (text: string, { prefix: ownPrefix, number: own }: HouseNumber): Scanned => {
  const near: NearRange[] = [];
  const sets = new Map<string, Set<number>>();
  for (let groupStart = 0; groupStart < text.length; ) {
    let at = text.indexOf(':', groupStart) + 1;
    const next = text.indexOf(';', at);
    const groupEnd = next < 0 ? text.length : next;
    const [affixes = '', prefix = ''] = text.slice(groupStart, at - 1).split('|');
    const ofGroup = sets.get(affixes) ?? new Set<number>();
    sets.set(affixes, ofGroup);
    // If several ranges contain the house and differ only in their numbers, one is enough.
    const whole = new Set<number>();
    let before = -1;
    while (at < groupEnd) {
      const setEnd = endOfNumber(text, at);
      const lowEnd = endOfNumber(text, setEnd + 1);
      const highEnd = endOfNumber(text, lowEnd + 1);
      const space = highEnd < groupEnd && text.charCodeAt(highEnd) === slash ? text.indexOf(' ', highEnd) : highEnd;
      const end = space < 0 || space > groupEnd ? groupEnd : space;
      const set = numberAt(text, at, setEnd);
      if (set !== before) ofGroup.add(set);
      before = set;
      const parity = text.charCodeAt(setEnd);
      const isUnread = parity === codeU;
      const holds =
        numberAt(text, setEnd + 1, lowEnd) <= own && own <= numberAt(text, lowEnd + 1, highEnd) && prefix === ownPrefix;
      if (isUnread || (holds && hasParityCode(parity, own))) {
        const unit = parseUnit(text.slice(highEnd, end));
        const key = unit === null ? 2 * set + Number(isUnread) : -1;
        if (!whole.has(key)) near.push({ set, affixes, isUnread, unit });
        if (unit === null) whole.add(key);
      }
      at = end + 1;
    }
    groupStart = groupEnd + 1;
  }
  return { near, sets };
};

const numbered = /^([A-Z]*)(\d+)$/;

/** Returns whether an identifier is in a range; `null` if they cannot be compared. */
const holdsId = ({ low, high, parity }: UnitRange, id: string): boolean | null => {
  const [own, first, last] = [id, low, high].map((text) => numbered.exec(text));
  if (own && first && last && first[1] === last[1]) {
    if (own[1] !== first[1]) return false;
    const number = Number(own[2]);
    return Number(first[2]) <= number && number <= Number(last[2]) && hasParityCode(parity.charCodeAt(0), number);
  }
  if ([id, low, high].every((text) => /^[A-Z]$/.test(text))) return low <= id && id <= high;
  return id === low && id === high ? true : null;
};

/** Returns whether a range contains an address's unit; `maybe` if uncertain. */
const unitStatus = (range: UnitRange, unit: Unit | 'unclear' | null): 'yes' | 'no' | 'maybe' => {
  if (unit === null || unit === 'unclear') return 'maybe';
  if (range.low === '' && range.high === '') return range.designator === unit.designator ? 'yes' : 'maybe';
  const isComparable = unit.designator === null || range.designator === unit.designator;
  const holds = isComparable && unit.id !== null ? holdsId(range, unit.id) : null;
  return holds === null ? 'maybe' : holds ? 'yes' : 'no';
};

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
