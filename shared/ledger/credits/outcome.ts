import { taxDateAt } from '../../accounts/time-zone.ts';
import { isSame, withoutNulls } from '../../base/json.ts';
import { engineVersion, type Outcome } from '../../calculations/calculate.ts';
import { generalGoods, shippingList, shippingPointer } from '../../calculations/charges.ts';
import type { Context } from '../../calculations/document.ts';
import { echoMetadata } from '../../calculations/echo.ts';
import { step } from '../../calculations/explain/step.ts';
import { documentTotals } from '../../calculations/figures.ts';
import type { CalculationInput } from '../../calculations/request.ts';
import type { ExplanationStep, LineItemResponse, ShippingResponse, Warning } from '../../calculations/response.ts';
import { retailDeliveryFee } from '../../tax/document.ts';
import type { TransactionRequest } from '../request.ts';
import type { Transaction } from '../transaction.ts';
import { findParentLine } from './amounts.ts';

/** The request fields used to compute a credit of a sale, in a calculation, a new transaction or an update. */
export type CreditRequest = CalculationInput & Pick<TransactionRequest, 'credit_remaining'>;

/** The common inputs for computing a credit. `exponent` is the currency's number of decimals. */
export type CreditContext = {
  readonly parent: Transaction;
  readonly request: CreditRequest;
  readonly context: Context;
  readonly exponent: number;
};

/**
 * Returns the document fields for unmatched lines: the sale's terms, and the credit's customer, by default the sale's.
 */
export const unmatchedBasis = (
  { currency, tax_date, tax_included, collected_by, ship_from, customer }: Transaction,
  request: CreditRequest,
) => ({ currency, tax_date, tax_included, collected_by, ship_from, customer: request.customer ?? customer });

/** Returns the lines of a credit that match no line of its sale. They are calculated instead of taken from it. */
export const unmatchedInput = (parent: Transaction, request: CreditRequest): CalculationInput => ({
  ...unmatchedBasis(parent, request),
  line_items: (request.line_items ?? []).filter((line) => !findParentLine(line, parent)),
});

type Shipping = ShippingResponse | ShippingResponse[] | null;

/**
 * Sums credited lines and shipping as a calculation does. Content and place come from the sale, the tax date from the
 * credit.
 */
export const creditOutcome = (
  { parent, request, context: { now, settings }, exponent }: CreditContext,
  lines: readonly LineItemResponse[],
  shipping: Shipping,
  warnings: readonly Warning[] = [],
): Outcome => {
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
    ...documentTotals({ line_items: lines, shipping, tax_included: parent.tax_included }, exponent),
    content_releases: parent.content_releases,
    engine_version: engineVersion,
    warnings: [...warnings],
    explanation: request.explain ? explainCredit(parent, lines, shipping) : null,
  };
};

type Credited = Pick<LineItemResponse, 'net_amount' | 'tax_amount'>;

const explainPart = (pointer: string, name: string, part: Credited, whole: Credited): ExplanationStep =>
  step(
    'rule',
    pointer,
    `${name}: ${part.net_amount} of its net amount of ${whole.net_amount}, and ${part.tax_amount} of its recorded tax of ${whole.tax_amount}.`,
  );

/** Explains a credit's tax: the recorded charge, the credited part, and the part's share of the recorded tax. */
const explainCredit = (
  parent: Transaction,
  lines: readonly LineItemResponse[],
  shipping: Shipping,
): ExplanationStep[] => [
  ...lines.map((line, index) => {
    const pointer = `/line_items/${index}`;
    const whole = findParentLine(line, parent);
    return whole
      ? explainPart(pointer, `Line ${whole.id} of ${parent.id}`, line, whole)
      : step(
          'rule',
          pointer,
          `No line of ${parent.id}: calculated with the sale's releases and tax date, ${parent.tax_date}.`,
        );
  }),
  ...shippingList(shipping).flatMap((charge, index) => {
    const whole = shippingList(parent.shipping).find(({ id }) => id === charge.id);
    return whole ? explainPart(shippingPointer(shipping, index), `Shipping of ${parent.id}`, charge, whole) : [];
  }),
];

/** Returns the warning for a credit line that matches no line of its sale. */
export const unmatchedWarning = (index: number): Warning => ({
  code: 'credit_line_unmatched',
  message: "No line of the parent has this id. Levy calculated the line with the parent's releases and tax date.",
  pointer: `/line_items/${index}`,
});

const differs = (sent: unknown, recorded: unknown): boolean =>
  sent !== null && sent !== undefined && !isSame(withoutNulls(sent), withoutNulls(recorded));

const ignoredWarning = (pointer: string, value: string): Warning => ({
  code: 'credit_field_ignored',
  message: `A credit returns the recorded tax of its sale, so Levy uses ${value} of the sale. To change it, record a separate sale.`,
  pointer,
});

/** Returns warnings for line fields that differ from the sale's line. The credit inherits the sale's values. */
const lineWarnings = (parent: Transaction, request: CreditRequest): Warning[] =>
  (request.line_items ?? []).flatMap((line, index) => {
    const sold = findParentLine(line, parent);
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

/**
 * Returns the warnings of a credit of a sale: sent fields that do not affect the recorded tax, and a tax date before
 * the sale's.
 */
export const creditWarnings = (parent: Transaction, request: CreditRequest): Warning[] => {
  const { customer, tax_date, line_items } = request;
  const isTaken = !line_items || line_items.some((line) => findParentLine(line, parent));
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

/**
 * Warns about the refund of a retail delivery fee: it depends on why the sale is credited (Colorado Department of
 * Revenue, retail delivery fee refunds; Minn. Stat. 168E.03).
 */
export const refundedFeeWarnings = (lines: readonly LineItemResponse[], { line_items }: CreditRequest): Warning[] =>
  lines.flatMap(({ product_tax_code, tax_amount, taxes: [fee] }, index) => {
    if (product_tax_code !== retailDeliveryFee || !fee || !/[1-9]/.test(tax_amount)) return [];
    const message = `${fee.jurisdiction_name}: the credit refunds ${tax_amount}. Refund it if the delivery is canceled. If delivered goods are returned, it is not refundable: credit only the other line items.`;
    return [
      {
        code: 'retail_delivery_fee_refunded',
        message,
        pointer: line_items ? `/line_items/${index}` : '/parent_transaction_id',
      },
    ];
  });
