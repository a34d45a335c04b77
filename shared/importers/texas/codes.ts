/** The jurisdictions of the Comptroller's seven-digit codes. */
import type { Jurisdiction } from '../../catalog/release-values.ts';
import type { OwnCodes } from '../own-codes.ts';

/** The type of a jurisdiction by the first digit of its code. */
const types = { 2: 'city', 3: 'district', 4: 'county', 5: 'district', 6: 'district' } as const;

/** The type of a code; `undefined` if it has none. */
export const typeOf = (code: string) => types[code[0] as unknown as keyof typeof types];

/** `Bee Cave (Travis Co)` is Bee Cave in Travis County. */
const partsOf = (name: string): { readonly city: string; readonly county?: string } => {
  const start = name.indexOf('(');
  if (start < 0 || !name.endsWith(')')) return { city: name };
  return { city: name.slice(0, start).trimEnd(), county: name.slice(start + 1, -1) };
};

/** The name of a city as addresses have it, without its county. */
export const withoutCounty = (name: string): string => partsOf(name).city;

const keptCode = (code: string): string => `US-TX-${code}`;

/** Whether a jurisdiction has the code of the file, because it is missing from the tables. */
export const hasFileCode = ({ code, reporting_code }: Jurisdiction): boolean => code === keptCode(reporting_code ?? '');

/**
 * Gives each code of the file its jurisdiction: a city or county of Levy's tables has the code of the built-in content,
 * which rules name; any other one keeps the code of the file. The tables list transit authorities and districts under
 * other names than the file, so all of them keep their codes.
 */
export class TexasCodes {
  private readonly found = new Map<string, Jurisdiction>();
  /** Codes of the built-in content that are given. */
  private readonly given = new Set<string>();
  private readonly codes: OwnCodes;

  constructor(codes: OwnCodes) {
    this.codes = codes;
  }

  /** The jurisdiction of a code with a type. Two codes are never the same jurisdiction, even with equal names. */
  jurisdiction(name: string, code: string): Jurisdiction {
    const known = this.found.get(code);
    if (known) return known;
    const builtIn = this.builtIn(name, code);
    const isOwn = builtIn !== undefined && !this.given.has(builtIn.code);
    const fallback: Jurisdiction = { code: keptCode(code), name, type: typeOf(code), tax_type: 'sales' };
    const jurisdiction = { ...(isOwn ? builtIn : fallback), reporting_code: code };
    this.given.add(jurisdiction.code);
    this.found.set(code, jurisdiction);
    return jurisdiction;
  }

  private builtIn(name: string, code: string): Jurisdiction | undefined {
    if (typeOf(code) === 'county') {
      const county = this.codes.countyNamed(name);
      return county === undefined ? undefined : this.codes.countyTax(county);
    }
    if (typeOf(code) !== 'city') return undefined;
    const { county: within } = partsOf(name);
    const county = within === undefined ? undefined : this.codes.countyNamed(within);
    // The tables do not give the county of every place.
    const place = this.codes
      .placesNamed(withoutCounty(name))
      .find((one) => within === undefined || one.county === '' || one.county === county);
    return place && this.codes.cityTax(place);
  }
}
