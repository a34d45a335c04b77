import { stateRateOn } from '../catalog/rates.ts';
import type { Jurisdiction } from '../catalog/release-values.ts';
import { bad, type Column, column, type RowResult, row, skipped, type Values, whenRead } from './files/columns.ts';
import { readSheet } from './files/workbook.ts';
import { readPercent } from './fractions.ts';
import type { TaxedPlace } from './local-taxes.ts';
import { listNames, type OwnCodes, type OwnPlace, taxOfKind } from './own-codes.ts';
import { stateTable, type TableOptions } from './state-table.ts';

const layersMax = 12;

const columns = {
  name: column.text('Location Code'),
  id: column.parsed(
    'Jurisdiction Code',
    (cell) => (/^\d{1,6}$/.test(cell) ? cell.padStart(6, '0') : null),
    'a jurisdiction code: write six digits',
  ),
  county: column.county('County', 'a county of Colorado'),
};

/** The types of taxes and their percentages, each in two columns. */
const taxColumns: Readonly<Record<string, Column<string>>> = Object.fromEntries(
  Array.from({ length: layersMax }, (_, index) => [
    [`type${index}`, column.text('Tax Type')],
    [`rate${index}`, column.text('Rate')],
  ]).flat(),
);

/** The half-year of the rates in the name of the file: `…_July-Dec2026.xlsx`. */
const halfYear = /_(?<month>Jan|July?)[a-z]*-[a-z]+_?(?<year>20\d\d)/;

type Layer = { readonly type: string; readonly rate: string };

const readLayers = (cells: Readonly<Record<string, string>>): RowResult<readonly Layer[]> => {
  const layers: Layer[] = [];
  for (let index = 0; index < layersMax; index += 1) {
    const [type = '', text = ''] = [cells[`type${index}`], cells[`rate${index}`]];
    if (type === '' && text === '') continue;
    const rate = readPercent(text);
    if (type === '' || rate === null)
      return bad(
        `has the tax ${type || '(none)'} with the rate ${text || '(none)'}; expected a tax type and a percentage, such as 2.9`,
      );
    if (!/^[a-z\d]+$/i.test(type)) return bad(`has the tax type ${type}; expected letters and digits only`);
    layers.push({ type, rate });
  }
  return row(layers);
};

const isState = ({ type }: Layer): boolean => /^state$/i.test(type);

/**
 * Whether a location is a county's area outside cities: its code ends in 0206 to 0208 (form DR 0800), or its name
 * contains `county` or `unincorporated`.
 */
const isUnincorporated = (name: string, code: string): boolean =>
  /020[678]$/.test(code) || /\b(?:county|unincorporated)\b/i.test(name);

/** Districts with the same code in every county. */
const statewide: readonly string[] = ['RTD', 'CD'];

/**
 * Returns the jurisdiction of a layer, such as `County`, `City` or `MTS`. The workbook identifies a layer only by its
 * type (`RTA`), Levy's tables by type and county (`district:RTA-037`, `county:PSI`). A match for the place comes first,
 * then a match for its county outside cities. A type without a match is a district of the county.
 */
const getJurisdiction = (codes: OwnCodes, type: string, place: OwnPlace): Jurisdiction => {
  const { county } = place;
  if (/^(?:county|cnty)$/i.test(type)) return codes.countyTax(county);
  if (/^city$/i.test(type)) return codes.cityTax(place);
  const kind = type.toUpperCase();
  const found = [...codes.listParts(place), ...codes.listParts({ county, code: '' })].find(
    (part) => part.split(':')[1]?.split('-')[0] === kind,
  );
  const [level = 'district', own = statewide.includes(kind) ? kind : `${kind}-${county}`] = found?.split(':') ?? [];
  const name = codes.districts.get(own) ?? `${kind} (${codes.countyName(county)})`;
  return level === 'county' ? taxOfKind(codes.countyTax(county), own, name) : codes.districtTax(own, name);
};

/**
 * Returns the taxes of a location without the state tax. The location's code is the reporting code of its city tax
 * only.
 */
const listTaxes = (
  layers: readonly Layer[],
  id: string,
  place: OwnPlace,
  unmatched: string | undefined,
  { codes, from }: TableOptions,
): TaxedPlace['taxes'] =>
  layers.map(({ type, rate }) => {
    const tax = getJurisdiction(codes, type, place);
    const ofLayer = { rates: [{ rate, from, to: null }], distinction: id };
    return tax.type === 'city' ? { tax: { ...tax, reporting_code: id }, unmatched, ...ofLayer } : { tax, ...ofLayer };
  });

/** Reads a location. A city in several counties or districts has one location for each, so it is ambiguous. */
const readLocation = (
  { name, id, county, ...cells }: Values<typeof columns> & Readonly<Record<string, string>>,
  options: TableOptions,
): RowResult<readonly TaxedPlace[]> =>
  whenRead(readLayers(cells), (all): RowResult<readonly TaxedPlace[]> => {
    const { codes, base, from } = options;
    const own = all.filter(isState);
    const stateRate = stateRateOn(base, from < base.established_from ? base.established_from : from)?.rate;
    if (own.length !== 1 || own[0]?.rate !== stateRate)
      return bad(
        `the state's rate is ${own.map(({ rate }) => rate).join(', ') || 'missing'} in the file and ${stateRate ?? 'unknown'} in the release`,
      );
    const hasCity = all.some(({ type }) => /^city$/i.test(type));
    if (isUnincorporated(name, id) && !hasCity) return skipped('unincorporated areas are not in any city');
    const layers = all.filter((layer) => !isState(layer));
    const known = codes.placesIn(county, name.replaceAll(/[/,()]/g, ' '));
    const [found] = known;
    const isNewCity = !found && hasCity;
    if (isNewCity && listNames(name).length === 0) return bad('Location Code is empty: fill it in');
    const place = found?.place ?? (hasCity ? codes.place(county, name) : { county, code: '', name });
    const taxes = listTaxes(layers, id, place, isNewCity ? name : undefined, options);
    const repeated = taxes.findIndex(({ tax }, index) =>
      taxes.slice(0, index).some((one) => one.tax.code === tax.code),
    );
    if (repeated >= 0) return bad(`has two taxes ${layers[repeated]?.type}: write each tax once`);
    const names = known.flatMap((one) => listNames(...(one.isPart ? [] : [name]), one.place.name));
    return row([
      {
        id,
        names: isNewCity ? listNames(name) : names,
        taxes,
        isPart: found?.isPart ?? false,
        ...(!hasCity && { county }),
      },
    ]);
  });

/**
 * Colorado's workbook of jurisdiction codes and rates (DR 1002 and DR 0800), sheet `By Name`: one row per location,
 * with each of its taxes. Columns: github.com/LukasNAP/TaxAP (server/co-rates.mjs, tests/co-rates.test.mjs). Rates
 * apply from the half-year in the name of the file. Cities that collect their own tax are included.
 */
export const colorado = stateTable({
  format: 'colorado',
  describe: 'Colorado Department of Revenue, jurisdiction codes and rates (DR 1002 and DR 0800, XLSX)',
  file: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx',
  state: 'CO',
  columns: { ...columns, ...taxColumns },
  open: (path, columns, options) =>
    readSheet(path, columns, { ...options, pick: (sheets) => sheets.find(({ name }) => /^by name$/i.test(name)) }),
  month: { pattern: halfYear, example: 'Colorado_Jurisdiction_Codes_Rates_July-Dec2026.xlsx' },
  skip: ({ id }) => (id === '' ? 'is a line without a jurisdiction' : null),
  read: readLocation,
});
