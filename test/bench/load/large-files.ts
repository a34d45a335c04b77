/** Rate and boundary files of a Streamlined state as large as Minnesota's: 148 rate rows and 40,000 ZIP+4 ranges. */
import { builtInRelease } from '../../../shared/catalog/built-in.ts';
import { rateOn } from '../../../shared/catalog/rates.ts';
import { zipsOfState } from '../../../shared/importers/zips.ts';
import { jurisdictionCode, stateFips } from '../../../shared/vocabulary/jurisdiction.ts';
import type { TestFile } from '../../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../../fixtures/imports/sst.ts';

const [counties, cities, districts] = [64, 73, 10] as const;
const digits = (value: number, length: number): string => String(value).padStart(length, '0');
const countyOf = (index: number): string => digits((index % counties) * 2 + 1, 3);
const cityOf = (index: number): string => digits(10_000 + (index % cities) * 100, 5);
const districtOf = (index: number): string => digits(80_000 + (index % districts), 5);
const numbered = <Value>(count: number, value: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => value(index));

/** Builds files with this many boundary rows, spread over the ZIP codes of the state. Every third range has no city. */
export const largeFiles = (state: string, rows: number): readonly TestFile[] => {
  const fips = stateFips(state);
  const release = builtInRelease(state);
  const own = (release && rateOn(release, jurisdictionCode(state), '2026-11-22')?.rate) ?? '0.06';
  // Nevada's file lists the statewide rate in the county rows, not in a state row.
  const [atState, atCounty] = state === 'NV' ? ['0', '0.0685'] : [own, '0.0025'];
  const rates = [
    rateRow(fips, '45', fips, atState, '20090701'),
    ...numbered(counties, (index) => rateRow(fips, '00', countyOf(index), atCounty)),
    ...numbered(cities, (index) => rateRow(fips, '01', cityOf(index), '0.0050')),
    ...numbered(districts, (index) => rateRow(fips, '63', districtOf(index), '0.0025')),
  ];
  const zips = zipsOfState(state);
  const width = Math.max(1, Math.floor(10_000 / Math.ceil(rows / zips.length)));
  const boundaries = numbered(rows, (index) => {
    const zip = zips[index % zips.length] ?? '';
    const first = Math.floor(index / zips.length) * width;
    return boundaryRow({
      ...{ type: '4', zips: [zip, digits(first, 4), zip, digits(first + width - 1, 4)], state: fips },
      ...{ county: countyOf(index), ...(index % 3 > 0 && { place: cityOf(index) }) },
      districts: [[districtOf(index % 7), '63']],
    });
  });
  return sstFiles(state, rates, boundaries);
};
