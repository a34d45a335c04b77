import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { AppliedExemption, TaxRowResponse } from '../../shared/calculations/response.ts';
import { listLiabilityEntries, statesToFile } from '../../shared/ledger/entries/entries.ts';
import { snapshotSettings } from '../../shared/ledger/settings-snapshot.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { openEntryFrom, openEntryItem } from '../../shared/store/ledger/open-entry-item.ts';
import { amountTexts } from '../support/entry-texts.ts';
import { shippingCharges } from '../support/shipping.ts';
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

  it("counts every line once, by the state's row", () => {
    const lines = [
      [row('US-MI', '6.00', '4.00'), row('US-MI-DETROIT', '10.00'), row('US-MI-WAYNE', '10.00')],
      [row('US-MI', '0.00', '5.00', '0.00', { taxability_reason: 'product_exempt' })],
    ];
    expect(listBases(listEntries(lines))).toEqual(['US-MI 6.00 9.00']);
  });

  it('counts a line by the jurisdiction with the largest gross if the state levies no tax', () => {
    // Two lines in two cities of Alaska: neither city has both lines.
    const lines = [
      [row('US-AK-JUNEAU', '100.00')],
      [row('US-AK-KENAI', '40.00', '10.00'), row('US-AK-SOLDOTNA', '20.00')],
    ];
    expect(listBases(listEntries(lines))).toEqual(['US-AK 140.00 10.00']);
  });

  it('adds exempt portions and shipping to the gross', () => {
    const shipping = {
      amount: '8.00',
      id: 'shipping_1',
      discount_amount: null,
      product_tax_code: null,
      line_item_ids: null,
      ship_to: null,
      ship_from: null,
      applied_discount_amount: '0.00',
      net_amount: '8.00',
      taxable_amount: '8.00',
      exempt_amount: '0.00',
      tax_amount: '0.48',
      taxes: [row('US-MI', '8.00', '0.00', '0.48')],
    };
    const lines = [
      [row('US-MI', '75.00'), row('US-MI', '0.00', '25.00', '0.00', { taxability_reason: 'portion_product_exempt' })],
    ];
    expect(listBases(listEntries(lines, { shipping }))).toEqual(['US-MI 83.00 25.00']);
  });

  it('is negative for a credit, with one entry per state', () => {
    const entries = listEntries([[row('US-MI', '10.00', '1.00', '0.60')], [row('US-OH', '20.00', '0.00', '1.15')]], {
      type: 'credit',
    });
    expect(listBases(entries)).toEqual(['US-MI -10.00 -1.00', 'US-OH -20.00 0.00']);
    expect(entries.map(({ amounts }) => amounts[0]?.tax)).toEqual([-60n, -115n]);
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

  it('is created in each state with a registration on any day, and elsewhere only with tax', () => {
    const lines = [
      [untaxed('US-OR', 'not_collecting')],
      [untaxed('US-MI', 'not_collecting')],
      [untaxed('US-HI', 'not_supported')],
    ];
    expect(listStates(lines, {}, registered('Michigan', 'US-HI'))).toEqual(['US-MI', 'US-HI']);
    expect(listStates(lines, {}, registered())).toEqual([]);
    // Recorded tax creates an entry for the whole state of the document.
    const taxed = [
      [untaxed('US-OR', 'not_collecting')],
      [row('US-OR', '0.00', '5.00', '0.30', { taxability_reason: 'over_collected' })],
    ];
    const [entry] = listEntries(
      taxed,
      { calculated_tax_amount: '0.00' },
      { ...registered(), replacedReason: 'not_collecting' },
    );
    expect(entry && amountTexts(entry.base)).toEqual({
      taxable_amount: '0.00',
      exempt_amount: '15.00',
      exempt: { not_registered: '15.00' },
    });
    expect(entry?.exceptions).toEqual([{ reason: 'over_collected', gross: 1500n }]);
  });

  it('is created in every state of the document without registrations, but not abroad', () => {
    const lines = [
      [untaxed('US-OR', 'not_subject_to_tax')],
      [untaxed('US-HI', 'not_supported')],
      [untaxed('CA', 'not_supported')],
    ];
    expect(listStates(lines)).toEqual(['US-OR', 'US-HI']);
  });

  it('splits its gross by reason', () => {
    const appliedTo = (reason: AppliedExemption['reason']): AppliedExemption => ({
      customer_id: null,
      reason,
      certificate_number: null,
      valid_from: null,
      valid_to: null,
    });
    const exempt = (amount: string, reason: AppliedExemption['reason']) =>
      line({ taxes: [untaxed('US-MI', 'customer_exempt', amount)], applied_exemption: appliedTo(reason) });
    const others = [
      [untaxed('US-MI', 'marketplace_collects', '2.00')],
      [untaxed('US-MI', 'not_collecting', '4.00')],
      [untaxed('US-MI', 'product_exempt', '8.00')],
      [untaxed('US-MI', 'not_supported', '16.00')],
      [row('US-MI', '32.00', '64.00', '1.92', { taxability_reason: 'portion_standard_rated' })],
    ].map((taxes) => line({ taxes }));
    const line_items = [
      ...[exempt('1.00', 'resale'), exempt('128.00', 'government'), exempt('256.00', 'direct_pay')],
      ...[exempt('512.00', 'snap'), ...others],
    ];
    const [entry] = listEntries([], { line_items, type: 'credit' });
    expect(entry && amountTexts(entry.base)).toEqual({
      taxable_amount: '-32.00',
      exempt_amount: '-975.00',
      exempt: {
        resale: '-1.00',
        government: '-128.00',
        direct_pay: '-256.00',
        snap: '-512.00',
        marketplace: '-2.00',
        not_registered: '-4.00',
      },
      not_covered_amount: '-16.00',
    });
    expect(entry?.exceptions).toEqual([{ reason: 'not_covered', gross: -1600n }]);
  });

  it("splits the tax due by the origin of the sale, and separates the state's reduced rate on food", () => {
    const from = (state: string) => ({ address: { state } });
    const taxes = (reason: TaxRowResponse['taxability_reason'] = 'standard_rated', tax = '1.00') => [
      row('US-UT', '20.00', '0.00', tax, { taxability_reason: reason }),
      row('US-UT-SALT-LAKE', '20.00', '0.00', '0.10'),
    ];
    const shopInUtah = {
      settingsSnapshot: { ...snapshotSettings(defaultSettings('')), ship_from: from('UT').address },
    };
    const listColumns = (others: Parameters<typeof line>[0], document: Partial<Transaction> = {}, posting = {}) => {
      const line_items = [line({ taxes: taxes(), ...others })];
      const [entry] = listEntries([], { line_items, ...document }, posting);
      return entry?.amounts.map(({ in_state = 0n, food_drug = 0n }) => `${in_state} ${food_drug}`).join(', ');
    };
    const [inside, outside] = ['100 0, 10 0', '0 0, 0 0'];
    expect(listColumns({})).toBe(outside);
    expect(listColumns({}, { ship_from: from('UT') })).toBe(inside);
    expect(listColumns({ ship_from: from('NV') }, { ship_from: from('UT') }, shopInUtah)).toBe(outside);
    expect(listColumns({}, { ship_from: from('NV') }, shopInUtah)).toBe(outside);
    expect(listColumns({}, { ship_from: {} }, shopInUtah)).toBe(inside);
    expect(listColumns({ ship_from: { address: { postal_code: '84101' } } }, { type: 'credit' })).toBe('-100 0, -10 0');
    // This ZIP is in Kentucky and in Tennessee.
    const inKentucky = { taxes: [row('US-KY', '20.00', '0.00', '1.20')] };
    expect(listColumns({ ...inKentucky, ship_from: { address: { postal_code: '42223' } } })).toBe('0 0');
    expect(listColumns({ ...inKentucky, ship_from: { address: { postal_code: '42223', state: 'KY' } } })).toBe('120 0');
    const equipment = { product_tax_code: 'HEALTH.HEARING_AIDS', taxes: taxes('reduced_rated') };
    expect(listColumns(equipment, {}, shopInUtah)).toBe(inside);
    const food = { product_tax_code: 'FOOD.GROCERY', taxes: taxes('reduced_rated') };
    expect(listColumns(food)).toBe('0 100, 0 0');
    expect(listColumns(food, {}, shopInUtah)).toBe('0 100, 10 0');
    expect(listColumns({ ...food, product_tax_code: 'GENERAL' }, {}, shopInUtah)).toBe(inside);
    // Recorded are 1.10, of which 0.60 and 0.05 were calculated: the rest is over-collected and also due.
    expect(listColumns({}, {}, { ...shopInUtah, calculatedTaxes: [60n, 5n] })).toBe(inside);
    // Calculated were 1.60: the tax due is not what was recorded.
    const under = { ...shopInUtah, calculatedTaxes: [150n, 10n], isUnderCollected: true as const };
    expect(listColumns({}, { type: 'credit', parent_transaction_id: 'txn_1' }, under)).toBe('-150 0, -10 0');
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

  it.each([
    { recorded: ['3.00', '1.00'], calculated: [150n, 50n], reason: 'over_collected' },
    { recorded: ['0.01', '0.00'], calculated: [60n, 30n], reason: 'under_collected' },
  ])('reports the calculated tax of each jurisdiction: $reason', ({ recorded, calculated, reason }) => {
    const rows = [
      row('US-MI', '10.00', '0.00', recorded[0], { rate: '0.06' }),
      row('US-MI-DETROIT', '10.00', '0.00', recorded[1], { rate: '0.03' }),
    ];
    const [entry] = listEntries([rows], {}, { calculatedTaxes: calculated });
    expect(entry?.amounts.map(({ tax, difference = 0n }) => tax - difference)).toEqual(calculated);
    expect(entry?.exceptions).toEqual([{ reason, gross: 1000n }]);
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
