import { Readable } from 'node:stream';
import { plainName } from '../../local/place-names.ts';
import { cityName } from '../../location/city-name.ts';
import type { Jurisdiction } from '../../release-values.ts';
import { dayOfFile } from '../../updates/file-names.ts';
import { CombinedCities } from '../combined-cities.ts';
import type { Entry } from '../entry.ts';
import { bad, onlyFile, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readWorkbook, rowsBelow } from '../files/workbook.ts';
import { readFraction, readPercent } from '../fractions.ts';
import type { Importer, Read } from '../importer.ts';
import { namesOf, OwnCodes, type PlaceOrPart } from '../own-codes.ts';

const headers = ['Parish', 'Jurisdiction (Domicile Code)', 'Tax Rate'];

/** The month of the rates in the name of the file: `Domicile Rate Listing October 2026.xlsx`. */
const monthOfFile = /(?<month>[a-z]{3,9})[^a-z\d]*(?<year>20\d\d)/;

const wordsOf = (text: string): string => plainName(cityName(text.replaceAll(/[/,()]/g, ' ')) ?? '');

/** A domicile's name without the bodies that share a city's rate: `City of Crowley / School Board` is `CROWLEY`. */
const placeName = (jurisdiction: string): string =>
  wordsOf(jurisdiction.replaceAll(/\b(?:school board|police jury|(?:city|town|village) of)\b/gi, ' '));

/** A name without that of its parish; `null` if the parish is not in it. */
const withoutParish = (name: string, parish: string): string | null => {
  const own = wordsOf(parish.replace(/ parish$/i, ''));
  const rest = ` ${name} `.replace(` ${own} PARISH `, ' ').replace(` PARISH OF ${own} `, ' ').trim();
  return rest === name ? null : rest;
};

type Domicile = {
  readonly name: string;
  readonly parish: string;
  /** Empty for a district whose name has no city. */
  readonly places: readonly PlaceOrPart[];
  readonly code: string;
  readonly rate: string;
};

const readDomicile = ({ cells }: Row, codes: OwnCodes): RowResult<Domicile> => {
  const [parishText = '', identity = '', rateText = ''] = cells;
  if (identity === '') return skipped('a line without a jurisdiction');
  const { name = '', code = '' } = /^(?<name>.+?)\s*\((?<code>\d{4})\)$/.exec(identity)?.groups ?? {};
  if (code === '') return bad(`${identity} has no domicile code: four digits in brackets belong at its end`);
  const parish = codes.countyNamed(parishText.replace(/\s*\(\d{4}\)$/, ''));
  if (parish === undefined) return bad(`is in ${parishText || '(no parish)'}, which is no parish of Louisiana`);
  const rate = readFraction(rateText) ?? readPercent(rateText);
  if (rate === null) return bad(`Tax Rate ${rateText || '(none)'} is none: write it as 4.25% or 0.0425`);
  const called = placeName(name);
  const rest = withoutParish(called, codes.countyName(parish));
  if (rest !== null && /^(?:(?:REST|BALANCE|REMAINDER) OF|UNINCORPORATED|)$/.test(rest))
    return skipped('a parish outside its cities, which no address names');
  return row({ name, parish, places: codes.placesIn(parish, rest ?? called), code, rate });
};

/**
 * Read Louisiana's list of local rates by domicile. No publisher or public reader documents the workbook: the columns are
 * those of the Commission's look-up page, as github.com/LukasNAP/TaxAP reads it (server/la-rates.mjs), with the parish. The
 * rates do not contain the state's. A domicile in a part of a city makes the city ambiguous, and one whose name has no
 * city makes all cities of its parish ambiguous.
 */
const readLouisiana: Read = async function* (files, { names, onProgress }) {
  const path = onlyFile(files);
  const from = dayOfFile(path, monthOfFile, 'Domicile-Rate-Listing-October-2026.xlsx');
  const codes = new OwnCodes('LA', names);
  const { name, sheets } = await readWorkbook(path, onProgress);
  const [sheet] = sheets;
  if (!sheet) throw new Error(`${name} has no sheet.`);
  const taxes = new Map<string, Jurisdiction>();
  const cities = new CombinedCities(({ key }) => taxes.get(key) as Jurisdiction);
  function* use({ name: called, parish, places, code, rate }: Domicile, line: number): Generator<Entry> {
    const change = { from, to: null, rate };
    const district = { ...codes.combinedTax({ county: parish, code, name: called }), reporting_code: code };
    if (places.length === 0) yield* cities.addDistrict({ county: parish, tax: district, change }, line);
    for (const { place, isPart } of places) {
      const tax = codes.combinedTax(place);
      const own = isPart ? `${tax.code}-${code}` : tax.code;
      const key = `${own} ${code}`;
      taxes.set(key, { ...tax, code: own, reporting_code: code });
      const [city = ''] = namesOf(place.name);
      yield* cities.add({ city, name: place.name, key, county: parish, ofAddresses: isPart, change }, line);
    }
  }
  yield* readRows(
    { name, rows: Readable.from(rowsBelow(name, sheet, headers)) },
    (line: Row) => readDomicile(line, codes),
    use,
    { atEnd: () => cities.entries() },
  );
};

export const louisiana: Importer = {
  format: 'louisiana',
  describe: 'Louisiana Sales and Use Tax Commission for Remote Sellers, domicile rate listing (XLSX)',
  files: [{ option: 'file', describe: 'the listing, with the month of its rates in its name' }],
  onlyState: 'LA',
  confidence: 'high',
  match: 'city',
  read: readLouisiana,
};
