import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { TaxRowResponse } from '../../shared/calculations/response.ts';
import { listLiabilityEntries, statesToFile } from '../../shared/ledger/entries/entries.ts';
import { snapshotSettings } from '../../shared/ledger/settings-snapshot.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { openEntryFrom, openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { amountTexts } from '../support/entry-texts.ts';
import { shippingCharges } from '../support/sales.ts';
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
  reporting_code: null,
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

const listEntries = (
  lines: readonly (readonly TaxRowResponse[])[],
  others: Partial<Transaction> = {},
  posting = {},
) => {
  const line_items = lines.map((taxes) => line({ taxes: [...taxes] }));
  const taxes = [...line_items, ...shippingCharges(others.shipping)].flatMap((charge) => charge.taxes);
  const tax_amount = taxes.reduce((sum, { tax_amount: tax }) => sum.plus(tax), new Decimal(0)).toFixed(2);
  const figures = { line_items, tax_amount, calculated_tax_amount: tax_amount };
  const { after } = created({ ...finalized, version: 3, ...figures, ...others });
  return listLiabilityEntries({ ...after, ...posting });
};

const listBases = (entries: ReturnType<typeof listLiabilityEntries>) =>
  entries.map(({ state, base }) => {
    const { taxable_amount, exempt_amount } = amountTexts(base);
    return `${state} ${taxable_amount} ${exempt_amount}`;
  });

describe('an open entry', () => {
  it('includes its jurisdictions, and the version that posted it', () => {
    const [entry] = listEntries([
      [row('US-MI', '10.00', '0.00', '0.60'), row('US-MI-DETROIT', '10.00', '0.00', '0.20')],
    ]);
    expect(entry?.version).toBe(3);
    expect(entry?.amounts).toMatchObject([
      { jurisdiction_code: 'US-MI', jurisdiction_name: 'Name of US-MI', jurisdiction_type: 'state' },
      { jurisdiction_code: 'US-MI-DETROIT', jurisdiction_name: 'Name of US-MI-DETROIT', jurisdiction_type: 'city' },
    ]);
  });

  it('includes the reporting code of a jurisdiction, or null if the content has none', () => {
    const coded = row('US-AL-01-07000', '10.00', '0.00', '0.40', { reporting_code: '9137' });
    const getAmounts = (...rows: readonly TaxRowResponse[]) => listEntries([rows])[0]?.amounts ?? [];
    const codes = getAmounts(row('US-AL', '10.00'), coded).map(({ reporting_code }) => reporting_code);
    expect(codes).toEqual([null, '9137']);
  });

  it('counts a line by the jurisdiction with the largest gross if the state levies no tax', () => {
    // Two lines in two cities of Alaska: neither city has both lines.
    const lines = [
      [row('US-AK-JUNEAU', '100.00')],
      [row('US-AK-KENAI', '40.00', '10.00'), row('US-AK-SOLDOTNA', '20.00')],
    ];
    expect(listBases(listEntries(lines))).toEqual(['US-AK 140.00 10.00']);
  });

  const registered = (...states: string[]) => ({
    settingsSnapshot: {
      ...snapshotSettings(defaultSettings('aspen.2026-10-01')),
      registrations: states.map((state) => ({ state, from: '2026-11-01', to: null, frequency: 'month' as const })),
    },
  });
  const untaxed = (code: string, taxability_reason: TaxRowResponse['taxability_reason'], exempt = '10.00') =>
    row(code, '0.00', exempt, '0.00', { taxability_reason });
  const listStates = (...parameters: Parameters<typeof listEntries>) =>
    listEntries(...parameters).map(({ state }) => state);

  it('is created in every state of the document without registrations, but not abroad', () => {
    const lines = [
      [untaxed('US-OR', 'not_subject_to_tax')],
      [untaxed('US-HI', 'not_supported')],
      [untaxed('CA', 'not_supported')],
    ];
    expect(listStates(lines)).toEqual(['US-OR', 'US-HI']);
  });

  it('has no exception for a line without a price in a place that is not covered', () => {
    const [entry] = listEntries([[untaxed('US-MI', 'not_supported', '0.00')]]);
    expect([entry?.base.taxable, entry?.exceptions]).toEqual([0n, undefined]);
  });

  it('reports a local jurisdiction that is not covered, even if the state is covered', () => {
    const [entry] = listEntries([[row('US-MI', '10.00', '0.00', '0.60'), untaxed('US-MI-DETROIT', 'not_supported')]]);
    expect(entry && amountTexts(entry.base)).toEqual({ taxable_amount: '10.00', exempt_amount: '0.00' });
    expect(entry?.exceptions).toEqual([{ reason: 'not_covered', gross: 1000n }]);
  });

  it("ignores the state's row if only a city levies the tax", () => {
    const [entry] = listEntries([
      [untaxed('US-AK', 'not_subject_to_tax', '100.00'), row('US-AK-JUNEAU', '100.00', '0.00', '5.00')],
    ]);
    expect(entry && amountTexts(entry.base)).toEqual({ taxable_amount: '100.00', exempt_amount: '0.00' });
    expect(entry?.amounts.map(({ jurisdiction_code }) => jurisdiction_code)).toEqual(['US-AK-JUNEAU']);
  });

  it('is pending only in states in which a return is due', () => {
    const awaited = (lines: readonly (readonly TaxRowResponse[])[], posting = {}) =>
      statesToFile({
        ...created({ ...finalized, line_items: lines.map((taxes) => line({ taxes: [...taxes] })) }).after,
        ...posting,
      });
    const lines = [
      [row('US-MI', '10.00', '0.00', '0.60')],
      [untaxed('US-OR', 'not_subject_to_tax')],
      [untaxed('US-HI', 'not_supported')],
      [untaxed('US-NY', 'product_exempt')],
    ];
    // Without registrations, no return is due in a state without the tax or without content.
    expect(awaited(lines)).toEqual(['US-MI', 'US-NY']);
    expect(awaited(lines, registered('OR', 'HI'))).toEqual(['US-MI', 'US-OR', 'US-HI']);
    expect(awaited([[untaxed('US-MI', 'not_collecting')]], registered('MI'))).toEqual([]);
  });

  it('includes the fields that lists show', () => {
    const address = { state: 'MI', postal_code: '48226-1234' };
    const document = { reference_id: 'order-1', tax_date: '2026-10-08T12:00:00Z', customer: { id: 'cus_1', address } };
    expect(listEntries([[row('US-MI', '1.00')]], document)[0]?.document).toEqual({
      type: 'sale',
      tax_day: '2026-10-08',
      reference_id: 'order-1',
      customer_id: 'cus_1',
      postal_code: '48226',
    });
  });

  it('round-trips through storage', () => {
    const [entry] = listEntries([[row('US-MI', '10.00', '1.00', '0.60')]]);
    if (!entry) throw new Error('There is none.');
    const split = { ...entry, base: { ...entry.base, resale: 100n, not_covered: 200n } };
    const exceptions = [{ reason: 'not_covered', gross: 200n }] as const;
    expect(openEntryFrom(openEntryItem('acct', { ...split, exceptions }))).toEqual({ ...split, exceptions });
    expect(openEntryFrom(openEntryItem('acct', entry))).toEqual(entry);
    expect(() => openEntryFrom({ ...openEntryItem('acct', entry), version: undefined })).toThrow();
  });
});
