/** The part of an answer about the candidates of an address. */
import type { TaxAddress } from '../location/address.ts';
import type { ByPlace, LocalChoice, PossibleArea } from '../location/local-choice.ts';
import type { Candidate } from './candidates.ts';
import type { FoundPlace } from './find-place.ts';
import type { LocalTable } from './local-table.ts';

const taxCodes = ({ area }: Candidate): string | undefined => area?.taxes?.map(({ code }) => code).join();

/** The area that is charged. It names no county where several counties have the same taxes: New York City without a ZIP. */
export const chargedArea = (candidates: readonly Candidate[], table: LocalTable): ByPlace['area'] => {
  const [first] = candidates;
  if (!first?.area) return null;
  const { area, missing } = first;
  const isOneCounty = candidates.every(({ county }) => county === first.county);
  const haveSameTaxes = isOneCounty || candidates.every((one) => taxCodes(one) === taxCodes(first));
  const needsCounty = missing !== null || area.place === '' || isOneCounty || !haveSameTaxes;
  return { place: area.place, county: needsCounty ? table.countyName(area.county) : '' };
};

/** A place, with its county where it has several rates; the rest of a county is the county. */
const candidateName = (table: LocalTable, { area, county, missing }: Candidate, all: readonly Candidate[]): string => {
  if (missing !== null) return missing;
  if (county === '') return 'another county';
  const { place = '', units = null } = area ?? {};
  const hasOthers = place !== '' && all.some((one) => one.area?.place === place && one.area.units !== units);
  return [place, place === '' || hasOthers ? table.countyName(county) : ''].filter(Boolean).join(', ');
};

/** The candidates by name and rate, with their percents. */
export const possibleAreas = (
  table: LocalTable,
  candidates: readonly Candidate[],
  ratesOf: readonly (bigint | null)[],
): readonly PossibleArea[] => {
  const [only] = candidates;
  if (only && candidates.length === 1)
    return [
      { name: candidateName(table, only, candidates), rate: ratesOf[0] ?? null, percent: only.weight > 0 ? 100 : 0 },
    ];
  const whole = candidates.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const areas = new Map<string, PossibleArea>();
  for (const [index, one] of candidates.entries()) {
    const [name, rate] = [candidateName(table, one, candidates), ratesOf[index] ?? null];
    const known = areas.get(`${name} ${rate}`)?.percent ?? 0;
    areas.set(`${name} ${rate}`, { name, rate, percent: known + (100 * one.weight) / whole });
  }
  return [...areas.values()];
};

export const candidateLevel = (
  { candidates: [first], isNamed }: FoundPlace,
  { zip5, city }: TaxAddress,
): LocalChoice['level'] => {
  if (!first?.area) return 'state';
  if (first.area.place === '' || first.missing !== null) return 'county';
  return isNamed || (zip5 === null && city !== null) ? 'city' : 'zip5';
};
