import { cityName } from '../../location/city-name.ts';
import type { Jurisdiction } from '../../release.ts';
import { readFraction, unitsOf } from '../fractions.ts';
import { bad, type RowResult, row, skipped } from '../row-result.ts';

/** Twelve fields: name, code and rate of the area, its county, its transit authority and its special district. */
export const areaFields = 12;

export type Tax = { readonly jurisdiction: Jurisdiction; readonly rate: string };
export type Area = { readonly city: string; readonly taxes: readonly Tax[] };

const types = { 2: 'city', 3: 'district', 4: 'county', 5: 'district', 6: 'district' } as const;

const typeOf = (code: string) => types[code[0] as unknown as keyof typeof types];

const isNone = (text: string): boolean => text === '' || text.toLowerCase() === 'n/a';

const readTax = (name: string, code: string, rateText: string): Tax | null => {
  const rate = readFraction(rateText);
  if (!/^\d{7}$/.test(code) || typeOf(code) === undefined || rate === null || name === '') return null;
  return { jurisdiction: { code: `US-TX-${code}`, name, type: typeOf(code), tax_type: 'sales' }, rate };
};

/** The legal maximum of all local taxes of a place together. */
const localMax = unitsOf('0.02');

/** An address in `Bee Cave (Travis Co)` names Bee Cave. */
const withoutCounty = (name: string): string => name.replace(/\s*\(.*\)$/, '');

/**
 * Read an area of the Comptroller's file (content notes 2) with its local jurisdictions. The first digit of its code is
 * its type; addresses name only cities.
 */
export const readArea = (cells: readonly string[]): RowResult<Area> => {
  if (cells.length !== areaFields) return bad(`has ${cells.length} fields; an area has ${areaFields}`);
  const taxes: Tax[] = [];
  for (let index = 0; index < areaFields; index += 3) {
    const [name = '', code = '', rate = ''] = cells.slice(index, index + 3);
    if (isNone(code)) continue;
    const tax = readTax(name, code, rate);
    if (!tax) return bad(`${name} has code ${code} and rate ${rate}: a code has seven digits, a rate is a fraction`);
    if (!taxes.some(({ jurisdiction }) => jurisdiction.code === tax.jurisdiction.code)) taxes.push(tax);
  }
  const sum = taxes.reduce((total, { rate }) => total + unitsOf(rate), 0n);
  if (sum > localMax)
    return bad('has local taxes of more than 0.02 together, the most that Texas allows: correct them');
  const [name = '', code = ''] = cells;
  const city = isNone(code) || typeOf(code) !== 'city' ? null : cityName(withoutCounty(name));
  return city === null ? skipped('the area is no city, and no address names it') : row({ city, taxes });
};
