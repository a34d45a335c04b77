import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  newAccount,
  type RemoteSellerElection,
  type Settings,
} from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInRelease, builtInReleaseById, builtInReleases } from '../../shared/catalog/built-in.ts';
import { type ContentPorts, contentLoader } from '../../shared/catalog/loading/content-loader.ts';
import { withOwnRules } from '../../shared/catalog/own-rules.ts';
import { electedRateOn } from '../../shared/catalog/remote-sales.ts';
import { createCalculation } from '../../shared/ledger/create-calculation.ts';
import { createReleaseFor, fixture, importFiles } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRow, sstFiles } from '../fixtures/imports/sst.ts';
import {
  always,
  ask,
  askRates,
  type Options,
  type NewRequest as Request,
  refusal,
  storeOutcome,
  warningCodes,
} from '../support/builders.ts';
import { buildOwnRules, builtIn } from '../support/local-content.ts';

/**
 * Sales from another state. The expected amounts are calculated by hand: Alabama's flat tax of 8% (Ala. Code
 * 40-23-193), Texas' 6.25% plus 1.75% (Tex. Tax Code 151.0595), and the published rates of Birmingham (4 + 2 + 4%) and
 * Houston (6.25 + 2%).
 */

const at = (state: string, city: string, postal_code: string) => ({ city, state, postal_code });
const houston = at('TX', 'Houston', '77002');
const birmingham = at('AL', 'Birmingham', '35203');
const kansasCity = at('MO', 'Kansas City', '64106');
const tulsa = at('OK', 'Tulsa', '74103');
const honolulu = at('HI', 'Honolulu', '96813');
const ketchum = at('ID', 'Ketchum', '83340');
const detroit = { address: at('MI', 'Detroit', '48226') };
const austin = { address: at('TX', 'Austin', '78701') };

const single: RemoteSellerElection = { state: 'TX', election: 'single_local_use_tax', from: '2026-01-01', to: null };
const flat: RemoteSellerElection = { ...single, state: 'AL', election: 'simplified_sellers_use_tax' };
const elected = (...remote_seller_elections: RemoteSellerElection[]) => ({ settings: { remote_seller_elections } });
const goods = (unit_price: string, product_tax_code = 'GENERAL') => ({ unit_price, product_tax_code });
const sold = (to: object, others: Request = {}): Request => ({
  to,
  ship_from: detroit,
  tax_date: '2026-11-20',
  ...others,
});

const taxOn = (request: Request, options?: Options) => ask(request, options).tax_amount;
const listRates = ({ tax_summary }: Outcome) => tax_summary.map((row) => `${row.jurisdiction_code} ${row.rate}`);
const said = ({ warnings }: Outcome) => warnings.filter(({ code }) => code === 'remote_seller_rate');
const singleRates = ['US-TX 0.0625', 'US-TX-SINGLE-LOCAL-USE 0.0175'];
const flatRates = ['US-AL-SSUT 0.08'];

