import { taxDateAt } from '../../accounts/time-zone.ts';
import { engineVersion, type Outcome } from '../../calculations/calculate.ts';
import { shippingList, shippingPointer } from '../../calculations/charges.ts';
import { echoMetadata } from '../../calculations/echo.ts';
import { step } from '../../calculations/explain/step.ts';
import { listCharges, listTaxRows, summarizeRows, writerFor } from '../../calculations/figures.ts';
import type { ExplanationStep, LineItemResponse, ShippingResponse, Warning } from '../../calculations/response.ts';
import { parseAmount } from '../../money/currency.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditContext } from './credit-request.ts';

type Shipping = ShippingResponse | ShippingResponse[] | null;

/** Sum credited lines and shipping as a calculation does. Content and place are the sale's; the tax date is the credit's. */
export const creditOutcome = (
  { parent, request, context: { now, settings }, exponent }: CreditContext,
  lines: readonly LineItemResponse[],
  shipping: Shipping,
  warnings: readonly Warning[] = [],
): Outcome => {
  const write = writerFor(exponent);
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + parseAmount(text, exponent), 0n);
  const charges = listCharges({ line_items: lines, shipping });
  const subtotal = sum(lines.map(({ amount }) => amount));
  const discount = sum(charges.map((charge) => charge.applied_discount_amount));
  const coupons = sum(lines.map((line) => line.applied_third_party_discount_amount));
  const shipped = shippingList(shipping).reduce((total, { amount }) => total + rescale(decimal(amount), exponent), 0n);
  const tax = sum(charges.map(({ tax_amount }) => tax_amount));
  return {
    currency: parent.currency,
    tax_date: request.tax_date ?? taxDateAt(now, settings.time_zone),
    customer: request.customer ?? parent.customer,
    ship_from: parent.ship_from,
    discount_amount: null,
    discount_applies_to: 'line_items',
    third_party_discount_amount: null,
    shipping,
    tax_included: parent.tax_included,
    collected_by: parent.collected_by,
    line_items: [...lines],
    metadata: echoMetadata(request.metadata),
    explain: request.explain ?? false,
    subtotal_amount: write(subtotal),
    applied_discount_amount: write(discount),
    applied_third_party_discount_amount: write(coupons),
    shipping_amount: write(shipped),
    taxable_amount: write(sum(charges.map(({ taxable_amount }) => taxable_amount))),
    exempt_amount: write(sum(charges.map(({ exempt_amount }) => exempt_amount))),
    tax_amount: write(tax),
    total_amount: write(subtotal - discount - coupons + shipped + (parent.tax_included ? 0n : tax)),
    tax_summary: summarizeRows(listTaxRows({ line_items: lines, shipping }), exponent),
    content_releases: parent.content_releases,
    engine_version: engineVersion,
    warnings: [...warnings],
    explanation: request.explain ? explainCredit(parent, lines, shipping) : null,
  };
};

/** The explanation of a credit's tax: the recorded charge, the credited part, and its part of the recorded tax. */
const explainCredit = (
  parent: Transaction,
  lines: readonly LineItemResponse[],
  shipping: Shipping,
): ExplanationStep[] => [
  ...lines.map((line, index) => {
    const pointer = `/line_items/${index}`;
    const whole = parent.line_items.find(({ id }) => id === (line.parent_line_item_id ?? line.id));
    return whole
      ? step(
          'rule',
          pointer,
          `Line ${whole.id} of ${parent.id}: ${proportion(line.net_amount, whole.net_amount, line, whole)}`,
        )
      : step('rule', pointer, `No line of ${parent.id}: calculated at its releases and its date, ${parent.tax_date}.`);
  }),
  ...shippingList(shipping).flatMap((charge, index) => {
    const whole = shippingList(parent.shipping).find(({ id }) => id === charge.id);
    const pointer = shippingPointer(shipping, index);
    return whole
      ? step(
          'rule',
          pointer,
          `Shipping of ${parent.id}: ${proportion(charge.net_amount, whole.net_amount, charge, whole)}`,
        )
      : [];
  }),
];

type Taxed = { readonly tax_amount: string };
const proportion = (net: string, wholeNet: string, part: Taxed, whole: Taxed) =>
  `${net} of its net of ${wholeNet}, and ${part.tax_amount} of its recorded tax of ${whole.tax_amount}.`;
