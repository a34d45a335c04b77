import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Decimal } from 'decimal.js';
import * as z from 'zod/mini';
import { parseJson } from '../../base/json.ts';
import { formatFraction, parseUnits } from '../../catalog/fractions.ts';
import type { Release } from '../../catalog/release.ts';
import { type CodedLocation, codedLocations, localPart } from '../combined-cities.ts';
import { fileName } from '../files/local-name.ts';
import { bad, type RowResult, readRows, row, skipped } from '../files/read-rows.ts';
import { readPercent } from '../fractions.ts';
import { type ReadFile, stateFile } from '../importer.ts';
import { OwnCodes } from '../own-codes.ts';
import { dayOfFile } from '../updates/file-names.ts';

/** The answer of a query of an ArcGIS feature service (developers.arcgis.com, FeatureSet). */
const Answer = z.object({
  features: z.array(
    z.object({
      attributes: z.object({
        name: z.nullable(z.string()),
        county: z.nullable(z.string()),
        locat_cdr: z.nullable(z.string()),
        grt_rate: z.nullable(z.number()),
      }),
    }),
  ),
  exceededTransferLimit: z.optional(z.boolean()),
});
type Attributes = z.infer<typeof Answer>['features'][number]['attributes'];

/** The period of the rates in the name of the service: `…tax_July_2026_June_2027…` or `…tax_Jan_July_2025…`. */
const period = /_tax_(?<month>[a-z]{3,9})(?:_[a-z]{3,9})?_(?<year>20\d\d)/;

/** 0.0001 %: the schedule has at most four decimals of a percent. */
const unit = parseUnits('0.000001');

/** A percentage, without the noise of numbers that the service stores with single precision (7.520800113677979). */
const readRate = (value: number): string | null => {
  const text = new Decimal(value).toFixed(6, Decimal.ROUND_DOWN);
  const units = parseUnits(readPercent(text) ?? '1');
  const rounded = ((units + unit / 2n) / unit) * unit;
  const isNoise = (units > rounded ? units - rounded : rounded - units) * 20n <= unit;
  return units < parseUnits('0.25') && isNoise ? formatFraction(rounded) : null;
};

type Reader = { readonly codes: OwnCodes; readonly base: Release; readonly from: string };

/** A place that lies in several counties has the county in brackets. Other brackets are of its parts. */
const withoutCounty = (name: string, isCounty: (text: string) => boolean): string => {
  const start = name.lastIndexOf('(');
  if (start < 0 || !name.endsWith(')')) return name;
  const [place, county] = [name.slice(0, start).trimEnd(), name.slice(start + 1, -1)];
  return isCounty(county) ? place : name;
};

const readDistrict = (
  { name, county, locat_cdr: code, grt_rate: value }: Attributes,
  { codes, base, from }: Reader,
): RowResult<CodedLocation> => {
  // Tribal areas have two codes instead, by who sells.
  if (!code) return skipped('a tribal area, which no city or ZIP names');
  if (!/^\d{2}-\d{3}$/.test(code)) return bad(`locat_cdr is ${code}; expected a location code such as 02-100`);
  if (/^remainder of county\b/i.test(name ?? ''))
    return skipped('unincorporated areas have no city that an address names');
  const fips = codes.countyNamed(county ?? '');
  if (fips === undefined) return bad(`is in ${county || '(no county)'}, which is not a county of New Mexico`);
  if (!name) return bad('names no location: fill in name');
  const combined = value === null ? null : readRate(value);
  if (combined === null)
    return bad(`grt_rate is ${value}; expected a percentage with at most four decimals, such as 7.625`);
  const local = localPart(base, combined, from);
  if (local.kind !== 'row') return local;
  const called = withoutCounty(name, (text) => codes.countyNamed(text) === fips);
  const places = codes.placesIn(fips, called.replaceAll(/[/,()]/g, ' '));
  return row({ name, county: fips, code, places, change: { from, ...local.value } });
};

// The answer for the whole state has about 50 kB.
const bytesMax = 16 * 1024 * 1024;

const readAnswer = async (path: string): Promise<readonly Attributes[]> => {
  const name = fileName(path);
  const { size } = await stat(path);
  if (size > bytesMax) throw new Error(`${name} is larger than 16 MiB. Pass the response of the feature service.`);
  const text = await readFile(path, 'utf8');
  const parsed = Answer.safeParse(parseJson(text));
  if (!parsed.success)
    throw new Error(`${name} is not a response of the feature service with name, county, locat_cdr and grt_rate.`);
  if (parsed.data.exceededTransferLimit)
    throw new Error(
      `${name} has only a part of the districts, because the service limits one response. Query all of them.`,
    );
  return parsed.data.features.map(({ attributes }) => attributes);
};

/**
 * Read New Mexico's rates of the gross receipts tax by location code, as its ArcGIS feature service returns them.
 * Fields: github.com/LukasNAP/TaxAP (tests/nm-rates.test.mjs) and github.com/cboxdk/laravel-tax (ArcGisRateSource). The
 * rates include the state's, and apply from the period in the name of the service. Lines are positions of features,
 * from 1.
 */
const readNewMexico: ReadFile = async function* (path, { base, names, onProgress }) {
  const reader = {
    base,
    codes: new OwnCodes('NM', names),
    from: dayOfFile(path, period, 'New_Mexico_gross_receipts_tax_July_2026_June_2027.json'),
  };
  const features = await readAnswer(path);
  onProgress?.(features.length, features.length);
  const { add, atEnd } = codedLocations(reader.codes);
  const rows = features.map((attributes, index) => ({ line: index + 1, attributes }));
  yield* readRows(
    { name: fileName(path), rows: Readable.from(rows) },
    ({ attributes }: (typeof rows)[number]) => readDistrict(attributes, reader),
    add,
    { atEnd },
  );
};

export const newMexico = stateFile({
  format: 'new-mexico',
  describe: 'New Mexico Taxation and Revenue, gross receipts tax by location code (feature service, JSON)',
  file: 'the answer of a query, named as the service: New_Mexico_gross_receipts_tax_July_2026_June_2027.json',
  state: 'NM',
  read: readNewMexico,
});
