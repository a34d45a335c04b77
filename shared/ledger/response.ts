import * as z from 'zod/mini';
import { described } from '../base/described.ts';
import { amount, listShape, objectType, timestamp, version } from '../base/response-scalars.ts';
import { outcomeShape } from '../calculations/response.ts';
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
