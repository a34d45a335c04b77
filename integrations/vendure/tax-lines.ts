import {
  DefaultOrderTaxCalculationStrategy,
  type Order,
  type OrderLine,
  type OrderTaxCalculationStrategy,
  type ShippingLine,
  type Surcharge,
  type TaxRate,
} from '@vendure/core';
import { toMinor } from '../core/money.ts';
import type { Calculation } from '../core/quotes.ts';
import { getShipping } from '../core/shipping.ts';
import { exponent, type ShippingNet, surchargeId } from './cart.ts';
import type { Tax } from './tax.ts';

/** A Vendure tax line with additional fields, which Vendure stores and `LevyOrderTaxStrategy` reads. */
export type LevyTaxLine = {
  description: string;
  /** The effective rate in percent that reproduces Levy's tax on the charge to the cent. */
  taxRate: number;
  /** The nominal rate in percent, and the tax in minor units. */
  readonly nominal?: number;
  readonly amount?: number;
  /** Whether the rate is an estimate, because Levy returned no tax for the current order. */
  readonly estimated?: boolean;
};

type Taxes = Calculation['line_items'][number]['taxes'];

const effectiveRate = (tax: number, net: number): number => (net === 0 ? 0 : (tax / net) * 100);

/** Converts taxes to tax lines. Vendure calculates the price with tax from `exact`, the net before it is rounded. */
const toTaxLines = (taxes: Taxes, net: number, exact = net): LevyTaxLine[] => {
  const amounts = taxes.map(({ tax_amount }) => Number(toMinor(tax_amount, exponent)));
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const scale = total === 0 ? 1 : (net + total - exact) / total;
  return taxes.map(({ jurisdiction_name, rate }, at) => {
    const amount = amounts[at] as number;
    const taxRate = effectiveRate(amount * scale, exact);
    return { description: jurisdiction_name, taxRate, nominal: Number(rate) * 100, amount };
  });
};

/**
 * Returns the tax lines of an order line. After an edit to fewer units, Vendure takes only their share of the discounts,
 * so the net amount has fractions of a cent.
 */
const toOwnTaxLines = (taxes: Taxes, line: OrderLine): LevyTaxLine[] => {
  const units = Math.max(line.orderPlacedQuantity, line.quantity);
  const discount = line.adjustments.reduce((sum, { amount }) => sum + amount / units, 0);
  return toTaxLines(taxes, line.proratedLinePrice, (line.listPrice + discount) * line.quantity);
};

/** Returns the tax lines of one order line. */
export const linesFor = (tax: Tax, line: OrderLine, shopRate: TaxRate): LevyTaxLine[] => {
  const own = shopRate.apply(line.proratedLinePrice);
  if (tax.kind === 'open') return line.listPriceIncludesTax ? [own] : [];
  if (tax.kind === 'foreign') return [own];
  if (tax.kind !== 'ok') return [{ ...own, estimated: true }];
  const found = tax.calculation.line_items.find(({ id }) => id === String(line.id));
  return found ? toOwnTaxLines(found.taxes, line) : [];
};

/**
 * Writes a calculation to all lines of an order, because Vendure requests it only for some lines. Without a
 * calculation, taxes of an earlier state of the order become estimates.
 */
export const writeLines = (tax: Tax, order: Order): void => {
  for (const line of order.lines) {
    if (tax.kind === 'failed') line.taxLines = line.taxLines.map((taxLine) => ({ ...taxLine, estimated: true }));
    if (tax.kind !== 'ok') continue;
    const found = tax.calculation.line_items.find(({ id }) => id === String(line.id));
    if (found) line.taxLines = toOwnTaxLines(found.taxes, line);
  }
};

/**
 * Returns the tax lines of a surcharge, or `null` if it keeps the shop's tax lines. A negative surcharge lowers the tax
 * of the lines. A surcharge whose price includes the shop's tax keeps its price.
 */
export const linesForSurcharge = (tax: Tax, surcharge: Surcharge): LevyTaxLine[] | null => {
  if (tax.kind !== 'ok') return null;
  if (surcharge.listPrice < 0) return [];
  const found = tax.calculation.line_items.find(({ id }) => id === surchargeId(surcharge));
  return found && !surcharge.listPriceIncludesTax ? toTaxLines(found.taxes, surcharge.price) : null;
};

