import { stateRateOn } from '../catalog/rates.ts';
import type { Release } from '../catalog/release.ts';
import { formatFraction, parseUnits } from '../catalog/release-values.ts';
import {
  bad,
  column,
  type HeadedRow,
  openHeadedTable,
  type RowResult,
  readCells,
  readRows,
  row,
  skipped,
  type Texts,
  type Values,
  whenRead,
} from './files/columns.ts';
import { readFraction } from './fractions.ts';
import { type Entry, type Importer, secondRate, unknownPlace, wholeZip } from './importer.ts';
import { assertFits, limits } from './limits.ts';
import { isSplit, newPseudoCodes, type PseudoCodes, splits } from './pseudo-jurisdictions.ts';
import { dayIn, monthInName } from './updates/file-names.ts';
import { readZip } from './zips.ts';

const fraction = (...headers: readonly string[]) =>
  column.rate(headers, (cell) => readFraction(cell || '0'), '0.0825 for 8.25 %');

/** The columns of current and older tables. In older tables the special taxes are the remainder of the total. */
const columns = {
  state: column.text('State', 'STATE_ABBREV'),
  zip: column.text('ZipCode', 'ZIP_CODE'),
  region: column.text('TaxRegionName', 'CITY_NAME'),
  // In older tables a region in two counties has two rows.
  countyName: column.optional(column.text('COUNTY_NAME')),
  combined: fraction('EstimatedCombinedRate', 'CombinedRate', 'TOTAL_SALES_TAX'),
  stateRate: fraction('StateRate', 'STATE_SALES_TAX'),
  county: fraction('EstimatedCountyRate', 'CountyRate', 'COUNTY_SALES_TAX'),
  city: fraction('EstimatedCityRate', 'CityRate', 'CITY_SALES_TAX'),
  special: column.optional(fraction('EstimatedSpecialRate', 'SpecialRate')),
  risk: column.optional(column.text('RiskLevel')),
};

/**
 * The local taxes of a ZIP, from the county's to the special ones, in the order in which mandatory taxes are
 * subtracted.
 */
const levels = [
  { part: 'county', level: 'county', label: 'COUNTY' },
  { part: 'city', level: 'city', label: 'CITY' },
  { part: 'special', level: 'district', label: 'SPECIAL' },
] as const;
type Local = Readonly<Record<(typeof levels)[number]['part'], string>>;

/** A ZIP's rates, as fractions. */
type ZipRates = Pick<Values<typeof columns>, 'zip' | 'region' | 'countyName'> & {
  readonly local: Local;
  readonly crossesBorders: boolean;
};

/** Subtracts the mandatory local taxes from a ZIP's local rates; `null` if the local rates are lower. */
const withoutMandatory = (local: Local, state: string): Local | null => {
  const split = splits[state];
  let rest = split ? parseUnits(split.whole) - parseUnits(split.own) : 0n;
  const left = levels.map(({ part }) => {
    const units = parseUnits(local[part]);
    const taken = units < rest ? units : rest;
    rest -= taken;
    return [part, formatFraction(units - taken)];
  });
  return rest > 0n ? null : Object.fromEntries(left);
};

type Context = { readonly state: string; readonly base: Release; readonly from: string | null };

const readLocal = (
  { special: given, stateRate, county, city, combined }: Values<typeof columns>,
  hasSpecial: boolean,
  { state, base, from }: Context,
): RowResult<Local> => {
  const others = parseUnits(stateRate) + parseUnits(county) + parseUnits(city);
  const special = parseUnits(combined) - others;
  if (special < 0n || (hasSpecial && parseUnits(given) !== special)) {
    const sum = formatFraction(others + parseUnits(given));
    return bad(`has a combined rate of ${combined}, but its parts sum to ${sum}: correct one of them`);
  }
  const local = { county, city, special: formatFraction(special) };
  const day = from ?? base.established_from;
  const known = stateRateOn(base, day)?.rate;
  if (known === stateRate) return row(local);
  if (known === undefined || !isSplit(state, stateRate, known))
    return bad(
      `the state's rate is ${stateRate} in the file and ${known ?? 'unknown'} in the release on ${day}: use a file for that day`,
    );
  const rest = withoutMandatory(local, state);
  return rest
    ? row(rest)
    : bad(`has state and local rates that sum to less than ${known}, the minimum in the whole state: correct them`);
};

