/** Converts a Stripe invoice to the order that the shared core records. */

import type Stripe from 'stripe';
import { isTaxedCountry } from '../core/document.ts';
import { distribute, divide, toDecimal } from '../core/money.ts';
import type { Line, Order, Refund } from '../core/order.ts';
import { type TaxCodes, UnsupportedInvoice } from './tax-codes.ts';

/** An invoice with all its lines; Stripe returns the first ten with the invoice. */
export type FullInvoice = { readonly invoice: Stripe.Invoice; readonly lines: readonly Stripe.InvoiceLineItem[] };

const exponent = 2;
export const decimal = (cents: bigint | number): string => toDecimal(BigInt(cents), exponent);
export const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();
export const getTax = (rows: readonly { readonly amount: number }[] | null): number =>
  (rows ?? []).reduce((sum, { amount }) => sum + amount, 0);

type Credited = Pick<Stripe.InvoiceLineItem, 'pretax_credit_amounts'>;

/** Returns the billing credits that Stripe applies to a line before tax, without its discounts, in cents. */
export const getCredits = ({ pretax_credit_amounts }: Credited): number =>
  getTax((pretax_credit_amounts ?? []).filter(({ type }) => type === 'credit_balance_transaction'));

/** Returns the amount of a line after its discounts and billing credits, in cents. */
export const getNet = (line: Stripe.InvoiceLineItem): number =>
  line.amount - getTax(line.discount_amounts) - getCredits(line);

/** Throws for an invoice whose tax cannot be set by line, or is set by another engine. */
const requireSupported = ({ invoice, lines }: FullInvoice): void => {
  const { currency, automatic_tax, shipping_cost, status } = invoice;
  if (currency !== 'usd')
    throw new UnsupportedInvoice(
      'currency',
      `Levy records invoices in usd, not in ${currency}. Bill US customers in usd.`,
    );
  if (automatic_tax.enabled)
    throw new UnsupportedInvoice(
      'automatic_tax',
      status === 'draft'
        ? 'Stripe Tax is enabled. Set automatic_tax.enabled to false.'
        : 'Stripe Tax taxed this invoice, so Levy does not record it. Import its sale, and record its refunds as credits of that sale.',
    );
  if (shipping_cost && shipping_cost.amount_subtotal !== 0)
    throw new UnsupportedInvoice(
      'shipping_cost',
      'Stripe does not accept tax amounts for shipping_cost. Add shipping as a line.',
    );
  if (lines.some(({ taxes }) => taxes?.some(({ tax_behavior }) => tax_behavior === 'inclusive')))
    throw new UnsupportedInvoice('inclusive_tax', 'A line has a price that includes tax. Use prices without tax.');
  if (lines.reduce((sum, line) => sum + getNet(line), 0) < 0)
    throw new UnsupportedInvoice(
      'negative_total',
      'The invoice has a negative total. Issue a credit note for the earlier invoice: it returns the tax.',
    );
};

type Coded = { readonly line: Stripe.InvoiceLineItem; readonly code: string; net: number };

const readCode = async ({ id, metadata, pricing }: Stripe.InvoiceLineItem, codes: TaxCodes): Promise<string> => {
  const product = pricing?.price_details?.product;
  if (metadata['levy_tax_code']) return metadata['levy_tax_code'];
  if (product) return codes(product);
  const advice = 'Use a product with a tax code, or set the metadata levy_tax_code of the line.';
  throw new UnsupportedInvoice('no_tax_code', `Line ${id} has no product. ${advice}`);
};

/** Subtracts negative lines, such as prorations, from the positive lines with the same tax code, in proportion. */
const withoutNegativeLines = (lines: readonly Coded[]): Coded[] => {
  const positive = lines.filter(({ net }) => net >= 0);
  for (const code of new Set(lines.map((line) => line.code))) {
    const own = positive.filter((line) => line.code === code);
    const off = -lines.filter((line) => line.code === code && line.net < 0).reduce((sum, { net }) => sum + net, 0);
    if (own.reduce((sum, { net }) => sum + net, 0) < off)
      throw new UnsupportedInvoice(
        'negative_line',
        `Negative lines with the tax code ${code} exceed its other lines. Issue a credit note for the earlier invoice instead.`,
      );
    const parts = distribute(
      BigInt(off),
      own.map(({ net }) => BigInt(net)),
    );
    for (const [at, line] of own.entries()) line.net -= Number(parts[at]);
  }
  return positive;
};

