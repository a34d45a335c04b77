/** The rates of an SST rate file. */
import { compactDay, dayAfter, dayBefore } from '../../base/calendar.ts';
import { getOrAdd } from '../../base/collections.ts';
import { establishedSpan, listPieces, shareDays } from '../../catalog/effective.ts';
import type { Jurisdiction, JurisdictionType, Rate } from '../../catalog/release-values.ts';
import { jurisdictionCode, stateFips } from '../../vocabulary/jurisdiction.ts';
import { bad, type RowResult, readRows, row, skipped, whenRead } from '../files/columns.ts';
import type { Table } from '../files/rows.ts';
import { readFraction } from '../fractions.ts';
import { type DatedRate, type Entry, listFirst } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { type NameTables, OwnCodes } from '../own-codes.ts';
import { publicationIn } from '../updates/file-names.ts';

/** The keys of SST files. A rate belongs to a type and a code: a county and a city can share a code. */

/** `00-053`: jurisdiction type and code, both zero-padded. */
export type LayerKey = string;

// Codes with letters (ALIOL in Kansas, GL801 in Nebraska) are not padded.
const paddedCode = (type: string, code: string): string =>
  /^\d+$/.test(code) ? code.padStart(type === '00' ? 3 : 5, '0') : code.toUpperCase();

/**
 * Builds the key of a layer from cells that may have lost their leading zeros; `null` if they are not a type and code.
 */
export const layerKey = (type: string, code: string): LayerKey | null => {
  const full = type.padStart(2, '0');
  return /^\d\d$/.test(full) && /^[\dA-Za-z]{1,5}$/.test(code) ? `${full}-${paddedCode(full, code)}` : null;
};

const municipal: Readonly<Record<string, string>> = {
  '01': 'City',
  '02': 'Town',
  '03': 'Village',
  '04': 'Borough',
  '05': 'Township',
  '09': 'Municipality',
};

/** The jurisdiction types that a place (a city, a town) can have in a rate file. */
export const placeTypes: readonly string[] = Object.keys(municipal);

const typeWords: Readonly<Record<string, string>> = { '00': 'County', ...municipal };

const toJurisdictionType = (type: string): JurisdictionType => {
  if (type === '00') return 'county';
  return type in municipal ? 'city' : 'district';
};

/** Returns the public name of a layer, or `undefined` if the tables do not have one. */
const layerName = ({ counties, codedPlaces, districts }: OwnCodes, key: LayerKey): string | undefined => {
  const [type = '', code = ''] = key.split('-');
  if (type === '00') return counties.get(code);
  return placeTypes.includes(type) ? codedPlaces.get(code) : districts.get(code);
};

/** State-specific deviations from the common file layout. */

const usual = {
  /** Row and triplet types to ignore, each with the reason. */
  ignoredTypes: {} as Readonly<Record<string, string>>,
  /** Whether a code is a county, if its row has the type of a county. */
  isCounty: (_code: string): boolean => true,
  /** A city's rate includes all local tax, so the county's rate is not added. */
  cityReplacesCounty: false,
  /** The county's rate includes the state's tax, so a place without a county is unknown. */
  countyRequired: false,
  /** The maximum sum of county and city rates, as a fraction, if they form one tax. */
  countyAndCityMax: null as string | null,
};
type StateExceptions = Readonly<typeof usual>;

const exceptions: Readonly<Record<string, Partial<StateExceptions>>> = {
  IA: { isCounty: (code) => code !== '199' },
  NV: { countyRequired: true },
  SD: { ignoredTypes: { 49: 'tribal taxes (type 49) are not added to other taxes' } },
  TN: { ignoredTypes: { 63: 'rows of type 63 repeat the rates of counties and cities' }, countyAndCityMax: '0.0275' },
  WA: { isCounty: (code) => code < '079' || code > '087', cityReplacesCounty: true },
};

const rateColumns = 9;

/** The placeholder end dates that states use for open-ended rows. */
const openEnds: ReadonlySet<string> = new Set(['29991231', '99991231', '20991231']);

