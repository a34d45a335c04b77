import { plainName } from '../../catalog/local/place-names.ts';
import { cityName } from '../../catalog/location/city-name.ts';
import { type CodedLocation, codedLocations } from '../combined-cities.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readSheet } from '../files/workbook.ts';
import { readFraction, readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { OwnCodes } from '../own-codes.ts';
import { dayOfFile } from '../updates/file-names.ts';

const headers = ['Parish', 'Jurisdiction (Domicile Code)', 'Tax Rate'];

/** The month of the rates in the name of the file: `Domicile Rate Listing October 2026.xlsx`. */
const monthOfFile = /(?<month>[a-z]{3,9})[^a-z\d]*(?<year>20\d\d)/;

/** `City of Crowley (0101)`. */
const codeAtEnd = /\((\d{4})\)$/;

const wordsOf = (text: string): string => plainName(cityName(text.replaceAll(/[/,()]/g, ' ')) ?? '');

/** A domicile's name without the bodies that share a city's rate: `City of Crowley / School Board` is `CROWLEY`. */
const placeName = (jurisdiction: string): string =>
  wordsOf(jurisdiction.replaceAll(/\b(?:school board|police jury|(?:city|town|village) of)\b/gi, ' '));

/** A name without the name of its parish; `null` if the parish is not in it. */
const withoutParish = (name: string, parish: string): string | null => {
  const own = wordsOf(parish.replace(/ parish$/i, ''));
  const rest = ` ${name} `.replace(` ${own} PARISH `, ' ').replace(` PARISH OF ${own} `, ' ').trim();
  return rest === name ? null : rest;
};

const readDomicile = ({ cells }: Row, codes: OwnCodes, from: string): RowResult<CodedLocation> => {
  const [parishText = '', identity = '', rateText = ''] = cells;
  if (identity === '') return skipped('a line without a jurisdiction');
  const code = codeAtEnd.exec(identity)?.[1];
  const name = identity.replace(codeAtEnd, '').trimEnd();
  if (code === undefined || name === '')
    return bad(`${identity} has no domicile code: write four digits in brackets at its end`);
  const parish = codes.countyNamed(parishText.replace(codeAtEnd, '').trimEnd());
  if (parish === undefined) return bad(`is in ${parishText || '(no parish)'}, which is not a parish of Louisiana`);
  const rate = readFraction(rateText) ?? readPercent(rateText);
  if (rate === null) return bad(`Tax Rate ${rateText || '(none)'} is not a rate: write it as 4.25% or 0.0425`);
  const called = placeName(name);
  const rest = withoutParish(called, codes.countyName(parish));
  if (rest !== null && /^(?:(?:REST|BALANCE|REMAINDER) OF|UNINCORPORATED|)$/.test(rest))
    return skipped('a parish outside its cities, which no address names');
  const places = codes.placesIn(parish, rest ?? called);
  return row({ name, county: parish, places, code, change: { from, to: null, rate } });
};

/**
 * Read Louisiana's list of local rates by domicile. No publisher or public reader documents the workbook: the columns
 * are from the Commission's look-up page, as github.com/LukasNAP/TaxAP reads it (server/la-rates.mjs), with the parish.
 * The rates do not contain the state's. A domicile in a part of a city makes the city ambiguous, and one whose name has
 * no city makes all cities of its parish ambiguous.
 */
const readLouisiana: ReadFile = async function* (path, { names, onProgress }) {
  const from = dayOfFile(path, monthOfFile, 'Domicile-Rate-Listing-October-2026.xlsx');
  const codes = new OwnCodes('LA', names);
  const table = await readSheet(path, headers, onProgress);
  const { add, atEnd } = codedLocations(codes);
  yield* readRows(table, (line: Row) => readDomicile(line, codes, from), add, { atEnd });
};

export const louisiana = stateFile({
  format: 'louisiana',
  describe: 'Louisiana Sales and Use Tax Commission for Remote Sellers, domicile rate listing (XLSX)',
  file: 'the listing, with the month of its rates in its name',
  state: 'LA',
  read: readLouisiana,
});
