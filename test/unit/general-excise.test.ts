import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, newAccount, type Settings } from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor, builtInReleases } from '../../shared/catalog/built-in.ts';
import { rateDecimals } from '../../shared/catalog/release-values.ts';
import { createCalculation } from '../../shared/ledger/create-calculation.ts';
import { replayTransaction } from '../../shared/ledger/replay.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { findRates } from '../../shared/rates/rates.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { visibleRates } from '../../shared/tax/general-excise.ts';
import { scaledRate } from '../../shared/tax/general-rate.ts';
import { ask, jurisdiction, releaseOf, rule } from '../support/builders.ts';
import { Recorder } from '../support/recorder.ts';
import { contentOf } from '../support/replay-content.ts';
import { onlyShipping } from '../support/shipping.ts';

describe('general excise', () => {
  /**
   * Hawaii's general excise tax, charged as the seller owes it or passed on at the highest visible rate. The rates are those
   * of the Department of Taxation (Announcements 2018-14 and 2019-04): 4.7120 % where the tax is 4.5 %, 4.1666 % where it is
   * 4 %, and 0.5025 % on wholesale, where it is 0.5 %.
   */

  const honolulu = { city: 'Honolulu', state: 'HI', postal_code: '96813' };
  const kalawao = { city: 'Kalaupapa', county: 'Kalawao', state: 'HI', postal_code: '96742' };
  const on = { settings: { pass_on_general_excise: true } } as const;
  const code = 'general_excise_not_passed_on';

  const goods = (unit_price: string, product_tax_code = 'GENERAL') => ({ unit_price, product_tax_code });
  const said = ({ warnings }: Outcome) => warnings.filter((warning) => warning.code === code);
  const ratesOf = ({ tax_summary }: Outcome) =>
    Object.fromEntries(tax_summary.map((row) => [row.jurisdiction_code, row.rate]));

  describe('a line in Hawaii', () => {
    it.each([
      ['Honolulu', honolulu, '100.00', '4.50', '4.71'],
      ['Honolulu', honolulu, '10000.00', '450.00', '471.20'],
      ['Hilo', { city: 'Hilo', state: 'HI', postal_code: '96720' }, '10000.00', '450.00', '471.20'],
      ['Kahului', { city: 'Kahului', state: 'HI', postal_code: '96732' }, '10000.00', '450.00', '471.20'],
      ['Lihue', { city: 'Lihue', state: 'HI', postal_code: '96766' }, '10000.00', '450.00', '471.20'],
      ['Kalawao', kalawao, '100.00', '4.00', '4.17'],
      ['Kalawao', kalawao, '10000.00', '400.00', '416.66'],
      ['Honolulu', honolulu, '0.00', '0.00', '0.00'],
    ])('a line in %s (%o) of %s is charged %s, or passed on %s', (_, to, price, owed, visible) => {
      const request = { to, tax_date: '2026-11-22', line_items: [goods(price)] };
      expect(ask(request).tax_amount).toBe(owed);
      expect(ask(request, on).tax_amount).toBe(visible);
    });

    it('shows the shares of the visible rate, and the tax is split by them', () => {
      const outcome = ask({ to: honolulu, line_items: [goods('10000.00')] }, on);
      expect(ratesOf(outcome)).toEqual({ 'US-HI': '0.041885', 'US-HI-00-003': '0.005235' });
      expect(outcome.line_items[0]?.taxes.map(({ tax_amount }) => tax_amount)).toEqual(['418.85', '52.35']);
      expect(ratesOf(ask({ to: kalawao }, on))).toEqual({ 'US-HI': '0.041666' });
      expect(ratesOf(ask({ to: honolulu }))).toEqual({ 'US-HI': '0.04', 'US-HI-00-003': '0.005' });
    });

    it('owes what was passed on: 4.5 percent of price and tax together', () => {
      for (const price of ['1.00', '19.99', '100.00', '123.45', '9999.99']) {
        const { tax_amount, total_amount } = ask({ to: honolulu, line_items: [goods(price)] }, on);
        const owed = new Decimal(total_amount).times('0.045').toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
        expect(tax_amount, price).toBe(owed.toFixed(2));
      }
    });

    it('stays exempt, and shares its rows in the summary with what is not', () => {
      const line_items = [
        goods('100.00'),
        goods('40.00', 'HEALTH.DRUGS._PRESCRIPTION'),
        goods('9.00', 'FEES.GIFT_CARDS'),
      ];
      const outcome = ask({ to: honolulu, line_items }, on);
      expect(outcome.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['4.71', '0.00', '0.00']);
      expect(outcome.tax_summary.map(({ rate, exempt_amount }) => [rate, exempt_amount])).toEqual([
        ['0.041885', '49.00'],
        ['0.005235', '49.00'],
      ]);
    });

    it('is rounded by line, or once on the invoice', () => {
      const request = { to: honolulu, line_items: [goods('0.30'), goods('0.30'), goods('0.30')] };
      // 0.30 at 4.7120 % is 0.014136; three of them are 0.042408.
      expect(ask(request, on).tax_amount).toBe('0.03');
      expect(ask(request, { settings: { ...on.settings, rounding: 'invoice' } }).tax_amount).toBe('0.04');
    });

    it('passes on the tax on shipping as well, even of exempt goods', () => {
      const shipping = { amount: '10.00' };
      expect(onlyShipping(ask({ to: honolulu, shipping }, on).shipping)?.tax_amount).toBe('0.47');
      const exempt = {
        to: honolulu,
        line_items: [{ ...goods('9.00', 'FEES.GIFT_CARDS'), fulfillment: 'ship' as const }],
        shipping,
      };
      expect(ask(exempt, on).tax_amount).toBe('0.47');
      expect(said(ask(exempt))).toMatchObject([{ pointer: '/shipping' }]);
    });
  });

  describe('a price in Hawaii that includes the tax', () => {
    it.each(['line', 'invoice'] as const)('leaves the net that gives it again, rounded by %s', (rounding) => {
      const settings = { ...on.settings, rounding };
      const request = { to: honolulu, tax_included: true, line_items: [goods('104.71')] };
      const { line_items, total_amount, tax_amount } = ask(request, { settings });
      expect([line_items[0]?.taxable_amount, tax_amount, total_amount]).toEqual(['100.00', '4.71', '104.71']);
    });

    it('is extracted from every net plus tax', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 10_000_000 }), (cents) => {
          const price = new Decimal(cents).div(100).toFixed(2);
          const gross = ask({ to: honolulu, line_items: [goods(price)] }, on).total_amount;
          const extracted = ask({ to: honolulu, tax_included: true, line_items: [goods(gross)] }, on);
          expect(extracted.line_items[0]?.taxable_amount).toBe(price);
        }),
        { numRuns: 100 },
      );
    });
  });

  describe('the visible rate', () => {
    const rate = fc.integer({ min: 0, max: 3000 }).map((units) => new Decimal(units).div(10_000).toString());
    it('is cut to six decimals, and its shares add up to it', () => {
      fc.assert(
        fc.property(fc.array(rate, { minLength: 1, maxLength: 3 }), (owed) => {
          const shares = visibleRates(owed.map(scaledRate));
          const together = Decimal.sum(...owed);
          const visible = together.div(new Decimal(1).minus(together)).toDecimalPlaces(6, Decimal.ROUND_DOWN);
          expect(Decimal.sum(...shares.map(({ text }) => text)).toString()).toBe(visible.toString());
          for (const [index, { text, units }] of shares.entries()) {
            expect(new Decimal(units.toString()).div(10 ** rateDecimals).toString()).toBe(new Decimal(text).toString());
            const exact = together.isZero() ? together : visible.times(owed[index] as string).div(together);
            const most = owed.slice(0, index).some((one) => one !== '0') ? 1 : owed.length;
            expect(new Decimal(text).minus(exact).abs().toNumber()).toBeLessThan(most / 1_000_000);
          }
        }),
      );
    });

    it('follows the rate of the product, where it has one', () => {
      const always = { from: null, to: null, source: 'test', confidence: 'high' } as const;
      const state = { ...jurisdiction('US-HI'), tax_type: 'general_excise' as const };
      // An import calls local taxes sales taxes.
      const county = jurisdiction('US-HI-X', 'county');
      const release = {
        ...releaseOf({
          of: [
            { code: 'US-HI', type: 'state', rate: '0.04' },
            { code: 'US-HI-X', type: 'county', rate: '0.005' },
          ],
          locations: [{ ...always, zips: [['96813', '96813']], cities: [], alternatives: [['US-HI-X']] }],
          rules: [
            rule('wholesale', ['JEWELRY'], { type: 'rate', rate: '0.005' }, { levels: ['state'] }),
            rule('no-surcharge', ['JEWELRY'], { type: 'exempt' }, { levels: ['county'] }),
          ],
        }),
        jurisdictions: [state, county] as const,
      };
      const outcome = (ptc: string) =>
        ask(
          { to: { state: 'HI', postal_code: '96813' }, line_items: [goods('10000.00', ptc)] },
          { ...on, releaseFor: () => release },
        );
      expect(outcome('JEWELRY.FINE_JEWELRY').tax_amount).toBe('50.25');
      expect(outcome('GENERAL').tax_amount).toBe('471.20');
    });

    it('is known for every effect that Hawaii has', () => {
      const effects = builtInReleases()
        .filter(({ jurisdictions: [state] }) => state?.tax_type === 'general_excise')
        .flatMap(({ state, rules }) => rules.map(({ effect }) => `${state} ${effect.type}`));
      expect(new Set(effects)).toEqual(
        new Set(['taxable', 'exempt', 'follows_goods', 'other_tax', 'not_established'].map((type) => `US-HI ${type}`)),
      );
    });
  });

  describe('the warning that general excise tax is not passed on', () => {
    it('comes once, at the first line that is charged, and names the setting and the rate', () => {
      const line_items = [goods('9.00', 'FEES.GIFT_CARDS'), goods('1.00'), goods('2.00', 'FOOD.GROCERY')];
      const warnings = said(ask({ to: honolulu, line_items, shipping: { amount: '5.00' } }));
      expect(warnings.map(({ pointer }) => pointer)).toEqual(['/line_items/1']);
      expect(warnings[0]?.message).toMatch(/4\.7120 %.*pass_on_general_excise/);
      expect(said(ask({ to: kalawao }))[0]?.message).toContain('4.1666 %');
    });

    it.each([
      ['it is passed on', { to: honolulu }, on],
      ['nothing is taxed', { to: honolulu, line_items: [goods('1.00', 'FEES.GIFT_CARDS')] }, {}],
      ['the account is not registered there', { to: honolulu }, { settings: { registrations: [] } }],
      ['a marketplace collects', { to: honolulu, collected_by: 'marketplace' as const }, {}],
      ['the tax is a sales tax', { to: { state: 'MI', postal_code: '48933' } }, {}],
    ])('does not come where %s', (_, request, options) => expect(said(ask(request, options))).toEqual([]));

    it('the warning and the setting do not affect other states', () => {
      const request = { to: { state: 'MI', postal_code: '48933' } };
      expect(ask(request, on)).toEqual(ask(request));
    });
  });

  it('an explanation has both rates, and cites where the visible one is published', () => {
    const { explanation } = ask({ to: honolulu, explain: true }, on);
    const rates = (explanation ?? []).filter(({ step }) => step === 'rate');
    expect(rates.map(({ citation }) => /HRS|surcharge/.test(`${citation}`) && citation?.includes('2018-14'))).toEqual([
      true,
      true,
    ]);
    expect(rates[0]?.text).toMatch(/0\.041885.* 0\.04 .*0\.047120.*0\.045/);
    expect(JSON.stringify(ask({ to: honolulu, explain: true }).explanation)).not.toContain('2018-14');
  });

  describe('GET /rates', () => {
    const ratesAt = async (query: object, settings = {}) => {
      const ports = { loadContent: async () => builtInReleaseFor, now: () => Date.parse('2026-11-22T12:00:00Z') };
      const found = await findRates(query, { ...defaultSettings('aspen.2026-10-01'), ...settings }, ports);
      if (!found.ok) throw new Error(JSON.stringify(found.problems));
      return found.value;
    };
    it('returns the rates of a calculation: the visible rate and its shares', async () => {
      const rates = await ratesAt(honolulu, on.settings);
      expect(rates.combined_rate).toBe('0.04712');
      expect(rates.jurisdictions.map(({ rate }) => rate)).toEqual(['0.041885', '0.005235']);
      expect(rates.jurisdictions[0]?.source).toContain('2018-14');
      expect(rates.warnings.map((warning) => warning.code)).not.toContain(code);
      expect((await ratesAt(kalawao, on.settings)).combined_rate).toBe('0.041666');
    });

    it('returns the owed rate, with the warning, where the setting is off', async () => {
      const rates = await ratesAt(honolulu);
      expect([rates.combined_rate, rates.jurisdictions.map(({ rate }) => rate)]).toEqual(['0.045', ['0.04', '0.005']]);
      expect(rates.warnings.filter((warning) => warning.code === code)).toMatchObject([{ pointer: null }]);
      const lansing = await ratesAt({ postal_code: '48933' });
      expect(lansing.warnings.map((warning) => warning.code)).not.toContain(code);
      expect(await ratesAt({ postal_code: '48933' }, on.settings)).toEqual(lansing);
    });
  });
});

