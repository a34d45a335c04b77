import * as z from 'zod/mini';
import { array, boolean, component, described, integer, nullable, nullableString, string } from '../base/described.ts';
import {
  amount,
  count,
  currencyCode,
  listShape,
  nextCursor,
  objectType,
  timestamp,
  version,
} from '../base/response-scalars.ts';
import { instantKeywords } from '../calculations/fields.ts';
import { contentReleases, outcomeShape, warnings } from '../calculations/response.ts';
import { statuses } from './status.ts';

const TransactionFiling = component('TransactionFiling', 'A filed return that includes the transaction.', {
  id: string('The id of the filing.'),
  state: string('The jurisdiction code of the state.'),
  status: string('`filed`.'),
});

/** A transaction as the API returns it. */
export const Transaction = component('Transaction', 'A recorded sale or credit.', {
  object: objectType('transaction'),
  id: string('The id of the transaction. Opaque.'),
  status: described(z.enum(statuses), 'The status of the transaction.', { title: 'TransactionStatus' }),
  reference_id: nullableString(
    'The id in your billing system. Unique among the transactions of the account that are not void.',
  ),
  ...outcomeShape,
  tax_amount: described(amount, 'The tax of the transaction: as sent, otherwise as calculated.'),
  calculated_tax_amount: described(amount, 'The tax that Levy calculated, even if the request sent `tax_amount`.'),
  tax_amount_source: described(
    z.enum(['provided', 'calculated']),
    'Whether `tax_amount` was sent in the request or calculated.',
    { title: 'TaxAmountSource' },
  ),
  credited_amount: described(amount, 'The amount that credits have refunded, without tax.'),
  credited_tax_amount: described(amount, 'The tax that credits have refunded.'),
  refund_status: described(z.enum(['none', 'partial', 'full']), 'How much of the sale has been credited.', {
    title: 'RefundStatus',
  }),
  created_at: described(timestamp, 'When the transaction was created.'),
  updated_at: described(timestamp, 'When the transaction last changed.'),
  finalized_at: nullable(timestamp, 'When the transaction was finalized.'),
  filed_at: nullable(timestamp, 'When the transaction was filed.'),
  voided_at: nullable(timestamp, 'When the transaction was voided.'),
  void_reason: nullableString('Why the transaction was voided. `draft_expired` for a draft that passed its deadline.'),
  expires_at: nullable(
    timestamp,
    'When the draft becomes void unless it is finalized. `null` after it is finalized, and if the transaction was not created as a draft.',
  ),
  redacted_at: described(
    z.optional(timestamp),
    'When the personal data was removed: customer ids, street lines, ZIP+4, certificate numbers, descriptions, metadata and texts that may quote them. Missing unless it was removed.',
  ),
  filings: array(
    TransactionFiling,
    'The filed returns that include the transaction. A filing lists its transactions from the time it is closed: `GET /filings/{id}?expand=entries`.',
  ),
  version,
});

/** A row of a list. It has line items only if the request expands them. */
const TransactionRow = described(
  z.extend(Transaction, { line_items: nullable(Transaction.shape.line_items, '`null` unless `expand=line_items`.') }),
  'A transaction in a list.',
  { id: 'TransactionListItem' },
);
export type TransactionRow = z.infer<typeof TransactionRow>;

export const TransactionList = component(
  'TransactionList',
  'A page of transactions.',
  listShape(z.literal('/transactions'), TransactionRow, 'The transactions of the page.'),
);
export type TransactionList = z.infer<typeof TransactionList>;