describe('the single local use tax of Texas', () => {
  const drugs = goods('50.00', 'HEALTH.DRUGS._PRESCRIPTION');
  it.each<[string, Request, string, string]>([
    ['100.00', { line_items: [goods('100.00')] }, '8.25', '8.00'],
    // The exact taxes are 1.249375 and 0.349825.
    ['19.99', { line_items: [goods('19.99')] }, '1.65', '1.60'],
    ['goods that the state taxes', { line_items: [goods('100.00'), drugs] }, '8.25', '8.00'],
    ['their shipping', { line_items: [goods('100.00')], shipping: { amount: '10.00' } }, '9.08', '8.80'],
    ['prices that include it', { tax_included: true, line_items: [goods('108.00')] }, '8.23', '8.00'],
  ])('charges the tax on %s in Houston', (_, request, tax, withElection) => {
    expect(taxOn(sold(houston, request))).toBe(tax);
    const outcome = ask(sold(houston, request), elected(single));
    expect([outcome.tax_amount, listRates(outcome)]).toEqual([withElection, singleRates]);
    // The only uncertainties are the rounding of half a cent, and shipping.
    expect(outcome.warnings.filter(({ message }) => !/rounding|tx-shipping/.test(message))).toEqual([]);
  });

  it('charges the same rate anywhere in the state, even without the rest of the address', () => {
    for (const to of [{ state: 'TX' }, { state: 'TX', postal_code: '79901' }, { ...houston, city: 'Austin' }]) {
      const outcome = ask(sold(to), elected(single));
      expect([outcome.tax_amount, warningCodes(outcome)]).toEqual(['8.00', []]);
      const resolution = { level: 'state', ambiguous: false, coverage: 'complete' };
      expect(outcome.line_items[0]?.address_resolution).toEqual(resolution);
    }
    const settings = { incomplete_coverage: 'reject', ambiguous_address: 'reject' } as const;
    expect(refusal(sold({ state: 'TX' }), { settings })).toHaveLength(1);
    expect(refusal(sold({ state: 'TX' }), { settings: { ...settings, ...elected(single).settings } })).toEqual([]);
  });

  const days = { ...single, from: '2026-03-01', to: '2026-09-30' };
  const again: RemoteSellerElection = { ...single, state: 'Texas', from: '2026-12-01' };
  const fromTexas = { settings: { ...elected(single).settings, ship_from: austin.address } };
  const pickedUp: Request = { ship_from: austin, line_items: [{ ...goods('100.00'), fulfillment: 'pickup' }] };
  it.each<[string, Request, Options, string]>([
    ['not to a sale within the state', { ship_from: austin }, elected(single), '8.25'],
    ['not to a sale that is picked up there', pickedUp, elected(single), '8.25'],
    ['if the origin is unknown', { ship_from: null }, elected(single), '8.00'],
    ['not if the account ships from the state', { ship_from: null }, fromTexas, '8.25'],
    ['not before its first day', { tax_date: '2026-02-28' }, elected(days), '8.25'],
    ['from its first day', { tax_date: '2026-03-01' }, elected(days), '8.00'],
    ['to its last day', { tax_date: '2026-09-30' }, elected(days), '8.00'],
    ['not after its last day', { tax_date: '2026-10-01' }, elected(days), '8.25'],
    ['again from a new first day', { tax_date: '2026-12-01' }, elected(days, again), '8.00'],
    ['not to marketplace sales', { collected_by: 'marketplace' }, elected(single), '0.00'],
  ])('applies %s', (_, request, options, tax) => {
    const outcome = ask(sold(houston, request), options);
    expect(outcome.tax_amount).toBe(tax);
    expect(listRates(outcome).join()).toMatch(tax === '8.00' ? /SINGLE/ : /^((?!SINGLE).)*$/);
  });

  it('falls back to the last published rate in a year without a published rate, with a warning', () => {
    const next = { ...elected(single), today: '2027-01-02' };
    const outcome = ask(sold(houston, { tax_date: '2027-01-02' }), next);
    expect(outcome.tax_amount).toBe('8.00');
    const message = expect.stringContaining('2026-12-31');
    expect(said(outcome)).toMatchObject([{ pointer: '/line_items/0', message }]);
    const food = sold(houston, { tax_date: '2027-01-02', line_items: [goods('5.00', 'FOOD.GROCERY')] });
    expect(said(ask(food, next))).toEqual([]);
  });

  it('charges a custom rate without a warning about an outdated rate', () => {
    const rate = { ...always, jurisdiction: 'US-TX-SINGLE-LOCAL-USE', rate: '0.02', from: '2027-01-01' };
    const own = buildOwnRules({ rates: [{ ...rate, source: 'own:ruling' }] });
    const custom = { ...elected(single), today: '2027-01-02', releaseFor: () => withOwnRules(builtIn('TX'), own) };
    const [before, after] = ['2026-12-31', '2027-01-01'].map((tax_date) => ask(sold(houston, { tax_date }), custom));
    expect([before, after].map((outcome) => outcome?.tax_amount)).toEqual(['8.00', '8.25']);
    expect([before, after].map((outcome) => outcome && said(outcome))).toEqual([[], []]);
  });

  it('applies the terms that an import copied from its base, even to a ZIP that it does not list', async () => {
    const releaseFor = createReleaseFor(await importFiles('zip-rates', 'TX', [fixture('TAXRATES_ZIP5_TX202611.csv')]));
    expect(warningCodes(ask(sold(houston), { releaseFor }))).toContain('local_rates_missing');
    for (const to of [houston, at('TX', 'Allen', '75001')])
      expect(listRates(ask(sold(to), { ...elected(single), releaseFor }))).toEqual(singleRates);
  });

  it('explains the tax with its law', () => {
    const steps = JSON.stringify(ask(sold(houston, { explain: true }), elected(single)).explanation);
    expect(steps).toMatch(/2026-01-01.*Tex\. Tax Code 151\.0595/);
  });
});