const readZipRates = (cells: Texts<typeof columns>, context: Context): RowResult<ZipRates> => {
  if (cells.state.toUpperCase() !== context.state) return skipped(`is not for ${context.state}`);
  return whenRead(readZip(cells.zip, context.state), (zip) =>
    whenRead(readCells(columns, cells), (values) =>
      whenRead(readLocal(values, cells.special !== '', context), (local) => {
        const { region, countyName, risk } = values;
        // A ZIP with a risk level of 1, or without one, is within one city and one county.
        return row({ zip, region, countyName, local, crossesBorders: risk !== '' && Number(risk) !== 1 });
      }),
    ),
  );
};

const bordersReason = 'has a RiskLevel other than 1: tax borders cross its ZIP, so its rate is ambiguous';

function* zipEntries(
  getCode: PseudoCodes,
  { zip, region, local, crossesBorders }: ZipRates,
  from: string | null,
  line: number,
): Generator<Entry> {
  if (crossesBorders) yield { kind: 'remark', line, reason: bordersReason };
  const days = { from, to: null };
  const locals: string[] = [];
  for (const { part, ...level } of levels) {
    const rate = local[part];
    if (rate === '0') continue;
    const { code, entries } = getCode({ ...level, place: region || zip, rate, ...days, distinction: zip });
    yield* entries;
    locals.push(code);
  }
  yield { ...wholeZip(zip), ...days, locals, ...(crossesBorders && { flags: { crosses_borders: true } }) };
}

/**
 * A table of rates by ZIP with their components. They apply from the month in the file's name.
 *
 * A component becomes a jurisdiction named after the table's region. A ZIP is ambiguous if it has several regions or a
 * risk level that means that borders cross it, because the table lacks the taxes beyond the borders. A row whose state
 * part differs from the state's rate in the base release is bad, unless the release's rate includes local taxes that
 * apply statewide, and the table lists them with the localities.
 */
export const zipRates: Importer = {
  format: 'zip-rates',
  describe: 'Rates by ZIP code with their components, as Avalara publishes them',
  files: [{ option: 'file', describe: 'TAXRATES_ZIP5_TX202611.csv' }],
  onlyState: null,
  confidence: 'medium-high',
  async *read([path = ''], { state, base, undatedFrom = null, onProgress }) {
    const table = await openHeadedTable(path, columns, { onProgress });
    const from = dayIn(table.name, monthInName) ?? undatedFrom;
    const getCode = newPseudoCodes(state);
    const seen = new Map<string, { readonly line: number; readonly local: string }>();
    const unknown = (zip: string) => unknownPlace(state, { ...wholeZip(zip), from, to: null });
    function* use(rates: ZipRates, line: number): Generator<Entry> {
      const { zip, region, countyName } = rates;
      const key = `${zip} ${region} ${countyName}`.toUpperCase();
      const local = JSON.stringify(rates.local);
      const earlier = seen.get(key);
      if (earlier?.local === local) return yield { kind: 'skipped', line, reason: 'repeats another row' };
      if (earlier) {
        yield secondRate(line, `ZIP ${zip}`, earlier);
        return yield* unknown(zip);
      }
      assertFits(seen.size, limits.heldRows, 'rows of the state');
      seen.set(key, { line, local });
      yield* zipEntries(getCode, rates, from, line);
    }
    // If a bad row were skipped, the other rows of its ZIP would apply to the whole ZIP.
    const ofBad = ({ cells }: HeadedRow<typeof columns>): readonly Entry[] => {
      const zip = readZip(cells.zip, state);
      return zip.kind === 'row' ? unknown(zip.value) : [];
    };
    yield* readRows(table, ({ cells }) => readZipRates(cells, { state, base, from }), use, { ofBad });
  },
};