/** An audit entry as the API returns it: every field that its hash covers, and the hash. */
const HistoryEntry = component(
  'HistoryEntry',
  'A change of a transaction. It is kept forever, and contains the hash of the previous entry so that tampering is detectable.',
  {
    version,
    at: described(timestamp, 'When the change was made.'),
    by: string(
      'The credential that made the change: the id of an API key, or `token:` and the subject of a bearer token. `draft_expired` if the draft passed its deadline. `operator` or `retention` if personal data was removed by a command or by the retention setting.',
    ),
    from: nullableString('The status before the change. `null` on the first entry.'),
    to: string('The status after the change.'),
    fields: array(z.string(), 'The names of the changed fields. Empty on the first entry.'),
    state_hash: string(
      'The hash of the transaction after the change, without `history`, in base64url. It covers salted commitments to personal data instead of the data.',
    ),
    previous_hash: nullableString('The `hash` of the previous entry. `null` on the first entry.'),
    hash: string(
      'SHA-256 of the canonical JSON of the other fields of the entry and the id of the transaction, in base64url.',
    ),
  },
);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

const Commitments = component('Commitments', 'What `state_hash` covers of the personal data.', {
  salt: nullableString(
    'The salt of the commitments. `null` after the personal data was removed, so that nobody can verify a guess of it.',
  ),
  digest: string('SHA-256 of the canonical JSON of the commitments by JSON Pointer, in base64url.'),
});

/** The response of GET /transactions/{id}. Writes do not return the history, and no hash covers it. */
export const RetrievedTransaction = described(
  z.extend(Transaction, {
    commitments: described(
      z.optional(Commitments),
      'What `state_hash` covers of the personal data. Missing unless `expand=history`.',
    ),
    history: nullable(z.array(HistoryEntry), 'The newest 50 changes, newest first. `null` unless `expand=history`.'),
  }),
  'A transaction, with its history if `expand=history`.',
  { id: 'RetrievedTransaction' },
);
export type RetrievedTransaction = z.infer<typeof RetrievedTransaction>;

/** The response of GET /transactions/{id}/history. */
export const TransactionHistory = component(
  'TransactionHistory',
  'A page of the changes of a transaction, newest first.',
  {
    ...listShape(z.string(), HistoryEntry, 'The changes of the page, newest first.'),
    next_cursor: described(
      nextCursor,
      'Send it as `starting_after` to get the next page: the version of the last entry. `null` on the last page.',
    ),
  },
);
export type TransactionHistory = z.infer<typeof TransactionHistory>;

/** Why no transaction in the ledger matches a reference from the billing system. */
const missingReasons = ['not_found', 'draft', 'void'] as const;

const transactionId = string('The id of the transaction. Opaque.');
const transactionType = described(z.enum(['sale', 'credit']), '`sale`, or `credit` for a refund or credit memo.', {
  title: 'TransactionType',
});
const liveStatus = described(z.enum(statuses), '`finalized` or `filed`.', { title: 'TransactionStatus' });

const MissingTransaction = component(
  'MissingTransaction',
  'An invoice or credit memo without a finalized or filed transaction.',
  {
    reference_id: string('The `reference_id`, as sent.'),
    transaction_id: nullableString('The draft, or the transaction that was voided last. `null` if there is none.'),
    reason: described(
      z.enum(missingReasons),
      '`not_found`: no transaction has the `reference_id`. `draft`: the transaction is not finalized. `void`: the transaction was voided, or its draft expired.',
      { title: 'MissingReason' },
    ),
  },
);
export type MissingTransaction = z.infer<typeof MissingTransaction>;

// The sent amount, or a difference. A difference is not rounded to the currency and is negative if the ledger amount is
// lower.
const comparedAmount = string('An amount.', { pattern: '^-?\\d{1,16}(\\.\\d{1,10})?$' });

const ReconciledAmounts = component('ReconciledAmounts', 'A total and its tax.', {
  total_amount: described(comparedAmount, 'The total, with tax.'),
  tax_amount: described(comparedAmount, 'The tax.'),
});
export type ReconciledAmounts = z.infer<typeof ReconciledAmounts>;