/** Reads the dates of a row, inclusive; an open end is `null`. */
export const rowDates = (begin: string, end: string): RowResult<{ from: string; to: string | null }> => {
  const from = compactDay(begin);
  const to = openEnds.has(end) ? null : compactDay(end);
  if (from === null || (to === null && !openEnds.has(end)))
    return bad(`dates ${begin || '(none)'} to ${end || '(none)'} are not valid: write both dates as YYYYMMDD`);
  return to !== null && to < from ? skipped('ends before it begins') : row({ from, to });
};

type RateRow = { readonly key: LayerKey; readonly rate: DatedRate };

/**
 * Returns the intrastate and interstate rates, general and on food and drugs. A blank cell takes the value of its
 * neighbour.
 */
const parseRates = (cells: readonly string[]): Pick<Rate, 'rate' | 'food_rate' | 'interstate'> | null => {
  const [intra = '', inter = '', foodIntra = '', foodInter = ''] = cells;
  const rate = readFraction(intra || inter);
  const outside = readFraction(inter || intra);
  const food = readFraction(foodIntra || foodInter || intra || inter);
  const foodOutside = readFraction(foodInter || foodIntra || inter || intra);
  if (rate === null || outside === null || food === null || foodOutside === null) return null;
  const hasFood = food !== rate || foodOutside !== outside;
  const differs = outside !== rate || foodOutside !== food;
  return {
    rate,
    ...(hasFood && { food_rate: food }),
    ...(differs && { interstate: { rate: outside, ...(hasFood && { food_rate: foodOutside }) } }),
  };
};

/** Reads a row of an SST rate file. */
const readRateRow = (cells: readonly string[], { fips, stateKey, exceptions }: RateBook): RowResult<RateRow> => {
  if (cells.length !== rateColumns) return bad(`has ${cells.length} columns; a rate row has ${rateColumns}`);
  const [state = '', type = '', code = ''] = cells;
  if (state.padStart(2, '0') !== fips) return bad(`is for state ${state}; import the file of state ${fips}`);
  const key = layerKey(type, code);
  if (key === null) return bad(`type ${type} and code ${code} do not identify a jurisdiction: correct columns 2 and 3`);
  const kind = key.slice(0, 2);
  if (kind === '45' && key !== stateKey) return skipped('location codes (type 45) are not districts');
  const ignored = exceptions.ignoredTypes[kind];
  if (ignored !== undefined) return skipped(ignored);
  return whenRead(rowDates(cells[7] ?? '', cells[8] ?? ''), (dates) => {
    const rates = parseRates(cells.slice(3, 7));
    if (!rates) return bad(`rates ${cells.slice(3, 7).join(', ')} are not fractions: write 0.06875 for 6.875 %`);
    return row({ key, rate: { ...rates, ...dates } });
  });
};

/** A rate and its line in the file. */
type RateLine = { readonly line: number; readonly rate: DatedRate };

const firstDay = ({ from }: DatedRate): string => from ?? '';

const byFirstDay = (a: RateLine, b: RateLine): number =>
  firstDay(a.rate).localeCompare(firstDay(b.rate)) || a.line - b.line;

const getFigures = ({ from: _from, to: _to, ...figures }: DatedRate): string => JSON.stringify(figures);

/** Describes a row that replaces a different rate of its jurisdiction, starting with a day that both rows cover. */
const buildOverlap = (row: RateLine, other: RateLine, from: string) => ({
  /** The lines of the row that applies and of the row that it replaces. */
  line: row.line,
  replaced: other.line,
  from,
  /** Whether both rows begin on the same day, so that only their order in the file decides. */
  isContradiction: other.rate.from === row.rate.from,
});
type Overlap = ReturnType<typeof buildOverlap>;

/**
 * Reduces overlapping rows to one rate per day. If rows overlap, the one that begins last applies, from its first day to
 * its last. If they begin on the same day, the later row in the file applies. States publish both cases by mistake:
 * Wisconsin ends a county's old rate on the day on which the new one begins.
 */
