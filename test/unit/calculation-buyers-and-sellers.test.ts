import { describe, expect, it } from 'vitest';
import { type Certificate, chooseCertificate, listCustomerIds } from '../../shared/calculations/certificates.ts';
import { ask, type NewRequest as Request, warningCodes } from '../support/builders.ts';
import { onlyShipping } from '../support/sales.ts';
import { seeded } from '../support/seeded.ts';

const lansing = { state: 'MI', postal_code: '48933' };
const listReasons = ({ line_items }: ReturnType<typeof ask>) =>
  line_items.map(({ taxes }) => taxes[0]?.taxability_reason);
const listTaxes = ({ line_items }: ReturnType<typeof ask>) => line_items.map(({ tax_amount }) => tax_amount);
const resale = { type: 'resale' } as const;

describe('exemption certificates', () => {
  it.each<[object, boolean, string]>([
    [{}, true, 'it applies everywhere and always without regions and dates'],
    [{ regions: null, valid_from: null, valid_to: null }, true, 'null is absent'],
    [{ regions: ['us-mi'] }, true, 'the state code is case-insensitive'],
    [{ regions: ['OH', 'MI'] }, true, 'the state is one of several'],
    [{ regions: ['Michigan'] }, true, 'a state name is accepted'],
    [{ regions: ['Indiana', 'US-OH'] }, false, 'only other states are listed, by name and by code'],
    [{ valid_from: '2026-09-15' }, true, 'its first day is inclusive'],
    [{ valid_from: '2026-09-16' }, false, 'it begins tomorrow'],
    [{ valid_to: '2026-09-15' }, true, 'its last day is inclusive'],
    [{ valid_to: '2026-09-14' }, false, 'it ended yesterday'],
  ])('applies a certificate with %o in Michigan on 2026-09-15 (%s): %s', (terms, isExempt) => {
    const customer = { address: lansing, exemption: { ...resale, ...terms } };
    const outcome = ask({ customer, tax_date: '2026-09-15T23:00:00Z' });
    expect(listReasons(outcome)).toEqual([isExempt ? 'customer_exempt' : 'standard_rated']);
    expect(outcome).toMatchObject(
      isExempt ? { tax_amount: '0.00', exempt_amount: '100.00' } : { tax_amount: '6.00', exempt_amount: '0.00' },
    );
  });

  const elsewhere = { exemption: { ...resale, regions: ['OH'] } };
  const none = { exemption: 'none' } as const;
  it.each<[object | null, object | null, boolean, string]>([
    [{ exemption: resale }, elsewhere, false, 'the line overrides the document'],
    [{ exemption: resale }, { id: 'cus_1' }, true, 'the line has no exemption'],
    [{ exemption: resale }, { exemption: null }, true, 'null is treated as absent'],
    [{ exemption: resale }, none, false, 'the exemption none of the line overrides the certificate of the document'],
    [none, null, false, 'the exemption of the document is none'],
    [none, { exemption: resale }, true, 'a certificate of the line overrides the exemption none of the document'],
    [none, { exemption: null }, false, 'null in the line leaves the exemption none of the document in force'],
  ])('exempts a line with $1 in a document with $0 ($2): $3', (document, customer, isExempt) => {
    const request = { customer: { address: lansing, ...document }, line_items: [{ customer }] };
    expect(listReasons(ask(request))).toEqual([isExempt ? 'customer_exempt' : 'standard_rated']);
  });

  // One charge for taxable and untaxed goods is taxed completely, even if a certificate exempts a part of the goods
  // (N.Y. Tax Bulletin ST-838, "nontaxable products or services"; Louisiana RIB 25-025, which names sales for resale).
  it.each([
    [{ city: 'New York', state: 'NY', postal_code: '10001' }, none, '3.55', '12.43'],
    [{ city: 'New Orleans', state: 'LA', postal_code: '70112' }, none, '4.00', '14.00'],
    [{ city: 'New York', state: 'NY', postal_code: '10001' }, {}, '0.00', '0.00'],
  ])('taxes the delivery of goods that a certificate exempts in part: $0, $1: $2', (address, customer, tax, total) => {
    const exemption = { type: 'resale' as const, regions: ['NY', 'LA'] };
    const line_items = [{ unit_price: '100.00', customer }, { unit_price: '300.00' }];
    const outcome = ask({ customer: { address, exemption }, line_items, shipping: { amount: '40.00' } });
    expect([onlyShipping(outcome.shipping)?.tax_amount, outcome.tax_amount]).toEqual([tax, total]);
  });

  // Connecticut taxes delivery and gift wrapping like the goods.
  it.each([
    ['SHIPPING.DELIVERY', {}, { exemption: resale }, '6.99', true],
    ['FEES.GIFT_WRAP', {}, { exemption: resale }, '6.99', true],
    ['SHIPPING.DELIVERY', { exemption: resale }, none, '0.00', true],
    ['SHIPPING.DELIVERY', { exemption: resale }, { exemption: resale }, '0.00', false],
    ['SHIPPING.DELIVERY', { exemption: resale }, {}, '0.00', false],
    ['SHIPPING.DELIVERY', {}, none, '6.99', false],
  ])(
    'applies the certificate of the goods ($1) to $0, not its own ($2): $3, with a warning ($4)',
    (code, goods, own, tax, isSaid) => {
      const charge = { product_tax_code: code, unit_price: '10.00', customer: own };
      const outcome = ask({ to: { state: 'CT', postal_code: '06103' }, line_items: [{ customer: goods }, charge] });
      const found = outcome.warnings.filter(({ pointer }) => pointer === '/line_items/1/customer/exemption');
      expect([outcome.tax_amount, found.map((one) => one.code)]).toEqual([tax, isSaid ? ['taxability_assumed'] : []]);
    },
  );

  it("exempts only the certificate's share of shipping, and does not apply it in a state without sales tax", () => {
    const line_items = [{ customer: { exemption: resale } }, {}];
    const outcome = ask({ to: { state: 'CT', postal_code: '06103' }, line_items, shipping: { amount: '10.00' } });
    expect(outcome.shipping).toMatchObject({ taxable_amount: '5.00', exempt_amount: '5.00', tax_amount: '0.32' });
    const oregon = { address: { state: 'OR' }, exemption: resale };
    expect(listReasons(ask({ customer: oregon }))).toEqual(['not_subject_to_tax']);
  });
});

