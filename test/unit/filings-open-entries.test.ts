import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { TaxRowResponse } from '../../shared/calculations/response.ts';
import { compress, decompress } from '../../shared/store/client/compressed.ts';
import { openEntryFrom, openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { type OpenEntry, openEntriesOf } from '../../shared/transactions/open-entries.ts';
import type { Transaction } from '../../shared/transactions/transaction.ts';
import { created, finalized, line } from '../support/transactions.ts';

const row = (
  code: string,
  taxable: string,
  exempt = '0.00',
  tax = '0.00',
  others: Partial<TaxRowResponse> = {},
): TaxRowResponse => ({
  jurisdiction_code: code,
  jurisdiction_name: `Name of ${code}`,
  jurisdiction_type: code.length > 5 ? 'city' : 'state',
  tax_type: 'sales',
  rate: '0.05',
  taxable_amount: taxable,
  exempt_amount: exempt,
  tax_amount: tax,
  taxability_reason: 'standard_rated',
  sourcing: 'destination',
  rule_id: null,
  ...others,
});

const entriesOf = (lines: readonly (readonly TaxRowResponse[])[], others: Partial<Transaction> = {}, posting = {}) => {
  const line_items = lines.map((taxes) => line({ taxes: [...taxes] }));
  const taxes = [...line_items, ...(others.shipping ? [others.shipping] : [])].flatMap((charge) => charge.taxes);
  const tax_amount = taxes.reduce((sum, { tax_amount: tax }) => sum.plus(tax), new Decimal(0)).toFixed(2);
  const figures = { line_items, tax_amount, calculated_tax_amount: tax_amount };
  const { after } = created({ ...finalized, version: 3, ...figures, ...others });
  return openEntriesOf({ ...after, ...posting });
};

const basesOf = (entries: ReturnType<typeof openEntriesOf>) =>
  entries.map(({ state, base }) => `${state} ${base.taxable_amount} ${base.exempt_amount}`);

describe('an open entry', () => {
  it('names its jurisdictions, and the version that posted it', () => {
    const [entry] = entriesOf([[row('US-MI', '10.00', '0.00', '0.60'), row('US-MI-DETROIT', '10.00', '0.00', '0.20')]]);
    expect(entry?.version).toBe(3);
    expect(entry?.amounts).toMatchObject([
      { jurisdiction_code: 'US-MI', jurisdiction_name: 'Name of US-MI', jurisdiction_type: 'state' },
      { jurisdiction_code: 'US-MI-DETROIT', jurisdiction_name: 'Name of US-MI-DETROIT', jurisdiction_type: 'city' },
    ]);
  });

  it('has the reporting code of a jurisdiction, and null for rows that an earlier version recorded', () => {
    const coded = row('US-AL-01-07000', '10.00', '0.00', '0.40', { reporting_code: '9137' });
    const amountsOf = (...rows: readonly TaxRowResponse[]) => entriesOf([rows])[0]?.amounts ?? [];
    const codes = amountsOf(row('US-AL', '10.00'), coded).map(({ reporting_code }) => reporting_code);
    expect(codes).toEqual([null, '9137']);
    const { reporting_code: _, ...uncoded } = coded;
    expect(amountsOf(uncoded, coded)).toMatchObject([{ reporting_code: '9137' }]);
  });

  it('that an earlier version stored without reporting codes has none', () => {
    const [entry] = entriesOf([[row('US-MI', '10.00', '0.00', '0.60', { reporting_code: '26' })]]);
    const item = openEntryItem('acct', entry as OpenEntry);
    const stored = decompress(item['figures'] as Uint8Array) as Pick<OpenEntry, 'base' | 'amounts'>;
    const amounts = stored.amounts.map(({ reporting_code: _, ...sums }) => sums);
    const read = openEntryFrom({ ...item, figures: compress({ ...stored, amounts }) });
    expect(read).toEqual({ ...entry, amounts: [{ ...entry?.amounts[0], reporting_code: null }] });
  });

  it('counts every line once, as the state has it', () => {
    const lines = [
      [row('US-MI', '6.00', '4.00'), row('US-MI-DETROIT', '10.00'), row('US-MI-WAYNE', '10.00')],
      [row('US-MI', '0.00', '5.00', '0.00', { taxability_reason: 'product_exempt' })],
    ];
    expect(basesOf(entriesOf(lines))).toEqual(['US-MI 6.00 9.00']);
  });

  it('counts a line as the jurisdiction with the largest gross does, where the state levies nothing', () => {
    // Two lines in two cities of Alaska: neither city has seen both.
    const lines = [
      [row('US-AK-JUNEAU', '100.00')],
      [row('US-AK-KENAI', '40.00', '10.00'), row('US-AK-SOLDOTNA', '20.00')],
    ];
    expect(basesOf(entriesOf(lines))).toEqual(['US-AK 140.00 10.00']);
  });

  it('adds a portion that is exempt to the one that is taxed, and the shipping to the lines', () => {
    const shipping = {
      amount: '8.00',
      product_tax_code: null,
      taxable_amount: '8.00',
      exempt_amount: '0.00',
      tax_amount: '0.48',
      taxes: [row('US-MI', '8.00', '0.00', '0.48')],
    };
    const lines = [
      [row('US-MI', '75.00'), row('US-MI', '0.00', '25.00', '0.00', { taxability_reason: 'portion_product_exempt' })],
    ];
    expect(basesOf(entriesOf(lines, { shipping }))).toEqual(['US-MI 83.00 25.00']);
  });

  it('is negative for a credit, and one for each state', () => {
    const entries = entriesOf([[row('US-MI', '10.00', '1.00', '0.60')], [row('US-OH', '20.00', '0.00', '1.15')]], {
      type: 'credit',
    });
    expect(basesOf(entries)).toEqual(['US-MI -10.00 -1.00', 'US-OH -20.00 0.00']);
    expect(entries.map(({ amounts }) => amounts[0]?.tax_amount)).toEqual(['-0.60', '-1.15']);
  });

  it('leaves out what is not collected', () => {
    const lines = [[row('US-OR', '10.00', '0.00', '0.00', { taxability_reason: 'not_collecting' })]];
    expect(entriesOf(lines)).toEqual([]);
  });

  it('is read as it was written', () => {
    const [entry] = entriesOf([[row('US-MI', '10.00', '1.00', '0.60')]]);
    if (!entry) throw new Error('There is none.');
    expect(openEntryFrom(openEntryItem('acct', entry))).toEqual(entry);
    expect(() => openEntryFrom({ ...openEntryItem('acct', entry), version: undefined })).toThrow();
  });
});
