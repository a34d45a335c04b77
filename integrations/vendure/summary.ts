import type { Order, OrderTaxCalculationStrategy } from '@vendure/core';
import { DefaultOrderTaxCalculationStrategy } from '@vendure/core';
import type { LevyTaxLine } from './tax-lines.ts';

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
