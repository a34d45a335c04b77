/** The retail delivery fees of Minnesota (Minn. Stat. 168E) and Colorado (C.R.S. 43-4-218): due, added or left out. */
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { restoreInput } from '../../shared/calculations/echo.ts';
import { crossFieldProblems } from '../../shared/calculations/request-problems.ts';
import { newTransaction } from '../../shared/transactions/new-transaction.ts';
import { openEntriesOf } from '../../shared/transactions/open-entries.ts';
import { pinnedOf } from '../../shared/transactions/pinned.ts';
import type { StoredTransaction } from '../../shared/transactions/transaction.ts';
import { requestedChanges } from '../../shared/transactions/updates/requested-changes.ts';
import { ask, refusal, requestOf, testNow } from '../support/builders.ts';

const minneapolis = { city: 'Minneapolis', state: 'MN', postal_code: '55401', country: 'US' };
const denver = { city: 'Denver', state: 'CO', postal_code: '80202', country: 'US' };
const detroit = { city: 'Detroit', state: 'MI', postal_code: '48226', country: 'US' };
const warning = { settings: { retail_delivery_fee: 'warn' } } as const;
const adding = { settings: { retail_delivery_fee: 'add' } } as const;
type Line = NonNullable<Parameters<typeof ask>[0]['line_items']>[number];

const due = ({ warnings }: Outcome) =>
  warnings
    .filter(({ code }) => code === 'retail_delivery_fee_due')
    .map(({ message }) => /^(\w+) retail delivery fee: (\S+) is due/.exec(message)?.slice(1).join(' '));
const feesOf = ({ line_items }: Outcome) =>
  line_items
    .filter(({ product_tax_code }) => product_tax_code === 'FEES.RETAIL_DELIVERY_FEE')
    .map(({ id, tax_amount, taxes }) => [id, tax_amount, ...taxes.map(({ jurisdiction_code }) => jurisdiction_code)]);
const to = (address: Parameters<typeof ask>[0]['to'], line_items: readonly Line[], others: object = {}) =>
  ask({ ...(address && { to: address }), line_items, ...others }, warning);

