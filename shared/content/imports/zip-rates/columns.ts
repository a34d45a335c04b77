import type { Columns } from '../files/headed-rows.ts';

export type ZipRateColumn =
  | 'state'
  | 'zip'
  | 'region'
  | 'combined'
  | 'stateRate'
  | 'county'
  | 'city'
  | 'special'
  | 'risk';

const column = (required: boolean, ...headers: string[]) => ({ headers, required });

/** The columns of current and older tables. In older tables the special taxes are the rest of the total. */
export const zipRateColumns: Columns<ZipRateColumn> = {
  state: column(true, 'State', 'STATE_ABBREV'),
  zip: column(true, 'ZipCode', 'ZIP_CODE'),
  region: column(true, 'TaxRegionName', 'CITY_NAME'),
  combined: column(true, 'EstimatedCombinedRate', 'CombinedRate', 'TOTAL_SALES_TAX'),
  stateRate: column(true, 'StateRate', 'STATE_SALES_TAX'),
  county: column(true, 'EstimatedCountyRate', 'CountyRate', 'COUNTY_SALES_TAX'),
  city: column(true, 'EstimatedCityRate', 'CityRate', 'CITY_SALES_TAX'),
  special: column(false, 'EstimatedSpecialRate', 'SpecialRate'),
  risk: column(false, 'RiskLevel'),
};

/**
 * Whether borders cross a row's ZIP by its risk level: 1 is a ZIP within one city and one county (content notes 2). A row
 * without a risk level counts as 1.
 */
export const crossesBorders = (riskLevel: string): boolean => riskLevel !== '' && Number(riskLevel) !== 1;

/** `TAXRATES_ZIP5_TX202611.csv` is of November 2026: its first day, or `null` of a name without a month. */
export const monthOfName = (name: string): string | null => {
  const parts = /(?<year>20\d{2})(?<month>0[1-9]|1[0-2])\d{0,2}\.\w+$/.exec(name)?.groups;
  return parts ? `${parts['year']}-${parts['month']}-01` : null;
};