// Ohio taxes software as a service for business use only. Without a known use, Levy taxes it and returns a warning.
it.each([
  [{}, '0.00', []],
  [{ id: 'a' }, '0.00', []],
  [{ id: 'b' }, '8.00', ['taxability_assumed']],
  [{ id: 'b', use: 'personal' as const }, '0.00', []],
])(
  "applies the personal use of the document's customer to a line only if its customer %o is the same: %s",
  (customer, tax, codes) => {
    const document = { id: 'a', address: { state: 'OH', postal_code: '43215' }, use: 'personal' as const };
    const outcome = ask({ customer: document, line_items: [{ customer, product_tax_code: 'SOFTWARE.SAAS' }] });
    const assumed = warningCodes(outcome).filter((code) => code === 'taxability_assumed');
    expect([outcome.tax_amount, assumed]).toEqual([tax, codes]);
  },
);

describe('lines paid with SNAP benefits', () => {
  const snap = { customer: { exemption: { type: 'snap' as const } } };
  // Kentucky taxes candy at 6% and has no local taxes.
  const louisville = { state: 'KY', postal_code: '40202' };
  const candy = { product_tax_code: 'FOOD.CANDY', unit_price: '10.00' };

  it('exempts the line from state and city taxes, and taxes other lines', () => {
    const outcome = ask({ to: louisville, line_items: [{ ...candy, ...snap }, candy], explain: true });
    expect(listTaxes(outcome)).toEqual(['0.00', '0.60']);
    expect(listReasons(outcome)).toEqual(['customer_exempt', 'standard_rated']);
    expect(outcome.line_items[0]?.applied_exemption).toMatchObject({ reason: 'snap', certificate_number: null });
    expect(warningCodes(outcome)).not.toContain('taxability_not_established');
    expect(outcome.explanation?.map(({ text }) => text)).toContain(
      'Kentucky: no tax, because SNAP benefits pay for the goods (7 U.S.C. 2013(a)).',
    );
    const chicago = { state: 'IL', postal_code: '60601' };
    expect(listTaxes(ask({ to: chicago, line_items: [{ ...candy, ...snap }] }))).toEqual(['0.00']);
  });

  it.each<[object, string, string]>([
    // Hawaii taxes every delivery, at 4% plus 0.5% in Honolulu: the tax on 10.00 of delivery is 0.45.
    [{ state: 'HI', city: 'Honolulu', postal_code: '96813' }, '0.45', 'deliveries are taxed'],
    [louisville, '0.00', 'deliveries follow the goods'],
    // Mississippi taxes groceries at 5%.
    [{ state: 'MS', postal_code: '39530' }, '0.00', 'deliveries follow goods that are exempt if SNAP pays for them'],
  ])('charges a tax of $1 on the delivery in $0, because $2', (to, tax) => {
    for (const product_tax_code of ['FOOD.GROCERY', 'FOOD.CANDY']) {
      const outcome = ask({ to, line_items: [{ product_tax_code, ...snap }], shipping: { amount: '10.00' } });
      expect(listTaxes(outcome)).toEqual(['0.00']);
      const reason = tax === '0.00' ? 'product_exempt' : 'standard_rated';
      expect(outcome.shipping).toMatchObject({ tax_amount: tax });
      const reasons = [outcome.shipping].flat().flatMap((charge) => charge?.taxes.map((row) => row.taxability_reason));
      expect(new Set(reasons)).toEqual(new Set([reason]));
    }
  });

  it('exempts the delivery of goods paid with SNAP benefits, and taxes the share of other goods', () => {
    const line_items = [{ ...candy, ...snap }, candy];
    const { shipping } = ask({ to: louisville, line_items, shipping: { amount: '10.00' } });
    expect(shipping).toMatchObject({ taxable_amount: '5.00', exempt_amount: '5.00', tax_amount: '0.30' });
    // The deposit of a drink in California is taxed like the drink.
    const oakland = { state: 'CA', city: 'Oakland', postal_code: '94607' };
    const cola = { product_tax_code: 'BEVERAGES.SOFT_DRINKS', unit_price: '10.00' };
    const deposit = { product_tax_code: 'FEES.CONTAINER_DEPOSIT', unit_price: '1.00' };
    expect(listTaxes(ask({ to: oakland, line_items: [{ ...cola, ...snap }, deposit] }))).toEqual(['0.00', '0.00']);
    expect(listTaxes(ask({ to: oakland, line_items: [cola, deposit] }))).toEqual(['1.08', '0.11']);
  });

  it('does not report SNAP as the exemption reason of a delivery line item', () => {
    const delivery = { product_tax_code: 'SHIPPING.DELIVERY', unit_price: '10.00' };
    const certified = { customer: { exemption: resale } };
    const [snapDelivery, resaleDelivery, ofExempt] = [
      { to: louisville, line_items: [{}, { ...delivery, ...snap }] },
      { to: louisville, line_items: [{}, { ...delivery, ...certified }] },
      { to: louisville, line_items: [{ ...certified }, delivery] },
    ].map((request) => ask(request));
    const describeDelivery = (outcome: ReturnType<typeof ask> | undefined) => {
      const line = outcome?.line_items[1];
      return [line?.tax_amount, line?.applied_exemption?.reason ?? null];
    };
    expect(describeDelivery(snapDelivery)).toEqual(['0.60', null]);
    expect(snapDelivery?.warnings.filter(({ message }) => message.includes('SNAP'))).toEqual([]);
    expect(describeDelivery(resaleDelivery)).toEqual(['0.60', null]);
    expect(describeDelivery(ofExempt)).toEqual(['0.00', 'resale']);
  });

  const drinks = ['BEER', 'WINE', 'SPIRITS'].map((code) => `BEVERAGES.${code}`);
  const supplements = ['FOOD.DIETARY_SUPPLEMENTS', 'FOOD.GROCERY._SUPPLEMENT_FACTS'];
  const unpaid = ['GENERAL', ...supplements, 'FOOD.PREPARED_FOOD._HEATED', 'TOBACCO.CIGARETTES', ...drinks];
  const soft = ['SOFT_DRINKS', 'BOTTLED_WATER', 'COFFEE_TEA'].map((code) => `BEVERAGES.${code}`);
  const paid = ['FOOD.GROCERY', 'FOOD.CANDY', ...soft];
  it.each([...unpaid.map((code) => [code, 1] as const), ...paid.map((code) => [code, 0] as const)])(
    'returns $1 warnings that SNAP benefits cannot pay for a line with $0',
    (code, count) => {
      const { warnings } = ask({ to: lansing, line_items: [{}, { product_tax_code: code, ...snap }] });
      const warning = {
        code: 'taxability_not_established',
        message: `Michigan: SNAP benefits do not pay for ${code}, which has the exemption snap. Send the code of the food, or leave the exemption out.`,
        pointer: '/line_items/1/customer/exemption',
      };
      expect(warnings.filter(({ message }) => message.includes('SNAP'))).toEqual(new Array(count).fill(warning));
    },
  );

  // 7 U.S.C. 2012(k): food for home consumption except hot food, and seeds and plants that produce food.
  it.each([
    ['FOOD.PREPARED_FOOD', 'cold food to take home'],
    ['FOOD.PREPARED_FOOD._TO_GO', 'cold food to take home'],
    ['AGRICULTURE.SEED_FERTILIZER_FEED', 'seeds and plants that produce food'],
  ])('reports for a line with %s that it was assumed to be %s', (code, assumed) => {
    const outcome = ask({ to: lansing, line_items: [{ product_tax_code: code, ...snap }] });
    expect(listTaxes(outcome)).toEqual(['0.00']);
    const message = `Michigan: ${code} has the exemption snap. Assumed: ${assumed}, because SNAP benefits do not pay for other products with this code.`;
    const warning = { code: 'taxability_assumed', message, pointer: '/line_items/0/customer/exemption' };
    expect(outcome.warnings.filter((one) => one.message.includes('SNAP'))).toEqual([warning]);
  });
});

