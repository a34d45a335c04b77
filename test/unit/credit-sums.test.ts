import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { Outcome } from '../../shared/calculations/calculate.ts';
import { builtInReleaseFor } from '../../shared/content/built-in.ts';
import type { Balance } from '../../shared/transactions/credits/counters.ts';
import { type Credit, creditOf } from '../../shared/transactions/credits/credit.ts';
import type { CreditRequest } from '../../shared/transactions/credits/credit-request.ts';
import { remainingOf, takenBy, withCredited } from '../../shared/transactions/credits/remaining.ts';
import { withSuppliedCreditTax } from '../../shared/transactions/credits/supplied-credit-tax.ts';
import { newTransaction } from '../../shared/transactions/new-transaction.ts';
import { pinnedOf } from '../../shared/transactions/pinned.ts';
import { withSuppliedTax } from '../../shared/transactions/supplied-tax.ts';
import type { StoredTransaction, Transaction } from '../../shared/transactions/transaction.ts';
import { ask, testNow } from '../support/builders.ts';

const settings = defaultSettings('aspen.2026-10-01');
const context = { settings, releaseFor: builtInReleaseFor, now: testNow };
const at = new Date(testNow).toISOString();

const virginia = { city: 'Arlington', state: 'VA', postal_code: '22201', country: 'US' };
const places = [
  { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' },
  virginia,
  { city: 'Philadelphia', state: 'PA', postal_code: '19103', country: 'US' },
];

let count = 0;
const stored = (type: 'sale' | 'credit', outcome: Outcome, parent: Transaction | null = null): StoredTransaction =>
  newTransaction(
    { type, status: 'finalized', parent_transaction_id: parent?.id ?? null },
    outcome,
    outcome.tax_amount,
    { creditOf: type === 'credit' ? 'lines' : null, pinned: pinnedOf(settings) },
    24,
    { newId: () => `txn_${++count}`, now: () => testNow },
  );

const cents = (amount: number) => (amount / 100).toFixed(2);
const centsOf = (amount: string) => Math.round(Number(amount) * 100);

const lineArbitrary = fc.record({
  price: fc.integer({ min: 0, max: 9_999 }),
  quantity: fc.integer({ min: 1, max: 7 }),
  discount: fc.integer({ min: 0, max: 60 }),
  coupon: fc.integer({ min: 0, max: 40 }),
});
const saleArbitrary = fc.record({
  place: fc.constantFrom(...places),
  lines: fc.array(lineArbitrary, { minLength: 1, maxLength: 3 }),
  discount: fc.integer({ min: 0, max: 30 }),
  coupon: fc.integer({ min: 0, max: 30 }),
  shipping: fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: null }),
  supplied: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: null }),
  taxIncluded: fc.boolean(),
});
type Sale = typeof saleArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

// Discounts in percent of what they are taken from, so that they always fit.
const saleOf = ({ place, lines, discount, coupon, shipping, supplied, taxIncluded }: Sale): StoredTransaction => {
  const left = (one: Sale['lines'][number]) => Math.floor((one.price * one.quantity * (100 - one.discount)) / 100);
  const net = lines.reduce((sum, one) => sum + Math.floor((left(one) * (100 - one.coupon)) / 100), 0);
  const outcome = ask({
    to: place,
    tax_included: taxIncluded,
    line_items: lines.map((one, index) => ({
      id: `l${index}`,
      quantity: String(one.quantity),
      unit_price: cents(one.price),
      discount_amount: cents(one.price * one.quantity - left(one)),
      third_party_discount_amount: cents(Math.floor((left(one) * one.coupon) / 100)),
    })),
    discount_amount: cents(Math.floor((net * discount) / 100)),
    third_party_discount_amount: cents(Math.floor((net * (100 - discount) * coupon) / 10_000)),
    ...(shipping !== null && { shipping: { amount: cents(shipping) } }),
  });
  return stored('sale', supplied === null ? outcome : withSuppliedTax(outcome, cents(supplied)));
};