describe('general excise replay', () => {
  /** Recorded transactions in Hawaii do not change with the account's later general excise setting. */

  const request = {
    status: 'finalized' as const,
    tax_date: '2026-11-22',
    customer: { address: { city: 'Honolulu', state: 'HI', postal_code: '96813' } },
    line_items: [{ quantity: '1', unit_price: '100.00' }],
  };
  const account = (pass_on_general_excise: boolean) => {
    const settings: Settings = { ...defaultSettings('aspen.2026-10-01'), pass_on_general_excise };
    return { ...newAccount({ id: 'acct_replay', name: 'Replay', serviceVersion: '', createdMs: 0 }), settings };
  };

  const recorded = async (isOn: boolean): Promise<StoredTransaction> => {
    const recorder = new Recorder([]);
    recorder.activate([]);
    await recorder.record('txn_1', { request, settings: { pass_on_general_excise: isOn } });
    return recorder.stored.get('txn_1') as StoredTransaction;
  };

  const loadContent = contentOf([]);
  const now = () => Date.parse('2026-11-23');
  const replayed = async (stored: StoredTransaction, isOn: boolean) => {
    const ports = { ledger: { find: async () => stored }, loadContent, now };
    const result = await replayTransaction('txn_1', account(isOn), ports);
    return result.ok ? [result.value.match, result.value.differences] : result;
  };

  it.each([
    [true, '4.71'],
    [false, '4.50'],
  ])('recorded with the setting %s it replays to %s after the account changed', async (isOn, tax) => {
    const stored = await recorded(isOn);
    expect(stored.transaction.tax_amount).toBe(tax);
    const read = transactionFrom(transactionItem('acct_replay', stored));
    expect(await replayed(read, !isOn)).toEqual([true, []]);
  });

  it('is credited as recorded, even with other lines', async () => {
    const line_items = [{ id: 'other', quantity: '1', unit_price: '10.00' }];
    for (const [stored, taxes] of [
      [await recorded(true), ['4.71', '0.47']],
      [await recorded(false), ['4.50', '0.45']],
    ] as const) {
      const isOn = stored.settingsSnapshot.pass_on_general_excise;
      const ports = {
        now,
        loadContent,
        ledger: { find: async () => stored },
        customers: { findSome: async () => new Map() },
      };
      const credits = [{}, { line_items }].map((lines) =>
        createCalculation({ type: 'credit', parent_transaction_id: 'txn_1', ...lines }, [], account(!isOn), ports),
      );
      const found = (await Promise.all(credits)).map((credit) =>
        credit.ok ? credit.value.tax_amount : credit.problems,
      );
      expect(found).toEqual(taxes);
    }
  });
});
