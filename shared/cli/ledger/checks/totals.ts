import type { TaxRowResponse } from '../../../calculations/response.ts';
import { exponentOf, formatAmount } from '../../../money/currency.ts';
import { decimal, rescale } from '../../../money/decimal.ts';
import type { Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault } from '../finding.ts';

/**
 * The parts of a transaction add up, added here once more in minor units: jurisdictions to lines, lines and shipping to
 * the document, and the document to its total (interface decisions 2).
 */
export const totalFaults = (transaction: Transaction): Fault[] => {
  const exponent = exponentOf(transaction.currency);
  // A damaged amount may have more decimals than the currency: it is a finding, not a bug.
  const read = (text: string) => rescale(decimal(text), exponent);
  const faults: Fault[] = [];
  const expect = (what: string, actual: string, expected: bigint) =>
    faults.push(...differing(what, actual, formatAmount(expected, exponent)));
  const sumOf = <Row>(rows: readonly Row[], amount: (row: Row) => string) =>
    rows.reduce((sum, row) => sum + read(amount(row)), 0n);

  const { line_items: lines, shipping, tax_included } = transaction;
  for (const line of lines) {
    const named = `line ${line.id}: `;
    expect(`${named}net_amount`, line.net_amount, read(line.amount) - read(line.applied_discount_amount));
    expect(
      `${named}tax_amount`,
      line.tax_amount,
      sumOf(line.taxes, (row) => row.tax_amount),
    );
    if (line.taxes.length === 0) faults.push({ what: `${named}taxes`, actual: 'none', expected: 'a reason' });
  }
  if (shipping)
    expect(
      'shipping: tax_amount',
      shipping.tax_amount,
      sumOf(shipping.taxes, (row) => row.tax_amount),
    );

  const charges = shipping ? [...lines, shipping] : lines;
  const shipped = shipping ? rescale(decimal(shipping.amount), exponent) : 0n;
  const subtotal = sumOf(lines, (line) => line.amount);
  const discount = sumOf(lines, (line) => line.applied_discount_amount);
  const thirdParty = sumOf(lines, (line) => line.applied_third_party_discount_amount);
  const tax = sumOf(charges, (charge) => charge.tax_amount);
  expect('subtotal_amount', transaction.subtotal_amount, subtotal);
  expect('applied_discount_amount', transaction.applied_discount_amount, discount);
  expect('applied_third_party_discount_amount', transaction.applied_third_party_discount_amount, thirdParty);
  expect('shipping_amount', transaction.shipping_amount, shipped);
  for (const name of ['taxable_amount', 'exempt_amount'] as const)
    expect(
      name,
      transaction[name],
      sumOf(charges, (charge) => charge[name]),
    );
  expect('tax_amount', transaction.tax_amount, tax);
  expect(
    'total_amount',
    transaction.total_amount,
    subtotal - discount - thirdParty + shipped + (tax_included ? 0n : tax),
  );
  return [...faults, ...summaryFaults(transaction, read, exponent)];
};

const amounts = ['taxable_amount', 'exempt_amount', 'tax_amount'] as const;

const summaryFaults = (
  { line_items, shipping, tax_summary }: Transaction,
  read: (text: string) => bigint,
  exponent: number,
): Fault[] => {
  type Row = Pick<TaxRowResponse, 'jurisdiction_code' | 'rate' | (typeof amounts)[number]>;
  const nameOf = ({ jurisdiction_code, rate }: Row) => `${jurisdiction_code} at ${rate}`;
  const added = (rows: readonly Row[]) =>
    new Map(
      [...Map.groupBy(rows, nameOf)].map(([name, group]) => [
        name,
        amounts.map((amount) =>
          formatAmount(
            group.reduce((sum, row) => sum + read(row[amount]), 0n),
            exponent,
          ),
        ),
      ]),
    );
  const expected = added([...line_items.flatMap(({ taxes }) => taxes), ...(shipping?.taxes ?? [])]);
  const told = added(tax_summary);
  return [...new Set([...expected.keys(), ...told.keys()])].flatMap((name) =>
    differing(`tax_summary of ${name}`, told.get(name)?.join(' / '), expected.get(name)?.join(' / ')),
  );
};
