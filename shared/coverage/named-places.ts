import type { Rule } from '../content/release.ts';

/** Places of one type that rules name: the state's three digits of a county, or jurisdiction codes. */
export type NamedPlaces = {
  readonly unit: 'county' | 'city' | 'district' | 'ZIP code' | 'place';
  readonly keys: readonly string[];
};

const plurals = {
  county: 'counties',
  city: 'cities',
  district: 'districts',
  'ZIP code': 'ZIP codes',
  place: 'places',
} as const;

/** The county of `US-IL-00-031` and `US-IL-031`, the city of `US-IL-01-14000` and `US-IL-031-14000`, or a district. */
const codePattern =
  /^US-[A-Z]{2}-(?:00-(?<county>\d{3})|(?<remainder>\d{3})$|(?:01|\d{3})-(?<city>.+)|63-(?<district>.+))/;

/** The place of a jurisdiction code. Codes of imports that do not state the type are of the unit `place`. */
export const placeOfCode = (code: string): NamedPlaces => {
  const { remainder, county = remainder, city, district } = codePattern.exec(code)?.groups ?? {};
  if (county) return { unit: 'county', keys: [county] };
  if (city) return { unit: 'city', keys: [code] };
  return district ? { unit: 'district', keys: [code] } : { unit: 'place', keys: [code] };
};

/** The ZIP codes or counties of a rule. */
export const placesOfRule = ({ zips, counties }: Rule): NamedPlaces =>
  zips
    ? { unit: 'ZIP code', keys: zips.map(String) }
    : { unit: 'county', keys: (counties ?? []).map((fips) => fips.slice(2)) };

/**
 * Places as phrases with their number: `one of 22 named cities`. The codes mean nothing to a reader, and the tables with
 * the names are not in the bundle of functions that report coverage.
 */
export const placesInWords = (places: readonly NamedPlaces[]): string[] => {
  const byUnit = Map.groupBy(places, ({ unit }) => unit);
  // Such codes repeat the counties and cities of a rule for imports.
  if (byUnit.size > 1) byUnit.delete('place');
  return [...byUnit].map(([unit, members]) => {
    const { size } = new Set(members.flatMap(({ keys }) => keys));
    // A ZIP key is a range of ZIP codes.
    if (unit === 'ZIP code') return 'one of the named ZIP codes';
    return size === 1 ? `a named ${unit}` : `one of ${size} named ${plurals[unit]}`;
  });
};
