import { engineVersion, type Outcome } from '../../calculations/calculate.ts';
import type { Context } from '../../calculations/document.ts';
import { metadataOf } from '../../calculations/echo.ts';
import { rowsOf, summaryOfRows, writerFor } from '../../calculations/figures.ts';
import type { LineItemResponse, ShippingResponse, Warning } from '../../calculations/response.ts';
import { exponentOf, parseAmount } from '../../money/currency.ts';
import { decimal, rescale } from '../../money/decimal.ts';
import type { Transaction } from '../transaction.ts';
import type { CreditRequest } from './credit-request.ts';
import { explainCredit } from './explain-credit.ts';

type Charge = Pick<LineItemResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount'>;

/** Sum credited lines and shipping as a calculation does. Content and place are the sale's; the tax date is the credit's. */
export const creditOutcome = (
  parent: Transaction,
  request: CreditRequest,
  lines: readonly LineItemResponse[],
  shipping: ShippingResponse | null,
  warnings: readonly Warning[],
  { now }: Context,
): Outcome => {
  const exponent = exponentOf(parent.currency);
  const write = writerFor(exponent);
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + parseAmount(text, exponent), 0n);
  const charges: readonly Charge[] = shipping ? [...lines, shipping] : lines;
  const subtotal = sum(lines.map(({ amount }) => amount));
  const discount = sum(lines.map((line) => line.applied_discount_amount));
  const coupons = sum(lines.map((line) => line.applied_third_party_discount_amount));
  const shipped = shipping ? rescale(decimal(shipping.amount), exponent) : 0n;
  const tax = sum(charges.map(({ tax_amount }) => tax_amount));
  return {
    currency: parent.currency,
    tax_date: request.tax_date ?? new Date(now).toISOString(),
    customer: request.customer ?? parent.customer,
    ship_from: parent.ship_from,
    discount_amount: null,
    third_party_discount_amount: null,
    shipping,
    tax_included: parent.tax_included,
    collected_by: parent.collected_by,
    line_items: [...lines],
    metadata: metadataOf(request.metadata),
    explain: request.explain ?? false,
    subtotal_amount: write(subtotal),
    applied_discount_amount: write(discount),
    applied_third_party_discount_amount: write(coupons),
    shipping_amount: write(shipped),
    taxable_amount: write(sum(charges.map(({ taxable_amount }) => taxable_amount))),
    exempt_amount: write(sum(charges.map(({ exempt_amount }) => exempt_amount))),
    tax_amount: write(tax),
    total_amount: write(subtotal - discount - coupons + shipped + (parent.tax_included ? 0n : tax)),
    tax_summary: summaryOfRows(rowsOf({ line_items: lines, shipping }), exponent),
    content_releases: parent.content_releases,
    engine_version: engineVersion,
    warnings: [...warnings],
    explanation: request.explain ? explainCredit(parent, lines, shipping) : null,
  };
};