describe('a fee without a line is reported', () => {
  const goods = (unit_price: string, others: Line = {}): Line => ({ unit_price, ...others });
  const clothing = { product_tax_code: 'CLOTHING.APPAREL' };
  it.each([
    ['at the threshold', minneapolis, [goods('100.00')], ['Minnesota 0.50']],
    ['a cent below it', minneapolis, [goods('99.99')], []],
    [
      'clothing counts, although it is exempt',
      minneapolis,
      [goods('40.00'), goods('60.00', clothing)],
      ['Minnesota 0.50'],
    ],
    ['food does not count', minneapolis, [goods('99.99'), goods('500.00', { product_tax_code: 'FOOD.GROCERY' })], []],
    [
      'goods that are picked up do not',
      minneapolis,
      [goods('500.00', { fulfillment: 'pickup', ship_from: { address: minneapolis } })],
      [],
    ],
    ['downloads do not', minneapolis, [goods('500.00', { product_tax_code: 'DIGITAL.EBOOKS' })], []],
    ['one taxed item of a cent is enough', denver, [goods('0.01')], ['Colorado 0.28']],
    ['exempt goods alone are not', denver, [goods('500.00', { product_tax_code: 'HEALTH.DRUGS._PRESCRIPTION' })], []],
    ['no other state has one', detroit, [goods('500.00')], []],
    [
      'each state has its own',
      null,
      [goods('150.00', { customer: { address: denver } }), goods('150.00', { customer: { address: minneapolis } })],
      ['Colorado 0.28', 'Minnesota 0.50'],
    ],
    [
      'not beside a line for it',
      minneapolis,
      [goods('150.00'), { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0.00' }],
      [],
    ],
  ] as const)('%s', (_, address, lines, expected) => expect(due(to(address ?? undefined, lines))).toEqual(expected));

  it('with the delivery charges of the goods that count', () => {
    expect(due(to(minneapolis, [goods('95.00')], { shipping: { amount: '5.00' } }))).toEqual(['Minnesota 0.50']);
    expect(due(to(minneapolis, [goods('95.00')], { shipping: { amount: '4.99' } }))).toEqual([]);
  });

  it('not where the seller does not collect, and not on a credit', () => {
    const lines = [goods('150.00')];
    expect(due(to(minneapolis, lines, { collected_by: 'marketplace' }))).toEqual([]);
    expect(due(to(minneapolis, lines, { type: 'credit' }))).toEqual([]);
    expect(
      due(ask({ to: minneapolis, line_items: lines }, { settings: { ...warning.settings, registrations: [] } })),
    ).toEqual([]);
    expect(due(ask({ to: minneapolis, line_items: lines }, { settings: { retail_delivery_fee: 'none' } }))).toEqual([]);
  });

  it('measured without tax that the prices include', () => {
    // The five taxes on 100.00 are 9.03 together, each rounded.
    expect(due(to(minneapolis, [goods('109.03')], { tax_included: true }))).toEqual(['Minnesota 0.50']);
    expect(due(to(minneapolis, [goods('109.00')], { tax_included: true }))).toEqual([]);
  });
});

describe('the account setting retail_delivery_fee=add', () => {
  const sold = ask({ to: minneapolis, line_items: [{ id: 'a', unit_price: '150.00' }] }, adding);

  it('adds a line of its own, whose fee is in no base', () => {
    expect(feesOf(sold)).toEqual([['retail_delivery_fee', '0.50', 'US-MN-RDF']]);
    expect(due(sold)).toEqual([]);
    // 9.025 % of 150.00 is 13.5375.
    expect(sold).toMatchObject({ subtotal_amount: '150.00', tax_amount: '14.04', total_amount: '164.04' });
    expect(sold.tax_summary.find(({ jurisdiction_code }) => jurisdiction_code === 'US-MN-RDF')).toMatchObject({
      taxable_amount: '0.00',
      tax_amount: '0.50',
    });
  });

  it('adds it once when the answer is calculated again, and removes it when it is no longer due', () => {
    const { line_items, ...input } = restoreInput({ ...sold, type: 'sale' });
    const again = (changes: object) => ask({ ...input, line_items, ...changes }, adding);
    expect(feesOf(again({}))).toEqual(feesOf(sold));
    expect(feesOf(again({ customer: { address: detroit } }))).toEqual([]);
    const [line] = line_items;
    expect(feesOf(again({ line_items: [{ ...line, unit_price: '50.00' }, ...line_items.slice(1)] }))).toEqual([]);
  });

  it('adds a line for each state, at its place', () => {
    const lines = [
      { unit_price: '150.00', customer: { address: denver } },
      { id: 'retail_delivery_fee', unit_price: '150.00', customer: { address: minneapolis } },
    ];
    expect(feesOf(ask({ line_items: lines }, adding))).toEqual([
      ['retail_delivery_fee_2', '0.28', 'US-CO-RDF'],
      ['retail_delivery_fee_3', '0.50', 'US-MN-RDF'],
    ]);
  });

  const stored = (outcome: Outcome, retail_delivery_fee: 'add' | 'warn' = 'add'): StoredTransaction =>
    newTransaction(
      { type: 'sale', status: 'finalized', parent_transaction_id: null },
      outcome,
      outcome.tax_amount,
      { creditOf: null, pinned: { ...pinnedOf(defaultSettings('v')), retail_delivery_fee } },
      24,
      { newId: () => 'txn_1', now: () => testNow },
    );

  it('does not take the line items that were sent as a change', () => {
    const line_items = [{ id: 'a', product_tax_code: 'GENERAL', quantity: '1', unit_price: '150.00' }];
    expect(requestedChanges({ line_items }, stored(sold)).inputs).toEqual([]);
    expect(requestedChanges({ line_items }, stored(sold, 'warn')).inputs).toEqual(['line_items']);
    const [line] = line_items;
    const changed = [{ ...line, quantity: '2', unit_price: '75.00' }];
    expect(requestedChanges({ line_items: changed }, stored(sold)).inputs).toEqual(['line_items']);
  });

  it('keeps the fee apart from the sales of the return', () => {
    const [entry] = openEntriesOf(stored(sold));
    expect(entry?.base).toEqual({ taxable_amount: '150.00', exempt_amount: '0.00' });
    const ofFee = entry?.amounts.filter(({ jurisdiction_code }) => jurisdiction_code === 'US-MN-RDF');
    expect(ofFee).toMatchObject([{ rate: '0', taxable_amount: '0.00', tax_amount: '0.50' }]);
    // The five taxes on 150.00 are 13.54 together.
    const included = ask({
      to: minneapolis,
      tax_included: true,
      line_items: [{ unit_price: '163.54' }, { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0.50' }],
    });
    const [other] = openEntriesOf(stored(included));
    expect(other?.base).toEqual(entry?.base);
    expect(other?.amounts).toContainEqual(ofFee?.[0]);
  });
});

describe('the price of a fee', () => {
  const line = (unit_price: string) => ({ product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price });
  const lines = (price: string) => [{ id: 'a', unit_price: '163.54' }, line(price)];

  it('is refused where prices do not include tax', () =>
    expect(refusal({ to: minneapolis, line_items: lines('0.50') })).toMatchObject([
      { code: 'validation_invalid_format', source: { pointer: '/line_items/1/unit_price' } },
    ]));

  it('is compared with the fee that is due where they include it', () => {
    const codes = (price: string, address = minneapolis) =>
      to(address, lines(price), { tax_included: true })
        .warnings.filter(({ code }) => code === 'retail_delivery_fee_due')
        .map(({ pointer }) => pointer);
    expect(codes('0.50')).toEqual([]);
    expect(codes('5.00')).toEqual(['/line_items/1']);
    expect(codes('0.50', detroit)).toEqual(['/line_items/1']);
  });

  it('takes no part of a fee of the seller, of shipping, or of a discount', () => {
    const others = { shipping: { amount: '10.00' }, discount_amount: '100.00' };
    const wrap = { product_tax_code: 'FEES.GIFT_WRAP', unit_price: '5.00' };
    const sent = ask({ to: minneapolis, line_items: [{ unit_price: '250.00' }, wrap, line('0.00')], ...others });
    // 9.025 % of 150.00, 5.00 and 10.00, each tax of a line rounded.
    expect(sent.line_items.map(({ tax_amount }) => tax_amount)).toEqual(['13.54', '0.45', '0.50']);
    expect(sent.line_items.map((one) => one.applied_discount_amount)).toEqual(['100.00', '0.00', '0.00']);
  });

  it('takes no part of a discount that applies to shipping', () => {
    const others = { tax_included: true, shipping: { amount: '50.00' } };
    const sent = ask({
      ...{ to: minneapolis, line_items: [{ unit_price: '200.00' }, line('0.50')] },
      ...{ ...others, discount_amount: '50.00', discount_applies_to: 'line_items_and_shipping' as const },
    });
    expect(sent.line_items.map((one) => one.applied_discount_amount)).toEqual(['40.00', '0.00']);
  });

  it('alone leaves no goods for a discount', () => {
    const body = requestOf({ to: minneapolis, line_items: [line('0.00')], discount_amount: '5.00' });
    expect(crossFieldProblems(body)).toMatchObject([{ source: { pointer: '/discount_amount' } }]);
  });
});
