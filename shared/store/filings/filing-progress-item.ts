import * as z from 'zod/mini';
import { phases, type ShardProgress, type TotalsPart } from '../../filings/ledger.ts';
import type { Totals } from '../../filings/totals.ts';
import { compress, decompress } from '../client/compressed.ts';
import { filingProgressKey, type ItemKey, totalsPartKey } from '../keys.ts';
import { minorUnits, StoredSum } from '../stored-sum.ts';

const Jurisdictions = z.array(
  z.tuple([
    z.string(),
    z.object({
      jurisdiction_code: z.string(),
      jurisdiction_name: z.string(),
      jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
      currency: z.string(),
      reporting: z.nullable(z.object({ code: z.string(), month: z.string() })),
      sum: StoredSum,
      rates: z.array(z.tuple([z.string(), StoredSum])),
    }),
  ]),
);

const Stored = z.object({
  jurisdictions: Jurisdictions,
  summary: z.array(z.tuple([z.string(), StoredSum])),
  exceptions: z.array(z.tuple([z.string(), z.object({ gross: minorUnits, count: z.int() })])),
  // Absent while the jurisdictions are here.
  parts: z.optional(z.array(z.string())),
});

type Rows = z.output<typeof Jurisdictions>;

const toRows = (sums: Totals['jurisdictions']): Rows =>
  [...sums].map(([key, { rates, ...rest }]) => [key, { ...rest, rates: [...rates] }]);

const sumsFrom = (rows: Rows): Totals['jurisdictions'] =>
  new Map(rows.map(([key, { rates, ...sum }]) => [key, { ...sum, rates: new Map(rates) }]));

const storedTotals = ({ totals: { jurisdictions, summary, exceptions }, parts }: Whole): Uint8Array =>
  compress(
    z.encode(Stored, {
      jurisdictions: toRows(jurisdictions),
      summary: [...summary],
      exceptions: [...exceptions],
      ...(parts.length > 0 && { parts: [...parts] }),
    }),
  );

type Whole = Pick<ShardProgress, 'totals' | 'parts'>;

const totalsFrom = (bytes: Uint8Array): Whole => {
  const {
    jurisdictions,
    summary,
    exceptions,
    parts = [],
  } = z.decode(Stored, decompress(bytes) as z.input<typeof Stored>);
  const totals = { jurisdictions: sumsFrom(jurisdictions), summary: new Map(summary), exceptions: new Map(exceptions) };
  return { totals, parts };
};

const Item = z.object({
  shard: z.int(),
  phase: z.enum(phases),
  done: z.boolean(),
  entries: z.object({ moved: z.int(), marked: z.int(), reopened: z.int() }),
  cursor: z.nullable(
    z.object({ transactionId: z.string(), currency: z.string(), exceptions: z.optional(z.array(z.unknown())) }),
  ),
  totals: z.instanceof(Uint8Array),
  version: z.int(),
});

/** The item of a shard's progress. */
export const filingProgressItem = (
  account: string,
  id: string,
  { isDone, totals, parts, ...progress }: ShardProgress,
): ItemKey & Record<string, unknown> => ({
  ...filingProgressKey(account, id, progress.shard),
  ...progress,
  done: isDone,
  totals: storedTotals({ totals, parts }),
});

/** The progress of an item. Throws where the item is not what `filingProgressItem` makes. */
export const filingProgressFrom = (item: unknown): ShardProgress => {
  const { done, totals, ...progress } = Item.parse(item);
  return { ...progress, isDone: done, ...totalsFrom(totals) };
};

/** The item of a part of a shard's totals. */
export const totalsPartItem = (
  account: string,
  id: string,
  { sums, ...place }: TotalsPart,
): ItemKey & Record<string, unknown> => ({
  ...totalsPartKey(account, id, place),
  ...place,
  sums: compress(z.encode(Jurisdictions, toRows(sums))),
});

const PartItem = z.object({ shard: z.int(), from: z.string(), sums: z.instanceof(Uint8Array) });

/** The part of an item. Throws where the item is not what `totalsPartItem` makes. */
export const totalsPartFrom = (item: unknown): TotalsPart => {
  const { sums, ...place } = PartItem.parse(item);
  return { ...place, sums: sumsFrom(z.decode(Jurisdictions, decompress(sums) as z.input<typeof Jurisdictions>)) };
};
