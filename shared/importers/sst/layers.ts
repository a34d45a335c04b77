/** The keys of SST files: a rate belongs to (type, code), never to a code alone, which counties and cities share. */

import type { Jurisdiction, JurisdictionType } from '../../catalog/release-values.ts';
import type { OwnCodes } from '../own-codes.ts';

/** `00-053`: jurisdiction type and code, both padded. */
export type LayerKey = string;

// Codes with letters (ALIOL in Kansas, GL801 in Nebraska) are not padded.
const paddedCode = (type: string, code: string): string =>
  /^\d+$/.test(code) ? code.padStart(type === '00' ? 3 : 5, '0') : code.toUpperCase();

/** Build the key of a layer from cells that may have lost their leading zeros; `null` if they are not a type and code. */
export const layerKey = (type: string, code: string): LayerKey | null => {
  const full = type.padStart(2, '0');
  return /^\d\d$/.test(full) && /^[\dA-Za-z]{1,5}$/.test(code) ? `${full}-${paddedCode(full, code)}` : null;
};

const municipal: Readonly<Record<string, string>> = {
  '01': 'City',
  '02': 'Town',
  '03': 'Village',
  '04': 'Borough',
  '05': 'Township',
  '09': 'Municipality',
};

/** The types under which a place (a city, a town) may have its rates. */
export const placeTypes: readonly string[] = Object.keys(municipal);

const typeOf = (type: string): JurisdictionType => {
  if (type === '00') return 'county';
  return type in municipal ? 'city' : 'district';
};

type LayerDetails = {
  /** `false`: the code has the type of a county and belongs to another kind of area. */
  readonly isCounty: boolean;
  /** Its public name; the default is its type and code. */
  readonly name: string | undefined;
};

/**
 * The jurisdiction of a layer. SST files have codes only. The key is the reporting code: type and code as in the rate
 * file, because the code alone does not tell a county, a place and a district apart.
 */
export const layerJurisdiction = (state: string, key: LayerKey, { isCounty, name }: LayerDetails): Jurisdiction => {
  const [type = '', code = ''] = key.split('-');
  const isArea = type === '00' && !isCounty;
  const words = {
    county: 'County',
    city: municipal[type] ?? 'City',
    district: isArea ? 'Area' : 'District',
    state: '',
  };
  const kind = isArea ? 'district' : typeOf(type);
  const called = (isArea ? undefined : name) ?? `${words[kind]} ${code}`;
  return { code: `US-${state}-${key}`, name: called, type: kind, tax_type: 'sales', reporting_code: key };
};

/** The public name of a layer; `undefined` if the tables have none. */
export const layerName = ({ counties, codedPlaces, districts }: OwnCodes, key: LayerKey): string | undefined => {
  const [type = '', code = ''] = key.split('-');
  if (type === '00') return counties.get(code);
  return placeTypes.includes(type) ? codedPlaces.get(code) : districts.get(code);
};
