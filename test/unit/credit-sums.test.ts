import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import {
  type Balance,
  calculateRemaining,
  toCredited,
  withCalculatedTaxes,
  withCredited,
} from '../../shared/ledger/credits/amounts.ts';
import { buildCredit, type Credit, withSuppliedCreditTax } from '../../shared/ledger/credits/credit.ts';
import type { CreditRequest } from '../../shared/ledger/credits/outcome.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import type { JurisdictionAmounts } from '../../shared/ledger/entries/entry.ts';
import { withSuppliedTax } from '../../shared/ledger/supplied-tax.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { ask, storeOutcome, testNow } from '../support/builders.ts';
import { listCharges, shippingCharges } from '../support/sales.ts';

const settings = defaultSettings('aspen.2026-10-01');
const context = { settings, releaseFor: builtInReleaseFor, now: testNow };

const virginia = { city: 'Arlington', state: 'VA', postal_code: '22201', country: 'US' };
const philadelphia = { city: 'Philadelphia', state: 'PA', postal_code: '19103', country: 'US' };
const places = [
  { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' },
  virginia,
  // Coupons reduce the price in Pennsylvania and Massachusetts.
  philadelphia,
  { city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' },
];

const stored = (
  type: 'sale' | 'credit',
  outcome: Outcome,
  parent: Transaction | null = null,
  calculated = outcome,
): StoredTransaction => storeOutcome(outcome, {}, { calculated, creditOf: type === 'credit' ? parent : null });

const cents = (amount: number) => (amount / 100).toFixed(2);
const toCents = (amount: string) => Math.round(Number(amount) * 100);

const lineArbitrary = fc.record({
  price: fc.integer({ min: 0, max: 9_999 }),
  quantity: fc.integer({ min: 1, max: 7 }),
  discount: fc.integer({ min: 0, max: 60 }),
  coupon: fc.integer({ min: 0, max: 100 }),
});
const saleArbitrary = fc.record({
  place: fc.constantFrom(...places),
  lines: fc.array(lineArbitrary, { minLength: 1, maxLength: 3 }),
  discount: fc.integer({ min: 0, max: 30 }),
  coupon: fc.integer({ min: 0, max: 30 }),
  /** The first line item's reduction by a line item with a negative price. */
  reduction: fc.integer({ min: 0, max: 30 }),
  shipping: fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 2 }),
  supplied: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: null }),
  taxIncluded: fc.boolean(),
  isShared: fc.boolean(),
});
type Arbitrary = typeof saleArbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Sale = Omit<Arbitrary, 'isShared'> & Partial<Pick<Arbitrary, 'isShared'>>;

/** Builds a sale of one line at this price, by default without discounts, coupons and shipping. */
const saleOfOne = (price: number, quantity: number, others: Partial<Sale> = {}): Sale => ({
  place: virginia,
  lines: [{ price, quantity, discount: 0, coupon: 0 }],
  discount: 0,
  coupon: 0,
  reduction: 0,
  shipping: [],
  supplied: null,
  taxIncluded: false,
  ...others,
});

// Discounts in percent of the amount that they reduce, so that they always fit.
const toSale = (sale: Sale): StoredTransaction => {
  const { place, lines, discount, coupon, shipping, supplied, taxIncluded, isShared = false } = sale;
  const left = (one: Sale['lines'][number]) => Math.floor((one.price * one.quantity * (100 - one.discount)) / 100);
  const getNet = (one: Sale['lines'][number]) => Math.floor((left(one) * (100 - one.coupon)) / 100);
  const reduction = Math.floor((getNet(lines[0] as Sale['lines'][number]) * sale.reduction) / 100);
  const net = lines.reduce((sum, one) => sum + getNet(one), 0) - reduction;
  const outcome = ask({
    to: place,
    tax_included: taxIncluded,
    line_items: [
      ...lines.map((one, index) => ({
        id: `l${index}`,
        quantity: String(one.quantity),
        unit_price: cents(one.price),
        discount_amount: cents(one.price * one.quantity - left(one)),
        third_party_discount_amount: cents(Math.floor((left(one) * one.coupon) / 100)),
      })),
      ...(reduction > 0 ? [{ id: `l${lines.length}`, unit_price: cents(-reduction), parent_line_item_id: 'l0' }] : []),
    ],
    discount_amount: cents(Math.floor((net * discount) / 100)),
    discount_applies_to: isShared ? 'line_items_and_shipping' : 'line_items',
    third_party_discount_amount: cents(Math.floor((net * (100 - discount) * coupon) / 10_000)),
    shipping: shipping.map((amount) => ({
      amount: cents(amount),
      discount_amount: cents(Math.floor((amount * discount) / 100)),
    })),
  });
  if (supplied === null) return stored('sale', outcome);
  return stored('sale', withSuppliedTax(outcome, cents(supplied)), null, outcome);
};

