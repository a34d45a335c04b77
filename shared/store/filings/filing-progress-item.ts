import * as z from 'zod/mini';
import { phases, type ShardProgress } from '../../filings/ledger.ts';
import type { Totals } from '../../filings/totals.ts';
import { compress, decompress } from '../client/compressed.ts';
import { filingProgressKey, type ItemKey } from '../keys.ts';
import { minorUnits, StoredSum } from '../stored-sum.ts';

const Stored = z.object({
  jurisdictions: z.array(
    z.tuple([
      z.string(),
      z.object({
        jurisdiction_code: z.string(),
        jurisdiction_name: z.string(),
        jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
        currency: z.string(),
        // Totals that earlier versions wrote have none.
        reporting: z._default(z.nullable(z.object({ code: z.string(), month: z.string() })), null),
        sum: StoredSum,
        rates: z.array(z.tuple([z.string(), StoredSum])),
      }),
    ]),
  ),
  summary: z.array(z.tuple([z.string(), StoredSum])),
  exceptions: z._default(z.array(z.tuple([z.string(), z.object({ gross: minorUnits, count: z.int() })])), []),
});

type Row = z.output<typeof Stored>['jurisdictions'][number];

const storedTotals = ({ jurisdictions, summary, exceptions }: Totals): Uint8Array =>
  compress(
    z.encode(Stored, {
      jurisdictions: [...jurisdictions].map(([key, { rates, ...rest }]): Row => [key, { ...rest, rates: [...rates] }]),
      summary: [...summary],
      exceptions: [...exceptions],
    }),
  );

const totalsFrom = (bytes: Uint8Array): Totals => {
  const { jurisdictions, summary, exceptions } = z.decode(Stored, decompress(bytes) as z.input<typeof Stored>);
  return {
    jurisdictions: new Map(jurisdictions.map(([key, { rates, ...sum }]) => [key, { ...sum, rates: new Map(rates) }])),
    summary: new Map(summary),
    exceptions: new Map(exceptions),
  };
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

/** The item of a shard's progress. Two thousand jurisdictions take about 40 KB compressed. */
export const filingProgressItem = (
  account: string,
  id: string,
  { isDone, totals, ...progress }: ShardProgress,
): ItemKey & Record<string, unknown> => ({
  ...filingProgressKey(account, id, progress.shard),
  ...progress,
  done: isDone,
  totals: storedTotals(totals),
});

/** The progress of an item. Throws where the item is not what `filingProgressItem` makes. */
export const filingProgressFrom = (item: unknown): ShardProgress => {
  const { done, totals, ...progress } = Item.parse(item);
  return { ...progress, isDone: done, totals: totalsFrom(totals) };
};
