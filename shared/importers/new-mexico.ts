import { readFile, stat } from 'node:fs/promises';
import { Decimal } from 'decimal.js';
import * as z from 'zod/mini';
import { parseJson } from '../base/json.ts';
import { formatFraction, parseUnits } from '../catalog/release-values.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { column, row, whenRead } from './files/columns.ts';
import { readPercent } from './fractions.ts';
import type { ReadOptions } from './importer.ts';
import { codedPlaces, localPart } from './local-taxes.ts';
import { stateTable } from './state-table.ts';
import { fileName } from './updates/file-names.ts';

/** The response to a query of an ArcGIS feature service (developers.arcgis.com, FeatureSet). */
const FeatureResponse = z.object({
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

/** The period of the rates in the name of the service: `…tax_July_2026_June_2027…` or `…tax_Jan_July_2025…`. */
const period = /_tax_(?<month>[a-z]{3,9})(?:_[a-z]{3,9})?_(?<year>20\d\d)/;

const codePattern = /^\d{2}-\d{3}$/;

/** The unit is 0.0001 %. The schedule has at most four decimals of a percent. */
const unit = parseUnits('0.000001');

/** Reads a percentage without the noise of numbers that the service stores in single precision (7.520800113677979). */
const readRate = (value: string): string | null => {
  if (value === '') return null;
  const units = parseUnits(readPercent(new Decimal(value).toFixed(6, Decimal.ROUND_DOWN)) ?? '1');
  const rounded = divideHalfUp(units, unit) * unit;
  const isNoise = (units > rounded ? units - rounded : rounded - units) * 20n <= unit;
  return units < parseUnits('0.25') && isNoise ? formatFraction(rounded) : null;
};

/** A place in several counties has the county in brackets. Other brackets contain a part of the place. */
const withoutCounty = (name: string, isCounty: (text: string) => boolean): string => {
  const start = name.lastIndexOf('(');
  if (start < 0 || !name.endsWith(')')) return name;
  const [place, county] = [name.slice(0, start).trimEnd(), name.slice(start + 1, -1)];
  return isCounty(county) ? place : name;
};

// The response for the whole state is about 50 kB.
const bytesMax = 16 * 1024 * 1024;

/** Reads the features of a response as rows, numbered from 1. */
const readFeatures = async (path: string, _: unknown, { onProgress }: ReadOptions) => {
  const name = fileName(path);
  const { size } = await stat(path);
  if (size > bytesMax) throw new Error(`${name} is larger than 16 MiB. Pass the response of the feature service.`);
  const parsed = FeatureResponse.safeParse(parseJson(await readFile(path, 'utf8')));
  if (!parsed.success)
    throw new Error(`${name} has no features with name, county, locat_cdr and grt_rate: pass the service's response.`);
  if (parsed.data.exceededTransferLimit)
    throw new Error(`${name} has only some of the districts, because responses are limited. Query all of them.`);
  const rows = parsed.data.features.map(({ attributes: { name, county, locat_cdr, grt_rate } }, index) => ({
    line: index + 1,
    cells: { name: name ?? '', county: county ?? '', locat_cdr: locat_cdr ?? '', grt_rate: String(grt_rate ?? '') },
  }));
  onProgress?.(size, size);
  return { name, rows };
};

/**
 * New Mexico's rates of the gross receipts tax by location code, as its ArcGIS feature service returns them. Fields:
 * github.com/LukasNAP/TaxAP (tests/nm-rates.test.mjs) and github.com/cboxdk/laravel-tax (ArcGisRateSource). The rates
 * include the state's, and apply from the period in the name of the service.
 */
export const newMexico = stateTable({
  format: 'new-mexico',
  describe: 'New Mexico Taxation and Revenue, gross receipts tax by location code (feature service, JSON)',
  file: 'the response to a query, named like the service: New_Mexico_gross_receipts_tax_July_2026_June_2027.json',
  state: 'NM',
  columns: {
    locat_cdr: column.matching('locat_cdr', codePattern, 'a location code: write it as 02-100'),
    county: column.county('county', 'a county of New Mexico'),
    name: column.placeName('name'),
    grt_rate: column.rate('grt_rate', readRate, '7.625, with at most four decimals'),
  },
  open: readFeatures,
  month: { pattern: period, example: 'New_Mexico_gross_receipts_tax_July_2026_June_2027.json' },
  skip({ name, locat_cdr }) {
    // Tribal areas have two codes instead, depending on the seller.
    if (!locat_cdr) return 'is a tribal area, which is not in any city or ZIP';
    if (!codePattern.test(locat_cdr)) return null;
    return /^remainder of county\b/i.test(name) ? 'unincorporated areas are not in any city' : null;
  },
  read: ({ name, county, locat_cdr: code, grt_rate }, { base, codes, from }) =>
    whenRead(localPart(base, grt_rate, from), (local) => {
      const called = withoutCounty(name, (text) => codes.countyNamed(text) === county);
      const places = codes.placesIn(county, called.replaceAll(/[/,()]/g, ' '));
      return row(codedPlaces(codes, { name, county, code }, places, local));
    }),
});
