import * as z from 'zod/mini';
import { described } from '../base/described.ts';
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

const TransactionFiling = described(
  z.object({
    id: described(z.string(), 'The id of the filing.'),
    state: described(z.string(), 'The jurisdiction code of the state.'),
    status: described(z.string(), 'The status of the filing.'),
  }),
  'A filing that includes the transaction.',
  { id: 'TransactionFiling' },
);

/** A transaction as the API returns it. */
export const Transaction = described(
  z.object({
    object: objectType('transaction'),
    id: described(z.string(), 'The id of the transaction. Opaque.'),
    status: described(z.enum(statuses), 'The status of the transaction.', { title: 'TransactionStatus' }),
    reference_id: described(
      z.nullable(z.string()),
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
    finalized_at: described(z.nullable(timestamp), 'When the transaction was finalized.'),
    filed_at: described(z.nullable(timestamp), 'When the transaction was filed.'),
    voided_at: described(z.nullable(timestamp), 'When the transaction was voided.'),
    void_reason: described(
      z.nullable(z.string()),
      'Why the transaction was voided. `draft_expired` for a draft that passed its deadline.',
    ),
    expires_at: described(
      z.nullable(timestamp),
      'When the draft becomes void unless it is finalized. `null` if the transaction was not created as a draft.',
    ),
    redacted_at: described(
      z.optional(timestamp),
      'When the personal data was removed: customer ids, street lines, ZIP+4, certificate numbers, descriptions, metadata and texts that may quote them. Missing unless it was removed.',
    ),
    filings: described(z.array(TransactionFiling), 'The filings that include the transaction.'),
    version,
  }),
  'A recorded sale or credit.',
  { id: 'Transaction' },
);

/** A row of a list. It has line items only if the request expands them. */
const TransactionRow = described(
  z.extend(Transaction, {
    line_items: described(z.nullable(Transaction.shape.line_items), '`null` unless `expand=line_items`.'),
  }),
  'A transaction in a list.',
  { id: 'TransactionListItem' },
);
export type TransactionRow = z.infer<typeof TransactionRow>;

export const TransactionList = described(
  z.object(listShape(z.literal('/transactions'), TransactionRow, 'The transactions of the page.')),
  'A page of transactions.',
  { id: 'TransactionList' },
);
export type TransactionList = z.infer<typeof TransactionList>;

/** An audit entry as the API returns it: every field that its hash covers, and the hash. */
const HistoryEntry = described(
  z.object({
    version,
    at: described(timestamp, 'When the change was made.'),
    by: described(
      z.string(),
      'The credential that made the change: the id of an API key, or `token:` and the subject of a bearer token. `draft_expired` if the draft passed its deadline. `operator` or `retention` if personal data was removed by a command or by the retention setting.',
    ),
    from: described(z.nullable(z.string()), 'The status before the change. `null` on the first entry.'),
    to: described(z.string(), 'The status after the change.'),
    fields: described(z.array(z.string()), 'The names of the changed fields. Empty on the first entry.'),
    state_hash: described(
      z.string(),
      'The hash of the transaction after the change, without `history`, in base64url. It covers salted commitments to personal data instead of the data.',
    ),
    previous_hash: described(z.nullable(z.string()), 'The `hash` of the previous entry. `null` on the first entry.'),
    hash: described(
      z.string(),
      'SHA-256 of the canonical JSON of the other fields of the entry and the id of the transaction, in base64url.',
    ),
  }),
  'A change of a transaction. It is kept forever, and contains the hash of the previous entry so that tampering is detectable.',
  { id: 'HistoryEntry' },
);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

const Commitments = described(
  z.object({
    salt: described(
      z.nullable(z.string()),
      'The salt of the commitments. `null` after the personal data was removed, so that nobody can verify a guess of it.',
    ),
    digest: described(z.string(), 'SHA-256 of the canonical JSON of the commitments by JSON Pointer, in base64url.'),
  }),
  'What `state_hash` covers of the personal data.',
  { id: 'Commitments' },
);

/** The response of GET /transactions/{id}. Writes do not return the history, and no hash covers it. */
export const RetrievedTransaction = described(
  z.extend(Transaction, {
    commitments: described(
      z.optional(Commitments),
      'What `state_hash` covers of the personal data. Missing unless `expand=history`.',
    ),
    history: described(
      z.nullable(z.array(HistoryEntry)),
      'The newest 50 changes, newest first. `null` unless `expand=history`.',
    ),
  }),
  'A transaction, with its history if `expand=history`.',
  { id: 'RetrievedTransaction' },
);
export type RetrievedTransaction = z.infer<typeof RetrievedTransaction>;

/** The response of GET /transactions/{id}/history. */
export const TransactionHistory = described(
  z.object({
    ...listShape(z.string(), HistoryEntry, 'The changes of the page, newest first.'),
    next_cursor: described(
      nextCursor,
      'Send it as `starting_after` to get the next page: the version of the last entry. `null` on the last page.',
    ),
  }),
  'A page of the changes of a transaction, newest first.',
  { id: 'TransactionHistory' },
);
export type TransactionHistory = z.infer<typeof TransactionHistory>;

/** Why no transaction in the ledger matches a reference from the billing system. */
const missingReasons = ['not_found', 'draft', 'void'] as const;

const transactionId = described(z.string(), 'The id of the transaction. Opaque.');
const transactionType = described(z.enum(['sale', 'credit']), '`sale`, or `credit` for a refund or credit memo.', {
  title: 'TransactionType',
});
const liveStatus = described(z.enum(statuses), '`finalized` or `filed`.', { title: 'TransactionStatus' });

const MissingTransaction = described(
  z.object({
    reference_id: described(z.string(), 'The `reference_id`, as sent.'),
    transaction_id: described(
      z.nullable(z.string()),
      'The draft, or the transaction that was voided last. `null` if there is none.',
    ),
    reason: described(
      z.enum(missingReasons),
      '`not_found`: no transaction has the `reference_id`. `draft`: the transaction is not finalized. `void`: the transaction was voided, or its draft expired.',
      { title: 'MissingReason' },
    ),
  }),
  'An invoice or credit memo without a finalized or filed transaction.',
  { id: 'MissingTransaction' },
);
export type MissingTransaction = z.infer<typeof MissingTransaction>;

// The sent amount, or a difference. A difference is not rounded to the currency and is negative if the ledger amount is
// lower.
const comparedAmount = described(z.string(), 'An amount.', { pattern: '^-?\\d{1,16}(\\.\\d{1,10})?$' });

const ReconciledAmounts = described(
  z.object({
    total_amount: described(comparedAmount, 'The total, with tax.'),
    tax_amount: described(comparedAmount, 'The tax.'),
  }),
  'A total and its tax.',
  { id: 'ReconciledAmounts' },
);
export type ReconciledAmounts = z.infer<typeof ReconciledAmounts>;

const DifferentTransaction = described(
  z.object({
    reference_id: described(z.string(), 'The `reference_id`, as sent.'),
    transaction_id: transactionId,
    type: transactionType,
    status: liveStatus,
    sent: described(ReconciledAmounts, 'The amounts of the billing system, as sent.'),
    recorded: described(ReconciledAmounts, 'The amounts of the ledger.'),
    difference: described(ReconciledAmounts, 'Recorded minus sent: negative if the ledger has less.'),
  }),
  'A transaction whose amounts differ from the amounts of the billing system.',
  { id: 'DifferentTransaction' },
);
export type DifferentTransaction = z.infer<typeof DifferentTransaction>;

const ExtraTransaction = described(
  z.object({
    transaction_id: transactionId,
    reference_id: described(z.nullable(z.string()), '`null` if the transaction has none.'),
    type: transactionType,
    status: liveStatus,
    tax_date: described(
      z.string(),
      "The date whose rates and rules apply. A timestamp is in the account's time zone.",
      instantKeywords,
    ),
    currency: currencyCode,
    total_amount: described(amount, 'The total, with tax.'),
    tax_amount: described(amount, 'The tax.'),
  }),
  'A transaction that is not in the list of the billing system.',
  { id: 'ExtraTransaction' },
);
export type ExtraTransaction = z.infer<typeof ExtraTransaction>;

/** The response of POST /reconciliations. */
export const Reconciliation = described(
  z.object({
    object: objectType('reconciliation'),
    from: described(z.nullable(z.string()), 'The start of the range, as sent. `null` without a range.'),
    to: described(z.nullable(z.string()), 'The end of the range, as sent. `null` without a range.'),
    matched_count: described(count, 'The number of finalized or filed transactions with exactly the sent amounts.'),
    missing: described(
      z.array(MissingTransaction),
      'Entries without a finalized or filed transaction, in the order sent.',
    ),
    different: described(
      z.array(DifferentTransaction),
      'Transactions with a different total or tax, in the order sent.',
    ),
    extra: described(
      z.nullable(z.array(ExtraTransaction)),
      'Finalized and filed transactions with a tax date in the range that are not in the list, newest first, at most 1,000. Read from an index that can be seconds behind. `null` without a range.',
    ),
    complete: described(
      z.boolean(),
      'Whether the whole range was searched. If false, send the same request with `next_cursor` as `starting_after` to get more of `extra`.',
    ),
    next_cursor: described(
      z.nullable(z.string()),
      'Send it as `starting_after` to continue the search. Opaque. `null` if `complete` is true.',
    ),
    warnings,
  }),
  'The comparison of a list from the billing system with the ledger. Nothing is stored.',
  { id: 'Reconciliation' },
);
export type Reconciliation = z.infer<typeof Reconciliation>;

const ReplayDifference = described(
  z.object({
    pointer: described(z.string(), 'A JSON Pointer into the transaction.'),
    recorded: described(z.nullable(z.string()), 'The recorded value. `null` if there is none.'),
    replayed: described(z.nullable(z.string()), 'The replayed value. `null` if there is none.'),
  }),
  'A value that differs between the recorded transaction and its replay.',
  { id: 'ReplayDifference' },
);
export type ReplayDifference = z.infer<typeof ReplayDifference>;

/** Why a transaction cannot be replayed. */
const replayReasons = ['release_not_found', 'parent_not_known', 'refused', 'redacted'] as const;

/** The response of POST /transactions/{id}/replay. */
export const Replay = described(
  z.object({
    object: objectType('replay'),
    id: described(z.string(), 'The id of the transaction. Opaque.'),
    version,
    match: described(
      z.nullable(z.boolean()),
      'Whether all values are equal. `null` if the transaction cannot be replayed; `reason` says why.',
    ),
    reason: described(
      z.nullable(z.enum(replayReasons)),
      'Why the transaction cannot be replayed. `null` if it was replayed.',
      { title: 'ReplayReason' },
    ),
    detail: described(z.nullable(z.string()), 'The reason in one sentence. `null` if the transaction was replayed.'),
    engine_version: described(z.string(), 'The engine version of the recorded transaction.'),
    replayed_engine_version: described(z.string(), 'The engine version of the replay.'),
    content_releases: contentReleases,
    difference_count: described(z.int(), 'The number of values that differ.'),
    differences: described(
      z.array(ReplayDifference),
      'The values that differ, in the order of the transaction. At most 100.',
    ),
  }),
  'The comparison of a recorded transaction with its replay.',
  { id: 'Replay' },
);
export type Replay = z.infer<typeof Replay>;