const DifferentTransaction = component(
  'DifferentTransaction',
  'A transaction whose amounts differ from the amounts of the billing system.',
  {
    reference_id: string('The `reference_id`, as sent.'),
    transaction_id: transactionId,
    type: transactionType,
    status: liveStatus,
    sent: described(ReconciledAmounts, 'The amounts of the billing system, as sent.'),
    recorded: described(ReconciledAmounts, 'The amounts of the ledger.'),
    difference: described(ReconciledAmounts, 'Recorded minus sent: negative if the ledger has less.'),
  },
);
export type DifferentTransaction = z.infer<typeof DifferentTransaction>;

const ExtraTransaction = component('ExtraTransaction', 'A transaction that is not in the list of the billing system.', {
  transaction_id: transactionId,
  reference_id: nullableString('`null` if the transaction has none.'),
  type: transactionType,
  status: liveStatus,
  tax_date: string("The date whose rates and rules apply. A timestamp is in the account's time zone.", instantKeywords),
  currency: currencyCode,
  total_amount: described(amount, 'The total, with tax.'),
  tax_amount: described(amount, 'The tax.'),
});
export type ExtraTransaction = z.infer<typeof ExtraTransaction>;

/** The response of POST /reconciliations. */
export const Reconciliation = component(
  'Reconciliation',
  'The comparison of a list from the billing system with the ledger. Nothing is stored.',
  {
    object: objectType('reconciliation'),
    from: nullableString('The start of the range, as sent. `null` without a range.'),
    to: nullableString('The end of the range, as sent. `null` without a range.'),
    matched_count: described(count, 'The number of finalized or filed transactions with exactly the sent amounts.'),
    missing: array(MissingTransaction, 'Entries without a finalized or filed transaction, in the order sent.'),
    different: array(DifferentTransaction, 'Transactions with a different total or tax, in the order sent.'),
    extra: nullable(
      z.array(ExtraTransaction),
      'Finalized and filed transactions with a tax date in the range that are not in the list, newest first, at most 1,000. Read from an index that can be seconds behind. `null` without a range.',
    ),
    complete: boolean(
      'Whether the whole range was searched. If false, send the same request with `next_cursor` as `starting_after` to get more of `extra`.',
    ),
    next_cursor: nullableString(
      'Send it as `starting_after` to continue the search. Opaque. `null` if `complete` is true.',
    ),
    warnings,
  },
);
export type Reconciliation = z.infer<typeof Reconciliation>;

const ReplayDifference = component(
  'ReplayDifference',
  'A value that differs between the recorded transaction and its replay.',
  {
    pointer: string('A JSON Pointer into the transaction.'),
    recorded: nullableString('The recorded value. `null` if there is none.'),
    replayed: nullableString('The replayed value. `null` if there is none.'),
  },
);
export type ReplayDifference = z.infer<typeof ReplayDifference>;

/** Why a transaction cannot be replayed. */
const replayReasons = ['release_not_found', 'parent_not_known', 'refused', 'redacted'] as const;

/** The response of POST /transactions/{id}/replay. */
export const Replay = component('Replay', 'The comparison of a recorded transaction with its replay.', {
  object: objectType('replay'),
  id: string('The id of the transaction. Opaque.'),
  version,
  match: nullable(
    z.boolean(),
    'Whether all values are equal. `null` if the transaction cannot be replayed; `reason` states why.',
  ),
  reason: nullable(z.enum(replayReasons), 'Why the transaction cannot be replayed. `null` if it was replayed.', {
    title: 'ReplayReason',
  }),
  detail: nullableString('The reason in one sentence. `null` if the transaction was replayed.'),
  engine_version: string('The engine version of the recorded transaction.'),
  replayed_engine_version: string('The engine version of the replay.'),
  content_releases: contentReleases,
  difference_count: integer('The number of values that differ.'),
  differences: array(ReplayDifference, 'The values that differ, in the order of the transaction. At most 100.'),
});
export type Replay = z.infer<typeof Replay>;