it.each([
  [null, ['6.35', '1.00', '6.35']],
  ['business', ['1.00', '1.00', '6.35']],
] as const)("uses the line's use, or the document's use if the line has none: %s", (use, taxes) => {
  const customer = { address: { state: 'CT', postal_code: '06103' }, use };
  const line_items = ([null, 'business', 'personal'] as const).map((own) => ({
    product_tax_code: 'SOFTWARE.SAAS',
    customer: own && { use: own },
  }));
  expect(listTaxes(ask({ customer, line_items }))).toEqual(taxes);
});

describe('registrations of the account', () => {
  const registered = (state: string, others: object = {}) => {
    return { state, from: '2026-09-01', to: null, frequency: 'month' as const, ...others };
  };
  it.each<[ReturnType<typeof registered>[] | null, string, string]>([
    [null, '6.00', 'unset is everywhere'],
    [[], '0.00', 'an empty list is nowhere'],
    [[registered('MI')], '6.00', 'it is registered'],
    [[registered('US-MI')], '6.00', 'by its code'],
    [[registered('OH')], '0.00', 'only elsewhere'],
    [[registered('MI', { to: '2026-09-15' })], '6.00', 'the last day is inclusive'],
    [[registered('MI', { to: '2026-09-14' })], '0.00', 'it ended yesterday'],
    [[registered('MI', { from: '2026-09-16' })], '0.00', 'it begins tomorrow'],
  ])('applies registrations %o: %s in Michigan, %s', (registrations, tax) => {
    const outcome = ask({ to: lansing }, { settings: { registrations } });
    expect(outcome.tax_amount).toBe(tax);
    expect(listReasons(outcome)).toEqual([tax === '0.00' ? 'not_collecting' : 'standard_rated']);
  });

  it('checks registrations before missing content and marketplaces', () => {
    const requests: Request[] = [{ to: { country: 'CA' } }, { to: lansing, collected_by: 'marketplace' }];
    for (const request of requests)
      expect(listReasons(ask(request, { settings: { registrations: [] } }))).toEqual(['not_collecting']);
  });
});

