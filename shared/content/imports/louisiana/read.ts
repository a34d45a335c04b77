import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { calendarDay, monthNumber } from '../../days.ts';
import type { Jurisdiction } from '../../release-values.ts';
import { CombinedCities, type CombinedReading } from '../combined-cities.ts';
import { bad, onlyFile, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import type { Row } from '../files/rows.ts';
import { readWorkbook, rowsBelow } from '../files/workbook.ts';
import { readFraction, readPercent } from '../fractions.ts';
import type { Importer, Read } from '../importer.ts';
import { namesOf, OwnCodes, type OwnPlace } from '../own-codes.ts';

const headers = ['Parish', 'Jurisdiction (Domicile Code)', 'Tax Rate'];

/** The first day of the rates, which the name of the file gives: `Domicile Rate Listing October 2026.xlsx`. */
const firstDay = (file: string): string => {
  const { month = '', year = '' } = /(?<month>[a-z]{3,9})[^a-z\d]*(?<year>20\d\d)/i.exec(file)?.groups ?? {};
  const day = calendarDay(`${year}-${String(monthNumber(month)).padStart(2, '0')}-01`);
  if (day === null)
    throw new Error(
      `${file} does not name the month of its rates: give it a name such as Domicile-Rate-Listing-October-2026.xlsx.`,
    );
  return day;
};

/** `City of Crowley / School Board` and `Town of Iota (0103)` name Crowley and Iota; without such a title, the whole name. */
const placeName = (jurisdiction: string): string =>
  /\b(?:city|town|village) of (?<name>[^/,(]+)/i.exec(jurisdiction)?.groups?.['name']?.trim() ??
  (/^[^/,(]+/.exec(jurisdiction)?.[0] ?? '').trim();

type Domicile = { readonly place: OwnPlace; readonly isPart: boolean; readonly code: string; readonly rate: string };

const readDomicile = ({ cells }: Row, codes: OwnCodes): RowResult<Domicile> => {
  const [parishText = '', identity = '', rateText = ''] = cells;
  if (identity === '') return skipped('a line without a jurisdiction');
  const { name = '', code = '' } = /^(?<name>.+?)\s*\((?<code>\d{4})\)$/.exec(identity)?.groups ?? {};
  if (code === '') return bad(`${identity} has no domicile code: four digits in brackets belong at its end`);
  const parish = codes.countyNamed(parishText.replace(/\s*\(\d{4}\)$/, ''));
  if (parish === undefined) return bad(`is in ${parishText || '(no parish)'}, which is no parish of Louisiana`);
  const rate = readFraction(rateText) ?? readPercent(rateText);
  if (rate === null) return bad(`Tax Rate ${rateText || '(none)'} is none: write it as 4.25% or 0.0425`);
  if (/\bparish\b/i.test(name)) return skipped('a parish outside its cities, which no address names');
  const found = codes.placeIn(parish, placeName(name));
  if (!found) return skipped('a district, ward or place that is not in the tables of Levy');
  return row({ ...found, code, rate });
};

/**
 * Read Louisiana's list of local rates by domicile. No publisher or public reader documents the workbook: the columns are
 * those of the Commission's look-up page, as github.com/LukasNAP/TaxAP reads it (server/la-rates.mjs), with the parish. The
 * rates do not contain the state's. A domicile in a part of a city makes the city ambiguous.
 */
const readLouisiana: Read = async function* (files, { names, onProgress }) {
  const path = onlyFile(files);
  const from = firstDay(basename(path));
  const codes = new OwnCodes('LA', names);
  const { name, sheets } = await readWorkbook(path, onProgress);
  const [sheet] = sheets;
  if (!sheet) throw new Error(`${name} has no sheet.`);
  const taxes = new Map<string, Jurisdiction>();
  const cities = new CombinedCities(({ key }) => taxes.get(key) as Jurisdiction);
  const readingOf = ({ place, isPart, code, rate }: Domicile): CombinedReading => {
    const key = `${place.county} ${code}`;
    const tax = codes.combinedTax(place);
    taxes.set(key, { ...tax, code: isPart ? `${tax.code}-${code}` : tax.code, reporting_code: code });
    const [city = ''] = namesOf(place.name);
    return { city, name: place.name, key, ofAddresses: isPart, change: { from, to: null, rate } };
  };
  yield* readRows(
    { name, rows: Readable.from(rowsBelow(name, sheet, headers)) },
    (line: Row) => readDomicile(line, codes),
    (domicile, line) => cities.add(readingOf(domicile), line),
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
