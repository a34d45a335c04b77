import { getOrAdd } from '../../base/collections.ts';
import { shareDays } from '../../catalog/effective.ts';
import { parseUnits } from '../../catalog/release-values.ts';
import { parseStreet, readHouse, type Street, splitWords, streetWords } from '../../catalog/streets/street-address.ts';
import { anyAddress, anyStreet, type StreetRange, type UnitRange } from '../../catalog/streets/street-ranges.ts';
import { bad, type RowResult, readRows, row, skipped, whenRead } from '../files/columns.ts';
import { misreadReason, type Row, type Table } from '../files/rows.ts';
import { type Entry, listFirst, type Span, unknownPlace } from '../importer.ts';
import { assertFits, limits } from '../limits.ts';
import { foreignZips, touchesAny, zipsOfState } from '../zips.ts';
import { type LayerKey, layerKey, placeTypes, type RateBook, rowDates } from './rates.ts';

/** Columns 4 to 14 of a street-address row, numbered from 1 as in the layout. */
const firstColumn = 4;
const columnCount = 11;

const plainName = /^[A-Z0-9-]+$/;
const plainId = /^[A-Z0-9]*$/;

/** Returns the parity of a range; `null` if it cannot be read. A single number or identifier needs no parity. */
const parseParity = (text: string, isSingle: boolean): 'E' | 'O' | 'B' | null => {
  const letter = text.toUpperCase();
  if (letter === 'E' || letter === 'O' || letter === 'B') return letter;
  return letter === '' && isSingle ? 'B' : null;
};

const streetIn = (pre: string, name: string, suffix: string, post: string) => {
  const words = [pre, name, suffix, post].flatMap(splitWords);
  return splitWords(name).length > 0 && words.every((word) => plainName.test(word)) ? parseStreet(words) : anyStreet;
};