it('charges no tax if a marketplace collects it, and returns the reason and the exempt amount', () => {
  const to = { state: 'PA', postal_code: '19103' };
  const outcome = ask({ to, collected_by: 'marketplace', shipping: { amount: '10.00' } });
  expect(outcome).toMatchObject({ tax_amount: '0.00', exempt_amount: '110.00', total_amount: '110.00' });
  const reasons = outcome.line_items[0]?.taxes.map((row) => row.taxability_reason);
  expect(reasons).toEqual(['marketplace_collects', 'marketplace_collects']);
});

describe('the origin of a sale', () => {
  const harrisburg = { state: 'PA', postal_code: '17101' };
  const philadelphia = { state: 'PA', postal_code: '19103' };
  const from = (address: object) => ({ ship_from: { address } });
  const figures = ({ line_items }: ReturnType<typeof ask>) =>
    line_items.map(({ tax_amount, taxes }) => `${tax_amount} ${taxes[0]?.sourcing}`);

  it.each<[string, Request, string]>([
    ['the line if it has one', { ...from(lansing), line_items: [from(harrisburg)] }, '6.00 origin'],
    ['the document if the line has none', from(lansing), '8.00 destination'],
    ['the account if the document has none', from({}), '6.00 origin'],
  ])('uses the origin of %s', (_, request, expected) => {
    const response = ask({ to: philadelphia, ...request }, { settings: { ship_from: harrisburg } });
    expect(figures(response)).toEqual([expected]);
  });
});

