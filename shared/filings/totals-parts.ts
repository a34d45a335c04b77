import type { Account } from '../accounts/account.ts';
import { assert } from '../base/assert.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../base/cursor.ts';
import { responseBytes } from '../base/response-size.ts';
import { pageBytesMax } from '../ledger/page-limit.ts';
import type { StoredFiling } from './filing.ts';
import type { FilingReads, ShardProgress, TotalsPart } from './ports.ts';
import type { FilingTotal } from './response.ts';
import { inOrder, type JurisdictionSum, noTotals, sumsOfAll, type Totals, totalsOfAll } from './totals.ts';
import { toFilingTotal } from './totals-response.ts';

type Sums = Totals['jurisdictions'];
type Keyed = readonly [string, JurisdictionSum];

/** A row is the sum of a jurisdiction in a currency, or of one of its rates. */
const countRows = ({ rates }: JurisdictionSum): number => 1 + rates.size;
const rowsIn = (sums: Sums): number => [...sums.values()].reduce((rows, sum) => rows + countRows(sum), 0);

/**
 * Splits sums that have too many rows into parts of at most half as many rows. A part has at least one jurisdiction.
 */
const split = (place: Omit<TotalsPart, 'sums'>, sums: Sums, rowsMax: number): TotalsPart[] => {
  if (rowsIn(sums) <= rowsMax) return [{ ...place, sums }];
  let part = { ...place, sums: new Map<string, JurisdictionSum>() };
  const parts = [part];
  let rows = 0;
  for (const [key, sum] of inOrder(sums)) {
    const added = countRows(sum);
    if (rows > 0 && rows + added > rowsMax / 2) {
      part = { ...place, from: key, sums: new Map() };
      parts.push(part);
      rows = 0;
    }
    part.sums.set(key, sum);
    rows += added;
  }
  return parts;
};

/** Groups the sums by the first key of the part that contains them. Without parts, all of them are in one part. */
const byPart = (sums: Sums, parts: readonly string[]): ReadonlyMap<string, Sums> => {
  const groups = Map.groupBy(sums, ([key]) => parts.findLast((from) => from <= key) ?? '');
  return new Map([...groups].map(([from, keyed]) => [from, new Map(keyed)]));
};

/** Reads each part of one shard at most once. */
type PartsReader = (keys: readonly string[]) => Promise<ReadonlyMap<string, Sums>>;

export const partsReader = (
  { account, id }: StoredFiling,
  { shard }: ShardProgress,
  { parts }: Pick<FilingReads, 'parts'>,
): PartsReader => {
  const known = new Map<string, Sums>();
  return async (keys) => {
    const unknown = keys.filter((from) => !known.has(from)).map((from) => ({ shard, from }));
    for (const { from, sums } of await parts(account, id, unknown)) known.set(from, sums);
    return known;
  };
};

/** The number of stored parts that have the keys of these totals. */
export const partsWith = ({ parts }: Pick<ShardProgress, 'parts'>, { jurisdictions }: Totals): number =>
  parts.length === 0 ? 0 : byPart(jurisdictions, parts).size;

/** A shard's totals after a step, and the parts that the step writes. */
export type ShardTotalsUpdate = Pick<ShardProgress, 'totals' | 'parts'> & { readonly written: readonly TotalsPart[] };

/**
 * Adds to the totals of a shard. Up to `rowsMax` rows are stored in the progress item. More rows are stored in parts by
 * key range, and a part with more than `rowsMax` rows is split. Only the parts that have the added keys are read and
 * written.
 */
export const addToShard = async (
  { shard, totals, parts }: ShardProgress,
  added: Totals,
  rowsMax: number,
  read: PartsReader,
): Promise<ShardTotalsUpdate> => {
  const whole = totalsOfAll([totals, { ...added, jurisdictions: noTotals.jurisdictions }]);
  const isInline = parts.length === 0;
  const changed = byPart(added.jurisdictions, parts);
  const before = isInline ? new Map([['', totals.jurisdictions]]) : await read([...changed.keys()]);
  const written = [...changed].flatMap(([from, sums]) => {
    const known = before.get(from);
    assert(known !== undefined, 'A part of the totals of a filing is missing.');
    return split({ shard, from }, sumsOfAll([known, sums]), rowsMax);
  });
  if (isInline && written.length <= 1)
    return { totals: { ...whole, jurisdictions: written[0]?.sums ?? totals.jurisdictions }, parts, written: [] };
  const all = new Set([...parts, ...written.map(({ from }) => from)]);
  return { totals: { ...whole, jurisdictions: noTotals.jurisdictions }, parts: [...all].sort(), written };
};

type Source = { readonly shard: number; readonly rows: readonly Keyed[]; readonly unread: readonly string[] };

// Eight shards read 32 parts, which is within the BatchGetItem limits of 100 keys and 16 MB.
const partsAtOnce = 4;

