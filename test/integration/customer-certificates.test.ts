import { createHash } from 'node:crypto';
import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { customerReads } from '../../shared/store/customers/customer-reads.ts';
import { connectClient, newCaller } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { closedFiling, createFiler } from '../support/filings.ts';
import {
  buildCreditRequest,
  getRefusal,
  goods,
  made,
  michigan,
  recorded,
  sale,
  shippingCharges,
  sold,
} from '../support/sales.ts';

const ohio = { city: 'Columbus', state: 'OH', postal_code: '43215', country: 'US' } as const;
const indiana = { city: 'Indianapolis', state: 'IN', postal_code: '46204', country: 'US' } as const;
const lansing = { city: 'Lansing', state: 'MI', postal_code: '48933', country: 'US' } as const;
const october9 = { tax_date: '2026-10-09' };
// test/support/setup-api.ts replays each transaction of the tests.
const ofYear = { valid_from: '2026-01-01', valid_to: '2026-12-31' };
const certificate = (others: object = {}) =>
  ({ states: ['MI'], reason: 'resale', certificate_number: 'R-1', ...ofYear, ...others }) as const;
const applied = (others: object = {}) => {
  const { states: _, ...terms } = certificate(others);
  return { customer_id: 'cus_1', ...terms };
};
const buyer = (others: object = {}) => ({ customer: { id: 'cus_1', address: michigan, ...others } });

const newShop = async (exemptions: object[] | null = [certificate()], settings: Partial<Settings> = {}) => {
  const caller = await newCaller({ settings });
  const client = connectClient(caller);
  const put = (list: object[], id = 'cus_1') =>
    made(client.call('POST', `/customers/${id}` as '/customers/{id}', { body: { exemptions: list } }));
  const add = (id: string, list: object[]) =>
    made(client.call('POST', '/customers', { body: { id, exemptions: list } }));
  /** Formats the return of October: `gross taxable 50.00 tax 3.00, resale 100.00`, with the reasons of exempt amounts. */
  const readReturn = async (state = 'MI') => {
    const body = { state, period_end: '2026-10-31', dry_run: true };
    const [total] = (await made(client.call('POST', '/filings', { body }))).totals;
    const exempt = Object.entries(total?.exempt_by_reason ?? {}).filter(([, amount]) => amount !== '0.00');
    const figures = `${total?.gross_amount} taxable ${total?.taxable_amount} tax ${total?.tax_amount}`;
    return [figures, ...exempt.map((part) => part.join(' '))].join(', ');
  };
  if (exemptions) await add('cus_1', exemptions);
  return { caller, client, put, add, readReturn };
};

type Lines = { readonly line_items: readonly { readonly applied_exemption?: unknown }[] };
const listExemptions = ({ line_items }: Lines) => line_items.map(({ applied_exemption }) => applied_exemption);
type Warned = { readonly warnings: readonly { readonly code: string; readonly pointer: string | null }[] };
const warned = ({ warnings }: Warned) => warnings.map(({ code, pointer }) => `${code} ${pointer}`);
const warnedOfExemptions = (outcome: Warned) => warned(outcome).filter((text) => text.startsWith('exemption'));

