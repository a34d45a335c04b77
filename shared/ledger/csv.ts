import { csvText } from '../base/csv.ts';
import { stateOfJurisdiction } from '../vocabulary/jurisdiction.ts';
import type { TransactionList } from './response.ts';

const columns = [
  ...([
    'id',
    'type',
    'status',
    'reference_id',
    'parent_transaction_id',
    'customer_id',
    'tax_date',
    'currency',
  ] as const),
  ...(['subtotal_amount', 'shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount', 'total_amount'] as const),
  ...(['credited_amount', 'credited_tax_amount', 'states', 'postal_code'] as const),
  ...(['created_at', 'finalized_at', 'filed_at', 'voided_at'] as const),
] as const;

/** A page of transactions as CSV, one row each. Amounts of a credit are positive, as in JSON. `states` are separated by a space. */
export const transactionsCsv = ({ data }: Pick<TransactionList, 'data'>): string =>
  csvText(
    columns,
    data.map((row) => ({
      ...row,
      customer_id: row.customer?.id ?? null,
      postal_code: row.customer?.address?.postal_code ?? null,
      states: [...new Set(row.tax_summary.map((sum) => stateOfJurisdiction(sum.jurisdiction_code)))].join(' '),
    })),
  );