describe('the simplified sellers use tax of Alabama', () => {
  it.each([
    ['GENERAL', '10.00', '8.00'],
    // The rates are 2% for the state, and 6% for the city and county.
    ['FOOD.GROCERY', '8.00', '8.00'],
    ['FOOD.CANDY', '8.00', '8.00'],
    ['MANUFACTURING.MANUFACTURING_MACHINERY', null, '8.00'],
    ['HEALTH.DRUGS._PRESCRIPTION', '0.00', '0.00'],
    ['FEES.GIFT_CARDS', '0.00', '0.00'],
  ])('charges $1 on 100.00 of $0 in Birmingham without the election, and $2 with it', (code, tax, withElection) => {
    const request = sold(birmingham, { line_items: [goods('100.00', code)] });
    if (tax !== null) expect(taxOn(request)).toBe(tax);
    const outcome = ask(request, elected(flat));
    expect([outcome.tax_amount, listRates(outcome), said(outcome)]).toEqual([withElection, flatRates, []]);
    const row = { jurisdiction_type: 'state', tax_type: 'sales', sourcing: 'destination' };
    expect(outcome.line_items[0]?.taxes).toMatchObject([row]);
  });

  it.each([
    ['HEALTH.DRUGS', ['taxability_assumed']],
    ['HEALTH.DRUGS._HUMAN_USE._PRESCRIPTION', []],
  ])('warns about the elected tax on %s as about the taxes that it replaces: %o', (code, expected) => {
    const request = sold(birmingham, { line_items: [goods('100.00', code)] });
    for (const options of [{}, elected(flat)])
      expect(warningCodes(ask(request, options)).filter((one) => one === 'taxability_assumed')).toEqual(expected);
  });

  it('charges the rate of a custom rule for the tax, and keeps only the exemptions of other custom rules', () => {
    const state = { ...always, id: 'al-own', ptcs: ['FOOD.GROCERY'], attributes: { any: [], none: [] } };
    const own = { ...state, effect: { type: 'rate' as const, rate: '0.01' }, source: 'own:ruling' };
    const rules = (others: object) => buildOwnRules({ rules: [{ ...own, levels: ['state'], ...others }] });
    const taxWith = (others: object, use: 'business' | 'personal' = 'personal') =>
      taxOn(sold(birmingham, { line_items: [{ ...goods('100.00', 'FOOD.GROCERY'), customer: { use } }] }), {
        ...elected(flat),
        releaseFor: () => withOwnRules(builtIn('AL'), rules(others)),
      });
    expect([taxWith({}), taxWith({ jurisdictions: ['US-AL-SSUT'] })]).toEqual(['8.00', '1.00']);
    const split = { type: 'use_split', business: { type: 'rate', rate: '0.01' }, personal: { type: 'exempt' } };
    expect([taxWith({ effect: split }, 'business'), taxWith({ effect: split })]).toEqual(['8.00', '0.00']);
  });

  const exemption = { type: 'resale' as const, certificate_id: 'r-1' };
  const holiday = { tax_date: '2026-07-18', line_items: [goods('100.00', 'CLOTHING.APPAREL')] };
  const formula = { line_items: [goods('100.00', 'FOOD.INFANT_FORMULA')] };
  const mobile = { address: at('AL', 'Mobile', '36602') };
  const { to: _, ...anywhere } = sold(birmingham);
  it.each<[string, Request, string, string]>([
    ['an exempt customer', { ...anywhere, customer: { address: birmingham, exemption } }, '0.00', '0.00'],
    // The holiday applies to the state tax. City and county taxes remain.
    ['a holiday', sold(birmingham, holiday), '6.00', '0.00'],
    // The law exempts from state tax alone (Act 2025-304).
    ['infant formula', sold(birmingham, formula), '6.00', '0.00'],
    ['a sale within the state', sold(birmingham, { ship_from: mobile }), '10.00', '10.00'],
    ['another state', sold(houston), '8.25', '8.25'],
  ])('charges the expected tax for %s', (what, request, tax, withElection) => {
    const outcome = ask(request, elected(flat));
    expect([taxOn(request), outcome.tax_amount]).toEqual([tax, withElection]);
    // It is not confirmed that the exemption applies with the election.
    if (what === 'a holiday' || what === 'infant formula') {
      expect(warningCodes(outcome)).toEqual(['content_unconfirmed']);
      expect(outcome.warnings[0]?.message).toMatch(/simplified sellers use tax was not confirmed/);
    }
  });

  it('keeps the election of another state', () => {
    const lines = [houston, birmingham].map((address) => ({ ...goods('100.00'), customer: { address } }));
    const outcome = ask({ ship_from: detroit, tax_date: '2026-11-20', line_items: lines }, elected(flat, single));
    expect([outcome.tax_amount, listRates(outcome).toSorted()]).toEqual(['16.00', [...flatRates, ...singleRates]]);
  });
});