describe('transactions with a customer id', () => {
  it('exempts a transaction by the certificate that is valid on its tax date, as soon as it is stored', async () => {
    const { client, put } = await newShop(null);
    expect((await made(client.calculate(sale(buyer())))).tax_amount).toBe('6.00');
    // Documents do not contain the link.
    const linked = certificate({ document_url: 'https://files.example.com/R-1.pdf' });
    await made(client.call('POST', '/customers', { body: { id: 'cus_1', exemptions: [linked] } }));
    const outcome = await made(client.calculate(sale(buyer())));
    expect(outcome).toMatchObject({ tax_amount: '0.00', exempt_amount: '100.00', customer: buyer().customer });
    expect(listExemptions(outcome)).toEqual([applied()]);
    expect(outcome.warnings).toEqual([]);
    await put([]);
    const taxed = await made(client.calculate(sale(buyer())));
    expect([taxed.tax_amount, listExemptions(taxed)]).toEqual(['6.00', [null]]);
  });

  const groceries = goods({ product_tax_code: 'FOOD.GROCERY', customer: { id: 'cus_1' } });
  const to = (address: object, others: object = {}) => goods({ customer: { address }, ...others });
  const own = goods({ customer: { id: 'cus_1' } });
  const free = to(indiana, { unit_price: '0.00' });
  it.each<[string, object[], string, string[]]>([
    ['goods in Oregon', [to({ state: 'OR', postal_code: '97201' })], '0.00', []],
    ['goods in Germany', [to({ country: 'DE', postal_code: '10115' })], '0.00', []],
    ['groceries', [groceries], '0.00', []],
    ['free goods with taxed shipping', [free], '0.63', ['exemption_expired /customer/id']],
    ['the first line with tax', [groceries, own, goods()], '12.00', ['exemption_expired /line_items/1/customer/id']],
  ])('warns about %s only if tax applies', async (_name, line_items, tax, warnings) => {
    const { client } = await newShop([certificate({ states: null, valid_to: '2026-10-07' })]);
    const outcome = await made(client.calculate(sale({ ...buyer(), line_items, shipping: { amount: '9.00' } })));
    expect([outcome.tax_amount, warnedOfExemptions(outcome)]).toEqual([tax, warnings]);
  });

  it.each([
    ['2026-10-07', ['exemption_expired /customer/id']],
    ['2026-12-31', []],
  ])('warns about a charge that is shipped to a state whose certificate ends on %s', async (valid_to, expected) => {
    const { client } = await newShop([certificate(), certificate({ states: ['IN'], valid_to })]);
    const shipping = { amount: '10.00', ship_to: { address: indiana } };
    const outcome = await made(client.calculate(sale({ ...buyer(), shipping })));
    expect([outcome.tax_amount, warnedOfExemptions(outcome)]).toEqual([
      expected.length > 0 ? '0.70' : '0.00',
      expected,
    ]);
  });

  it('keeps an unknown id as a reference, even if another account has the customer', async () => {
    const { client } = await newShop(null);
    await newShop();
    const outcome = await made(client.calculate(sale(buyer())));
    expect([outcome.tax_amount, listExemptions(outcome), outcome.warnings]).toEqual(['6.00', [null], []]);
  });

  it.each<[object, string, object | null, string[]]>([
    [{ type: 'government', certificate_id: 'G-1' }, '0.00', { reason: 'government', certificate_number: 'G-1' }, []],
    [{ valid_to: '2026-10-07' }, '6.00', null, ['exemption_expired /customer/exemption/valid_to']],
    [{ valid_from: '2026-10-09' }, '6.00', null, ['exemption_not_yet_valid /customer/exemption/valid_from']],
    [{ valid_to: '2026-10-08' }, '0.00', { reason: 'resale' }, []],
    [{ valid_from: '2026-10-08' }, '0.00', { reason: 'resale' }, []],
  ])('uses an inline certificate first, even if it is not valid: %j', async (sent, tax, terms, warnings) => {
    const { client } = await newShop();
    const outcome = await made(client.calculate(sale(buyer({ exemption: { type: 'resale', ...sent } }))));
    expect([outcome.tax_amount, warned(outcome)]).toEqual([tax, warnings]);
    const none = { customer_id: null, certificate_number: null };
    expect(listExemptions(outcome)).toMatchObject([terms && { ...none, ...terms }]);
  });

  it.each([
    [['OH'], applied()],
    [['OH', 'MI'], { ...applied(), customer_id: null, certificate_number: 'O-1', valid_from: null, valid_to: null }],
  ])('uses its own certificate in a state that is not in the regions %j of an inline one', async (regions, terms) => {
    const { client } = await newShop();
    const exemption = { type: 'resale', certificate_id: 'O-1', regions };
    const other = buyer({ id: 'cus_2', exemption: { ...exemption, regions: ['OH'] } });
    const taxed = await made(client.calculate(sale(other)));
    expect([taxed.tax_amount, listExemptions(taxed)]).toEqual(['6.00', [null]]);
    const exempt = await made(client.create(sale({ ...buyer({ exemption }), status: 'finalized' })));
    expect([exempt.tax_amount, listExemptions(exempt)]).toEqual(['0.00', [terms]]);
  });

  it('taxes a buyer with certificates if the exemption is none, on the transaction or on a line', async () => {
    const { client } = await newShop();
    const none = { exemption: 'none' };
    const line_items = [goods({ id: 'a' }), goods({ id: 'b', customer: none })];
    const calculated = await made(client.calculate(sale({ ...buyer(), line_items })));
    expect(calculated.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['0.00', '6.00']);
    expect([listExemptions(calculated), calculated.warnings]).toEqual([[applied(), null], []]);
    const body = sale({ ...buyer(none), status: 'finalized' });
    const taxed = await made(client.create(body));
    expect([taxed.tax_amount, taxed.customer, listExemptions(taxed)]).toEqual(['6.00', body.customer, [null]]);
    expect(recorded(await made(client.get(taxed.id)))).toEqual(taxed);
    const credit = await made(client.create(buildCreditRequest(taxed)));
    expect([credit.tax_amount, credit.customer]).toEqual(['6.00', body.customer]);
    const stored = await made(client.call('GET', '/customers/cus_1' as '/customers/{id}'));
    expect(stored.exemptions).toHaveLength(1);
  });

  it('keeps the warning about the inline certificate of a line when it is recorded and edited', async () => {
    const { client } = await newShop();
    const exemption = { type: 'resale', valid_to: '2026-10-07' };
    const line_items = [goods({ id: 'a' }), goods({ id: 'b', customer: { exemption } })];
    const expected = ['exemption_expired /line_items/1/customer/exemption/valid_to'];
    const draft = await made(client.create(sale({ ...buyer(), line_items })));
    expect([draft.tax_amount, warned(draft)]).toEqual(['6.00', expected]);
    const edited = await made(client.update(draft.id, { tax_amount: '5.00' }));
    expect(warned(edited)).toEqual([...expected, 'tax_amount_differs /tax_amount']);
    const finalized = await made(client.update(draft.id, { tax_amount: null, status: 'finalized' }));
    expect([finalized.tax_amount, warned(finalized)]).toEqual(['6.00', expected]);
  });

  it("does not apply the transaction's inline certificate to the lines of another buyer", async () => {
    const { client, add } = await newShop();
    await add('cus_2', [certificate({ certificate_number: 'C-2' })]);
    const customers = [undefined, { id: 'A', address: michigan }, { id: 'C' }, { id: 'cus_2' }];
    const linesWith = async (exemption: object) => {
      const line_items = customers.map((customer, at) => goods({ id: `line_${at}`, ...(customer && { customer }) }));
      const customer = { id: 'A', exemption, address: michigan };
      const outcome = await made(client.calculate(sale({ customer, line_items, explain: true })));
      const texts = (outcome.explanation ?? []).map(({ text }) => text).filter((text) => text.includes('C-2'));
      expect(texts).toHaveLength(1);
      const getTerms = ({ tax_amount, applied_exemption: known }: (typeof outcome.line_items)[number]) =>
        [tax_amount, known?.customer_id ?? null, known?.certificate_number] as const;
      return outcome.line_items.map(getTerms);
    };
    const stored = ['0.00', 'cus_2', 'C-2'];
    const taxed = ['6.00', null, undefined];
    const inline = ['0.00', null, 'A-1'];
    const valid = { type: 'resale', certificate_id: 'A-1' };
    expect(await linesWith(valid)).toEqual([inline, inline, taxed, stored]);
    expect(await linesWith({ ...valid, valid_to: '2026-01-31' })).toEqual([taxed, taxed, taxed, stored]);
  });

  it("uses the line's customer before the transaction's, in the state of each line", async () => {
    const { client, add } = await newShop();
    await add('cus_2', [certificate({ states: ['OH'], certificate_number: 'O-1' })]);
    await add('cus_3', [certificate({ states: null, valid_to: '2026-06-30' })]);
    const buildLine = (id: string, customer: object) => goods({ id, customer });
    const line_items = [
      goods({ id: 'a' }),
      buildLine('b', { address: ohio }),
      buildLine('c', { id: 'cus_2', address: ohio }),
      buildLine('d', { id: 'cus_2' }),
      buildLine('e', { id: 'cus_3' }),
      buildLine('f', { id: 'cus_unknown' }),
      buildLine('g', { exemption: { type: 'other' } }),
    ];
    const kept = await made(client.create(sale({ ...buyer(), line_items, status: 'finalized' })));
    const other = { customer_id: null, reason: 'other', certificate_number: null, valid_from: null, valid_to: null };
    const inOhio = applied({ customer_id: 'cus_2', certificate_number: 'O-1' });
    expect(listExemptions(kept)).toEqual([applied(), null, inOhio, null, null, null, other]);
    const isTaxed = kept.line_items.map(({ tax_amount }) => tax_amount !== '0.00');
    expect(isTaxed).toEqual([false, true, false, true, true, true, false]);
    expect(warnedOfExemptions(kept)).toEqual(['exemption_expired /line_items/4/customer/id']);
    const read = await made(client.get(kept.id));
    expect(listExemptions(read)).toEqual(listExemptions(kept));
  });

  it('reads the certificates of customers without their names, one batch after the other', async () => {
    const { caller, add } = await newShop();
    const ids = Array.from({ length: 150 }, (_, at) => `cus_${at + 2}`);
    for (const id of ['cus_2', 'cus_151']) await add(id, [certificate()]);
    const commands: BatchGetCommand[] = [];
    let running = 0;
    let most = 0;
    intercept(async ({ input, pass }) => {
      running += 1;
      most = Math.max(most, running);
      commands.push(new BatchGetCommand(input as BatchGetCommandInput));
      return pass().finally(() => {
        running -= 1;
      });
    });
    const found = await customerReads.findSome(caller.account.id, ids).finally(noFaults);
    expect([...found.keys()]).toEqual(['cus_2', 'cus_151']);
    expect([commands.length, most]).toEqual([2, 1]);
    const read = commands.flatMap(({ input }) =>
      Object.values(input.RequestItems ?? {}).map(({ ExpressionAttributeNames: names }) => Object.values(names ?? {})),
    );
    expect(read).toEqual(Array.from({ length: 2 }, () => ['pk', 'sk', 'exemptions']));
  });
});

