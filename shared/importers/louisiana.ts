import { plainCityName } from '../catalog/local/place-names.ts';
import { column, type RowResult, row, skipped } from './files/columns.ts';
import { readSheet } from './files/workbook.ts';
import { readFractionOrPercent } from './fractions.ts';
import { codedPlaces, type TaxedPlace } from './local-taxes.ts';
import { stateTable } from './state-table.ts';

/** The month of the rates in the name of the file: `Domicile Rate Listing October 2026.xlsx`. */
const monthOfFile = /(?<month>[a-z]{3,9})[^a-z\d]*(?<year>20\d\d)/;

/** `City of Crowley (0101)`. */
const codeAtEnd = / ?\(\d{4}\)$/;

const toPlainWords = (text: string): string => plainCityName(text.replaceAll(/[/,()]/g, ' '));

/**
 * Returns a domicile's name without the bodies that share a city's rate: `City of Crowley / School Board` is `CROWLEY`.
 */
const placeName = (jurisdiction: string): string =>
  toPlainWords(jurisdiction.replaceAll(/\b(?:school board|police jury|(?:city|town|village) of)\b/gi, ' '));

/** Returns a name without the name of its parish; `null` if the name does not contain the parish. */
const withoutParish = (name: string, parish: string): string | null => {
  const own = toPlainWords(parish.replace(/ parish$/i, ''));
  const rest = ` ${name} `.replace(` ${own} PARISH `, ' ').replace(` PARISH OF ${own} `, ' ').trim();
  return rest === name ? null : rest;
};

/**
 * Louisiana's list of local rates by domicile. The workbook's layout is not documented: the columns come from the
 * Commission's lookup page, as github.com/LukasNAP/TaxAP reads it (server/la-rates.mjs), plus the parish. The rates do
 * not include the state's. A domicile in a part of a city makes the city ambiguous. A domicile without a city in its
 * name makes all cities of its parish ambiguous.
 */
export const louisiana = stateTable({
  format: 'louisiana',
  describe: 'Louisiana Sales and Use Tax Commission for Remote Sellers, domicile rate listing (XLSX)',
  file: 'the listing, with the month of its rates in its name',
  state: 'LA',
  columns: {
    parish: column.county('Parish', 'a parish of Louisiana', (cell) => cell.replace(codeAtEnd, '')),
    identity: column.matching(
      'Jurisdiction (Domicile Code)',
      /\S ?\(\d{4}\)$/,
      'a name with four digits in brackets at its end',
    ),
    rate: column.rate('Tax Rate', readFractionOrPercent, '4.25% or 0.0425'),
  },
  open: readSheet,
  month: { pattern: monthOfFile, example: 'Domicile-Rate-Listing-October-2026.xlsx' },
  skip: ({ identity }) => (identity === '' ? 'is a line without a jurisdiction' : null),
  read({ parish, identity, rate }, { codes, from }): RowResult<readonly TaxedPlace[]> {
    const name = identity.replace(codeAtEnd, '');
    const called = placeName(name);
    const rest = withoutParish(called, codes.countyName(parish));
    if (rest !== null && /^(?:(?:REST|BALANCE|REMAINDER) OF|UNINCORPORATED|)$/.test(rest))
      return skipped('is a parish outside its cities');
    const places = codes.placesIn(parish, rest ?? called);
    const location = { name, county: parish, code: identity.slice(-5, -1) };
    return row(codedPlaces(codes, location, places, { from, to: null, rate }));
  },
});
