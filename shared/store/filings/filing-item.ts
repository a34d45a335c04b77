import * as z from 'zod/mini';
import { type FilingSummary, filingStatuses, frequencies } from '../../filings/filing.ts';
import type { FilingSequence, StoredFiling } from '../../filings/ledger.ts';
import { exceptionReasons } from '../../ledger/entries/entry.ts';
import { chainKey, filingKey, type ItemKey } from '../keys.ts';

type Item = ItemKey & Readonly<Record<string, unknown>>;

const instant = z.nullable(z.string());
const ChainEnd = z.object({ period_end: z.string(), filing: z.string() });

const text = z.string();
const Summary = z.object({
  currency: text,
  gross_amount: text,
  exempt_amount: text,
  exempt_by_reason: z.object({
    resale: text,
    product: text,
    customer: text,
    snap: text,
    marketplace: text,
    not_registered: text,
  }),
  not_covered_amount: text,
  taxable_amount: text,
  calculated_tax_amount: text,
  tax_amount: text,
  over_collected_amount: text,
  credit_amount: text,
  credit_count: z.int(),
  count: z.int(),
}) satisfies z.ZodMiniType<FilingSummary>;

const sum = { count: z.int(), gross_amount: text };
const Exceptions = z.object({
  count: z.int(),
  gross_amount: z.nullable(text),
  by_reason: z.array(z.object({ reason: z.enum(exceptionReasons), currency: text, ...sum })),
});

const Filing = z.object({
  pk: z.string(),
  sk: z.string(),
  state: z.string(),
  period_start: z.string(),
  period_end: z.string(),
  frequency: z.enum(frequencies),
  status: z.enum(filingStatuses),
  unfinished: z.boolean(),
  confirmation_number: z.nullable(z.string()),
  summary: z.array(Summary),
  exceptions: z.nullable(Exceptions),
  entries: z.object({ moved: z.int(), marked: z.int(), reopened: z.int() }),
  asked_by: z.string(),
  filed_by: z.nullable(z.string()),
  created_at: z.string(),
  closed_at: instant,
  filed_at: instant,
  canceled_at: instant,
  previous: z.nullable(ChainEnd),
  version: z.int(),
});

/** The item of a filing's head. It has no `account` and `id`, because the indexes of transactions would list it. */
export const filingItem = ({ account, id, isUnfinished, ...filing }: StoredFiling): Item => ({
  ...filingKey(account, id),
  ...filing,
  unfinished: isUnfinished,
});

/** The filing of a head. Throws where the item is not what `filingItem` makes. */
export const filingFrom = (item: unknown): StoredFiling => {
  const { pk, sk, unfinished, ...filing } = Filing.parse(item);
  return { account: pk.split('#')[1] ?? '', id: sk, isUnfinished: unfinished, ...filing };
};

const ChainItem = z.object({
  pk: z.string(),
  last: z.nullable(ChainEnd),
  busy: z.boolean(),
  held: z.boolean(),
  version: z.int(),
});

export const chainItem = ({ account, state, isBusy, isHeld, ...chain }: FilingSequence): Item => ({
  ...chainKey(account, state),
  ...chain,
  busy: isBusy,
  held: isHeld,
});

/** The chain of an item. Throws where the item is not what `chainItem` makes. */
export const chainFrom = (item: unknown): FilingSequence => {
  const { pk, busy, held, ...chain } = ChainItem.parse(item);
  const [, account = '', state = ''] = pk.split('#');
  return { account, state, isBusy: busy, isHeld: held, ...chain };
};