export const resolveOverlaps = (rows: readonly RateLine[]) => {
  const sorted = rows.toSorted(byFirstDay);
  const applied: { readonly row: RateLine; readonly rate: DatedRate }[] = [];
  const overlaps = new Map<string, Overlap>();
  for (const days of listPieces(sorted.map(({ rate }) => establishedSpan(rate, '')))) {
    const there = sorted.filter(({ rate }) => shareDays(rate, { from: days.from, to: days.from }));
    const [row, other] = there.toReversed();
    if (!row) continue;
    const before = applied.at(-1);
    const isSame = before?.row === row && before.rate.to === dayBefore(days.from);
    if (isSame) applied.pop();
    applied.push({ row, rate: { ...row.rate, from: isSame ? before.rate.from : days.from, to: days.to } });
    if (other && getFigures(other.rate) !== getFigures(row.rate))
      getOrAdd(overlaps, `${row.line} ${other.line}`, () => buildOverlap(row, other, days.from));
  }
  return { rates: applied.map(({ rate }) => rate), overlaps: [...overlaps.values()] };
};

/**
 * Returns the day from which a file's history is complete: the day after the earliest end date of a row, but no later
 * than the first day of the quarter in the file's name (`MNR2026Q2FEB18.zip`). `null` if neither is known.
 */
export const completeFrom = (ends: Iterable<string | null>, fileName: string): string | null => {
  let first = publicationIn(fileName.slice('MNR'.length))?.quarter ?? null;
  for (const end of ends) if (end !== null && (first === null || end < first)) first = dayAfter(end);
  return first;
};

const laterReason = 'overlaps a row of the same jurisdiction that begins earlier: this row applies from its first day';
const contradictionReason =
  'has a different rate than an earlier row of the jurisdiction with the same first day: this row applies';

/** The rates of a file by key, a few thousand, kept in memory while the boundary file is read. */
export class RateBook {
  /** The first day from which the file has every rate, or `null` if unknown. */
  completeFrom: string | null = null;
  readonly state: string;
  readonly fips: string;
  /** The key of the state itself; other rows of its type are location codes. */
  readonly stateKey: LayerKey;
  readonly exceptions: StateExceptions;
  private readonly codes: OwnCodes;
  private readonly rows = new Map<LayerKey, RateLine[]>();
  /** At most one rate per day and key; empty until the file has been read. */
  private readonly rates = new Map<LayerKey, readonly DatedRate[]>();
  /** Keys with a bad row: their rates are unknown on every day. */
  private readonly unsound = new Set<LayerKey>();

  constructor(state: string, names: NameTables) {
    this.state = state;
    this.fips = stateFips(state);
    this.stateKey = `45-${this.fips.padStart(5, '0')}`;
    this.exceptions = { ...usual, ...exceptions[state] };
    this.codes = new OwnCodes(state, names);
  }

  /** Reads the rate file and yields its rates after the last row. */
  async *entries(table: Table): AsyncGenerator<Entry> {
    yield* readRows(
      table,
      ({ cells }) => readRateRow(cells, this),
      (row, line) => this.add(row, line),
      {
        ofBad: ({ cells }) => {
          // Records the key of a bad row, so that its jurisdiction is left without rates.
          const key = layerKey(cells[1] ?? '', cells[2] ?? '');
          if (key !== null) this.unsound.add(key);
          return [];
        },
        atEnd: () => this.settle(table.name),
      },
    );
    const ends = [...this.rates.values()].flat().map(({ to }) => to);
    this.completeFrom = completeFrom(ends, table.name);
    yield* this.rateEntries();
  }

  listRates(key: LayerKey): readonly DatedRate[] {
    return this.rates.get(key) ?? [];
  }

  /** Returns whether the file has a rate or a bad row for a key. */
  isNamed(key: LayerKey): boolean {
    return this.rates.has(key) || this.unsound.has(key);
  }

