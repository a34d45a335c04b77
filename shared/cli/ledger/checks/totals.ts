import { exponentOf, formatAmount } from '../../../money/currency.ts';
import { decimal, rescale } from '../../../money/decimal.ts';
import type { Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault, faultUnless } from '../finding.ts';

type Row<Name extends string> = Readonly<Record<Name, string>>;

/**
 * Add up the parts of a transaction in minor units: jurisdictions to lines, lines and shipping to the document, and the
 * document to its total (interface decisions 2).
 */
export const totalFaults = (transaction: Transaction): Fault[] => {
  const exponent = exponentOf(transaction.currency);
  // A damaged amount may have more decimals than the currency: it is a finding, not a bug.
  const read = (text: string) => rescale(decimal(text), exponent);
  const sumOf = <Name extends string>(rows: readonly Row<Name>[], name: Name) =>
    rows.reduce((sum, row) => sum + read(row[name]), 0n);
  const expect = (what: string, actual: string, expected: bigint) =>
    differing(what, actual, formatAmount(expected, exponent));

  const { line_items: lines, shipping, tax_included } = transaction;
  const charges = shipping ? [...lines, shipping] : lines;
  const shipped = read(shipping?.amount ?? '0');
  const subtotal = sumOf(lines, 'amount');
  const discount = sumOf(lines, 'applied_discount_amount');
  const thirdParty = sumOf(lines, 'applied_third_party_discount_amount');
  const tax = sumOf(charges, 'tax_amount');
  const total = subtotal - discount - thirdParty + shipped + (tax_included ? 0n : tax);
  return [
    ...lines.flatMap((line) => [
      ...expect(`line ${line.id}: net_amount`, line.net_amount, read(line.amount) - read(line.applied_discount_amount)),
      ...expect(`line ${line.id}: tax_amount`, line.tax_amount, sumOf(line.taxes, 'tax_amount')),
      ...faultUnless(line.taxes.length > 0, `line ${line.id}: taxes`, 'none', 'a reason'),
    ]),
    ...(shipping ? expect('shipping: tax_amount', shipping.tax_amount, sumOf(shipping.taxes, 'tax_amount')) : []),
    ...expect('subtotal_amount', transaction.subtotal_amount, subtotal),
    ...expect('applied_discount_amount', transaction.applied_discount_amount, discount),
    ...expect('applied_third_party_discount_amount', transaction.applied_third_party_discount_amount, thirdParty),
    ...expect('shipping_amount', transaction.shipping_amount, shipped),
    ...expect('taxable_amount', transaction.taxable_amount, sumOf(charges, 'taxable_amount')),
    ...expect('exempt_amount', transaction.exempt_amount, sumOf(charges, 'exempt_amount')),
    ...expect('tax_amount', transaction.tax_amount, tax),
    ...expect('total_amount', transaction.total_amount, total),
    ...summaryFaults(transaction, (rows, name) => formatAmount(sumOf(rows, name), exponent)),
  ];
};

const summed = ['taxable_amount', 'exempt_amount', 'tax_amount'] as const;
type SummaryRow = Row<'jurisdiction_code' | 'rate' | (typeof summed)[number]>;

const summaryFaults = (
  { line_items, shipping, tax_summary }: Transaction,
  sumOf: (rows: readonly SummaryRow[], name: (typeof summed)[number]) => string,
): Fault[] => {
  const sums = (rows: readonly SummaryRow[]) =>
    new Map(
      [...Map.groupBy(rows, ({ jurisdiction_code, rate }) => `${jurisdiction_code} at ${rate}`)].map(
        ([name, group]) => [name, summed.map((amount) => sumOf(group, amount)).join(' / ')],
      ),
    );
  const expected = sums([...line_items.flatMap(({ taxes }) => taxes), ...(shipping?.taxes ?? [])]);
  const actual = sums(tax_summary);
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) =>
    differing(`tax_summary of ${name}`, actual.get(name), expected.get(name)),
  );
};