const millionth = 1_000_000;

/** Returns the quantity of a line with up to six decimals, because Stripe truncates `quantity`. */
export const getQuantity = ({ quantity, quantity_decimal }: Stripe.InvoiceLineItem): number =>
  Math.round(Number(String(quantity_decimal ?? quantity ?? 1)) * millionth) / millionth || 1;

/** Converts a line. Keeps its quantity, because some taxes depend on the unit price; the discount has the remainder. */
const toLine = ({ line, code, net }: Coded): Line => {
  const quantity = getQuantity(line);
  const whole = BigInt(millionth);
  const parts = BigInt(Math.round(quantity * millionth));
  const unit = (BigInt(line.amount) * whole + parts - 1n) / parts;
  return {
    id: line.id,
    quantity,
    unitPrice: decimal(unit),
    discount: decimal(divide(unit * parts, whole) - BigInt(net)),
    taxCode: code,
    description: line.description,
  };
};

const toAddress = ({ customer_shipping, customer_address }: Stripe.Invoice): Order['address'] => {
  // Stripe keeps a shipping address whose fields are all empty.
  const address = [customer_shipping?.address, customer_address].find((one) => one && Object.values(one).some(Boolean));
  if (!address) return null;
  const { line1, city, state, postal_code, country } = address;
  return { line1, city, province: state, postalCode: postal_code, country };
};

/** Returns whether Levy does not tax the invoice, because its address is outside of the United States. */
export const isForeign = (invoice: Stripe.Invoice): boolean => {
  const country = toAddress(invoice)?.country;
  return Boolean(country) && !isTaxedCountry(country);
};

/** The order that voids the sale of an invoice: voiding needs only the reference. */
export const voidedOrder = (reference: string): Order => {
  const order: Pick<Order, 'reference' | 'wanted' | 'refunds'> = { reference, wanted: 'void', refunds: [] };
  return order as Order;
};

const hour = 60 * 60;
const maxAhead = 30 * 24 * hour;

/**
 * Returns the date of an invoice in seconds: `effective_at`, else the finalization. For a draft, this is when Stripe will
 * finalize it, or else now, in whole hours after its creation, so that most events of a draft change nothing.
 */
const getDate = ({ effective_at, status_transitions, created, automatically_finalizes_at }: Stripe.Invoice): number => {
  const finalized = effective_at ?? status_transitions.finalized_at;
  if (finalized) return finalized;
  const now = Math.floor(Date.now() / 1000);
  const passed = created + Math.floor((now - created) / hour) * hour;
  // Levy has no rates of later dates.
  const isSoon = automatically_finalizes_at && automatically_finalizes_at < now + maxAhead;
  return isSoon ? Math.max(automatically_finalizes_at, passed) : passed;
};

/**
 * Converts an invoice; its tax is the tax on the invoice. The order's `reference` is the id of the invoice.
 * Throws `UnsupportedInvoice` if Levy cannot record it.
 */
export const buildOrder = async (full: FullInvoice, refunds: readonly Refund[], codes: TaxCodes): Promise<Order> => {
  const { invoice, lines } = full;
  if (invoice.status === 'void') return voidedOrder(invoice.id);
  requireSupported(full);
  const coded: Coded[] = [];
  for (const line of lines) coded.push({ line, code: await readCode(line, codes), net: getNet(line) });
  const { customer, total, total_taxes } = invoice;
  const customerId = typeof customer === 'string' ? customer : customer?.id;
  return {
    reference: invoice.id,
    currency: 'USD',
    address: toAddress(invoice),
    customerId,
    lines: withoutNegativeLines(coded).map(toLine),
    shipping: [],
    placedAt: instant(getDate(invoice)),
    wanted: invoice.status === 'draft' ? 'draft' : 'finalized',
    tax: decimal(getTax(total_taxes)),
    total: decimal(total),
    isEstimated: false,
    refunds,
  };
};
