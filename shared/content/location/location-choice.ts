import { isInForce } from '../effective.ts';
import type { Evidence, Release } from '../release.ts';
import type { TaxAddress } from './address.ts';
import { type Area, type LocalSet, locationIndex, type Span } from './location-index.ts';

/** The local jurisdictions that an address may have, as its content says. */
export type LocalChoice = {
  /** What of the address decided. */
  readonly level: 'zip9' | 'zip5' | 'city';
  /** All the sets that an address there may have. Several are ambiguous. */
  readonly possible: readonly [LocalSet, ...LocalSet[]];
  /** Those of them that are meant where nothing else is known: the whole ZIP's, if it has any (SSUTA section 305). */
  readonly usual: readonly [LocalSet, ...LocalSet[]];
  /** What says so. */
  readonly evidence: readonly Evidence[];
  /** Whether a city's name alone decided: mail that is addressed to a city also goes to places beyond its limits. */
  readonly isByName: boolean;
};

const distinct = (areas: readonly Area[]): LocalSet[] => [
  ...new Map(areas.flatMap(({ sets }) => sets).map((set) => [set.key, set])).values(),
];

const choice = (level: LocalChoice['level'], areas: readonly Area[], usualAreas = areas): LocalChoice | undefined => {
  const [first, ...others] = distinct(areas);
  if (!first) return undefined;
  const [usual = first, ...otherUsual] = usualAreas === areas ? [first, ...others] : distinct(usualAreas);
  return {
    level,
    possible: [first, ...others],
    usual: [usual, ...otherUsual],
    evidence: areas.map(({ evidence }) => evidence),
    isByName: level === 'city' && areas.some(({ isByName }) => isByName),
  };
};

/** The areas of the narrowest spans that hold the whole of a range: several where they are equally narrow. */
const narrowest = (spans: readonly Span[], low: number, high: number): Area[] => {
  let width = Number.POSITIVE_INFINITY;
  let areas: Area[] = [];
  for (const span of spans) {
    const own = span.high - span.low;
    if (span.low > low || span.high < high || own > width) continue;
    if (own < width) areas = [];
    width = own;
    areas.push(span.area);
  }
  return areas;
};

const byZip = (spans: readonly Span[], first: number, plus4: string | null): LocalChoice | undefined => {
  const last = first + 9999;
  if (plus4 !== null) {
    const point = first + Number(plus4);
    const exact = choice('zip9', narrowest(spans, point, point));
    if (exact) return exact;
  }
  const whole = narrowest(spans, first, last);
  const parts = spans.filter(({ low, high }) => low > first || high < last).map(({ area }) => area);
  return whole.length > 0 ? choice('zip5', [...whole, ...parts], whole) : choice('zip5', parts);
};

const hasLocals = ({ possible }: LocalChoice): boolean => possible.some(({ codes }) => codes.length > 0);

/**
 * Find the local jurisdictions of an address on a tax day: by its ZIP+4, where the narrowest range that holds it decides;
 * else by its ZIP, else by its city (content notes 1.6). `undefined`: no location names it.
 *
 * A ZIP without its four digits may have the jurisdictions of every range in it. Where the ZIP has no local taxes, and
 * the city, known by its name alone, has some, those are meant: a shop's table gives cities rates that its ZIPs lack.
 */
export const chooseLocals = (release: Release, address: TaxAddress, day: string): LocalChoice | undefined => {
  const { zip5, plus4, city } = address;
  const { spans, byCity } = locationIndex(release);
  const holds = (area: Area) => isInForce(area, day, release.established_from);
  const named = city === null ? undefined : choice('city', (byCity.get(city) ?? []).filter(holds));
  if (zip5 !== null) {
    const first = Number(zip5) * 10_000;
    const near = spans.filter(({ low, high, area }) => low <= first + 9999 && first <= high && holds(area));
    const found = byZip(near, first, plus4);
    const isNamedMore = named?.isByName === true && hasLocals(named);
    if (found && (hasLocals(found) || !isNamedMore)) return found;
  }
  return named;
};