describe('the recorded certificate of a transaction', () => {
  it('keeps the certificate after the customer changes: in lists and on finalization', async () => {
    const { client, put } = await newShop();
    const draft = await made(client.create(sale(buyer())));
    await sold(client, buyer());
    await put([]);
    const finalized = await made(client.update(draft.id, { status: 'finalized' }));
    expect([finalized.tax_amount, listExemptions(finalized)]).toEqual(['0.00', [applied()]]);
    expect((await made(client.list({ state: 'MI' }))).data).toHaveLength(2);
  });

  // Goods for Michigan with delivery to Indiana, where shipping is taxed at 7 %.
  it.each([
    ['MI', '0.70', null],
    ['IN', '6.00', 'R-1'],
  ])(
    'keeps the certificate for a charge that is shipped elsewhere: a certificate of %s',
    async (state, tax, number) => {
      const { client, put } = await newShop([certificate({ states: [state] })]);
      const customer = { address: indiana };
      const delivery = { quantity: '1', unit_price: '10.00', product_tax_code: 'SHIPPING.DELIVERY', customer };
      const shipping = { amount: '10.00', ship_to: { address: indiana } };
      const documents = [{ shipping }, { line_items: [goods({ id: 'a' }), goods({ id: 'b', ...delivery })] }];
      const ids: string[] = [];
      for (const document of documents) {
        const draft = await made(client.create(sale({ ...buyer(), ...document })));
        expect(draft.tax_amount).toBe(tax);
        expect(draft.line_items[1]?.applied_exemption?.certificate_number ?? number).toBe(number);
        ids.push(draft.id);
      }
      await put([]);
      for (const id of ids) expect((await made(client.update(id, { status: 'finalized' }))).tax_amount).toBe(tax);
    },
  );

  it('keeps the certificate for a charge that is shipped elsewhere for two buyers, of whom one is exempt', async () => {
    const { client, add } = await newShop([certificate({ states: null })]);
    await add('cus_2', []);
    const line_items = [goods({ id: 'a' }), goods({ id: 'b', customer: { id: 'cus_2' } })];
    const shipping = { amount: '10.00', ship_to: { address: indiana } };
    const sold = await made(client.create(sale({ ...buyer(), line_items, shipping, status: 'finalized' })));
    // The taxes are 6 % of 100.00 in Michigan, and 7 % of half the delivery in Indiana.
    expect(sold.tax_amount).toBe('6.35');
  });

  it('keeps the exempt parts of charges to a third state, for buyers with certificates of two states', async () => {
    const { client, add, put, readReturn } = await newShop();
    await add('cus_2', [certificate({ states: ['IN'], reason: 'government' })]);
    const ship_to = { address: indiana };
    // The delivery of 10.00 is for both lines in proportion to their prices: 6.67 is taxed, and 3.33 is exempt.
    const shipping = [
      { id: 'both', amount: '10.00', ship_to },
      { id: 'exempt', amount: '20.00', ship_to, line_item_ids: ['b'] },
      { id: 'taxed', amount: '5.00', ship_to, line_item_ids: ['a'] },
    ];
    const line_items = [goods({ id: 'a' }), goods({ id: 'b', unit_price: '25.00', customer: { id: 'cus_2' } })];
    // The certificate of customer 1 exempts 100.00 in Michigan. The certificate of customer 2 exempts deliveries of b
    // in Indiana.
    const draft = await made(client.create(sale({ ...buyer(), line_items, shipping, explain: true })));
    expect(draft.tax_amount).toBe('3.82');
    const texts = draft.explanation?.filter(({ pointer }) => pointer === '/shipping/0').map(({ text }) => text);
    expect(texts?.slice(0, 5)).toEqual([
      'Shipping of 10.00 is allocated to 2 lines by net amount: a 6.67 and b 3.33.',
      'Indiana: shipping is taxed like the goods it ships with. 6.67 of 6.67 is taxed.',
      'Indiana: 6.67 times 0.07, the general rate, is 0.4669.',
      'Indiana: no tax, because the buyer is exempt.',
      'Indiana: 0 of 3.33 is taxed.',
    ]);
    await put([]);
    await put([], 'cus_2');
    await made(client.update(draft.id, { tax_amount: '5.00' }));
    await made(client.update(draft.id, { tax_amount: null }));
    const finalized = await made(client.update(draft.id, { status: 'finalized' }));
    const charges = shippingCharges(finalized.shipping);
    const figures = charges.map((one) => `${one.taxable_amount} ${one.exempt_amount} ${one.tax_amount}`);
    expect(figures).toEqual(['6.67 3.33 0.47', '0.00 20.00 0.00', '5.00 0.00 0.35']);
    expect(finalized.tax_amount).toBe('3.82');
    expect(await readReturn('MI')).toBe('150.00 taxable 50.00 tax 3.00, resale 100.00');
    expect(await readReturn('IN')).toBe('35.00 taxable 11.67 tax 0.82, government 23.33');
    // Half of the first charge, with half of its taxable amount of 6.67 and of its tax of 0.47.
    const lines = [{ id: 'b', quantity: '1', unit_price: '0.00' }];
    const half = { ...october9, line_items: lines, shipping: { id: 'both', amount: '5.00' } };
    const credit = await made(client.create(buildCreditRequest(finalized, half)));
    expect([credit.taxable_amount, credit.exempt_amount, credit.tax_amount]).toEqual(['3.34', '1.66', '0.24']);
    expect(await readReturn('IN')).toBe('30.00 taxable 8.33 tax 0.58, government 21.67');
    const rest = { ...october9, credit_remaining: true };
    expect((await made(client.create(buildCreditRequest(finalized, rest)))).tax_amount).toBe('3.58');
    expect(await readReturn('IN')).toBe('0.00 taxable 0.00 tax 0.00');
  });

  it('reports each exempt shipping charge and its credits under the reason of its own certificate', async () => {
    const { client, add, readReturn } = await newShop();
    await add('cus_2', [certificate({ reason: 'government' })]);
    await add('cus_3', [certificate({ reason: 'nonprofit' })]);
    const own = { address: lansing };
    const a = goods({ id: 'a', quantity: '1', unit_price: '100.00' });
    const b = goods({ id: 'b', quantity: '2', unit_price: '25.00', customer: { id: 'cus_2' } });
    const c = goods({ id: 'c', quantity: '1', unit_price: '30.00', customer: { id: 'cus_3' } });
    const forA = { id: 'for_a', amount: '10.00', line_item_ids: ['a'] };
    const forB = { id: 'for_b', amount: '20.00', line_item_ids: ['b'] };
    const forC = { id: 'for_c', amount: '4.00', line_item_ids: ['c'], ship_to: own };
    // The sale has 110.00 for resale and 70.00 for the government, with and without a separate address.
    for (const shipping of [
      [forA, { ...forB, ship_to: own }],
      [{ ...forB, ship_to: own }, forA],
      [forA, forB],
    ]) {
      const document = sale({ ...buyer(), line_items: [a, b], shipping, status: 'finalized' });
      const { id, tax_amount } = await made(client.create(document));
      expect(tax_amount).toBe('0.00');
      expect(await readReturn()).toBe('180.00 taxable 0.00 tax 0.00, resale 110.00, government 70.00');
      // The credit has half of the charges and one line at 0.00, but no goods.
      const line_items = [{ id: 'a', quantity: '1', unit_price: '0.00' }];
      const halves = [
        { id: 'for_a', amount: '5.00' },
        { id: 'for_b', amount: '10.00' },
      ];
      await made(client.create(buildCreditRequest({ id }, { ...october9, line_items, shipping: halves })));
      expect(await readReturn()).toBe('165.00 taxable 0.00 tax 0.00, resale 105.00, government 60.00');
      await made(client.create(buildCreditRequest({ id }, { ...october9, credit_remaining: true })));
      expect(await readReturn()).toBe('0.00 taxable 0.00 tax 0.00');
    }
    // Two charges with separate addresses and different reasons.
    const shipping = [{ ...forB, ship_to: own }, forC];
    const document = sale({ ...buyer(), line_items: [a, b, c], shipping, status: 'finalized' });
    const sold = await made(client.create(document));
    expect(await readReturn()).toBe('204.00 taxable 0.00 tax 0.00, resale 100.00, government 70.00, nonprofit 34.00');
    const parts = [
      { id: 'for_b', amount: '20.00' },
      { id: 'for_c', amount: '4.00' },
    ];
    const line_items = [{ id: 'a', quantity: '1', unit_price: '0.00' }];
    await made(client.create(buildCreditRequest(sold, { ...october9, line_items, shipping: parts })));
    expect(await readReturn()).toBe('180.00 taxable 0.00 tax 0.00, resale 100.00, government 50.00, nonprofit 30.00');
  });

  it('splits exempt shipping and its credits by the net of the delivered lines', async () => {
    const { client, add, readReturn } = await newShop();
    await add('cus_2', [certificate({ reason: 'government' })]);
    await add('cus_3', [certificate({ reason: 'nonprofit' })]);
    const own = { address: lansing };
    const one = (id: string, unit_price: string, others: object) => goods({ id, quantity: '1', unit_price, ...others });
    const line_items = [
      one('pickup', '30.00', { customer: { id: 'cus_3' }, fulfillment: 'pickup', ship_from: own }),
      one('a', '100.00', {}),
      one('b', '50.00', { customer: { id: 'cus_2' } }),
    ];
    for (const ship_to of [undefined, own]) {
      const shipping = { id: 'both', amount: '10.00', ship_to };
      const { id } = await made(client.create(sale({ ...buyer(), line_items, shipping, status: 'finalized' })));
      // 10.00 in proportion to 100.00 and 50.00 is 6.67 and 3.33. The pickup has no share.
      const reasons = (resale: string, government: string) =>
        `taxable 0.00 tax 0.00, resale ${resale}, government ${government}, nonprofit 30.00`;
      expect(await readReturn()).toBe(`190.00 ${reasons('106.67', '53.33')}`);
      const part = { ...october9, line_items: [{ id: 'pickup', quantity: '1', unit_price: '0.00' }] };
      // Two thirds are resale: 0.02 of 0.03; then 0.05 of 0.07, the sum of both credits.
      for (const [amount, expected] of [
        ['0.03', `189.97 ${reasons('106.65', '53.32')}`],
        ['0.04', `189.93 ${reasons('106.62', '53.31')}`],
      ] as const) {
        await made(client.create(buildCreditRequest({ id }, { ...part, shipping: { id: 'both', amount } })));
        expect(await readReturn()).toBe(expected);
      }
      await made(client.create(buildCreditRequest({ id }, { ...october9, credit_remaining: true })));
      expect(await readReturn()).toBe('0.00 taxable 0.00 tax 0.00');
    }
  });

  it('does not report shipping as paid with SNAP benefits', async () => {
    const { client, readReturn } = await newShop();
    const snap = { exemption: { type: 'snap' } };
    const line_items = [
      goods({ id: 'food', quantity: '1', unit_price: '40.00', customer: snap }),
      goods({ id: 'resold', quantity: '1', unit_price: '60.00' }),
    ];
    await sold(client, { ...buyer(), line_items, shipping: { amount: '10.00' } });
    // 4.00 of the delivery is for exempt goods, and 6.00 is for goods for resale.
    expect(await readReturn()).toBe('110.00 taxable 0.00 tax 0.00, resale 66.00, product 4.00, snap 40.00');
  });

  it('lists the certificate of an entry that has only exempt shipping', async () => {
    const { client, caller } = await newShop([certificate({ states: ['IN'] })]);
    const { id } = await sold(client, { ...buyer(), shipping: { amount: '10.00', ship_to: { address: indiana } } });
    const line_items = [{ id: 'item_1', quantity: '1', unit_price: '0.00' }];
    const shippingAlone = { ...october9, line_items, shipping: { amount: '4.00' } };
    await made(client.create(buildCreditRequest({ id }, shippingAlone)));
    const filer = createFiler(caller);
    const { id: filing } = await closedFiling(filer, 'IN', '2026-10-31');
    const { entries } = await made(filer.filing(filing, { expand: 'entries' }));
    expect(entries.data.map(({ certificate_numbers }) => certificate_numbers)).toEqual([['R-1'], ['R-1']]);
  });

  it('credits the shipping of a sale with a thousand certificates in one step', async () => {
    const { client } = await newShop();
    const address = { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' };
    const line_items = Array.from({ length: 1000 }, (_, at) => {
      const certificate_id = createHash('sha512').update(String(at)).digest('base64url').slice(0, 50);
      return goods({ id: `l${at}`, quantity: '1', customer: { exemption: { type: 'resale', certificate_id } } });
    });
    const shipping = Array.from({ length: 5 }, (_, at) => ({ id: `s${at}`, amount: '9.98' }));
    const { id } = await sold(client, { customer: { address }, line_items, shipping });
    const draft = await made(client.create(buildCreditRequest({ id }, { credit_remaining: true, status: 'draft' })));
    await made(client.update(draft.id, { status: 'finalized' }));
    expect((await made(client.get(id))).refund_status).toBe('full');
  });

  it('keeps the certificate if only the tax of a draft or sale is edited, with its warnings', async () => {
    const { client, put } = await newShop([certificate({ valid_to: '2026-10-07' })]);
    for (const status of ['draft', 'finalized']) {
      await put([certificate({ valid_to: '2026-10-07' })]);
      const { id } = await made(client.create(sale({ ...buyer(), status })));
      await put([certificate()]);
      const edited = await made(client.update(id, { tax_amount: '5.00' }));
      expect(edited).toMatchObject({ tax_amount: '5.00', calculated_tax_amount: '6.00' });
      expect(warned(edited)).toEqual(['exemption_expired /customer/id', 'tax_amount_differs /tax_amount']);
      const back = await made(client.update(id, { tax_amount: null }));
      expect([back.tax_amount, listExemptions(back), warned(back)]).toEqual([
        '6.00',
        [null],
        ['exemption_expired /customer/id'],
      ]);
    }
  });

  it('applies the current certificates if an input of a draft is edited', async () => {
    const { client, put } = await newShop();
    const { id } = await made(client.create(sale(buyer())));
    await put([certificate({ certificate_number: 'R-2' })]);
    const edited = await made(client.update(id, { explain: true }));
    expect(listExemptions(edited)).toEqual([applied({ certificate_number: 'R-2' })]);
    const refused = await made(client.update(id, buyer({ exemption: 'none' })));
    expect([refused.tax_amount, listExemptions(refused)]).toEqual(['6.00', [null]]);
    // Null is treated as absent.
    const again = await made(client.update(id, buyer({ exemption: null })));
    expect([again.tax_amount, listExemptions(again)]).toEqual(['0.00', listExemptions(edited)]);
    await put([]);
    const taxed = await made(client.update(id, { tax_date: '2026-10-09', status: 'finalized' }));
    expect([taxed.tax_amount, listExemptions(taxed)]).toEqual(['6.00', [null]]);
  });

  it('copies the certificate to the credits of a sale, even if the customer has changed', async () => {
    const { client, put } = await newShop();
    const parent = await sold(client, buyer());
    await put([]);
    const half = { line_items: [{ id: 'item_1', quantity: '1' }] };
    const partial = await made(client.create(buildCreditRequest(parent, half)));
    expect([partial.tax_amount, listExemptions(partial)]).toEqual(['0.00', [applied()]]);
    const rest = await made(client.create(buildCreditRequest(parent, { credit_remaining: true })));
    expect(listExemptions(rest)).toEqual([applied()]);
    const whole = await made(client.calculate(buildCreditRequest(await sold(client, buyer()), { status: undefined })));
    expect(whole.tax_amount).toBe('6.00');
  });

  it('keeps the certificate on finalization for a credit line that matches no line of the sale', async () => {
    const { client, put } = await newShop();
    const parent = await sold(client, { ...buyer(), line_items: [goods({ id: 'item_1', quantity: '9' })] });
    const line_items = [goods({ id: 'other', quantity: '1' })];
    const draft = await made(client.create(buildCreditRequest(parent, { status: 'draft', line_items })));
    expect(listExemptions(draft)).toEqual([applied()]);
    await put([]);
    const finalized = await made(client.update(draft.id, { status: 'finalized' }));
    expect([finalized.tax_amount, listExemptions(finalized)]).toEqual(['0.00', [applied()]]);
  });
});

it('records a certificate without a warning if the calculation is posted unchanged', async () => {
  const { client } = await newShop();
  const calculation = await made(client.calculate(sale(buyer())));
  const posted = await made(client.create({ ...calculation, status: 'finalized' }));
  expect([posted.tax_amount, listExemptions(posted), posted.warnings]).toEqual(['0.00', [applied()], []]);
});

it('ignores applied_exemption in a request, without an error in strict mode', async () => {
  const { client } = await newShop(null);
  const line_items = [goods({ id: 'a', applied_exemption: applied() })];
  expect((await made(client.calculate(sale({ ...buyer(), line_items })))).tax_amount).toBe('6.00');
  const strict = { body: sale({ ...buyer(), line_items }), headers: { Prefer: 'handling=strict' } };
  expect(getRefusal(await client.call('POST', '/calculations', strict))).toBe('200');
});
