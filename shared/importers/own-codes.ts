/** Maps the county and place names, or the state's codes, in imported files to the codes that Levy's rules use. */
import { getOrAdd } from '../base/collections.ts';
import { combinedSuffix } from '../catalog/local/packed-table.ts';
import { cityName, codePart, countyKey, plainCityName } from '../catalog/local/place-names.ts';
import type { RateRow } from '../catalog/local/text-tables.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { unpack } from '../packed/unpack.ts';
import { stateFips } from '../vocabulary/jurisdiction.ts';

/** The tables of public names, of all states. */
export type NameTables = {
  /** The names of counties by five-digit code. */
  readonly counties: readonly (readonly [fips: string, name: string])[];
  /** The names of districts by state and code: `MN 80004`. */
  readonly districts: readonly (readonly [code: string, name: string])[];
  /** The rows of the state's local rates; `[]` if it has none. */
  readonly places: readonly Pick<RateRow, 'county' | 'place' | 'place_code' | 'aliases' | 'parts'>[];
};

type Packed = Omit<NameTables, 'places'> & { readonly places: Readonly<Record<string, NameTables['places']>> };

/** Returns the tables of public names that ship with Levy, for a state (two letters). */
export const readNameTables = (state: string): NameTables => {
  const { places, ...shared } = unpack<Packed>('local-names');
  return { ...shared, places: places[state] ?? [] };
};

/** A place within a county (three digits). */
export type OwnPlace = { readonly county: string; readonly code: string; readonly name: string };

/** A place, or a part of it with separate taxes. */
export type PlaceOrPart = { readonly place: OwnPlace; readonly isPart: boolean };

/** Returns the names of a state by code without the prefix. */
const namesOfState = (names: NameTables['counties'], prefix: string): ReadonlyMap<string, string> =>
  new Map(names.filter(([code]) => code.startsWith(prefix)).map(([code, name]) => [code.slice(prefix.length), name]));

/** Looks up a state's counties and places by name. A place missing from the tables gets a code made from its name. */
export class OwnCodes {
  private readonly state: string;
  /** Names by code: three-digit county codes, five-digit Census codes of places, and the state's codes of districts. */
  readonly counties: ReadonlyMap<string, string>;
  readonly codedPlaces: ReadonlyMap<string, string>;
  readonly districts: ReadonlyMap<string, string>;
  private readonly countyCodes: ReadonlyMap<string, string>;
  private readonly places = new Map<string, OwnPlace[]>();
  private readonly parts = new Map<string, readonly string[]>();

  constructor(state: string, { counties, districts, places }: NameTables) {
    this.state = state;
    this.counties = namesOfState(counties, stateFips(state));
    this.countyCodes = new Map([...this.counties].map(([code, name]) => [countyKey(name), code]));
    this.districts = namesOfState(districts, `${state} `);
    const coded = places.filter(({ place, place_code }) => place && place_code);
    this.codedPlaces = new Map(coded.map(({ place_code, place }) => [place_code, place]));
    for (const { county, place: name, place_code, aliases, parts } of places) {
      const code = place_code || codePart(name);
      const kinds = parts.split(';').map((part) => part.split('=')[0] ?? '');
      this.parts.set(`${county} ${code}`, kinds.filter(Boolean));
      for (const key of new Set([name, ...aliases.split('|')].map(plainCityName)))
        if (name && key) getOrAdd(this.places, key, () => []).push({ county, code, name });
    }
  }

  /** Returns the three-digit code of a county by its name, with or without `County`. */
  countyNamed(name: string): string | undefined {
    return this.countyCodes.get(countyKey(name));
  }

  countyName(county: string): string {
    return this.counties.get(county) ?? `County ${county}`;
  }

  /** Returns the places with a name, each within a county: a city in two counties is listed twice. */
  placesNamed(name: string): readonly OwnPlace[] {
    return this.places.get(plainCityName(name)) ?? [];
  }

