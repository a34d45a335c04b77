import type { Calculation, LineItemResponse, ShippingResponse } from '../../calculations/response.ts';
import { equal, expected } from './expectations.ts';

/** Amounts of a document in USD, added up here once more; none of the service's own arithmetic is used. */

const digits = 2;

const cents = (amount: unknown, what: string): bigint => {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.(\d{2})$/.exec(String(amount)) ?? [];
  expected(`${what} is ${JSON.stringify(amount)}, should be an amount with ${digits} digits`, whole !== '');
  return BigInt(`${sign}${whole}${fraction}`);
};

type Row = { readonly taxable_amount: string; readonly tax_amount: string; readonly rate: string };

const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);

const same = (what: string, is: bigint, shouldBe: bigint) => equal(what, String(is), String(shouldBe));

const absolute = (value: bigint) => (value < 0n ? -value : value);

/** A row's tax is its base at its rate, to a cent: what is rounded on the whole is split among its rows. */
const checkRow = (what: string, { taxable_amount, tax_amount, rate }: Row): void => {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(String(rate)) ?? [];
  expected(`${what}: rate is ${JSON.stringify(rate)}, should be a decimal`, whole !== '');
  const scale = 10n ** BigInt(fraction.length);
  const exact = cents(taxable_amount, `${what}: taxable_amount`) * BigInt(`${whole}${fraction}`);
  const off = absolute(exact - cents(tax_amount, `${what}: tax_amount`) * scale);
  expected(`${what}: tax_amount ${tax_amount} is not ${rate} of ${taxable_amount}`, off <= scale);
};

type Charge = Pick<LineItemResponse | ShippingResponse, 'taxable_amount' | 'exempt_amount' | 'tax_amount' | 'taxes'>;

const checkCharge = (what: string, { taxable_amount, exempt_amount, tax_amount, taxes }: Charge, net: bigint): void => {
  const base = cents(taxable_amount, `${what}: taxable_amount`) + cents(exempt_amount, `${what}: exempt_amount`);
  same(`${what}: taxable and exempt, in cents,`, base, net);
  const rows = taxes.map((row) => cents(row.tax_amount, `${what}: tax of a jurisdiction`));
  same(`${what}: the tax of its jurisdictions, in cents,`, sumOf(rows), cents(tax_amount, `${what}: tax_amount`));
  for (const row of taxes) checkRow(what, row);
};

type Document = Omit<Calculation, 'object'>;

/** Jurisdictions add up to lines, lines and shipping to the document, the document to its total, all rows to the summary. */
export const checkSums = (document: Document): void => {
  const { line_items, shipping, tax_summary } = document;
  const subtotal = cents(document.subtotal_amount, 'subtotal_amount');
  const shipped = cents(document.shipping_amount, 'shipping_amount');
  const tax = cents(document.tax_amount, 'tax_amount');
  const nets = line_items.map((line) => cents(line.net_amount, 'net_amount'));
  for (const [at, line] of line_items.entries()) checkCharge(`line ${at + 1}`, line, nets[at] ?? 0n);
  if (shipping) checkCharge('shipping', shipping, shipped);
  const taxes = [...line_items, ...(shipping ? [shipping] : [])].map((charge) =>
    cents(charge.tax_amount, 'tax_amount'),
  );
  same('subtotal_amount, in cents,', subtotal, sumOf(nets));
  same('tax_amount, in cents,', tax, sumOf(taxes));
  same('total_amount, in cents,', cents(document.total_amount, 'total_amount'), subtotal + shipped + tax);
  same(
    'the tax of the summary, in cents,',
    sumOf(tax_summary.map((row) => cents(row.tax_amount, 'tax of the summary'))),
    tax,
  );
};

/** That one amount is the other's half. */
export const checkHalf = (what: string, half: unknown, whole: unknown): void =>
  expected(
    `${what} is ${half}, should be the half of ${whole}`,
    absolute(2n * cents(half, what) - cents(whole, what)) <= 1n,
  );
