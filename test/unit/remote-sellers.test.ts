import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  newAccount,
  type RemoteSellerElection,
  type Settings,
} from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInRelease, builtInReleaseFor, builtInReleases } from '../../shared/catalog/built-in.ts';
import { withOwnRules } from '../../shared/catalog/own-rules.ts';
import { electedRateOn } from '../../shared/catalog/remote-sales.ts';
import { createCalculation } from '../../shared/ledger/create-calculation.ts';
import { replayTransaction } from '../../shared/ledger/replay.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { findRates } from '../../shared/rates/rates.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { fixture, importFiles, releaseForOf } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../fixtures/imports/sst.ts';
import { ask, refusal, warningCodes } from '../support/builders.ts';
import { Recorder } from '../support/recorder.ts';
import { contentOf } from '../support/replay-content.ts';

describe('remote sellers', () => {
  /**
   * Sales from another state. The expected figures are worked by hand: Alabama's flat tax of 8 % (Ala. Code 40-23-193), Texas'
   * 6.25 % with 1.75 % (Tex. Tax Code 151.0595), and the published rates of Birmingham (4 + 2 + 4 %) and Houston (6.25 + 2 %).
   */

  const houston = { city: 'Houston', state: 'TX', postal_code: '77002' };
  const birmingham = { city: 'Birmingham', state: 'AL', postal_code: '35203' };
  const kansasCity = { city: 'Kansas City', state: 'MO', postal_code: '64106' };
  const tulsa = { city: 'Tulsa', state: 'OK', postal_code: '74103' };
  const ketchum = { city: 'Ketchum', state: 'ID', postal_code: '83340' };
  const jackson = { city: 'Jackson', state: 'MS', postal_code: '39201' };
  const from = (state: string, city: string, postal_code: string) => ({ address: { state, city, postal_code } });
  const detroit = from('MI', 'Detroit', '48226');

  const single = { state: 'TX', election: 'single_local_use_tax', from: '2026-01-01', to: null } as const;
  const flat = { state: 'AL', election: 'simplified_sellers_use_tax', from: '2026-01-01', to: null } as const;
  const elected = (...remote_seller_elections: RemoteSellerElection[]) => ({ settings: { remote_seller_elections } });
  const goods = (unit_price: string, product_tax_code = 'GENERAL') => ({ unit_price, product_tax_code });
  const sold = (to: typeof houston, others: object = {}) => ({
    to,
    ship_from: detroit,
    tax_date: '2026-11-20',
    ...others,
  });

  const ratesOf = ({ tax_summary }: Outcome) => tax_summary.map((row) => [row.jurisdiction_code, row.rate]);
  const said = ({ warnings }: Outcome) => warnings.filter(({ code }) => code === 'remote_seller_rate');
  const singleRates = [
    ['US-TX', '0.0625'],
    ['US-TX-SINGLE-LOCAL-USE', '0.0175'],
  ];
  const flatRates = [['US-AL-SSUT', '0.08']];

  describe('the single local use tax of Texas', () => {
    it.each([
      ['100.00', '8.25', '8.00'],
      // 1.249375 and 0.349825.
      ['19.99', '1.65', '1.60'],
      ['0.00', '0.00', '0.00'],
    ])('charges on %s in Houston %s without the election, and %s with it', (price, tax, withElection) => {
      const request = sold(houston, { line_items: [goods(price)] });
      expect(ask(request).tax_amount).toBe(tax);
      const outcome = ask(request, elected(single));
      expect(outcome.tax_amount).toBe(withElection);
      expect(ratesOf(outcome)).toEqual(singleRates);
      // Nothing is uncertain but the rounding of half a cent.
      expect(outcome.warnings.filter(({ message }) => !message.includes('rounding'))).toEqual([]);
    });

    it('is the same anywhere in the state, without the rest of the address', () => {
      for (const to of [{ state: 'TX' }, { state: 'TX', postal_code: '79901' }, { ...houston, city: 'Austin' }]) {
        const outcome = ask(sold(to as typeof houston), elected(single));
        expect([outcome.tax_amount, warningCodes(outcome), outcome.line_items[0]?.address_resolution]).toEqual([
          '8.00',
          [],
          { level: 'state', ambiguous: false, coverage: 'complete' },
        ]);
      }
      const settings = { incomplete_coverage: 'reject', ambiguous_address: 'reject' } as const;
      const anywhere = sold({ state: 'TX' } as typeof houston);
      expect(refusal(anywhere, { settings })).toHaveLength(1);
      expect(refusal(anywhere, { settings: { ...settings, ...elected(single).settings } })).toEqual([]);
    });

    it('applies to goods that the state taxes, with their shipping', () => {
      const line_items = [goods('100.00'), goods('50.00', 'HEALTH.DRUGS._PRESCRIPTION')];
      const { tax_amount, exempt_amount } = ask(sold(houston, { line_items }), elected(single));
      expect([tax_amount, exempt_amount]).toEqual(['8.00', '50.00']);
      const shipped = { line_items: [goods('100.00')], shipping: { amount: '10.00' } };
      expect(ask(sold(houston, shipped), elected(single)).tax_amount).toBe('8.80');
    });

    it('is extracted from prices that include it', () => {
      const request = sold(houston, { tax_included: true, line_items: [goods('108.00')] });
      expect(ask(request, elected(single)).line_items[0]).toMatchObject({
        taxable_amount: '100.00',
        tax_amount: '8.00',
      });
    });

    it('does not apply to a sale within the state, or to one that is picked up there', () => {
      const austin = from('TX', 'Austin', '78701');
      for (const others of [{}, { line_items: [{ ...goods('100.00'), fulfillment: 'pickup' as const }] }]) {
        const request = sold(houston, { ship_from: austin, ...others });
        expect(ratesOf(ask(request, elected(single)))).toEqual(ratesOf(ask(request)));
      }
      expect(ask(sold(houston, { ship_from: austin }), elected(single)).tax_amount).toBe('8.25');
    });

    it('applies where the origin is unknown, but not where the account ships from the state', () => {
      const request = { to: houston, tax_date: '2026-11-20' };
      expect(ratesOf(ask(request, elected(single)))).toEqual(singleRates);
      const settings = { ...elected(single).settings, ship_from: from('TX', 'Austin', '78701').address };
      expect(ask(request, { settings }).tax_amount).toBe('8.25');
    });

    it('applies from its first to its last day, by the tax day', () => {
      const days = { ...single, from: '2026-03-01', to: '2026-09-30' };
      const taxOn = (tax_date: string, ...elections: RemoteSellerElection[]) =>
        ask(sold(houston, { tax_date }), elected(...elections)).tax_amount;
      expect(['2026-02-28', '2026-03-01', '2026-09-30', '2026-10-01'].map((day) => taxOn(day, days))).toEqual([
        '8.25',
        '8.00',
        '8.00',
        '8.25',
      ]);
      expect(taxOn('2026-12-01', days, { ...single, state: 'Texas', from: '2026-12-01' })).toBe('8.00');
    });

    it('is the last one on record in a year whose rate is not, with a warning', () => {
      const outcome = ask(sold(houston, { tax_date: '2027-01-02' }), { ...elected(single), today: '2027-01-02' });
      expect(outcome.tax_amount).toBe('8.00');
      expect(said(outcome)).toMatchObject([
        { pointer: '/line_items/0', message: expect.stringContaining('2026-12-31') },
      ]);
      const request = sold(houston, { tax_date: '2027-01-02', line_items: [goods('5.00', 'FOOD.GROCERY')] });
      expect(said(ask(request, { ...elected(single), today: '2027-01-02' }))).toEqual([]);
    });

    it('applies where an import, which copied the terms of its base, does not list the ZIP', async () => {
      const imported = await importFiles('zip-rates', 'TX', [fixture('TAXRATES_ZIP5_TX202611.csv')]);
      const releaseFor = releaseForOf(imported);
      expect(warningCodes(ask(sold(houston), { releaseFor }))).toContain('local_rates_missing');
      for (const to of [houston, { ...houston, city: 'Allen', postal_code: '75001' }]) {
        const outcome = ask(sold(to), { ...elected(single), releaseFor });
        expect([outcome.tax_amount, ratesOf(outcome)]).toEqual(['8.00', singleRates]);
      }
    });

    it('is not for sales that a marketplace collects on', () => {
      const outcome = ask(sold(houston, { collected_by: 'marketplace' }), elected(single));
      expect(outcome.tax_amount).toBe('0.00');
      expect(outcome.tax_summary.map((row) => row.jurisdiction_code)).not.toContain('US-TX-SINGLE-LOCAL-USE');
    });

    it('is explained with the law', () => {
      const { explanation } = ask(sold(houston, { explain: true }), elected(single));
      const steps = JSON.stringify(explanation);
      expect(steps).toContain('Tex. Tax Code 151.0595');
      expect(steps).toContain('2026-01-01');
    });
  });

  describe('the simplified sellers use tax of Alabama', () => {
    it.each([
      ['GENERAL', '10.00', '8.00'],
      // 2 % for the state, 6 % for the city and county.
      ['FOOD.GROCERY', '8.00', '8.00'],
      ['FOOD.CANDY', '8.00', '8.00'],
      ['MANUFACTURING.MANUFACTURING_MACHINERY', null, '8.00'],
      ['HEALTH.DRUGS._PRESCRIPTION', '0.00', '0.00'],
      ['FEES.GIFT_CARDS', '0.00', '0.00'],
    ])('charges on 100.00 of %s in Birmingham %s without the election, and %s with it', (code, tax, withElection) => {
      const request = sold(birmingham, { line_items: [goods('100.00', code)] });
      if (tax !== null) expect(ask(request).tax_amount).toBe(tax);
      const outcome = ask(request, elected(flat));
      expect(outcome.tax_amount).toBe(withElection);
      expect(ratesOf(outcome)).toEqual(flatRates);
      expect(said(outcome)).toEqual([]);
    });

    it('has one row, of the type state', () => {
      const [line] = ask(sold(birmingham), elected(flat)).line_items;
      expect(line?.taxes).toMatchObject([
        { jurisdiction_type: 'state', tax_type: 'sales', taxability_reason: 'standard_rated', sourcing: 'destination' },
      ]);
    });

    it('stays unpaid by an exempt customer', () => {
      const exemption = { type: 'resale' as const, certificate_id: 'r-1' };
      const outcome = ask(
        sold(birmingham, { to: undefined, customer: { address: birmingham, exemption } }),
        elected(flat),
      );
      expect(outcome.tax_amount).toBe('0.00');
      expect(outcome.line_items[0]?.taxes.map((row) => row.taxability_reason)).toEqual(['customer_exempt']);
    });

    it('is not charged on a holiday, with a warning, because that is not confirmed', () => {
      const request = sold(birmingham, { tax_date: '2026-07-18', line_items: [goods('100.00', 'CLOTHING.APPAREL')] });
      // The holiday is the state's. Its cities and counties go on.
      expect(ask(request).tax_amount).toBe('6.00');
      const outcome = ask(request, elected(flat));
      expect([outcome.tax_amount, warningCodes(outcome)]).toEqual(['0.00', ['content_unconfirmed']]);
    });

    it('does not apply within the state or elsewhere, and its own state has no other rate', () => {
      expect(ask(sold(birmingham, { ship_from: from('AL', 'Mobile', '36602') }), elected(flat)).tax_amount).toBe(
        '10.00',
      );
      expect(ask(sold(houston), elected(flat)).tax_amount).toBe('8.25');
      const both = elected(flat, single);
      const lines = [houston, birmingham].map((address) => ({ ...goods('100.00'), customer: { address } }));
      const outcome = ask({ ship_from: detroit, tax_date: '2026-11-20', line_items: lines }, both);
      expect(ratesOf(outcome).toSorted()).toEqual([...flatRates, ...singleRates]);
      expect(outcome.tax_amount).toBe('16.00');
    });
  });

  describe('a sale from another state without an election', () => {
    it.each([
      ['MO', kansasCity],
      ['OK', tulsa],
      ['AL', birmingham],
    ])('warns in %s that local use rates may differ, once, and not on sales within the state', (state, to) => {
      const line_items = [goods('100.00'), goods('20.00')];
      const outcome = ask(sold(to, { line_items, shipping: { amount: '5.00' } }));
      expect(said(outcome)).toMatchObject([{ pointer: '/line_items/0' }]);
      expect(said(ask({ to, tax_date: '2026-11-20' }))).toHaveLength(1);
      expect(said(ask(sold(to, { ship_from: { address: to } })))).toEqual([]);
      expect(said(ask(sold({ state } as typeof to)))).toEqual([]);
      expect(said(ask(sold(to, { line_items: [goods('9.00', 'FEES.GIFT_CARDS')] })))).toEqual([]);
      expect(said(ask(sold(to, { collected_by: 'marketplace' })))).toEqual([]);
    });

    it('warns once for each state', () => {
      const lines = [tulsa, kansasCity, tulsa, houston].map((address) => ({
        ...goods('10.00'),
        customer: { address },
      }));
      expect(said(ask({ ship_from: detroit, line_items: lines })).map(({ pointer }) => pointer)).toEqual([
        '/line_items/0',
        '/line_items/1',
      ]);
    });

    it('does not warn in Missouri where own rules have the local use tax', () => {
      const own = (jurisdiction: string, rate: string) => ({
        ...{ jurisdiction, rate, interstate: { rate }, from: '2026-01-01', to: null },
        ...{ source: 'own:use', confidence: 'high' as const },
      });
      const rates = [own('US-MO-00-095', '0'), own('US-MO-01-38000', '0.01')];
      const settings = { sourcing: [], shipping: [], rounding: [], coupons: [] };
      const rules = { sources: { 'own:use': 'use tax table' }, jurisdictions: [], rates, rules: [], settings };
      const missouri = builtInRelease('MO');
      const release = missouri && withOwnRules(missouri, rules);
      const outcome = ask(sold(kansasCity), { releaseFor: () => release });
      expect([outcome.tax_amount, said(outcome)]).toEqual(['5.23', []]);
    });

    it('does not warn in Oklahoma where an imported file has the rates of sales from other states', async () => {
      const files = sstFiles(
        'OK',
        [rateRow('40', '45', '40', '0.045'), rateRow('40', '1', '75000', ['0.0365', '0.02', '0.0365', '0.02'])],
        [boundaryRow({ state: '40', zips: ['74103', '0000', '74103', '9999'], place: '75000', placeType: '1' })],
      );
      const releaseFor = releaseForOf(await importFiles('sst', 'OK', files));
      const outcome = ask(sold(tulsa), { releaseFor });
      expect([outcome.tax_amount, said(outcome)]).toEqual(['6.50', []]);
      expect(ask(sold(tulsa, { ship_from: { address: tulsa } }), { releaseFor }).tax_amount).toBe('8.15');
    });

    it.each([
      ['ID', ketchum, '8.00', '6.00'],
      ['MS', jackson, '8.00', '7.00'],
    ])('has no local tax in %s, if it is known to come from elsewhere', (state, to, local, tax) => {
      const outcome = ask(sold(to));
      expect([outcome.tax_amount, ratesOf(outcome).map(([code]) => code)]).toEqual([tax, [`US-${state}`]]);
      expect(said(outcome)).toEqual([]);
      expect(ask(sold(to, { ship_from: { address: { country: 'CA' } } })).tax_amount).toBe(tax);
      expect(ask(sold(to, { ship_from: { address: to } })).tax_amount).toBe(local);
      const unknown = ask({ to, tax_date: '2026-11-20' });
      expect([unknown.tax_amount, said(unknown)]).toMatchObject([local, [{ pointer: '/line_items/0' }]]);
    });

    it('warns in Illinois only before 2025, when sellers with a place there owed no local tax', () => {
      const chicago = { city: 'Chicago', state: 'IL', postal_code: '60601' };
      expect(said(ask(sold(chicago, { tax_date: '2024-12-31' })))).toHaveLength(1);
      expect(said(ask(sold(chicago, { tax_date: '2025-01-01' })))).toEqual([]);
    });

    it.each([
      ['LA', { city: 'New Orleans', state: 'LA', postal_code: '70112' }],
      ['TX', houston],
      ['MI', { city: 'Detroit', state: 'MI', postal_code: '48226' }],
    ])('has no warning in %s, whose rates are the same', (_, to) => {
      expect(said(ask(sold(to, { ship_from: from('NY', 'New York', '10001') })))).toEqual([]);
    });
  });

  describe('the rates of an address', () => {
    const ratesAt = async (to: typeof houston, ...elections: RemoteSellerElection[]) =>
      ratesFrom(null, to, ...elections);
    const ratesFrom = async (
      ship_from: typeof houston | null,
      to: typeof houston,
      ...elections: RemoteSellerElection[]
    ) => {
      const settings = { ...defaultSettings('v'), ship_from, ...elected(...elections).settings };
      const ports = { loadContent: async () => builtInReleaseFor, now: () => Date.parse('2026-11-20') };
      const result = await findRates({ ...to, date: '2026-11-20' }, settings, ports);
      if (!result.ok) throw new Error(JSON.stringify(result.problems));
      const { combined_rate, warnings } = result.value;
      return [combined_rate, warnings.some(({ code }) => code === 'remote_seller_rate')];
    };

    it('are those of a sale from another state', async () => {
      expect(await ratesAt(houston)).toEqual(['0.0825', false]);
      expect(await ratesAt(houston, single)).toEqual(['0.08', false]);
      expect(await ratesAt(birmingham)).toEqual(['0.1', true]);
      expect(await ratesAt(birmingham, flat)).toEqual(['0.08', false]);
      expect(await ratesAt(ketchum)).toEqual(['0.08', true]);
      expect(await ratesFrom(ketchum, ketchum)).toEqual(['0.08', true]);
      expect(await ratesFrom(detroit.address, ketchum)).toEqual(['0.06', false]);
      expect(await ratesAt(kansasCity)).toEqual(['0.08975', true]);
    });
  });

  describe('the terms in the releases', () => {
    const withTerms = builtInReleases().flatMap(({ state, remote_sales = [] }) =>
      remote_sales.map((terms) => ({ state, terms })),
    );

    it('have codes of their state that no release lists, and rates without gaps', () => {
      for (const { state, terms } of withTerms)
        if (terms.policy === 'election') {
          const { code } = terms.jurisdiction;
          expect(code.startsWith(`${state}-`)).toBe(true);
          const release = builtInReleases().find((one) => one.state === state);
          expect(release?.jurisdictions.map((one) => one.code)).not.toContain(code);
        }
    });

    it('give no rate before the first day of an election', () => {
      const texas = builtInRelease('TX') ?? {};
      expect(electedRateOn(texas, 'single_local_use_tax', '2019-09-30')).toBeNull();
      expect(electedRateOn(texas, 'single_local_use_tax', '2019-10-01')?.elected.rate).toBe('0.0175');
      expect(electedRateOn(texas, 'simplified_sellers_use_tax', '2026-01-01')).toBeNull();
    });
  });
});