/** The shipping charges of an order, and the index of the charge to calculate. */
export type ShippingCharges = {
  readonly nets: readonly ShippingNet[];
  readonly own: number;
  readonly isOnOrder: boolean;
};

const getDiscount = (line: ShippingLine): number => line.price - line.discountedPrice;

/**
 * Returns the charges of an order if the shipping method `id` costs `price`. A method that the order does not have
 * would replace its methods. Promotions come from the last calculation of the order.
 */
export const shippingCharges = ({ shippingLines = [] }: Order, id: unknown, price: number): ShippingCharges => {
  const own = shippingLines.findIndex(
    (line) => String(line.shippingMethodId ?? line.shippingMethod?.id) === String(id),
  );
  if (own === -1) {
    const discount = shippingLines.reduce((sum, line) => sum + getDiscount(line), 0);
    return { nets: [{ id: 'new', net: Math.max(0, price - discount) }], own: 0, isOnOrder: false };
  }
  const nets = shippingLines.map((line, at) => ({
    id: String(line.id),
    net: Math.max(0, (at === own ? price : line.price) - getDiscount(line)),
  }));
  return { nets, own, isOnOrder: true };
};

/** Returns the effective rates of the shipping charges in percent, or `null` if Levy returned no tax. */
export const shippingRates = (tax: Tax, { nets }: ShippingCharges): readonly number[] | null => {
  if (tax.kind === 'open') return nets.map(() => 0);
  if (tax.kind !== 'ok') return null;
  const getTax = (charge: ShippingNet) => toMinor(getShipping(tax.calculation, charge)?.tax_amount ?? '0', exponent);
  return nets.map((charge) => effectiveRate(Number(getTax(charge)), charge.net));
};

/** Returns whether any of an order's tax is the shop's tax instead of Levy's. */
export const isEstimated = (order: Order): boolean =>
  order.lines.some(({ taxLines }) => (taxLines as LevyTaxLine[]).some(({ estimated }) => estimated === true));

type Row = { description: string; taxRate: number; taxBase: number; taxTotal: number };

/** Adds the tax lines of a charge to the rows. The rows of a charge add up to its tax. */
const add = (rows: Map<string, Row>, taxLines: readonly LevyTaxLine[], base: number, tax: number): void => {
  const rates = taxLines.reduce((sum, { taxRate }) => sum + taxRate, 0);
  let left = tax;
  for (const [index, { description, taxRate, nominal, amount }] of taxLines.entries()) {
    const isLast = index === taxLines.length - 1;
    const share = isLast ? left : (amount ?? Math.round(rates === 0 ? 0 : (tax * taxRate) / rates));
    left -= share;
    const rate = nominal ?? taxRate;
    const key = `${description} ${rate}`;
    const row = rows.get(key) ?? { description, taxRate: rate, taxBase: 0, taxTotal: 0 };
    rows.set(key, { ...row, taxBase: row.taxBase + base, taxTotal: row.taxTotal + share });
  }
};

/**
 * Calculates Vendure's standard totals, and a tax summary by jurisdiction with nominal rates, whose rows add up to the
 * order's tax.
 */
export class LevyOrderTaxStrategy extends DefaultOrderTaxCalculationStrategy implements OrderTaxCalculationStrategy {
  override calculateTaxSummary(order: Order): Row[] {
    const rows = new Map<string, Row>();
    for (const line of order.lines ?? []) add(rows, line.taxLines, line.proratedLinePrice, line.proratedLineTax);
    for (const line of order.shippingLines ?? []) {
      const tax = line.discountedPriceWithTax - line.discountedPrice;
      // A shipping calculator can return only one rate for all jurisdictions.
      add(rows, line.taxLines, line.discountedPrice, tax);
    }
    for (const { taxLines, price, priceWithTax } of order.surcharges ?? [])
      add(rows, taxLines, price, priceWithTax - price);
    return [...rows.values()];
  }
}
