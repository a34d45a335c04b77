import * as z from 'zod/mini';
import { FilingChain, FilingHead, type FilingSequence, type StoredFiling } from '../../filings/filing.ts';
import { phases, type ShardProgress, type TotalsPart } from '../../filings/ports.ts';
import { compress, decompress } from '../client/compressed.ts';
import { chainKey, filingKey, filingProgressKey, type ItemKey, totalsPartKey } from '../keys.ts';
import { minorUnits, StoredSum } from '../stored-sum.ts';

type Item = ItemKey & Readonly<Record<string, unknown>>;

const Key = z.object({ pk: z.string(), sk: z.string() });

/** The item of a filing's head. It has no `account` and `id`, because the indexes of transactions would list it. */
export const filingItem = ({ account, id, ...filing }: StoredFiling): Item => ({
  ...filingKey(account, id),
  ...filing,
});

/** The filing of a head. Throws where the item is not what `filingItem` makes. */
export const filingFrom = (item: unknown): StoredFiling => {
  const { pk, sk } = Key.parse(item);
  return { account: pk.split('#')[1] ?? '', id: sk, ...FilingHead.parse(item) };
};

export const chainItem = ({ account, state, ...chain }: FilingSequence): Item => ({
  ...chainKey(account, state),
  ...chain,
});

/** The chain of an item. Throws where the item is not what `chainItem` makes. */
export const chainFrom = (item: unknown): FilingSequence => {
  const [, account = '', state = ''] = Key.parse(item).pk.split('#');
  return { account, state, ...FilingChain.parse(item) };
};

/** A map, stored as its entries. */
const mapOf = <Value extends z.ZodMiniType>(value: Value) =>
  z.codec(z.array(z.tuple([z.string(), value])), z.custom<ReadonlyMap<string, z.output<Value>>>(), {
    decode: (entries) => new Map(entries as [string, z.output<Value>][]),
    encode: (map) => [...map] as never,
  });

const Jurisdictions = mapOf(
  z.object({
    jurisdiction_code: z.string(),
    jurisdiction_name: z.string(),
    jurisdiction_type: z.enum(['state', 'county', 'city', 'district']),
    currency: z.string(),
    reporting: z.nullable(z.object({ code: z.string(), month: z.string() })),
    sum: StoredSum,
    rates: mapOf(StoredSum),
  }),
);

const StoredTotals = z.object({
  jurisdictions: Jurisdictions,
  summary: mapOf(StoredSum),
  exceptions: mapOf(z.object({ gross: minorUnits, count: z.int() })),
  parts: z.array(z.string()),
});

/** A value that is stored as compressed JSON. */
const compressed = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.codec(z.instanceof(Uint8Array), schema, {
    decode: (bytes) => decompress(bytes) as z.input<Schema>,
    encode: (json) => compress(json) as Uint8Array<ArrayBuffer>,
  });

const Progress = z.object({
  shard: z.int(),
  phase: z.enum(phases),
  isDone: z.boolean(),
  entries: z.object({ moved: z.int(), marked: z.int(), reopened: z.int() }),
  cursor: z.nullable(
    z.object({ transactionId: z.string(), currency: z.string(), exceptions: z.optional(z.array(z.unknown())) }),
  ),
  totals: compressed(StoredTotals),
  version: z.int(),
});

/** The item of a shard's progress. */
export const filingProgressItem = (account: string, id: string, progress: ShardProgress): Item => {
  const { totals, parts, ...others } = progress;
  const stored = { ...others, totals: { ...totals, parts } } as z.output<typeof Progress>;
  return { ...filingProgressKey(account, id, progress.shard), ...z.encode(Progress, stored) };
};

/** The progress of an item. Throws where the item is not what `filingProgressItem` makes. */
export const filingProgressFrom = (item: unknown): ShardProgress => {
  const { totals: stored, ...progress } = z.decode(Progress, item as z.input<typeof Progress>);
  const { parts, ...totals } = stored;
  return { ...progress, totals, parts };
};

const Part = z.object({ shard: z.int(), from: z.string(), sums: compressed(Jurisdictions) });

/** The item of a part of a shard's totals. */
export const totalsPartItem = (account: string, id: string, part: TotalsPart): Item => ({
  ...totalsPartKey(account, id, part),
  ...z.encode(Part, part),
});

/** The part of an item. Throws where the item is not what `totalsPartItem` makes. */
export const totalsPartFrom = (item: unknown): TotalsPart => z.decode(Part, item as z.input<typeof Part>);
