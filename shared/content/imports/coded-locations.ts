/** Locations of a file with one combined local rate and a state code each (Louisiana, New Mexico). */
import type { Jurisdiction } from '../release-values.ts';
import { CombinedCities, type CombinedReading } from './combined-cities.ts';
import type { Entry } from './entry.ts';
import { namesOf, type OwnCodes, type PlaceOrPart } from './own-codes.ts';

export type CodedLocation = {
  readonly name: string;
  readonly county: string;
  readonly code: string;
  /** Empty for a district whose name has no place. */
  readonly places: readonly PlaceOrPart[];
  readonly change: CombinedReading['change'];
};

/** Collects the locations. A part of a place has a tax of its own there, which makes the place ambiguous. */
export const codedLocations = (codes: OwnCodes) => {
  const taxes = new Map<string, Jurisdiction>();
  const cities = new CombinedCities(({ key }) => taxes.get(key) as Jurisdiction);
  function* add({ name, county, code, places, change }: CodedLocation, line: number): Generator<Entry> {
    const tax = { ...codes.combinedTax({ county, code, name }), reporting_code: code };
    if (places.length === 0) yield* cities.addDistrict({ county, tax, change }, line);
    for (const { place, isPart } of places) {
      const ofPlace = codes.combinedTax(place);
      const own = isPart ? `${ofPlace.code}-${code}` : ofPlace.code;
      const key = `${own} ${code}`;
      taxes.set(key, { ...ofPlace, code: own, reporting_code: code });
      const [city = ''] = namesOf(place.name);
      yield* cities.add({ city, name: place.name, key, county, ofAddresses: isPart, change }, line);
    }
  }
  return { add, atEnd: () => cities.entries() };
};
