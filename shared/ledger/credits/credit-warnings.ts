import { generalGoods } from '../../calculations/charges.ts';
import type { Warning } from '../../calculations/response.ts';
import { isSame, withoutNulls } from '../same-value.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditRequest } from './credit-request.ts';
import { parentLineId } from './remaining.ts';

/** The warning of a credit line that matches no line of its sale. */
export const unmatchedWarning = (index: number): Warning => ({
  code: 'credit_line_unmatched',
  message: "No line of the parent has this id: it was calculated at the parent's releases and date.",
  pointer: `/line_items/${index}`,
});

const differs = (sent: unknown, recorded: unknown): boolean =>
  sent !== null && sent !== undefined && !isSame(withoutNulls(sent), withoutNulls(recorded));

const ignoredWarning = (pointer: string, value: string): Warning => ({
  code: 'credit_field_ignored',
  message: `A credit returns the recorded tax of its sale, so ${value} of the sale applies. To tax other terms, send a sale of its own.`,
  pointer,
});

/** Sent terms of a line that differ from the credited line's terms, which the credit inherits. */
const lineWarnings = (parent: Transaction, request: CreditRequest): Warning[] =>
  (request.line_items ?? []).flatMap((line, index) => {
    const id = parentLineId(line, parent);
    const sold = parent.line_items.find((candidate) => candidate.id === id);
    if (!sold) return [];
    const fields = [
      ['product_tax_code', 'the code', sold.product_tax_code ?? generalGoods],
      ['customer', 'the customer', sold.customer ?? parent.customer],
      ['ship_from', 'the origin', sold.ship_from ?? parent.ship_from],
    ] as const;
    return fields
      .filter(([name, , recorded]) => differs(line[name], recorded))
      .map(([name, value]) => ignoredWarning(`/line_items/${index}/${name}`, value));
  });

/** The warnings of a credit of a sale: sent fields without effect on the recorded tax, and a tax date before the sale's. */
export const creditWarnings = (parent: Transaction, request: CreditRequest): Warning[] => {
  const { customer, tax_date, line_items } = request;
  const isTaken = !line_items || line_items.some((line) => parentLineId(line, parent) !== undefined);
  return [
    ...(isTaken && differs(customer, parent.customer) ? [ignoredWarning('/customer', 'the customer')] : []),
    ...lineWarnings(parent, request),
    ...(tax_date && tax_date.slice(0, 10) < parent.tax_date.slice(0, 10)
      ? [
          {
            code: 'credit_before_sale' as const,
            message: `The credit is dated before its sale, ${parent.tax_date.slice(0, 10)}, and counts in an earlier period. Check tax_date.`,
            pointer: '/tax_date',
          },
        ]
      : []),
  ];
};