describe('the response', () => {
  it('echoes the request, with an id for lines that have none', () => {
    const sent = { quantity: '2.50', unit_price: '3.3333', description: 'x', metadata: { a: 'b' } };
    const line_items = [sent, { id: 'line_1' }, { id: 'mine' }];
    const outcome = ask({ to: lansing, currency: 'USD', metadata: { order: '7', gone: null }, line_items });
    expect(outcome.line_items.map(({ id }) => id)).toEqual(['line_1_', 'line_1', 'mine']);
    expect(outcome.line_items[0]).toMatchObject({ ...sent, amount: '8.33', discount_amount: null, customer: null });
    expect(outcome.metadata).toEqual({ order: '7' });
  });

  it('uses the service clock if no tax date is sent', () => {
    const outcome = ask({ to: { state: 'DC', postal_code: '20001' }, tax_date: null });
    expect([outcome.tax_date, outcome.tax_amount]).toEqual(['2026-11-20T12:00:00.000Z', '7.00']);
  });

  it('treats lines without a product tax code as general goods, with one warning at the first such line', () => {
    const outcome = ask({ to: lansing, line_items: [{}, { product_tax_code: null }, { product_tax_code: null }] });
    expect(outcome.tax_amount).toBe('18.00');
    expect(outcome.warnings).toMatchObject([{ code: 'product_tax_code_missing', pointer: '/line_items/1' }]);
  });

  it.each([
    ['JPY', '1000', '1000', '60', 'the yen has no decimals'],
    ['JPY', '1008.6', '1009', '61', '1,009 yen are taxed 60.54'],
    ['KWD', '1.2345', '1.235', '0.074', 'the dinar has three'],
    ['USD', '0.005', '0.01', '0.00', 'the dollar has two'],
  ])('uses the decimals of its currency: %s %s is %s, taxed %s, %s', (currency, unit_price, amount, tax) => {
    const outcome = ask({ to: lansing, currency, line_items: [{ unit_price }] });
    expect(outcome).toMatchObject({ subtotal_amount: amount, tax_amount: tax });
  });

  it('resolves sources, places and rules per line, for three states in one document', () => {
    const addresses = [lansing, { state: 'OR' }, { country: 'CA' }, { state: 'PA', postal_code: '19103' }];
    const outcome = ask({ line_items: addresses.map((address) => ({ customer: { address } })) });
    expect(listTaxes(outcome)).toEqual(['6.00', '0.00', '0.00', '8.00']);
    expect(Object.keys(outcome.content_releases)).toEqual(['US-MI', 'US-OR', 'US-PA']);
    expect(outcome.warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'not_covered /line_items/2/customer/address',
      'local_rates_by_place /line_items/3/customer/address',
    ]);
  });
});

const certificate = (others: Partial<Certificate> = {}): Certificate => {
  return { states: null, reason: 'resale', certificate_number: null, valid_from: null, valid_to: null, ...others };
};
const inMichigan = { customerId: 'cus_1', place: 'US-MI', placeName: 'Michigan', day: '2026-10-08' };
const choose = (terms: Partial<Certificate>) => chooseCertificate([certificate(terms)], inMichigan);

it('applies the terms of a certificate and its customer, but not its states', () => {
  const terms = { reason: 'government', certificate_number: 'G-1', valid_from: '2026-01-01', valid_to: null } as const;
  const applied = { customer_id: 'cus_1', ...terms };
  expect(choose({ ...terms, states: ['US-MI'] })).toEqual({ applied, warnings: [] });
});

it('names the expired certificate, the customer, the state, and what to change', () => {
  const [expired] = choose({ certificate_number: 'R-7', valid_to: '2026-01-31' }).warnings;
  expect(expired?.message).toMatch(/R-7 .*cus_1 .*Michigan.*2026-01-31.*POST \/customers\/\{id\}/);
});

// Counts days from 2026-01-01 and lists every day of a certificate, without comparing strings or ordering candidates.
const dayNumber = (day: string) => Math.round((Date.parse(day) - Date.parse('2026-01-01')) / 86_400_000);
const dayText = (number: number) => new Date(Date.parse('2026-01-01') + number * 86_400_000).toISOString().slice(0, 10);
const far = 10_000_000;