const credited = (parent: StoredTransaction, request: CreditRequest): Credit => {
  const result = buildCredit(parent, request, context, []);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};
const changed = (parent: StoredTransaction, credit: StoredTransaction, sign: 1n | -1n = 1n) =>
  withCredited(parent, toCredited(credit, parent.transaction), sign);

type Figures = Pick<Transaction, 'line_items' | 'shipping' | 'total_amount' | 'tax_amount' | 'shipping_amount'> &
  Pick<Transaction, 'applied_third_party_discount_amount'>;

const getNet = (figures: Figures): number =>
  listCharges(figures).reduce((sum, charge) => sum + toCents(charge.net_amount), 0);

/** Adds up every amount of some transactions by line and jurisdiction. */
const getSums = (transactions: readonly Figures[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  const add = (key: string, amount: string) => {
    const cent = toCents(amount);
    expect(cent).toBeGreaterThanOrEqual(0);
    if (cent !== 0) sums[key] = (sums[key] ?? 0) + cent;
  };
  for (const one of transactions) {
    add('total', one.total_amount);
    add('tax', one.tax_amount);
    add('coupons', one.applied_third_party_discount_amount);
    const charges = [
      ...one.line_items.map((line) => [line.parent_line_item_id ?? line.id, line] as const),
      ...shippingCharges(one.shipping).map((charge) => [charge.id, charge] as const),
    ];
    for (const [id, charge] of charges) {
      add(`${id} net`, charge.net_amount);
      add(`${id} taxable`, charge.taxable_amount);
      add(`${id} exempt`, charge.exempt_amount);
      for (const [index, row] of charge.taxes.entries())
        for (const name of ['taxable_amount', 'exempt_amount', 'tax_amount'] as const)
          add(`${id} ${index} ${row.jurisdiction_code} ${name}`, row[name]);
    }
  }
  return sums;
};

const stepArbitrary = fc.record({
  line: fc.integer({ min: 0, max: 2 }),
  kind: fc.constantFrom('quantity', 'price', 'tax', 'void', 'shipping', 'back' as const),
  part: fc.integer({ min: 1, max: 99 }),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const buildRequest = (parent: StoredTransaction, { line, kind, part }: Step): CreditRequest => {
  const { line_items, shipping } = parent.transaction;
  const id = `l${line % line_items.length}`;
  const balance = calculateRemaining(parent).charges.get(id) as Balance;
  const left = Number(balance.whole.net - balance.credited.net);
  const unit_price = cents(Math.floor((left * part) / 100));
  const none = { discount_amount: '0.00', third_party_discount_amount: '0' };
  const charges = shippingCharges(shipping);
  if (kind === 'shipping' && charges.length > 0) {
    const charge = charges[part % charges.length]?.id as string;
    const { whole, credited: before } = calculateRemaining(parent).charges.get(charge) as Balance;
    const amount = cents(Math.floor((Number(whole.net - before.net) * part) / 100));
    const sent = { id: charge, amount, discount_amount: '0.00' };
    return { line_items: [{ id, quantity: '1', unit_price: '0', ...none }], shipping: part % 2 ? sent : [sent] };
  }
  if (kind === 'quantity') return { line_items: [{ id, quantity: '1' }] };
  if (kind === 'tax') return { line_items: [{ id, quantity: '1', unit_price: '0', ...none }] };
  const { third_party_discount_amount: _, ...inheriting } = none;
  return { line_items: [{ id, quantity: '1', unit_price, ...inheriting }] };
};

/**
 * Credits a sale in the given steps and then credits the rest. Returns the credits that are not void and the sale after
 * them.
 */
const creditInSteps = (sale: StoredTransaction, steps: readonly Step[]) => {
  let parent = sale;
  let live: StoredTransaction[] = [];
  const take = (outcome: Outcome, calculated: Outcome) => {
    const finalized = stored('credit', outcome, parent.transaction, calculated);
    const credit = { ...withCalculatedTaxes(finalized, parent), auditHash: '' };
    parent = changed(parent, credit);
    live.push(credit);
  };
  for (const step of steps) {
    if (step.kind === 'void') {
      const gone = live[step.part % Math.max(live.length, 1)];
      if (!gone) continue;
      live = live.filter((one) => one !== gone);
      parent = changed(parent, gone, -1n);
      continue;
    }
    const result = buildCredit(parent, buildRequest(parent, step), context, []);
    if (!result.ok) {
      expect(result.problems[0].code).toMatch(/conflict_over_credit|validation_invalid_format/);
      continue;
    }
    const { outcome } = result.value;
    const supplied = step.kind === 'tax' ? withSuppliedCreditTax(outcome, cents(step.part), parent) : result;
    if (supplied.ok) take('outcome' in supplied.value ? supplied.value.outcome : supplied.value, outcome);
  }
  if (parent.transaction.refund_status !== 'full') {
    const rest = buildCredit(parent, { credit_remaining: true }, context, []);
    if (rest.ok) take(rest.value.outcome, rest.value.outcome);
  }
  return { live, parent };
};

const getCalculated = ({ tax, difference = 0n }: JurisdictionAmounts) => tax - difference;

/** Lists the amounts of each jurisdiction and rate in the entries of some transactions. */
const listAmounts = (transactions: readonly StoredTransaction[]) =>
  transactions.flatMap(listLiabilityEntries).flatMap(({ amounts }) => amounts);

/** Adds up every amount in the entries of some transactions, by state, and by jurisdiction and rate. */
const getReturn = (transactions: readonly StoredTransaction[]) => {
  const sums: Record<string, bigint> = {};
  const add = (key: string, amounts: object) => {
    for (const [name, amount] of Object.entries(amounts))
      if (typeof amount === 'bigint') sums[`${key} ${name}`] = (sums[`${key} ${name}`] ?? 0n) + amount;
  };
  for (const { state, base } of transactions.flatMap(listLiabilityEntries)) add(state, base);
  for (const row of listAmounts(transactions))
    add(`${row.jurisdiction_code} ${row.rate}`, { ...row, calculated: getCalculated(row) });
  return sums;
};

const listTaxes = ({ transaction }: StoredTransaction) => listCharges(transaction).flatMap(({ taxes }) => taxes);
const sumCents = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum + toCents(amount), 0);

/** Expects the calculated tax in the entries of a sale, and any recorded excess as over-collected. */
const expectDifferences = (sold: StoredTransaction, calculation: StoredTransaction, credits: StoredTransaction[]) => {
  const rows = listAmounts([sold]);
  for (const code of new Set(rows.map(({ jurisdiction_code }) => jurisdiction_code))) {
    const own = rows.filter(({ jurisdiction_code }) => jurisdiction_code === code).map(getCalculated);
    const expected = listTaxes(calculation).flatMap((row) => (row.jurisdiction_code === code ? row.tax_amount : []));
    expect(own.reduce((sum, tax) => sum + Number(tax), 0)).toBe(sumCents(expected));
  }
  const isOver = toCents(sold.transaction.tax_amount) >= toCents(calculation.transaction.tax_amount);
  for (const { difference = 0n, over_collected = 0n } of listAmounts([sold, ...credits]))
    expect(over_collected).toBe(isOver ? difference : 0n);
};

/** Expects credits to return each charge's calculated tax in proportion to its credited net. */
const expectShares = (calculation: StoredTransaction, credits: readonly StoredTransaction[]) => {
  const charges = listCharges(calculation.transaction);
  const credited = credits.flatMap(({ transaction }) => listCharges(transaction));
  const due = charges.reduce((sum, { id, net_amount, tax_amount }) => {
    const own = credited.filter(
      (one) => ('parent_line_item_id' in one && one.parent_line_item_id) === id || one.id === id,
    );
    const share = sumCents(own.map((one) => one.net_amount)) / Math.max(1, toCents(net_amount));
    return sum + share * toCents(tax_amount);
  }, 0);
  const returned = listAmounts(credits).reduce((sum, row) => sum - Number(getCalculated(row)), 0);
  // Each row may differ by a cent.
  expect(Math.abs(returned - due)).toBeLessThanOrEqual(listTaxes(calculation).length + 1e-6);
};

it('subtracts credits of goods from the calculated tax of a sale, and credits of tax alone from its over-collected tax', () => {
  const sold = toSale(saleOfOne(10_000, 2, { supplied: 1_400 }));
  const taxAlone = creditInSteps(sold, [{ kind: 'tax', line: 0, part: 99 }]).live[0] as StoredTransaction;
  const half = creditInSteps(sold, [{ kind: 'price', line: 0, part: 50 }]).live[0] as StoredTransaction;
  const getTotal = (one: StoredTransaction) => {
    const rows = listAmounts([one]);
    return [rows.map(({ tax }) => tax), rows.map(getCalculated)].map((taxes) => taxes.reduce((sum, tax) => sum + tax));
  };
  const { outcome } = credited(sold, buildRequest(sold, { kind: 'price', line: 0, part: 50 }));
  const lawful = withSuppliedCreditTax(outcome, '6.00', sold);
  const lawfulHalf = stored('credit', lawful.ok ? lawful.value : outcome, sold.transaction, outcome);
  const all = [sold, taxAlone, half, { ...withCalculatedTaxes(lawfulHalf, sold), auditHash: '' }];
  expect(all.map(getTotal)).toEqual([
    [1400n, 1200n],
    [-99n, 0n],
    [-700n, -600n],
    [-600n, -600n],
  ]);
});

/** The last unit of a line takes its remaining net, because its share of the coupon alone would leave a cent. */
const lastCouponCent: [Sale, Step[]] = [
  {
    ...saleOfOne(0, 1),
    place: philadelphia,
    lines: [
      { price: 0, quantity: 1, discount: 0, coupon: 0 },
      { price: 5, quantity: 1, discount: 0, coupon: 0 },
      { price: 5, quantity: 3, discount: 7, coupon: 0 },
    ],
    coupon: 28,
  },
  [
    { line: 2, kind: 'back', part: 34 },
    { line: 2, kind: 'price', part: 72 },
    { line: 2, kind: 'quantity', part: 1 },
  ],
];

/** If each amount is rounded alone, one of three units gets the only cent of its line and no part of the coupon. */
const firstNetCent: [Sale, Step[]] = [
  {
    ...saleOfOne(0, 1),
    place: philadelphia,
    lines: [
      { price: 1, quantity: 3, discount: 1, coupon: 0 },
      { price: 1216, quantity: 1, discount: 0, coupon: 0 },
      { price: 2351, quantity: 2, discount: 0, coupon: 0 },
    ],
    coupon: 20,
  },
  [{ line: 0, kind: 'quantity', part: 1 }],
];

// Michigan taxes 100.00 at 6 %. The tax in a return is the calculated tax, plus any tax collected in excess.
it.each([
  ['5.00', { tax: 500n, difference: -100n, in_state: 600n }],
  ['6.00', { tax: 600n, in_state: 600n }],
  ['7.00', { tax: 700n, difference: 100n, over_collected: 100n, in_state: 700n }],
])(
  'reports 6.00 of tax on a sale within a state, of which %s was collected, as tax, difference or over-collection',
  (tax, expected) => {
    const michigan = { state: 'MI', postal_code: '48933', country: 'US' };
    const outcome = ask({ to: michigan, ship_from: { address: michigan } });
    const sold = stored('sale', withSuppliedTax(outcome, tax), null, outcome);
    expect(listAmounts([sold])).toMatchObject([expected]);
    const { outcome: refund } = credited(sold, {});
    const credit = withCalculatedTaxes(stored('credit', refund, sold.transaction), sold);
    const [amounts] = listAmounts([{ ...credit, auditHash: '' }]);
    expect(amounts).toMatchObject({ tax: -expected.tax, in_state: -expected.in_state });
  },
);

describe('credits of a sale', () => {
  it('adds up to the sale in every amount and jurisdiction, for any credits, supplied taxes and voids', () => {
    let [over, under] = [0, 0];
    fc.assert(
      fc.property(saleArbitrary, fc.array(stepArbitrary, { maxLength: 12 }), (sale, steps) => {
        const sold = toSale(sale);
        const { live, parent } = creditInSteps(sold, steps);
        expect(Object.entries(getReturn([sold, ...live])).filter(([, amount]) => amount !== 0n)).toEqual([]);
        const calculation = toSale({ ...sale, supplied: null });
        expectDifferences(sold, calculation, live);
        if (!steps.some(({ kind }) => kind === 'void'))
          for (const at of live.keys()) expectShares(calculation, live.slice(0, at + 1));
        const { calculated_tax_amount, subtotal_amount } = sold.transaction;
        const difference = toCents(sold.transaction.tax_amount) - toCents(calculated_tax_amount);
        if (toCents(subtotal_amount) > 0)
          [over, under] = [over + Number(difference > 0), under + Number(difference < 0)];
        const net = getNet(sold.transaction);
        // A coupon on a line with a net of zero cannot be credited, because the line has no amount.
        const free = sold.transaction.line_items.filter(({ net_amount }) => toCents(net_amount) === 0);
        const ofFree = free.reduce((sum, one) => sum + toCents(one.applied_third_party_discount_amount), 0);
        const { coupons = 0, ...others } = getSums(live.map(({ transaction }) => transaction));
        const { coupons: ofSale = 0, ...ofOthers } = getSums([sold.transaction]);
        expect(others).toEqual(ofOthers);
        expect(coupons).toBeLessThanOrEqual(ofSale);
        expect(coupons).toBeGreaterThanOrEqual(ofSale - ofFree);
        const { credited_amount, credited_tax_amount, refund_status, tax_amount } = parent.transaction;
        expect(credited_tax_amount).toBe(tax_amount);
        expect(toCents(credited_amount)).toBe(net);
        expect(refund_status).toBe(net + toCents(tax_amount) + toCents(credited_amount) > 0 ? 'full' : 'none');
      }),
      { numRuns: 400, examples: [lastCouponCent, firstNetCent] },
    );
    expect(Math.min(over, under)).toBeGreaterThan(20);
  });

  it('adds up to the sale in total with unmatched lines, and never exceeds a line', () => {
    const part = fc.integer({ min: 1, max: 99 });
    let unmatched = 0;
    fc.assert(
      fc.property(saleArbitrary, stepArbitrary, part, (sale, step, percent) => {
        const sold = toSale({ ...sale, supplied: null });
        const requests: CreditRequest[] = [
          buildRequest(sold, { ...step, kind: 'price' }),
          {
            line_items: [
              {
                id: 'another',
                quantity: '1',
                // The price is small, so that it fits the remaining amount even if its tax rate is higher than the sale's.
                unit_price: cents(Math.floor((toCents(sold.transaction.tax_amount) * percent) / 100)),
                product_tax_code: 'GENERAL',
              },
            ],
          },
          { credit_remaining: true },
        ];
        let parent = sold;
        const live: Transaction[] = [];
        for (const request of requests) {
          const result = buildCredit(parent, request, context, []);
          if (!result.ok) continue;
          const credit = stored('credit', result.value.outcome, sold.transaction);
          live.push(credit.transaction);
          parent = changed(parent, credit);
        }
        unmatched += Number(parent.credited.unmatched.net !== 0n);
        if (live.length === 0) return;
        const { credited_amount, credited_tax_amount, refund_status, tax_amount } = parent.transaction;
        expect(toCents(credited_amount)).toBe(getNet(sold.transaction));
        // A sale with a total of zero cannot be credited.
        const isWorthless = toCents(credited_amount) + toCents(tax_amount) === 0;
        expect([refund_status, credited_tax_amount]).toEqual([isWorthless ? 'none' : 'full', tax_amount]);
        expect(live.reduce((sum, credit) => sum + toCents(credit.tax_amount), 0)).toBe(toCents(tax_amount));
        for (const { whole, credited: taken } of calculateRemaining(parent).charges.values()) {
          expect(taken.net <= whole.net && taken.tax <= whole.tax).toBe(true);
          for (const [row, { tax }] of taken.rows.entries()) expect(tax <= (whole.rows[row]?.tax ?? 0n)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    expect(unmatched).toBeGreaterThan(100);
  });

  it('distributes the coupon of a line whose discounts equal its price', () => {
    const discounts = { discount_amount: '30.00', third_party_discount_amount: '10.00' };
    const line_items = [{ id: 'l0', quantity: '4', unit_price: '10.00', ...discounts }];
    const sold = stored('sale', ask({ to: philadelphia, line_items }));
    const quarters = [1, 2, 3, 4].map(() => ({ kind: 'quantity' as const, line: 0, part: 1 }));
    const { live } = creditInSteps(sold, quarters);
    const parts = live.slice(0, 4);
    expect(parts.map(({ transaction }) => transaction.applied_third_party_discount_amount)).toEqual(
      quarters.map(() => '2.50'),
    );
  });

  it('includes a line paid only by a coupon exactly once', () => {
    const paid = { id: 'l0', quantity: '1', unit_price: '20.00' };
    const free = (id: string) => ({ id, quantity: '1', unit_price: '10.00', third_party_discount_amount: '10.00' });
    const sold = stored('sale', ask({ to: philadelphia, line_items: [paid, free('l1')] }));
    const part = credited(sold, { line_items: [{ id: 'l0', quantity: '1', unit_price: '5.00' }] });
    const rest = credited(changed(sold, stored('credit', part.outcome, sold.transaction)), { credit_remaining: true });
    const figures = rest.outcome.line_items.map((line) => [line.net_amount, line.applied_third_party_discount_amount]);
    expect(figures).toEqual([
      ['15.00', '0.00'],
      ['0.00', '10.00'],
    ]);
    const without = stored('sale', ask({ to: philadelphia, line_items: [free('l0')] }));
    const whole = credited(without, {}).outcome;
    expect(whole.applied_third_party_discount_amount).toBe('10.00');
    const again = buildCredit(changed(without, stored('credit', whole, without.transaction)), {}, context, []);
    expect(again.ok || again.problems[0].source).toEqual({ pointer: '/parent_transaction_id' });
  });

  it('includes the tax of a free line, and tax alone if it is supplied', () => {
    const sold = toSale(saleOfOne(0, 1, { supplied: 137 }));
    const line_items = [{ id: 'l0', quantity: '1' }];
    const { outcome } = credited(sold, { line_items });
    expect(outcome.tax_amount).toBe('1.37');
    const less = withSuppliedCreditTax(outcome, '1.00', sold);
    expect(less.ok && less.value.tax_amount).toBe('1.00');
    const parent = changed(sold, stored('credit', outcome, sold.transaction));
    expect(parent.transaction.refund_status).toBe('full');
    expect(credited(parent, { line_items }).outcome.tax_amount).toBe('0.00');
  });
});

it('records the calculated amounts of a credit that is posted back unchanged, for every kind of request', () => {
  fc.assert(
    fc.property(saleArbitrary, fc.array(stepArbitrary, { maxLength: 4 }), stepArbitrary, (sale, steps, last) => {
      const sold = toSale(sale);
      const { live } = creditInSteps(sold, steps);
      const parent = live.slice(0, -1).reduce((before, credit) => changed(before, credit), sold);
      const requests: CreditRequest[] = [{}, { credit_remaining: true }, buildRequest(parent, last)];
      for (const request of requests) {
        const first = buildCredit(parent, request, context, []);
        if (!first.ok) continue;
        const { outcome } = first.value;
        if (outcome.line_items.length === 0) continue;
        expect(credited(parent, outcome).outcome).toEqual(outcome);
      }
    }),
    { numRuns: 200 },
  );
});

it.each([
  [['600.00', '400.01'], '0.00', '0.00'],
  [['600.00', '400.00'], '24.00', '16.00'],
])(
  'credits lines of %o as they were sold, though each alone is on another side of an amount per order',
  (prices, ...taxes) => {
    const line_items = prices.map((unit_price, index) => ({
      id: `l${index}`,
      product_tax_code: 'GENERAL._BULLION',
      unit_price,
    }));
    let parent = stored('sale', ask({ to: { state: 'NY' }, line_items }));
    for (const [index, tax] of taxes.entries()) {
      const { outcome } = credited(parent, { line_items: [{ id: `l${index}`, quantity: '1' }] });
      expect([outcome.total_amount, outcome.tax_amount]).toEqual([
        cents(toCents(prices[index] as string) + toCents(tax)),
        tax,
      ]);
      parent = changed(parent, stored('credit', outcome, parent.transaction));
    }
    expect(parent.transaction.refund_status).toBe('full');
  },
);

it('explains a credit by the line, the amount, and its share of the recorded tax', () => {
  const sold = toSale(saleOfOne(1000, 2, { shipping: [500] }));
  const { explanation } = credited(sold, { explain: true }).outcome;
  expect(explanation?.map(({ pointer }) => pointer)).toEqual(['/line_items/0', '/shipping/0']);
  const figures = (text = '') => text.match(/\d+\.\d\d/g);
  expect(explanation?.[0]?.text).toContain(`Line l0 of ${sold.transaction.id}`);
  expect(figures(explanation?.[0]?.text)).toEqual(['20.00', '20.00', '1.20', '1.20']);
  const half = credited(sold, { explain: true, line_items: [{ id: 'l0', quantity: '1' }] }).outcome;
  expect(figures(half.explanation?.[0]?.text)).toEqual(['10.00', '20.00', '0.60', '1.20']);
  expect(credited(sold, {}).outcome.explanation).toBeNull();
});