describe('remote sellers replay', () => {
  /** Recorded sales with a remote seller's election do not change with the account's later elections. */

  const elections = {
    TX: [{ state: 'TX', election: 'single_local_use_tax', from: '2026-01-01', to: null }],
    AL: [{ state: 'AL', election: 'simplified_sellers_use_tax', from: '2026-01-01', to: null }],
  } as const;
  const cities = {
    TX: { city: 'Houston', state: 'TX', postal_code: '77002' },
    AL: { city: 'Birmingham', state: 'AL', postal_code: '35203' },
  };
  type State = keyof typeof cities;

  const requestTo = (state: State) => ({
    status: 'finalized' as const,
    tax_date: '2026-11-22',
    customer: { address: cities[state] },
    ship_from: { address: { city: 'Detroit', state: 'MI', postal_code: '48226' } },
    line_items: [{ quantity: '1', unit_price: '100.00' }],
  });

  const settingsOf = (state: State, isOn: boolean) => ({ remote_seller_elections: isOn ? [...elections[state]] : [] });
  const account = (state: State, isOn: boolean) => {
    const settings: Settings = { ...defaultSettings('aspen.2026-10-01'), ...settingsOf(state, isOn) };
    return { ...newAccount({ id: 'acct_replay', name: 'Replay', serviceVersion: '', createdMs: 0 }), settings };
  };

  const recorded = async (state: State, isOn: boolean): Promise<StoredTransaction> => {
    const recorder = new Recorder([]);
    recorder.activate([]);
    await recorder.record('txn_1', { request: requestTo(state), settings: settingsOf(state, isOn) });
    return recorder.stored.get('txn_1') as StoredTransaction;
  };

  const loadContent = contentOf([]);
  // A credit may have lines with another origin, whose release the sale has not pinned.
  const loadActive = contentOf([], { readActive: async () => ({ version: 1, states: {} }) });
  const now = () => Date.parse('2026-11-23');
  const replayed = async (stored: StoredTransaction, ofAccount: ReturnType<typeof account>) => {
    const result = await replayTransaction('txn_1', ofAccount, {
      ledger: { find: async () => stored },
      loadContent,
      now,
    });
    return result.ok ? [result.value.match, result.value.differences] : result;
  };

  const cases = [
    ['TX', true, '8.00', '0.80'],
    ['TX', false, '8.25', '0.83'],
    ['AL', true, '8.00', '0.80'],
    ['AL', false, '10.00', '1.00'],
  ] as const;

  it.each(cases)('recorded in %s with the election %s it replays to %s after the account changed', async (...of) => {
    const [state, isOn, tax] = of;
    const stored = await recorded(state, isOn);
    expect(stored.transaction.tax_amount).toBe(tax);
    const read = transactionFrom(transactionItem('acct_replay', stored));
    expect(await replayed(read, account(state, !isOn))).toEqual([true, []]);
  });

  it.each(cases)(
    'recorded in %s with the election %s (%s) its credit of 10.00 has %s',
    async (state, isOn, tax, part) => {
      const stored = await recorded(state, isOn);
      const ledger = { find: async () => stored };
      const ports = { now, loadContent: loadActive, ledger, customers: { findSome: async () => new Map() } };
      const credits = [{}, { line_items: [{ id: 'other', quantity: '1', unit_price: '10.00' }] }].map((lines) =>
        createCalculation(
          { type: 'credit', parent_transaction_id: 'txn_1', ...lines },
          [],
          account(state, !isOn),
          ports,
        ),
      );
      const found = (await Promise.all(credits)).map((credit) =>
        credit.ok ? credit.value.tax_amount : credit.problems,
      );
      expect(found).toEqual([tax, part]);
    },
  );
});
