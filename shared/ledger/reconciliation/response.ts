import * as z from 'zod/mini';
import { described } from '../../base/described.ts';
import { amount, count, currencyCode, objectType } from '../../base/response-scalars.ts';
import { instantKeywords } from '../../calculations/fields.ts';
import { warnings } from '../../calculations/response.ts';
import { statuses } from '../status.ts';

/** Why no transaction of the ledger matches a reference of the billing system. */
const missingReasons = ['not_found', 'draft', 'void'] as const;

const transactionId = described(z.string(), 'The id of the transaction. Opaque.');
const type = described(z.enum(['sale', 'credit']), '`sale`, or `credit` for a refund or credit memo.', {
  title: 'TransactionType',
});
const status = described(z.enum(statuses), '`finalized` or `filed`.', { title: 'TransactionStatus' });

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

// The sent amount, or a difference: not rounded to the currency, and negative if the ledger has less.
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
    type,
    status,
    sent: described(ReconciledAmounts, 'The amounts of the billing system, as sent.'),
    recorded: described(ReconciledAmounts, 'The amounts of the ledger.'),
    difference: described(ReconciledAmounts, 'Recorded minus sent: negative if the ledger has less.'),
  }),
  'A transaction whose amounts differ from those of the billing system.',
  { id: 'DifferentTransaction' },
);
export type DifferentTransaction = z.infer<typeof DifferentTransaction>;

const ExtraTransaction = described(
  z.object({
    transaction_id: transactionId,
    reference_id: described(z.nullable(z.string()), '`null` if the transaction has none.'),
    type,
    status,
    tax_date: described(
      z.string(),
      "The date whose rates and rules apply. An instant is in the account's time zone.",
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
    different: described(z.array(DifferentTransaction), 'Transactions with another total or tax, in the order sent.'),
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