  /** Returns a place within a county; a place missing from the tables gets a code made from its name. */
  place(county: string, name: string): OwnPlace {
    const found = this.placesNamed(name);
    const here = found.find((place) => place.county === county) ?? found[0];
    return here ? { ...here, county } : { county, code: codePart(name), name };
  }

  /**
   * Returns the county's place with this name, or else all places whose names are contained in it: `MONUMENT IN PPRTA`
   * and `PPRTA MONUMENT` are parts of Monument (`isPart`). `[]` if there is none.
   */
  placesIn(county: string, name: string): readonly PlaceOrPart[] {
    const words = plainCityName(name).split(' ');
    const here = (key: string) => this.places.get(key)?.find((place) => place.county === county);
    const [elsewhere] = this.placesNamed(name);
    // The tables do not list every county of a place.
    const whole = here(words.join(' ')) ?? (elsewhere && { ...elsewhere, county });
    if (whole) return [{ place: whole, isPart: false }];
    const found = new Map<string, OwnPlace>();
    for (let length = words.length - 1; length > 0; length -= 1)
      for (let at = 0; at + length <= words.length; at += 1) {
        const place = here(words.slice(at, at + length).join(' '));
        if (!place) continue;
        found.set(place.code, place);
        // A word matches one place only: in `New Iberia`, `Iberia` does not match.
        words.fill('', at, at + length);
      }
    return [...found.values()].map((place) => ({ place, isPart: true }));
  }

  /** Returns the components of a place's local rate, as the tables write them: `county`, `city`, `district:RTD`. */
  listParts({ county, code }: Pick<OwnPlace, 'county' | 'code'>): readonly string[] {
    return this.parts.get(`${county} ${code}`) ?? [];
  }

  /** Returns a place by its Census code. */
  placeCoded(county: string, code: string): OwnPlace | undefined {
    const name = this.codedPlaces.get(code);
    return name === undefined ? undefined : { county, code, name };
  }

  /** Returns the city for the county code of an independent city, which is at least 510. */
  independentCity(county: string): OwnPlace | undefined {
    const name = (this.counties.get(county) ?? '').replace(/ city$/i, '');
    return Number(county) >= 510 && name !== '' ? this.place(county, name) : undefined;
  }

  countyTax(county: string): Jurisdiction {
    return { code: `US-${this.state}-00-${county}`, name: this.countyName(county), type: 'county', tax_type: 'sales' };
  }

  cityTax({ code, name }: OwnPlace): Jurisdiction {
    return { code: `US-${this.state}-01-${code}`, name, type: 'city', tax_type: 'sales' };
  }

  /** Returns the tax of a district by the code in Levy's tables: `RTD`, `MTS-097`. */
  districtTax(kind: string, name: string): Jurisdiction {
    return { code: `US-${this.state}-63-${kind}`, name, type: 'district', tax_type: 'sales', kind };
  }

  /** Returns one jurisdiction for all local taxes of a place, or of a county outside its places (code `''`). */
  combinedTax({ county, code, name }: OwnPlace): Jurisdiction {
    return {
      code: `US-${this.state}-${county}${code === '' ? '' : `-${code}`}`,
      name: `${name}${combinedSuffix}`,
      type: code === '' ? 'county' : 'city',
      tax_type: 'sales',
      kind: 'combined',
    };
  }
}

/** Returns a separate tax of a county or city: `Mesa County Public Safety Improvement Tax`. */
export const taxOfKind = (tax: Jurisdiction, kind: string, name: string): Jurisdiction => ({
  ...tax,
  code: `${tax.code}-${kind}`,
  name: `${tax.name} ${name}`,
  kind,
});

/** Returns the names that an address can use for a place: the name in the file and the name in Levy's tables. */
export const listNames = (...names: readonly string[]): readonly string[] => [
  ...new Set(names.map(cityName).filter((name) => name !== null)),
];