const credited = (parent: StoredTransaction, request: CreditRequest): Credit => {
  const result = creditOf(parent, request, context, []);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
};
const after = (parent: StoredTransaction, credit: Transaction, sign: 1n | -1n = 1n) =>
  withCredited(parent, takenBy(credit, parent.transaction), sign, at);

type Figures = Pick<Transaction, 'line_items' | 'shipping' | 'total_amount' | 'tax_amount' | 'shipping_amount'> &
  Pick<Transaction, 'applied_third_party_discount_amount'>;

/** Every figure of some transactions, added up by line and jurisdiction. */
const sumsOf = (transactions: readonly Figures[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  const add = (key: string, amount: string) => {
    const cent = centsOf(amount);
    expect(cent).toBeGreaterThanOrEqual(0);
    if (cent !== 0) sums[key] = (sums[key] ?? 0) + cent;
  };
  for (const one of transactions) {
    add('total', one.total_amount);
    add('tax', one.tax_amount);
    add('coupons', one.applied_third_party_discount_amount);
    add('shipping', one.shipping_amount);
    const charges = [
      ...one.line_items.map((line) => [line.parent_line_item_id ?? line.id, line] as const),
      ...(one.shipping ? [['shipping', one.shipping] as const] : []),
    ];
    for (const [id, charge] of charges) {
      if ('net_amount' in charge) add(`${id} net`, charge.net_amount);
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

const requestOf = (parent: StoredTransaction, { line, kind, part }: Step): CreditRequest => {
  const { line_items, shipping } = parent.transaction;
  const id = `l${line % line_items.length}`;
  const balance = remainingOf(parent).lines.get(id) as Balance;
  const left = Number(balance.whole.net - balance.credited.net);
  const unit_price = cents(Math.floor((left * part) / 100));
  const none = { discount_amount: '0.00', third_party_discount_amount: '0' };
  if (kind === 'shipping' && shipping) {
    const { whole, credited: before } = remainingOf(parent).shipping;
    const amount = cents(Math.floor((Number(whole.net - before.net) * part) / 100));
    return { line_items: [{ id, quantity: '1', unit_price: '0', ...none }], shipping: { amount } };
  }
  if (kind === 'quantity') return { line_items: [{ id, quantity: '1' }] };
  if (kind === 'tax') return { line_items: [{ id, quantity: '1', unit_price: '0', ...none }] };
  const { third_party_discount_amount: _, ...inheriting } = none;
  return { line_items: [{ id, quantity: '1', unit_price, ...inheriting }] };
};

/** Credit a sale in the steps given, and then what is left of it: the credits that live, and the sale after them. */
const creditInSteps = (sale: StoredTransaction, steps: readonly Step[]) => {
  let parent = sale;
  let live: Transaction[] = [];
  const take = (outcome: Outcome) => {
    const credit = stored('credit', outcome, parent.transaction).transaction;
    parent = after(parent, credit);
    live.push(credit);
  };
  for (const step of steps) {
    if (step.kind === 'void') {
      const gone = live[step.part % Math.max(live.length, 1)];
      if (!gone) continue;
      live = live.filter((one) => one !== gone);
      parent = after(parent, gone, -1n);
      continue;
    }
    const result = creditOf(parent, requestOf(parent, step), context, []);
    if (!result.ok) {
      expect(result.problems[0].code).toMatch(/conflict_over_credit|validation_invalid_format/);
      continue;
    }
    const { outcome } = result.value;
    const supplied = step.kind === 'tax' ? withSuppliedCreditTax(outcome, cents(step.part), parent) : result;
    if (supplied.ok) take('outcome' in supplied.value ? supplied.value.outcome : supplied.value);
  }
  if (parent.transaction.refund_status !== 'full') {
    const rest = creditOf(parent, { credit_remaining: true }, context, []);
    if (rest.ok) take(rest.value.outcome);
  }
  return { live, parent };
};

describe('credits of a sale', () => {
  it('add up to it in every figure, however it is credited, supplied and voided', () => {
    fc.assert(
      fc.property(saleArbitrary, fc.array(stepArbitrary, { maxLength: 12 }), (sale, steps) => {
        const sold = saleOf(sale);
        const { live, parent } = creditInSteps(sold, steps);
        expect(sumsOf(live)).toEqual(sumsOf([sold.transaction]));
        const { credited_amount, credited_tax_amount, refund_status, tax_amount } = parent.transaction;
        expect(credited_tax_amount).toBe(tax_amount);
        const net = sold.transaction.line_items.reduce((sum, line) => sum + centsOf(line.net_amount), 0);
        expect(centsOf(credited_amount)).toBe(net + centsOf(sold.transaction.shipping_amount));
        expect(refund_status).toBe(net + centsOf(tax_amount) + centsOf(credited_amount) > 0 ? 'full' : 'none');
      }),
      { numRuns: 400 },
    );
  });

  it('with lines that match none add up to it in total, and take of no line more than there is', () => {
    const part = fc.integer({ min: 1, max: 99 });
    let unmatched = 0;
    fc.assert(
      fc.property(saleArbitrary, stepArbitrary, part, (sale, step, percent) => {
        const sold = saleOf({ ...sale, supplied: null });
        const requests: CreditRequest[] = [
          requestOf(sold, { ...step, kind: 'price' }),
          {
            line_items: [
              {
                id: 'another',
                quantity: '1',
                // With its tax it must fit what is left: the sale may have been taxed less.
                unit_price: cents(Math.floor((centsOf(sold.transaction.tax_amount) * percent) / 100)),
                product_tax_code: 'GENERAL',
              },
            ],
          },
          { credit_remaining: true },
        ];
        let parent = sold;
        const live: Transaction[] = [];
        for (const request of requests) {
          const result = creditOf(parent, request, context, []);
          if (!result.ok) continue;
          live.push(stored('credit', result.value.outcome, sold.transaction).transaction);
          parent = withCredited(parent, takenBy(live.at(-1) as Transaction, sold.transaction), 1n, at);
        }
        unmatched += Number(parent.credited.unmatched.net !== '0.00');
        if (live.length === 0) return;
        const { credited_amount, credited_tax_amount, refund_status, tax_amount, line_items } = parent.transaction;
        const net = line_items.reduce((sum, line) => sum + centsOf(line.net_amount), 0);
        expect(centsOf(credited_amount)).toBe(net + centsOf(sold.transaction.shipping_amount));
        // Of a sale that comes to nothing, nothing is credited.
        const isWorthless = centsOf(credited_amount) + centsOf(tax_amount) === 0;
        expect([refund_status, credited_tax_amount]).toEqual([isWorthless ? 'none' : 'full', tax_amount]);
        expect(live.reduce((sum, credit) => sum + centsOf(credit.tax_amount), 0)).toBe(centsOf(tax_amount));
        for (const { whole, credited: taken } of remainingOf(parent).lines.values()) {
          expect(taken.net <= whole.net && taken.tax <= whole.tax).toBe(true);
          for (const [row, { tax }] of taken.rows.entries()) expect(tax <= (whole.rows[row]?.tax ?? 0n)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    expect(unmatched).toBeGreaterThan(100);
  });

  it('are exhausted by their quantities: inherited discounts add up, too', () => {
    const line = { price: 1000, quantity: 3, discount: 0, coupon: 0 };
    const sale = { place: virginia, lines: [line], discount: 0, coupon: 0, shipping: null, supplied: null };
    const outcome = ask({
      to: virginia,
      line_items: [
        { id: 'l0', quantity: '3', unit_price: '10.00', discount_amount: '1.00', third_party_discount_amount: '1.01' },
      ],
    });
    const sold = { ...saleOf({ ...sale, taxIncluded: false }), transaction: stored('sale', outcome).transaction };
    const thirds = [1, 2, 3].map(() => ({ kind: 'quantity' as const, line: 0, part: 1 }));
    const { live } = creditInSteps(sold, thirds);
    expect(live).toHaveLength(3);
    expect(live.map((each) => each.line_items[0]?.applied_discount_amount)).toEqual(['0.33', '0.34', '0.33']);
    expect(sumsOf(live)).toEqual(sumsOf([sold.transaction]));
  });

  it('take the tax of a free line with it, and tax alone where it is supplied', () => {
    const free = { place: virginia, lines: [{ price: 0, quantity: 1, discount: 0, coupon: 0 }], discount: 0 };
    const sold = saleOf({ ...free, coupon: 0, shipping: null, supplied: 137, taxIncluded: false });
    const line_items = [{ id: 'l0', quantity: '1' }];
    const { outcome } = credited(sold, { line_items });
    expect(outcome.tax_amount).toBe('1.37');
    const less = withSuppliedCreditTax(outcome, '1.00', sold);
    expect(less.ok && less.value.tax_amount).toBe('1.00');
    const parent = after(sold, stored('credit', outcome, sold.transaction).transaction);
    expect(parent.transaction.refund_status).toBe('full');
    expect(credited(parent, { line_items }).outcome.tax_amount).toBe('0.00');
  });
});

describe('a credit calculation that is posted back as it is', () => {
  it('records the same figures, of all kinds', () => {
    fc.assert(
      fc.property(saleArbitrary, fc.array(stepArbitrary, { maxLength: 4 }), stepArbitrary, (sale, steps, last) => {
        const sold = saleOf(sale);
        const { live } = creditInSteps(sold, steps);
        const parent = live.slice(0, -1).reduce((before, credit) => after(before, credit), sold);
        const requests: CreditRequest[] = [{}, { credit_remaining: true }, requestOf(parent, last)];
        for (const request of requests) {
          const first = creditOf(parent, request, context, []);
          if (!first.ok) continue;
          const { outcome } = first.value;
          if (outcome.line_items.length === 0) continue;
          expect(credited(parent, outcome).outcome).toEqual(outcome);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('an unmatched line in a state that the sale does not have', () => {
  it('is refused, and computed again where an earlier version recorded it', () => {
    const line = { price: 1000, quantity: 2, discount: 0, coupon: 0 };
    const sale = { place: virginia, lines: [line], discount: 0, coupon: 0, shipping: null, supplied: null };
    const sold = saleOf({ ...sale, taxIncluded: false });
    const customer = { address: places[0] };
    const request = { line_items: [{ id: 'goodwill', quantity: '1', unit_price: '10.00', customer }] };
    expect(creditOf(sold, request, context, [])).toMatchObject({
      ok: false,
      problems: [{ source: { pointer: '/line_items/0' } }],
    });
    const replayed = creditOf(sold, request, context, [], true);
    expect(replayed.ok && replayed.value.outcome.tax_summary.map((row) => row.jurisdiction_code)).toContain('US-HI');
  });
});

describe('an explanation', () => {
  it('names the line, the amount, and its share of the recorded tax', () => {
    const line = { price: 1000, quantity: 2, discount: 0, coupon: 0 };
    const sale = { place: virginia, lines: [line], discount: 0, coupon: 0, shipping: 500, supplied: null };
    const sold = saleOf({ ...sale, taxIncluded: false });
    const { explanation } = credited(sold, { explain: true }).outcome;
    expect(explanation?.map(({ pointer }) => pointer)).toEqual(['/line_items/0', '/shipping']);
    expect(explanation?.[0]?.text).toContain(
      `Line l0 of ${sold.transaction.id}: 20.00 of its net of 20.00, and 1.20 of its recorded tax of 1.20.`,
    );
    const half = credited(sold, { explain: true, line_items: [{ id: 'l0', quantity: '1' }] }).outcome;
    expect(half.explanation?.[0]?.text).toContain('10.00 of its net of 20.00, and 0.60 of its recorded tax of 1.20.');
    expect(credited(sold, {}).outcome.explanation).toBeNull();
  });
});
