import type { Outcome } from '../calculations/calculate.ts';
import type { Warning } from '../calculations/response.ts';
import { formatAmount, minorDigits } from '../money/currency.ts';
import { nothingCredited } from './credits/amounts.ts';
import { newSalt } from './personal-data/fields.ts';
import type { CreatePorts } from './ports.ts';
import type { TransactionRequest } from './request.ts';
import type { RecordedBasis } from './settings-snapshot.ts';
import { replacedTax } from './supplied-tax.ts';
import type { NextTransaction } from './transaction.ts';

const owedByMarketplace =
  ' If the marketplace collected it, send tax_amount "0": you owe the tax sent, and returns report it as over-collected.';

/** Returns the warning that a supplied tax differs from the calculated tax. Both are stored. */
export const taxDiffers = (
  { tax_amount, collected_by }: Pick<Outcome, 'tax_amount' | 'collected_by'>,
  calculated: string,
): Warning => ({
  code: 'tax_amount_differs',
  message: `The tax sent, ${tax_amount}, differs from the calculated ${calculated}; both are kept.${collected_by === 'marketplace' ? owedByMarketplace : ''}`,
  pointer: '/tax_amount',
});

/** Builds a new transaction: its amounts, the deadline of a draft, and the basis of its calculation. */
export const newTransaction = (
  request: TransactionRequest,
  { calculated, recorded }: { readonly calculated: Outcome; readonly recorded: Outcome },
  basis: RecordedBasis,
  draftHours: number,
  { newId, now }: Pick<CreatePorts, 'newId' | 'now'>,
): NextTransaction => {
  const zero = formatAmount(0n, minorDigits(recorded.currency));
  const nowMs = now();
  const at = new Date(nowMs).toISOString();
  const isDraft = (request.status ?? 'draft') === 'draft';
  const [tax, calculatedTax] = [recorded.tax_amount, calculated.tax_amount];
  return {
    transaction: {
      object: 'transaction',
      id: newId(nowMs),
      status: isDraft ? 'draft' : 'finalized',
      type: request.type ?? 'sale',
      parent_transaction_id: request.parent_transaction_id ?? null,
      reference_id: request.reference_id ?? null,
      ...recorded,
      warnings: [...recorded.warnings, ...(tax === calculatedTax ? [] : [taxDiffers(recorded, calculatedTax)])],
      calculated_tax_amount: calculatedTax,
      tax_amount_source: request.tax_amount ? 'provided' : 'calculated',
      credited_amount: zero,
      credited_tax_amount: zero,
      refund_status: 'none',
      created_at: at,
      updated_at: at,
      finalized_at: isDraft ? null : at,
      filed_at: null,
      voided_at: null,
      void_reason: null,
      expires_at: isDraft ? new Date(nowMs + draftHours * 3_600_000).toISOString() : null,
      filings: [],
      version: 1,
    },
    credited: nothingCredited,
    ...replacedTax(calculated, recorded),
    ...basis,
    commitments: { salt: newSalt() },
  };
};
