/** Writes Levy's taxes to the lines of a draft invoice. */

import type Stripe from 'stripe';
import type { Schemas } from '../../shared/client/client.ts';
import { toMinor } from '../core/money.ts';
import { computeDigest } from '../core/quotes.ts';
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

const writeMetadata = async (
  stripe: Stripe,
  { id, metadata }: Stripe.Invoice,
  wanted: Readonly<Record<string, string>>,
): Promise<boolean> => {
  if (Object.entries(wanted).every(([name, value]) => (metadata?.[name] ?? '') === value)) return false;
  await stripe.invoices.update(id, { metadata: wanted });
  return true;
};

/** Writes the transaction's id to the metadata of an invoice. Returns whether it was different. */
export const markInvoice = (stripe: Stripe, invoice: Stripe.Invoice, transactionId: string): Promise<boolean> =>
  writeMetadata(stripe, invoice, { levy_transaction_id: transactionId });

/**
 * Writes the taxes of a calculation to the lines whose tax differs, and the transaction's id to the metadata of the
 * invoice. If the rows differ although their sums are equal, such as for another state with the same rate, the
 * digest in the metadata differs. Writes nothing if all are up to date, so the event that this change causes ends here.
 */
export const writeTaxes = async (
  stripe: Stripe,
  { invoice, lines }: FullInvoice,
  calculation: Pick<Schemas['Calculation'], 'line_items'>,
  transactionId: string,
): Promise<boolean> => {
  const taxes = new Map(calculation.line_items.map((line) => [line.id, line]));
  const wanted = lines.map(({ id, taxes: own }) => {
    const { tax_amount = '0', taxes: rows = [] } = taxes.get(id) ?? {};
    const tax = cents(tax_amount);
    return { id, tax, isDifferent: getTax(own) !== tax, rows: limited(rows.map(buildAmount)) };
  });
  const taxed = wanted.filter(({ tax }) => tax !== 0).map(({ id, rows }) => [id, rows]);
  const levy_tax_digest = taxed.length > 0 ? computeDigest(taxed).slice(0, 32) : '';
  const isMoved = (invoice.metadata?.['levy_tax_digest'] ?? '') !== levy_tax_digest;
  const different = wanted.filter(({ tax, isDifferent }) => isDifferent || (isMoved && tax !== 0));
  const invoice_metadata = { levy_transaction_id: transactionId, levy_tax_digest };
  for (let at = 0; at < different.length; at += maxLines) {
    const changed = different
      .slice(at, at + maxLines)
      .map(({ id, rows }) => ({ id, tax_amounts: rows.length > 0 ? rows : ('' as const) }));
    const isLast = at + maxLines >= different.length;
    await stripe.invoices.updateLines(invoice.id, { lines: changed, ...(isLast && { invoice_metadata }) });
  }
  return different.length > 0 || writeMetadata(stripe, invoice, invoice_metadata);
};