/** Reads until each source has a row or is exhausted. */
const refillSources = async (
  sources: readonly Source[],
  after: string,
  read: (places: readonly { readonly shard: number; readonly from: string }[]) => Promise<readonly TotalsPart[]>,
): Promise<readonly Source[]> => {
  const isDue = ({ rows, unread }: Source) => rows.length === 0 && unread.length > 0;
  let all = sources;
  while (all.some(isDue)) {
    const due = all.filter(isDue);
    const places = due.flatMap(({ shard, unread }) => unread.slice(0, partsAtOnce).map((from) => ({ shard, from })));
    const parts = await read(places);
    assert(parts.length === places.length, 'A part of the totals of a filing is missing.');
    const rowsIn = (shard: number) =>
      inOrder(sumsOfAll(parts.filter((part) => part.shard === shard).map(({ sums }) => sums)));
    all = all.map((source) =>
      isDue(source)
        ? {
            ...source,
            rows: rowsIn(source.shard).filter(([key]) => key > after),
            unread: source.unread.slice(partsAtOnce),
          }
        : source,
    );
  }
  return all;
};

/**
 * Yields the sums of all shards after a key, in order, in groups. Reads a few parts of each shard at a time, so the
 * work and memory depend on the number of groups consumed and not on the size of the filing.
 */
export const sumsAfter = async function* (
  { account, id }: Pick<StoredFiling, 'account' | 'id'>,
  shards: readonly ShardProgress[],
  after: string,
  { parts: readParts }: Pick<FilingReads, 'parts'>,
): AsyncGenerator<readonly Keyed[]> {
  let sources: readonly Source[] = shards.map(({ shard, totals, parts }) => ({
    shard,
    rows: inOrder(totals.jurisdictions).filter(([key]) => key > after),
    unread: parts.filter((_, at) => (parts[at + 1] ?? '~') > after),
  }));
  for (;;) {
    sources = await refillSources(sources, after, (places) => readParts(account, id, places));
    // Each source that has more to read is complete up to its last row.
    const last = sources.flatMap(({ rows, unread }) => (unread.length > 0 ? rows.slice(-1) : []));
    const end = last.map(([key]) => key).sort()[0] ?? '~';
    const isReady = ([key]: Keyed) => key <= end;
    const ready = sumsOfAll(sources.map(({ rows }) => new Map(rows.filter(isReady))));
    if (ready.size > 0) yield inOrder(ready);
    sources = sources.map((source) => ({ ...source, rows: source.rows.filter((keyed) => !isReady(keyed)) }));
    if (sources.every(({ rows, unread }) => rows.length === 0 && unread.length === 0)) return;
  }
};

/** A page of totals, and the cursor of the next one. */
export type TotalsPage = { readonly totals: FilingTotal[]; readonly totals_next_cursor: string | null };

/** The scope of a cursor of totals: the filing, or the dry run of a period. */
type TotalsList = {
  readonly account: Pick<Account, 'cursor_secret'>;
  readonly owner: { readonly filing: string } | { readonly state: string; readonly period_end: string };
};

const cursorScope = ({ account, owner }: TotalsList): CursorScope => ({
  list: 'filings',
  secret: account.cursor_secret,
  filters: { ...owner, only: 'totals' },
});

/** Returns the key after which a page begins: the start without a cursor, `null` for an invalid cursor. */
export const keyAfter = (cursor: string | null | undefined, list: TotalsList): string | null =>
  cursor == null ? '' : decodeCursor(cursor, cursorScope(list));

// The minimum size of a total: its field names and zeros.
const totalBytesMin = 900;

/** Returns an upper bound of the number of totals in this many bytes. */
export const totalsMax = (bytes = pageBytesMax): number => Math.ceil(bytes / totalBytesMin);

/** Returns the totals of the first sums that fit in `bytesMax`, at least one. */
export const pageOfTotals = (sums: readonly Keyed[], list: TotalsList, bytesMax = pageBytesMax): TotalsPage => {
  const totals: TotalsPage['totals'] = [];
  let bytes = 0;
  for (const [at, [, sum]] of sums.entries()) {
    const total = toFilingTotal(sum);
    bytes += responseBytes(JSON.stringify(total));
    const [last] = sums[at - 1] ?? [];
    if (last !== undefined && bytes > bytesMax)
      return { totals, totals_next_cursor: encodeCursor(last, cursorScope(list)) };
    totals.push(total);
  }
  return { totals, totals_next_cursor: null };
};

/** Returns a page of a filing's totals after a key. */
export const filingTotals = async (
  filing: StoredFiling,
  shards: readonly ShardProgress[],
  account: Pick<Account, 'cursor_secret'>,
  filings: Pick<FilingReads, 'parts'>,
  { after = '', bytesMax = pageBytesMax }: { readonly after?: string; readonly bytesMax?: number } = {},
): Promise<TotalsPage> => {
  const sums: Keyed[] = [];
  for await (const group of sumsAfter(filing, shards, after, filings)) {
    sums.push(...group);
    if (sums.length > totalsMax(bytesMax)) break;
  }
  return pageOfTotals(sums, { account, owner: { filing: filing.id } }, bytesMax);
};
