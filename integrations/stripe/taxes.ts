/** Writes Levy's taxes to the lines of a draft invoice. */

import type Stripe from 'stripe';
import type { Schemas } from '../../shared/client/client.ts';
import { toMinor } from '../core/money.ts';
import { type FullInvoice, getTax } from './invoice.ts';

type Row = Schemas['Calculation']['line_items'][number]['taxes'][number];
type TaxAmount = Stripe.InvoiceUpdateLinesParams.Line.TaxAmount;

const levels = ['city', 'country', 'county', 'district', 'state'] as const;
// Stripe's limits: tax rows of a line, decimals of a percentage, lines of a request.
const maxRows = 10;
const maxLines = 100;

const cents = (amount: string): number => Number(toMinor(amount, 2));

const buildAmount = (row: Row): TaxAmount => ({
  amount: cents(row.tax_amount),
  taxable_amount: cents(row.taxable_amount),
  tax_rate_data: {
    display_name: row.jurisdiction_name.slice(0, 50),
    percentage: Number((Number(row.rate ?? 0) * 100).toFixed(4)),
    inclusive: false,
    country: 'US',
    state: row.jurisdiction_code.slice(3, 5),
    jurisdiction_level: levels.find((level) => level === row.jurisdiction_type) ?? 'district',
    tax_type: 'sales_tax',
  },
});

/** Merges the last rows of a line with more than ten. */
const limited = (rows: readonly TaxAmount[]): TaxAmount[] => {
  const [last, ...rest] = rows.slice(maxRows - 1);
  if (!last || rest.length === 0) return [...rows];
  const all = [last, ...rest];
  const percentage = Number(all.reduce((sum, row) => sum + row.tax_rate_data.percentage, 0).toFixed(4));
  const tax_rate_data = { ...last.tax_rate_data, display_name: 'Other local taxes', percentage };
  return [...rows.slice(0, maxRows - 1), { ...last, amount: getTax(all), tax_rate_data }];
};

/** Writes the transaction's id to the metadata of an invoice. Returns whether it was different. */
export const markInvoice = async (
  stripe: Stripe,
  { id, metadata }: Stripe.Invoice,
  transactionId: string,
): Promise<boolean> => {
  if (metadata?.['levy_transaction_id'] === transactionId) return false;
  await stripe.invoices.update(id, { metadata: { levy_transaction_id: transactionId } });
  return true;
};

/**
 * Writes the taxes of a calculation to the lines whose tax differs, and the transaction's id to the metadata of the
 * invoice. Writes nothing if both are up to date, so the event that this change causes ends here.
 */
export const writeTaxes = async (
  stripe: Stripe,
  { invoice, lines }: FullInvoice,
  calculation: Pick<Schemas['Calculation'], 'line_items'>,
  transactionId: string,
): Promise<boolean> => {
  const taxes = new Map(calculation.line_items.map((line) => [line.id, line]));
  const different = lines.filter(({ id, taxes: own }) => getTax(own) !== cents(taxes.get(id)?.tax_amount ?? '0'));
  const invoice_metadata = { levy_transaction_id: transactionId };
  for (let at = 0; at < different.length; at += maxLines) {
    const changed = different.slice(at, at + maxLines).map(({ id }) => {
      const rows = (taxes.get(id)?.taxes ?? []).map(buildAmount);
      return { id, tax_amounts: rows.length > 0 ? limited(rows) : ('' as const) };
    });
    await stripe.invoices.updateLines(invoice.id, { lines: changed, invoice_metadata });
  }
  return different.length > 0 || markInvoice(stripe, invoice, transactionId);
};
