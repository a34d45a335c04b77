import * as z from 'zod/mini';
import { type FilingSummary, filingStatuses, frequencies } from '../../filings/filing.ts';
import type { Chain, StoredFiling } from '../../filings/ledger.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import { exceptionReasons } from '../../transactions/entries/reasons.ts';
import { chainKey, filingKey, type ItemKey } from '../keys.ts';

type Item = ItemKey & Readonly<Record<string, unknown>>;

const instant = z.nullable(z.string());
const ChainEnd = z.object({ period_end: z.string(), filing: z.string() });

const text = z.string();
const later = z.optional(text);
const Summary = z.object({
  ...{
    currency: text,
    gross_amount: text,
    exempt_amount: text,
    taxable_amount: text,
    tax_amount: text,
    count: z.int(),
  },
  // Filings that earlier versions closed have none of these.
  exempt_by_reason: z.optional(
    z.object({ resale: text, product: text, customer: text, snap: text, marketplace: text, not_registered: text }),
  ),
  ...{ not_covered_amount: later, calculated_tax_amount: later, over_collected_amount: later },
  ...{ credit_amount: later, credit_count: z.optional(z.int()) },
});

const sum = { count: z.int(), gross_amount: text };
const Exceptions = z.object({
  count: z.int(),
  gross_amount: z.nullable(text),
  by_reason: z.array(z.object({ reason: z.enum(exceptionReasons), currency: text, ...sum })),
});

// In the order of the API, in which verification compares it.
const summaryFrom = (stored: z.infer<typeof Summary>): FilingSummary => {
  const zero = formatAmount(0n, minorDigits(stored.currency));
  const product = {
    resale: zero,
    product: stored.exempt_amount,
    customer: zero,
    snap: zero,
    marketplace: zero,
    not_registered: zero,
  };
  return {
    currency: stored.currency,
    gross_amount: stored.gross_amount,
    exempt_amount: stored.exempt_amount,
    exempt_by_reason: stored.exempt_by_reason ?? product,
    not_covered_amount: stored.not_covered_amount ?? zero,
    taxable_amount: stored.taxable_amount,
    calculated_tax_amount: stored.calculated_tax_amount ?? stored.tax_amount,
    tax_amount: stored.tax_amount,
    over_collected_amount: stored.over_collected_amount ?? zero,
    credit_amount: stored.credit_amount ?? zero,
    credit_count: stored.credit_count ?? 0,
    count: stored.count,
  };
};

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
  exceptions: z._default(z.nullable(Exceptions), null),
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
  const { pk, sk, unfinished, summary, ...filing } = Filing.parse(item);
  return {
    account: pk.split('#')[1] ?? '',
    id: sk,
    isUnfinished: unfinished,
    ...filing,
    summary: summary.map(summaryFrom),
  };
};

const ChainItem = z.object({
  pk: z.string(),
  last: z.nullable(ChainEnd),
  busy: z.boolean(),
  held: z.boolean(),
  version: z.int(),
});

export const chainItem = ({ account, state, isBusy, isHeld, ...chain }: Chain): Item => ({
  ...chainKey(account, state),
  ...chain,
  busy: isBusy,
  held: isHeld,
});

/** The chain of an item. Throws where the item is not what `chainItem` makes. */
export const chainFrom = (item: unknown): Chain => {
  const { pk, busy, held, ...chain } = ChainItem.parse(item);
  const [, account = '', state = ''] = pk.split('#');
  return { account, state, isBusy: busy, isHeld: held, ...chain };
};