describe('sales from another state without an election', () => {
  it.each([kansasCity, tulsa, birmingham])('warns once in $city that local use rates could differ', (to) => {
    const line_items = [goods('100.00'), goods('20.00')];
    const listPointers = (request: Request) => said(ask(request)).map(({ pointer }) => pointer);
    const first = ['/line_items/0'];
    expect(listPointers(sold(to, { line_items, shipping: { amount: '5.00' } }))).toEqual(first);
    expect(listPointers({ to, tax_date: '2026-11-20' })).toEqual(first);
    expect(listPointers(sold(to, { ship_from: { address: to } }))).toEqual([]);
    expect(listPointers(sold({ state: to.state }))).toEqual([]);
    expect(listPointers(sold(to, { line_items: [goods('9.00', 'FEES.GIFT_CARDS')] }))).toEqual([]);
    expect(listPointers(sold(to, { collected_by: 'marketplace' }))).toEqual([]);
  });

  it('warns once for each state', () => {
    const addresses = [tulsa, kansasCity, tulsa, houston];
    const line_items = addresses.map((address) => ({ ...goods('10.00'), customer: { address } }));
    const pointers = said(ask({ ship_from: detroit, line_items })).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/line_items/0', '/line_items/1']);
  });

  it('does not warn in Missouri if custom rules include the local use tax', () => {
    const getRate = (jurisdiction: string, rate: string) => ({ ...always, jurisdiction, rate, interstate: { rate } });
    const own = buildOwnRules({ rates: [getRate('US-MO-00-095', '0'), getRate('US-MO-01-38000', '0.01')] });
    const outcome = ask(sold(kansasCity), { releaseFor: () => withOwnRules(builtIn('MO'), own) });
    expect([outcome.tax_amount, said(outcome)]).toEqual(['5.23', []]);
  });

  it('does not warn in Oklahoma if an imported file has the rates of sales from other states', async () => {
    const files = sstFiles(
      'OK',
      [rateRow('40', '45', '40', '0.045'), rateRow('40', '1', '75000', ['0.0365', '0.02', '0.0365', '0.02'])],
      [boundaryRow({ state: '40', zips: ['74103', '0000', '74103', '9999'], place: '75000', placeType: '1' })],
    );
    const releaseFor = createReleaseFor(await importFiles('sst', 'OK', files));
    const outcome = ask(sold(tulsa), { releaseFor });
    expect([outcome.tax_amount, said(outcome)]).toEqual(['6.50', []]);
    expect(taxOn(sold(tulsa, { ship_from: { address: tulsa } }), { releaseFor })).toBe('8.15');
  });

  it.each([
    [ketchum, '8.00', '6.00'],
    [at('MS', 'Jackson', '39201'), '8.00', '7.00'],
  ])('charges no local tax in %o if the origin is known', (to, local, tax) => {
    const outcome = ask(sold(to));
    expect([outcome.tax_amount, outcome.tax_summary.length, said(outcome)]).toEqual([tax, 1, []]);
    expect(taxOn(sold(to, { ship_from: { address: { country: 'CA' } } }))).toBe(tax);
    expect(taxOn(sold(to, { ship_from: { address: to } }))).toBe(local);
    const unknown = ask({ to, tax_date: '2026-11-20' });
    expect([unknown.tax_amount, said(unknown)]).toMatchObject([local, [{ pointer: '/line_items/0' }]]);
  });

  const chicago = at('IL', 'Chicago', '60601');
  it.each([
    ['in Illinois before 2025, when sellers with a place there owed no local tax', chicago, '2024-12-31', 1],
    ['not in Illinois from 2025 on', chicago, '2025-01-01', 0],
    ['not in Louisiana', at('LA', 'New Orleans', '70112'), '2026-11-20', 0],
    ['not in Texas', houston, '2026-11-20', 0],
    ['not in a state without local taxes', at('MI', 'Lansing', '48933'), '2026-11-20', 0],
  ])('warns %s', (_, to, tax_date, count) => {
    const ship_from = { address: at('NY', 'New York', '10001') };
    expect(said(ask(sold(to, { tax_date, ship_from })))).toHaveLength(count);
  });
});

