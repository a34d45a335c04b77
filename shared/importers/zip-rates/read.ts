import { stateRateOn } from '../../catalog/rates.ts';
import type { Release } from '../../catalog/release.ts';
import { formatFraction, parseUnits } from '../../catalog/release-values.ts';
import { type Entry, secondRate, unknownPlace } from '../entry.ts';
import {
  bad,
  type HeadedRow,
  openHeadedTable,
  optional,
  type RowResult,
  readRows,
  row,
  skipped,
  text,
} from '../files/columns.ts';
import { readFraction } from '../fractions.ts';
import { type Importer, onlyFile, type Read } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { type Component, PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import { isSplit, splits } from '../state-splits.ts';
import { dayIn } from '../updates/file-names.ts';
import { readZip } from '../zips.ts';

type Local = Readonly<Record<'county' | 'city' | 'special', string>>;

/**
 * Subtract the mandatory local taxes from a ZIP's local rates: first from the county's, then from the city's, then from
 * the special ones. `null` if they are lower.
 */
const withoutMandatory = (local: Local, state: string): Local | null => {
  const split = splits[state];
  let rest = split ? parseUnits(split.whole) - parseUnits(split.own) : 0n;
  const left = (rate: string): string => {
    const units = parseUnits(rate);
    const taken = units < rest ? units : rest;
    rest -= taken;
    return formatFraction(units - taken);
  };
  const taken = { county: left(local.county), city: left(local.city), special: left(local.special) };
  return rest > 0n ? null : taken;
};

/** The columns of current and older tables. In older tables the special taxes are the rest of the total. */
const columns = {
  state: text('State', 'STATE_ABBREV'),
  zip: text('ZipCode', 'ZIP_CODE'),
  region: text('TaxRegionName', 'CITY_NAME'),
  countyName: optional(text('COUNTY_NAME')),
  combined: text('EstimatedCombinedRate', 'CombinedRate', 'TOTAL_SALES_TAX'),
  stateRate: text('StateRate', 'STATE_SALES_TAX'),
  county: text('EstimatedCountyRate', 'CountyRate', 'COUNTY_SALES_TAX'),
  city: text('EstimatedCityRate', 'CityRate', 'CITY_SALES_TAX'),
  special: optional(text('EstimatedSpecialRate', 'SpecialRate')),
  risk: optional(text('RiskLevel')),
};

/**
 * Whether borders cross a row's ZIP by its risk level: 1 is a ZIP within one city and one county (content notes 2). A row
 * without a risk level counts as 1.
 */
const doBordersCross = (riskLevel: string): boolean => riskLevel !== '' && Number(riskLevel) !== 1;

/** The month of the rates in the name of the file: `TAXRATES_ZIP5_TX202611.csv`. */
const monthOfFile = /(?<year>20\d{2})(?<month>0[1-9]|1[0-2])\d{0,2}\.\w+$/;

type Cells = HeadedRow<typeof columns>['cells'];
type Part = 'county' | 'city' | 'special';

/** A ZIP's rates, as fractions. */
type ZipRates = {
  readonly zip: string;
  readonly region: string;
  /** A column of older tables, where a region in two counties has two rows. */
  readonly countyName: string;
  readonly local: Readonly<Record<Part, string>>;
  readonly crossesBorders: boolean;
};

type Context = { readonly state: string; readonly base: Release; readonly day: string };

/** The parts of a combined rate; the special part is given, or the rest. */
const componentsOf = (cells: Cells): RowResult<Readonly<Record<'stateRate' | Part, string>>> => {
  const read = (['stateRate', 'county', 'city', 'combined'] as const).map((name) => readFraction(cells[name] || '0'));
  const [stateRate, county, city, combined] = read;
  const given = cells.special === '' ? null : readFraction(cells.special);
  if (!stateRate || !county || !city || !combined || (cells.special !== '' && given === null))
    return bad('has a value that is not a rate: write fractions (0.0825 for 8.25 %)');
  const others = parseUnits(stateRate) + parseUnits(county) + parseUnits(city);
  const left = parseUnits(combined) - others;
  if (left < 0n || (given !== null && parseUnits(given) !== left)) {
    const sum = formatFraction(others + parseUnits(given ?? '0'));
    return bad(`has ${combined} combined, and its parts sum to ${sum}: correct one of them`);
  }
  return row({ stateRate, county, city, special: formatFraction(left) });
};

const readCells = (cells: Cells, { state, base, day }: Context): RowResult<ZipRates> => {
  if (cells.state.toUpperCase() !== state) return skipped(`is not of ${state}`);
  const zip = readZip(cells.zip, state);
  if (zip.kind !== 'row') return zip;
  const parts = componentsOf(cells);
  if (parts.kind !== 'row') return parts;
  const { stateRate, ...local } = parts.value;
  const known = stateRateOn(base, day);
  const { region, countyName, risk } = cells;
  const place = { zip: zip.value, region, countyName, crossesBorders: doBordersCross(risk) };
  if (known && isSplit(state, stateRate, known.rate)) {
    const rest = withoutMandatory(local, state);
    return rest
      ? row({ ...place, local: rest })
      : bad(`has less than ${known.rate} for state and localities together, which all of the state pays: correct it`);
  }
  if (known?.rate !== stateRate)
    return bad(
      `the file has ${stateRate} for the state, the release has ${known?.rate ?? 'nothing'} on ${day}: take a file of that day, or another base release`,
    );
  return row({ ...place, local });
};

const levels = [
  { part: 'county', level: 'county', label: 'COUNTY' },
  { part: 'city', level: 'city', label: 'CITY' },
  { part: 'special', level: 'district', label: 'SPECIAL' },
] as const;

const bordersReason = 'has a RiskLevel other than 1: borders cross its ZIP, which is ambiguous';

function* zipEntries(
  pseudo: PseudoJurisdictions,
  { zip, region, local, crossesBorders }: ZipRates,
  from: string | null,
  line: number,
): Generator<Entry> {
  if (crossesBorders) yield { kind: 'remark', line, reason: bordersReason };
  const locals: string[] = [];
  for (const { part, level, label } of levels) {
    const rate = local[part];
    if (rate === '0') continue;
    const component: Component = { level, label, place: region || zip, rate, from, to: null, distinction: zip };
    const { code, entries } = pseudo.codeOf(component);
    yield* entries;
    locals.push(code);
  }
  yield { ...spanOf(zip, from), locals, ...(crossesBorders && { flags: { crosses_borders: true } }) };
}

const spanOf = (zip: string, from: string | null) =>
  ({ kind: 'span', low: `${zip}0000`, high: `${zip}9999`, from, to: null }) as const;

/** Entries that make the ZIP of a bad row not covered; otherwise another row of the ZIP would apply alone. */
const badEntries = ({ zip: text }: Cells, state: string, from: string | null): readonly Entry[] => {
  const zip = readZip(text, state);
  return zip.kind === 'row' ? unknownPlace(state, spanOf(zip.value, from)) : [];
};

type Seen = Map<string, { readonly line: number; readonly local: string }>;

/** The entries of a row; a bad row if an earlier row has other rates for the region in the ZIP. */
function* rowEntries(
  seen: Seen,
  pseudo: PseudoJurisdictions,
  rates: ZipRates,
  from: string | null,
  line: number,
): Generator<Entry> {
  const { zip, region, countyName } = rates;
  const key = `${zip} ${region} ${countyName}`.toUpperCase();
  const local = JSON.stringify(rates.local);
  const earlier = seen.get(key);
  if (!earlier) {
    assertFits(seen.size, limits.heldRows, 'rows of the state');
    seen.set(key, { line, local });
    yield* zipEntries(pseudo, rates, from, line);
    return;
  }
  const isSame = earlier.local === local;
  yield secondRate(line, isSame, `ZIP ${zip}`, earlier);
  if (!isSame) yield* unknownPlace(pseudo.state, spanOf(zip, from));
}

/**
 * Read a table of rates by ZIP with their components (content notes 2). They apply from the month in the file's name on.
 *
 * A component becomes a jurisdiction named after the table's region. Several regions in one ZIP make it ambiguous, and so
 * does a risk level that means that borders cross it, because the table lacks the taxes beyond the borders. A row
 * whose state part is not the state's rate in the base release is bad, unless the release's rate holds local taxes that
 * all of the state pays, and the table has them with the localities.
 */
const readZipRates: Read = async function* (files, { state, base, undatedFrom = null, onProgress }) {
  const table = await openHeadedTable(onlyFile(files), columns, onProgress);
  const from = dayIn(table.name, monthOfFile) ?? undatedFrom;
  const pseudo = new PseudoJurisdictions(state);
  const context = { state, base, day: from ?? base.established_from };
  const seen: Seen = new Map();
  yield* readRows(
    table,
    ({ cells }) => readCells(cells, context),
    (rates, line) => rowEntries(seen, pseudo, rates, from, line),
    { ofBad: ({ cells }) => badEntries(cells, state, from) },
  );
};

export const zipRates: Importer = {
  format: 'zip-rates',
  describe: 'Rates by ZIP code with their components, as Avalara gives them away',
  files: [{ option: 'file', describe: 'TAXRATES_ZIP5_TX202611.csv' }],
  onlyState: null,
  confidence: 'medium-high',
  read: readZipRates,
};
