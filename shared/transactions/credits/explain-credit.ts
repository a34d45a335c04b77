import type { ExplanationStep, LineItemResponse, ShippingResponse } from '../../calculations/response.ts';
import type { Transaction } from '../transaction.ts';

const step = (pointer: string, text: string): ExplanationStep => ({
  step: 'rule',
  pointer,
  text,
  rule_id: null,
  citation: null,
});

/** The explanation of a credit's tax: the recorded charge, the credited part, and its part of the recorded tax. */
export const explainCredit = (
  parent: Transaction,
  lines: readonly LineItemResponse[],
  shipping: ShippingResponse | null,
): ExplanationStep[] => [
  ...lines.map((line, index) => {
    const pointer = `/line_items/${index}`;
    const whole = parent.line_items.find(({ id }) => id === (line.parent_line_item_id ?? line.id));
    return whole
      ? step(pointer, `Line ${whole.id} of ${parent.id}: ${proportion(line.net_amount, whole.net_amount, line, whole)}`)
      : step(pointer, `No line of ${parent.id}: calculated at its releases and its date, ${parent.tax_date}.`);
  }),
  ...(shipping && parent.shipping
    ? [
        step(
          '/shipping',
          `Shipping of ${parent.id}: ${proportion(shipping.amount, parent.shipping_amount, shipping, parent.shipping)}`,
        ),
      ]
    : []),
];

type Taxed = { readonly tax_amount: string };
const proportion = (net: string, wholeNet: string, part: Taxed, whole: Taxed) =>
  `${net} of its net of ${wholeNet}, and ${part.tax_amount} of its recorded tax of ${whole.tax_amount}.`;