  /** Returns whether the file has the state's rates without a bad row. */
  hasStateRate(): boolean {
    return this.rates.has(this.stateKey) && !this.unsound.has(this.stateKey);
  }

  /** Returns the last day of a key's rates; `null` if they are open-ended or missing. */
  getLastDay(key: LayerKey): string | null {
    const days = this.listRates(key).map(({ to }) => to);
    return days.includes(null) ? null : (days.toSorted().at(-1) ?? null);
  }

  /**
   * Returns the jurisdiction of a key, with its public name if the tables have one, or else the type and code. Its
   * reporting code is the type and code from the rate file, because the code alone does not distinguish a county, a
   * place and a district.
   */
  getJurisdiction(key: LayerKey): Jurisdiction {
    const [type = '', code = ''] = key.split('-');
    const isArea = type === '00' && !this.exceptions.isCounty(code);
    const named = isArea ? `Area ${code}` : (layerName(this.codes, key) ?? `${typeWords[type] ?? 'District'} ${code}`);
    return {
      code: `US-${this.state}-${key}`,
      name: named,
      type: isArea ? 'district' : toJurisdictionType(type),
      tax_type: 'sales',
      reporting_code: key,
    };
  }

  /** Adds a row; skips a row that repeats an earlier one. */
  private add({ key, rate }: RateRow, line: number): readonly Entry[] {
    const others = getOrAdd(this.rows, key, () => []);
    const text = JSON.stringify(rate);
    if (others.some((other) => JSON.stringify(other.rate) === text))
      return [{ kind: 'skipped', line, reason: 'repeats another rate row' }];
    others.push({ line, rate });
    assertFits(others.length, limits.ratesOfJurisdiction, `rates of ${key}`);
    assertFits(this.rows.size, limits.jurisdictions, 'jurisdictions');
    return [];
  }

  /** Reduces each key to one rate per day. Yields remarks and a note about overlapping rows. */
  private *settle(file: string): Generator<Entry> {
    const overlaps: (Overlap & { readonly key: LayerKey })[] = [];
    for (const [key, lines] of this.rows) {
      const resolved = resolveOverlaps(lines);
      this.rates.set(key, resolved.rates);
      overlaps.push(...resolved.overlaps.map((overlap) => ({ key, ...overlap })));
    }
    for (const { line, isContradiction } of overlaps)
      yield { kind: 'remark', line, reason: isContradiction ? contradictionReason : laterReason };
    const texts = overlaps.map(
      ({ key, line, replaced, from }) =>
        `${this.getJurisdiction(key).name} (${key}), line ${line} replaces line ${replaced} from ${from}`,
    );
    if (texts.length > 0)
      yield { kind: 'note', sentence: `Overlapping rate rows in ${file}: ${listFirst(texts, '; ')}.` };
  }

  /** Yields the rate entries. The state is not covered on days without a state rate. */
  private *rateEntries(): Generator<Entry> {
    for (const key of new Set([...this.rates.keys(), ...this.unsound])) {
      const own = this.getJurisdiction(key);
      const isState = key === this.stateKey;
      const jurisdiction = isState ? { ...own, code: jurisdictionCode(this.state) } : own;
      const rates = isState ? this.listRates(key) : this.withBeginning(key);
      yield { kind: 'tax', jurisdiction, rates: this.unsound.has(key) ? [] : rates };
    }
  }

  /**
   * Returns the rates of a key, preceded by a zero rate from the day from which the file is complete. In gaps and after
   * the last rate, the rate stays unknown, because boundary rows can still refer to the key.
   */
  private withBeginning(key: LayerKey): readonly DatedRate[] {
    const sorted = this.listRates(key).toSorted((a, b) => (firstDay(a) < firstDay(b) ? -1 : 1));
    const from = sorted[0]?.from ?? null;
    const start = this.completeFrom;
    if (start === null || from === null || start >= from) return sorted;
    return [{ rate: '0', from: start, to: dayBefore(from) }, ...sorted];
  }
}