const oracle = (certificates: readonly Certificate[], place: string, day: number) => {
  const valid: { readonly index: number; readonly end: number }[] = [];
  const lastDays: number[] = [];
  const firstDays: number[] = [];
  for (const [index, each] of certificates.entries()) {
    if (each.states !== null && !new Set(each.states).has(place)) continue;
    const start = each.valid_from === null ? -far : dayNumber(each.valid_from);
    const end = each.valid_to === null ? far : dayNumber(each.valid_to);
    const covers = Array.from({ length: 60 }, (_, at) => at).filter((at) => at >= start && at <= end);
    if (covers.includes(day)) valid.push({ index, end });
    else if (end < day) lastDays.push(end);
    else firstDays.push(start);
  }
  const latest = Math.max(...valid.map(({ end }) => end));
  const chosen = valid.find(({ end }) => end === latest);
  if (chosen) return { number: String(chosen.index), warned: [] };
  const expired = lastDays.length > 0 ? [`exemption_expired ${dayText(Math.max(...lastDays))}`] : [];
  const next = firstDays.length > 0 ? [`exemption_not_yet_valid ${dayText(Math.min(...firstDays))}`] : [];
  return { number: null, warned: [...expired, ...next] };
};

it('matches an independent oracle for 20,000 random customers, states and days', () => {
  const random = seeded(16);
  const below = (most: number) => Math.floor(random() * most);
  const states = ['US-MI', 'US-OH', 'US-NY', 'US-CA'];
  const counts = { valid: 0, expired: 0, next: 0, none: 0 };
  for (let round = 0; round < 20_000; round++) {
    const certificates = Array.from({ length: below(6) }, (_, index): Certificate => {
      const [a, b] = [below(60), below(60)].sort((left, right) => left - right) as [number, number];
      return certificate({
        certificate_number: String(index),
        states: random() < 0.3 ? null : states.filter(() => random() < 0.4),
        valid_from: random() < 0.3 ? null : dayText(a),
        valid_to: random() < 0.3 ? null : random() < 0.1 ? '9999-12-31' : dayText(b),
      });
    });
    const place = states[below(4)] as string;
    const day = below(60);
    const actual = chooseCertificate(certificates, { customerId: 'c', place, placeName: place, day: dayText(day) });
    const expected = oracle(certificates, place, day);
    const warned = actual.warnings.map(({ code, message }) => `${code} ${/\d{4}-\d\d-\d\d/.exec(message)?.[0]}`);
    expect({ number: actual.applied?.certificate_number ?? null, warned }).toEqual(expected);
    if (expected.number !== null) counts.valid += 1;
    else if (expected.warned.length === 0) counts.none += 1;
    if (warned.some((text) => text.startsWith('exemption_expired'))) counts.expired += 1;
    if (warned.some((text) => text.startsWith('exemption_not'))) counts.next += 1;
  }
  // Each outcome must occur often, so that all are tested.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(1000);
});

describe('the customers whose certificates are read', () => {
  const exemption = { type: 'resale' } as const;
  const [a, b, inline] = [{ id: 'a' }, { id: 'b' }, { exemption }];
  const inOhio = { ...a, exemption: { ...exemption, regions: ['OH'] } };
  const certified = { ...a, ...inline };
  const lines = (...customers: object[]) => customers.map((customer) => ({ customer }));
  it.each<[string, Parameters<typeof listCustomerIds>[0], string[]]>([
    ['none without an id', { customer: {}, line_items: [{}] }, []],
    ["the document's customer, once for its lines", { customer: a, line_items: [{}, {}, { customer: {} }] }, ['a']],
    ['the customers of the lines', { customer: a, line_items: [{ customer: b }, {}] }, ['b', 'a']],
    ['none with an inline certificate', { customer: { ...a, ...inline }, line_items: [{}] }, []],
    ['the customer of an inline certificate for some states', { customer: inOhio, line_items: [{}] }, ['a']],
    ['none for a line with an inline certificate', { customer: a, line_items: lines({ ...b, ...inline }) }, []],
    ['the customer of a line, if the document has one', { customer: certified, line_items: lines(b, a, {}) }, ['b']],
    ['none if the document has a certificate without an id', { customer: inline, line_items: lines(b) }, []],
    ['none if a marketplace collects', { customer: a, collected_by: 'marketplace', line_items: [{}] }, []],
    ['none without lines', { customer: a }, []],
  ])('reads %s', (_name, input, expected) => {
    expect(listCustomerIds(input)).toEqual(expected);
  });
});