/** Returns the units of a row; `undefined` if they cannot be read, `null` for none. */
const unitIn = (abbreviation: string, low: string, high: string, parity: string): UnitRange | null | undefined => {
  if (abbreviation === '' && low === '' && high === '') return null;
  const word = abbreviation.toUpperCase().replaceAll(/[.#]/g, '');
  const { units, unitsWithoutId } = streetWords();
  const designator = units.get(word) ?? unitsWithoutId.get(word) ?? word;
  const [first, last] = [low, high || low].map((id) => id.toUpperCase().replaceAll(/[-#]/g, '')) as [string, string];
  const own = parseParity(parity, first === last);
  const isRead = own !== null && [designator, first, last].every((text) => plainId.test(text));
  return isRead ? { designator, low: first, high: last, parity: own } : undefined;
};

const streetsMax = 50_000;
const known = new Map<string, Street>();

/** Caches the last street, because most rows repeat it. */
const streetOfColumns = (columns: readonly string[]): Street => {
  const [pre = '', name = '', suffix = '', post = ''] = columns;
  if (known.size >= streetsMax) known.clear();
  return getOrAdd(known, columns.join('|'), () => streetIn(pre, name, suffix, post));
};

/**
 * Returns the addresses of a street-address row. Unreadable columns widen it to the whole street, or the whole ZIP,
 * with parity `U`.
 */
const streetRange = (cells: readonly string[]): StreetRange => {
  const read = cells.slice(firstColumn - 1, firstColumn - 1 + columnCount).map((cell) => cell.trim());
  const [low = '', high = '', parity = ''] = read;
  const [abbreviation = '', unitLow = '', unitHigh = '', unitParity = ''] = read.slice(7);
  const street = streetOfColumns(read.slice(3, 7));
  const [first, last] = [readHouse(low.toUpperCase()), readHouse((high || low).toUpperCase())];
  const own = parseParity(parity, low === (high || low));
  const unit = unitIn(abbreviation, unitLow, unitHigh, unitParity);
  const isRange = first && last && first.prefix === last.prefix && first.number <= last.number;
  if (street === anyStreet || !isRange || own === null || unit === undefined) return { ...anyAddress, street };
  return { street, prefix: first.prefix, low: first.number, high: last.number, parity: own, unit };
};

/** Most states send 89 columns; South Dakota and Washington send 90. */
const boundaryColumns: readonly number[] = [89, 90];

/** `rank`: a ZIP+4 range takes precedence over a ZIP range. A street row spans the whole ZIP. */
type BoundarySpan = Omit<Span, 'kind' | 'locals' | 'from'> & { readonly from: string };

const ofStreets = { of_streets: true } as const;
const zipPattern = /^\d{3,5}$/;
const extensionPattern = /^\d{1,4}$/;

/** Returns one end of a span as nine digits, which are compared as one number; `null` if it is invalid. */
const nineDigits = (zip: string, extension: string): string | null =>
  zipPattern.test(zip) && extensionPattern.test(extension) ? zip.padStart(5, '0') + extension.padStart(4, '0') : null;

/** A street-address row has a column for its ZIP; if it is empty, the columns of ZIP ranges are used. */
const streetZips = (cells: readonly string[]): readonly [low: string, high: string] => {
  const [zip = '', low = '', high = ''] = [cells[15], cells[17], cells[19]];
  return zip === '' ? [low, high || low] : [zip, zip];
};

/** Returns the first and last ZIP+4 of a row; `undefined` for an unknown record type. */
const readEnds = (type: string, cells: readonly string[]) => {
  const [low = '', lowExtension = '', high = '', highExtension = ''] = cells.slice(17, 21);
  // An extension of 0000 is not a wildcard.
  if (type === '4') return { low: nineDigits(low, lowExtension), high: nineDigits(high, highExtension) };
  if (type !== 'A' && type !== 'Z') return undefined;
  const [first, last] = type === 'A' ? streetZips(cells) : [low, high];
  return { low: nineDigits(first, '0000'), high: nineDigits(last, '9999') };
};

/** Reads the ZIPs and days of a row in an SST boundary file. */
const readBoundaryRow = (cells: readonly string[], fips: string): RowResult<BoundarySpan> => {
  if (!boundaryColumns.includes(cells.length))
    return bad(`has ${cells.length} columns; a boundary row has ${boundaryColumns.join(' or ')}`);
  const type = (cells[0] ?? '').toUpperCase();
  const ends = readEnds(type, cells);
  if (!ends) return bad(`has record type ${type || '(none)'}; expected A, Z or 4`);
  const state = (cells[22] ?? '').padStart(2, '0');
  if (state !== fips) return bad(`is for state ${state}; import the file of state ${fips}`);
  if (type === 'A' && streetZips(cells)[0] === '') return skipped('is a street-address row without a ZIP code');
  const { low, high } = ends;
  if (low === null || high === null || high < low) {
    const columns = type === 'A' ? 'column 16' : 'columns 18 to 21';
    return bad(`ZIPs ${cells.slice(15, 21).join(' ').trim()} are not a range: correct ${columns}`);
  }
  return whenRead(rowDates(cells[1] ?? '', cells[2] ?? ''), (dates) => {
    const ofRow = { low, high, ...dates, rank: type === '4' ? 0 : 1 };
    return row(type === 'A' ? { ...ofRow, flags: ofStreets, street: streetRange(cells) } : ofRow);
  });
};

/** Columns 23 to 89, numbered from 1 as in the layout. */
const columns = { state: 23, stateApplies: 24, county: 25, place: 26, placeType: 27, triplets: 30 } as const;
const tripletsMax = 20;

const at = (cells: readonly string[], column: number): string => cells[column - 1] ?? '';

// If the place class is empty, the type in the rate file applies.
const placeKey = (book: RateBook, code: string, type: string): LayerKey | null => {
  const types = placeTypes.includes(type.padStart(2, '0')) ? [type] : [];
  const keys = [...types, ...placeTypes].map((candidate) => layerKey(candidate, code));
  return keys.find((key) => key !== null && book.isNamed(key)) ?? null;
};

/** Reads the twenty triplets of source, code and type. A triplet of type 45 is a location code, not a district. */
const districts = (book: RateBook, cells: readonly string[]) => {
  const keys: LayerKey[] = [];
  for (let index = 0; index < tripletsMax; index += 1) {
    const code = at(cells, columns.triplets + 3 * index + 1);
    const type = at(cells, columns.triplets + 3 * index + 2);
    if (code === '' && type === '') continue;
    const key = layerKey(type, code);
    if (key === null) {
      const named = `code ${code || '(none)'} and type ${type || '(none)'}`;
      return { keys, problem: `district ${index + 1} has ${named}: correct it` };
    }
    if (key.startsWith('45-') || key.slice(0, 2) in book.exceptions.ignoredTypes) continue;
    keys.push(key);
  }
  return { keys, problem: null };
};

/** Returns whether the rates of two layers sum to more than `most` on some day. */
const exceed = (book: RateBook, a: LayerKey | null, b: LayerKey | null, most: string): boolean => {
  const listRates = (key: LayerKey | null) => (key === null ? [] : book.listRates(key));
  return listRates(a).some((first) =>
    listRates(b).some(
      (second) => shareDays(first, second) && parseUnits(first.rate) + parseUnits(second.rate) > parseUnits(most),
    ),
  );
};

const findProblem = (book: RateBook, cells: readonly string[], county: LayerKey | null, place: LayerKey | null) => {
  const { countyRequired, countyAndCityMax } = book.exceptions;
  const applies = at(cells, columns.stateApplies);
  if (/^0*$/.test(applies) && book.listRates(book.stateKey).some(({ rate }) => rate !== '0'))
    return `excludes the state's tax in column ${columns.stateApplies}, which Levy does not support`;
  if (countyRequired && county === null)
    return "has no county code: fill in column 25, because the county's rate includes the state's";
  if (countyAndCityMax !== null && exceed(book, county, place, countyAndCityMax))
    return `the county and city rates sum to more than the maximum of ${countyAndCityMax}: correct them`;
  return null;
};

const isNone = (code: string): boolean => /^0*$/.test(code);

/** Returns the county and place of a row, with their codes, if the rate file does not have them. */
const getUntaxed = (book: RateBook, cells: readonly string[], countyKey: LayerKey | null, place: LayerKey | null) => {
  const [county, placeCode] = [at(cells, columns.county), at(cells, columns.place)];
  const isLeftOut = isNone(county) || (book.exceptions.cityReplacesCounty && place !== null);
  return [
    ...(isLeftOut || (countyKey !== null && book.isNamed(countyKey)) ? [] : [`county ${county.padStart(3, '0')}`]),
    ...(isNone(placeCode) || place !== null ? [] : [`place ${placeCode.padStart(5, '0')}`]),
  ];
};

/** Finds the jurisdictions of a boundary row: its county, its place and all its districts. */
const readLayers = (book: RateBook, cells: readonly string[]) => {
  const { exceptions } = book;
  const place = placeKey(book, at(cells, columns.place), at(cells, columns.placeType));
  const countyKey = layerKey('0', at(cells, columns.county));
  const isLeftOut = countyKey === null || (exceptions.cityReplacesCounty && place !== null);
  // A county or place without a rate row has no local tax. Boundary rows list a district only if it levies a tax.
  const county = isLeftOut || !(exceptions.countyRequired || book.isNamed(countyKey)) ? null : countyKey;
  const listed = districts(book, cells);
  const keys = [...new Set([county, place, ...listed.keys].filter((key) => key !== null))];
  return {
    /** Codes of the jurisdictions, without duplicates. */
    locals: keys.map((key) => `US-${book.state}-${key}`),
    /** Keys that need a rate row but have none. */
    missing: keys.filter((key) => !book.isNamed(key)),
    /** Counties and places without a rate row, which have no local tax: `county 999`, `place 12345`. */
    untaxed: exceptions.countyRequired ? [] : getUntaxed(book, cells, countyKey, place),
    /** The earliest last day of the layers' rates; `null` if all are open-ended. */
    lastDay: keys.flatMap((key) => book.getLastDay(key) ?? []).toSorted()[0] ?? null,
    /** The problem of the row and how to correct it; `null` for a good row. */
    problem: listed.problem ?? findProblem(book, cells, county, place),
  };
};
type Layers = Readonly<ReturnType<typeof readLayers>>;

/** A street-address row that could have any address in its ZIP, on any day since the Streamlined agreement took effect. */
const unreadRow = { from: '2005-10-01', to: null, rank: 1, flags: ofStreets, street: anyAddress } as const;

const untaxedReason = 'is in a county or place without a rate: it adds no tax';
const endedReason = 'ends after the rate of one of its jurisdictions: its later days are not covered';
const streetsReason =
  'is a street-address row: an address in its ZIP that matches no such row could have its jurisdictions';
const unreadStreetReason =
  'is a street-address row whose house numbers or unit cannot be read: any address on its street could have its jurisdictions';
const namelessReason =
  'is a street-address row whose street cannot be read: any address in its ZIP could have its jurisdictions';

const reasonOfStreet = ({ street, parity }: StreetRange): string => {
  if (street === anyStreet) return namelessReason;
  return parity === 'U' ? unreadStreetReason : streetsReason;
};
// The number of cached layers, enough for all states together. A file with more distinct layers reads more slowly in
// the same memory.
const knownMax = 50_000;
const knownCharactersMax = 1000;

/** Returns the columns that determine the jurisdictions, without longitude and latitude, which differ in every row. */
const layerText = (cells: readonly string[]): string => `${cells.slice(22, 27).join()},${cells.slice(29).join()}`;

type BoundaryRow = { readonly span: BoundarySpan; readonly layers: Layers };

/** Resolves the rows of a boundary file against the rates. */
export class Boundaries {
  /** The earliest last day of the rows so far. */
  firstEnd: string | null = null;
  private readonly book: RateBook;
  private readonly zips: readonly string[];
  /** Caches the layers of rows, because most rows repeat them. */
  private readonly known = new Map<string, Layers>();
  /** Keys without rates that already have a tax entry. */
  private readonly declared = new Set<LayerKey>();
  /** Counties and places in boundary rows but not in the rate file: `county 999`, `place 12345`. */
  private readonly untaxed = new Set<string>();
  /** The ZIPs of all street-address rows and of skipped bad rows, as `low high`. */
  private readonly listedStreets = new Set<string>();
  private readonly lostStreets = new Set<string>();
  private areAnyLost = false;

  constructor(book: RateBook) {
    this.book = book;
    this.zips = zipsOfState(book.state);
  }

  entries(table: Table): AsyncGenerator<Entry> {
    return readRows(
      table,
      ({ cells }) => this.read(cells),
      (boundary, line) => this.rowEntries(boundary, line),
      {
        ofBad: (row) => this.addLost(row),
        onBroken: () => {
          this.areAnyLost = true;
        },
        atEnd: () => this.notes(),
      },
    );
  }

  private read(cells: readonly string[]): RowResult<BoundaryRow> {
    return whenRead(readBoundaryRow(cells, this.book.fips), (span) => {
      if (span.to !== null && (this.firstEnd === null || span.to < this.firstEnd)) this.firstEnd = span.to;
      if (!touchesAny(this.zips, span.low, span.high)) return skipped(foreignZips(this.book.state));
      return row({ span, layers: this.getLayers(cells) });
    });
  }

  private getLayers(cells: readonly string[]): Layers {
    const text = layerText(cells);
    const read = () => readLayers(this.book, cells);
    if (this.known.size >= knownMax) this.known.clear();
    return text.length > knownCharactersMax ? read() : getOrAdd(this.known, text, read);
  }

  /** A row with bad layers marks its ZIPs as not covered; otherwise a wider row would apply to them. */
  private *rowEntries({ span, layers }: BoundaryRow, line: number): Generator<Entry> {
    const { state, completeFrom } = this.book;
    const { locals, missing, problem } = layers;
    if (span.street) this.listedStreets.add(`${span.low} ${span.high}`);
    if (problem !== null) {
      yield { kind: 'bad', line, reason: problem };
      yield* unknownPlace(state, { kind: 'span', ...span });
      return;
    }
    for (const key of missing.filter((one) => !this.declared.has(one))) {
      this.declared.add(key);
      yield { kind: 'tax', jurisdiction: this.book.getJurisdiction(key), rates: [] };
    }
    // The rate file must have every jurisdiction of a row that applies on any day of the file's history.
    if (missing.length > 0 && (span.to === null || completeFrom === null || span.to >= completeFrom))
      yield {
        kind: 'bad',
        line,
        reason: `refers to ${missing.map((key) => key.replace('-', ' ')).join(', ')}, which the rate file does not have: use the rate and boundary files of the same quarter`,
      };
    yield* this.remarks(line, layers, span);
    yield { kind: 'span', ...span, locals };
  }

  private *remarks(line: number, { untaxed, lastDay }: Layers, { to, street }: BoundarySpan): Generator<Entry> {
    if (street) yield { kind: 'remark', line, reason: reasonOfStreet(street) };
    for (const code of untaxed) this.untaxed.add(code);
    assertFits(this.untaxed.size, limits.jurisdictions, 'counties and places');
    if (untaxed.length > 0) yield { kind: 'remark', line, reason: untaxedReason };
    if (lastDay !== null && (to === null || lastDay < to)) yield { kind: 'remark', line, reason: endedReason };
  }

  /**
   * Adds a bad row. Otherwise its addresses would count as outside of all street rows and get the tax of their ZIP
   * without a warning. If its type or ZIP cannot be read, it could belong to any ZIP with street-address rows.
   */
  private addLost(row: Row): readonly Entry[] {
    const type = (row.cells[0] ?? '').toUpperCase();
    const zip = row.cells[15]?.padStart(5, '0') ?? '';
    const isWhole = misreadReason(row) === null;
    if (isWhole && (type === 'Z' || type === '4')) return [];
    const isKnown = isWhole && type === 'A' && /^\d{5}$/.test(zip) && touchesAny(this.zips, zip, zip);
    if (isKnown) this.lostStreets.add(`${zip}0000 ${zip}9999`);
    else this.areAnyLost = true;
    return [];
  }

  /**
   * Yields notes about the first counties and places without rates, and about the addresses of skipped rows, which are
   * ambiguous.
   */
  private *notes(): Generator<Entry> {
    const codes = [...this.untaxed].toSorted();
    if (codes.length > 0) yield { kind: 'note', sentence: `The rate file has no rate for ${listFirst(codes)}.` };
    const lost = this.areAnyLost ? this.lostStreets.union(this.listedStreets) : this.lostStreets;
    for (const zips of lost) {
      const [low = '', high = ''] = zips.split(' ');
      yield* unknownPlace(this.book.state, { kind: 'span', low, high, ...unreadRow });
    }
    if (lost.size > 0)
      yield {
        kind: 'note',
        sentence: `Street-address rows of ${lost.size === 1 ? '1 ZIP' : `${lost.size} ZIPs`} cannot be read: if they are skipped, every address there is ambiguous.`,
      };
  }
}