it.each<[object, RemoteSellerElection | null, object | null, string, boolean]>([
  [houston, null, null, '0.0825', false],
  [houston, single, null, '0.08', false],
  [birmingham, null, null, '0.1', true],
  [birmingham, flat, null, '0.08', false],
  [ketchum, null, null, '0.08', true],
  [ketchum, null, ketchum, '0.08', true],
  [ketchum, null, detroit.address, '0.06', false],
  [kansasCity, null, null, '0.08975', true],
])('returns remote sale rates for %o with %o, shipped from %o: %s', async (to, election, ship_from, ...of) => {
  const settings = { ship_from, ...elected(...(election ? [election] : [])).settings };
  const { combined_rate, warnings } = await askRates({ ...to, date: '2026-11-20' }, { settings });
  expect([combined_rate, warnings.some(({ code }) => code === 'remote_seller_rate')]).toEqual(of);
});

describe('election terms in the releases', () => {
  it('uses codes of the state that no release lists', () => {
    for (const { state, remote_sales = [], jurisdictions } of builtInReleases())
      for (const terms of remote_sales)
        if (terms.policy === 'election') {
          expect(terms.jurisdiction.code.startsWith(`${state}-`)).toBe(true);
          expect(jurisdictions.map(({ code }) => code)).not.toContain(terms.jurisdiction.code);
        }
  });

  it('charges no rate before the first day of an election', () => {
    const rateOn = (election: RemoteSellerElection['election'], day: string) =>
      electedRateOn(builtInRelease('TX') ?? {}, election, day)?.elected.rate;
    expect(rateOn('single_local_use_tax', '2019-09-30')).toBeUndefined();
    expect(rateOn('single_local_use_tax', '2019-10-01')).toBe('0.0175');
    expect(rateOn('simplified_sellers_use_tax', '2026-01-01')).toBeUndefined();
  });
});

/** Loads the built-in releases, without imports. */
const loadWith = (readActive: ContentPorts['readActive']) =>
  contentLoader({
    readActive,
    readContent: async (heads, parts) => ({ heads: heads.map(() => undefined), parts: parts.map(() => undefined) }),
    builtIn: builtInRelease,
    builtInById: builtInReleaseById,
    now: () => 0,
  }).loadContent;

const passesOn = (pass_on_general_excise: boolean) => ({ pass_on_general_excise });

/** Later changes to account settings do not affect recorded sales: a remote seller's election, general excise tax. */
describe.each<[string, object, Partial<Settings>, Partial<Settings>, string, string]>([
  ['an election in Texas', houston, elected(single).settings, elected().settings, '8.00', '0.80'],
  ['no election in Texas', houston, elected().settings, elected(single).settings, '8.25', '0.83'],
  ['an election in Alabama', birmingham, elected(flat).settings, elected().settings, '8.00', '0.80'],
  ['no election in Alabama', birmingham, elected().settings, elected(flat).settings, '10.00', '1.00'],
  ['excise tax passed on', honolulu, passesOn(true), passesOn(false), '4.71', '0.47'],
  ['excise tax kept', honolulu, passesOn(false), passesOn(true), '4.50', '0.45'],
])('sales recorded with %s', (_, address, settings, later, tax, part) => {
  const account = {
    ...newAccount({ id: 'acct_replay', name: 'Replay', serviceVersion: '', createdMs: 0 }),
    settings: { ...defaultSettings('aspen.2026-10-01'), ...later },
  };
  const recorded = ask(sold(address, { tax_date: '2026-11-22' }), { settings });
  const stored = storeOutcome(recorded, settings);
  const { id } = stored.transaction;
  const now = () => Date.parse('2026-11-23');

  it(`credits ${tax} on a sale, and ${part} on other lines of 10.00`, async () => {
    expect(stored.transaction.tax_amount).toBe(tax);
    // A credit can have lines with a different origin, whose release the sale has not pinned.
    const loadContent = loadWith(async () => ({ version: 1, states: {} }));
    const customers = { findSome: async () => new Map() };
    const ports = { now, loadContent, ledger: { find: async () => stored }, customers };
    const lines = [{}, { line_items: [{ id: 'other', quantity: '1', unit_price: '10.00' }] }];
    for (const [index, own] of lines.entries()) {
      const credit = { type: 'credit' as const, parent_transaction_id: id, ...own };
      const result = await createCalculation(credit, [], account, ports);
      expect(result).toMatchObject({ value: { tax_amount: [tax, part][index] } });
    }
  });
});
