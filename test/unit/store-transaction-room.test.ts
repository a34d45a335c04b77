import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../shared/accounts/account.ts';
import type { LineItemResponse } from '../../shared/calculations/response.ts';
import { builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import { parentAfter } from '../../shared/ledger/commit.ts';
import {
  calculateRemaining,
  noAmounts,
  nothingCredited,
  withCalculatedTaxes,
} from '../../shared/ledger/credits/amounts.ts';
import {
  creditedFrom,
  creditedText,
  creditedTextMax,
  isEmpty,
  newBasis,
} from '../../shared/ledger/credits/counters.ts';
import { buildCredit } from '../../shared/ledger/credits/credit.ts';
import type { CreditRequest } from '../../shared/ledger/credits/outcome.ts';
import { newTransaction } from '../../shared/ledger/new-transaction.ts';
import { transactionResponse } from '../../shared/ledger/ports.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { formatAmount, minorDigits } from '../../shared/money/currency.ts';
import { idempotencyItem } from '../../shared/store/ledger/idempotency-item.ts';
import {
  creditedBytesMax,
  storedSize,
  storedSizeMax,
  transactionFrom,
  transactionItem,
} from '../../shared/store/ledger/transaction-item.ts';
import { fitsItemLimit } from '../../shared/store/ledger/transaction-ports.ts';
import { testNow } from '../support/builders.ts';
import { type Draw, drawFrom } from '../support/random-orders.ts';
import { itemBytesMax, itemSize } from '../support/raw-items.ts';
import { created, finalized, line, newTransactionId, transaction } from '../support/transactions.ts';

const context = { settings: defaultSettings('aspen.2026-10-01'), releaseFor: builtInReleaseFor, now: testNow };
const at = new Date(testNow).toISOString();

const ascii = Array.from({ length: 94 }, (_, code) => String.fromCharCode(33 + code));
const wide = Array.from({ length: 20_000 }, (_, code) => String.fromCharCode(0x4e00 + code));
const noise = (draw: Draw, length: number, letters: readonly string[] = ascii) =>
  Array.from({ length }, () => draw.of(letters)).join('');

const money = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

type Shape = {
  readonly rows: number;
  readonly digits: number;
  readonly letters: readonly string[];
  /** Whether the calculated tax differs from the recorded tax. */
  readonly calculated?: 'other';
};

/** A line with a random net, taxed in several distinct jurisdictions. */
const noisyLine = (draw: Draw, { rows, digits, letters }: Shape, idLength: number): LineItemResponse => {
  const [row] = line().taxes;
  if (!row) throw new Error('The line of the tests is taxed.');
  const net = 10n ** BigInt(digits - 1) + draw.digits(digits);
  const taxes = Array.from({ length: rows }, (_, index) => {
    const exempt = net / BigInt(2 + draw.below(9));
    return {
      ...row,
      jurisdiction_code: `US-MI-${index}`,
      taxable_amount: money(net - exempt),
      exempt_amount: money(exempt),
      tax_amount: money(net / BigInt(11 + draw.below(50))),
    };
  });
  const tax = taxes.reduce((sum, { tax_amount }) => sum + BigInt(tax_amount.replace('.', '')), 0n);
  const exempt = net / 3n;
  return line({
    id: noise(draw, idLength, letters),
    unit_price: money(net),
    amount: money(net),
    net_amount: money(net),
    taxable_amount: money(net - exempt),
    exempt_amount: money(exempt),
    tax_amount: money(tax),
    taxes,
  });
};

const toSale = (shape: Shape, idLength: number, lines = 1000): StoredTransaction => {
  const draw = drawFrom(1);
  const line_items = Array.from({ length: lines }, () => noisyLine(draw, shape, idLength));
  const sum = (getAmount: (line: LineItemResponse) => string) =>
    money(line_items.reduce((total, one) => total + BigInt(getAmount(one).replace('.', '')), 0n));
  const net = sum(({ net_amount }) => net_amount);
  const amounts = { subtotal_amount: net, total_amount: net, tax_amount: sum(({ tax_amount }) => tax_amount) };
  const isOther = shape.calculated === 'other';
  const calculated_tax_amount = isOther ? net : amounts.tax_amount;
  const { after } = created({ ...finalized, line_items, ...amounts, calculated_tax_amount });
  const taxables = line_items.flatMap(({ taxes }) => taxes.map((row) => BigInt(row.taxable_amount.replace('.', ''))));
  return isOther ? { ...after, calculatedTaxes: taxables } : after;
};

/** Shortens the ids of the lines of a sale, which is faster than to build and hash another sale. */
const shortenIds = (sale: StoredTransaction, idLength: number): StoredTransaction => {
  const line_items = sale.transaction.line_items.map((one) => ({ ...one, id: one.id.slice(0, idLength) }));
  return { ...sale, transaction: { ...sale.transaction, line_items } };
};

/** The maximum length of the ids with which a sale of this shape is accepted. */
const longestIds = (tooLong: StoredTransaction): number => {
  let [least, most] = [6, 255];
  while (most - least > 1) {
    const middle = (least + most) >> 1;
    if (fitsItemLimit(shortenIds(tooLong, middle), 'new')) least = middle;
    else most = middle;
  }
  return least;
};

const getSize = (stored: StoredTransaction) => itemSize(transactionItem('acct_1', stored));

/** Applies a credit like a new transaction, and returns the changed sale. */
const credited = (sale: StoredTransaction, request: CreditRequest) => {
  const credit = buildCredit(sale, request, context, []);
  if (!credit.ok) throw new Error(JSON.stringify(credit.problems));
  const { outcome, kind } = credit.value;
  const recorded = newTransaction(
    { type: 'credit', status: 'finalized', parent_transaction_id: sale.transaction.id },
    { calculated: outcome, recorded: outcome },
    { creditOf: kind, ...newBasis(sale), settingsSnapshot: sale.settingsSnapshot },
    24,
    { newId: () => newTransactionId(), now: () => testNow },
  );
  const made = { ...withCalculatedTaxes(recorded, sale), auditHash: '' };
  const move = { credit: made, sign: 1n } as const;
  return { made, after: parentAfter(sale, [move], at, 'key_1').after };
};

/** Builds a credit of a random part of each given line. */
const getPart = (draw: Draw, sale: StoredTransaction, ids: readonly string[]): CreditRequest => {
  const { charges } = calculateRemaining(sale);
  return {
    line_items: ids.map((id) => {
      const { whole, credited } = charges.get(id) ?? {};
      const left = (whole?.net ?? 0n) - (credited?.net ?? 0n);
      return { parent_line_item_id: id, quantity: '1', unit_price: money((left * BigInt(1 + draw.below(98))) / 100n) };
    }),
  };
};

const shuffled = <Value>(draw: Draw, values: readonly Value[]): Value[] =>
  values
    .map((value) => [draw.below(1_000_000), value] as const)
    .sort(([one], [other]) => one - other)
    .map(([, value]) => value);

const shapes: readonly (readonly [string, Shape])[] = [
  ['three rows of cents, ids of ASCII', { rows: 3, digits: 5, letters: ascii }],
  ['ids with three bytes per letter', { rows: 1, digits: 4, letters: wide }],
  ['a tax that differs from the calculated tax', { rows: 3, digits: 5, letters: ascii, calculated: 'other' }],
  ['eight rows of large amounts', { rows: 8, digits: 8, letters: ascii }],
];

describe.each(shapes)('the largest accepted sale of a thousand lines: %s', (_what, shape) => {
  const tooLong = toSale(shape, 255);
  const longest = longestIds(tooLong);
  const sale = toSale(shape, longest);

  it('stays near the limit', () => {
    expect(fitsItemLimit(tooLong, 'new')).toBe(false);
    expect(getSize(sale) + creditedBytesMax(sale)).toBeGreaterThan(295_000);
  });

  it('rejects longer ids in a new transaction, but accepts them if the amounts are kept', () => {
    const longer = shortenIds(tooLong, longest + 10);
    expect(getSize(longer)).toBeLessThan(300_000);
    expect([fitsItemLimit(longer, 'new'), fitsItemLimit(longer, 'kept')]).toEqual([false, true]);
  });

  it.each([
    [1, 6],
    [10, 255],
    [1000, longest],
  ])('computes an upper bound of the stored size, with any number of lines: %i', (lines, idLength) => {
    const stored = lines === 1000 ? sale : toSale(shape, idLength, lines);
    const [size, sizeMax] = [storedSize(stored), storedSizeMax(stored)];
    expect(sizeMax).toBeGreaterThanOrEqual(size);
    // The bound must not exceed the size by much.
    expect(sizeMax).toBeLessThan(size + 2 * JSON.stringify(stored.transaction).length + 1000);
  });

  it('credits the sale completely, in parts and in any order', () => {
    const draw = drawFrom(1);
    const order = shuffled(draw, sale.transaction.line_items).map(({ id }) => id);
    let now = sale;
    for (let from = 0; from < order.length; ) {
      const end = from + 50 + draw.below(350);
      const { made, after } = credited(now, getPart(draw, now, order.slice(from, end)));
      expect(fitsItemLimit(made, 'new')).toBe(true);
      now = after;
      from = end;
    }
    const counters = transactionItem('acct_1', now)['credited'] as Uint8Array;
    expect(counters.byteLength).toBeLessThanOrEqual(creditedBytesMax(now));
    expect(getSize(now)).toBeLessThan(320_000);
    const { made, after } = credited(now, { credit_remaining: true });
    expect(made.transaction.line_items).toHaveLength(1000);
    expect(fitsItemLimit(made, 'new')).toBe(true);
    expect(getSize(made)).toBeLessThan(itemBytesMax);
    expect(after.transaction.refund_status).toBe('full');
    expect(getSize(after)).toBeLessThan(320_000);
    // The stored counters equal the counted amounts, to the cent.
    expect(transactionFrom(transactionItem('acct_1', after))).toEqual(after);
  });

  it('credits the sale completely, and voids the credit', () => {
    const { made } = credited(sale, {});
    expect(fitsItemLimit(made, 'new')).toBe(true);
    const void_reason = noise(drawFrom(4), 500, wide);
    const transaction = { ...made.transaction, status: 'void' as const, void_reason, voided_at: at };
    expect(fitsItemLimit({ ...made, transaction }, 'kept')).toBe(true);
  });

  it('accepts the largest metadata, and the longest names', () => {
    const draw = drawFrom(5);
    const entries = Array.from({ length: 50 }, () => [noise(draw, 40, wide), noise(draw, 500, wide)]);
    const metadata = Object.fromEntries(entries);
    const long = () => noise(draw, 255, wide);
    const transaction = {
      ...sale.transaction,
      metadata,
      reference_id: long(),
      customer: { ...sale.transaction.customer, id: long() },
      parent_transaction_id: newTransactionId(),
    };
    const full = { ...sale, transaction };
    expect(fitsItemLimit(full, 'kept')).toBe(true);
    const ids = full.transaction.line_items.map(({ id }) => id);
    const last = credited(full, getPart(draw, full, ids)).after;
    expect(getSize(last)).toBeLessThan(itemBytesMax);
    const key = { digest: 'd'.repeat(64), fingerprint: 'f'.repeat(64) };
    const response = transactionResponse(200, last.transaction);
    expect(itemSize(idempotencyItem('acct_1', { ...key, response }, testNow))).toBeLessThan(itemBytesMax);
  });
});

describe('the limit for a transaction without credit counters', () => {
  const bytes = (length: number, changes: Partial<StoredTransaction['transaction']> = {}): StoredTransaction => {
    const { after } = created({ ...finalized, line_items: [line({ description: noise(drawFrom(6), length) })] });
    return { ...after, transaction: { ...after.transaction, ...changes } };
  };

  it('rejects a credit that would be too large to void', () => {
    // A random character of an alphabet of 94 compresses to 0.82 bytes.
    const credit = { type: 'credit' } as const;
    const tooLong = bytes(490_000, credit);
    expect(getSize(tooLong)).toBeGreaterThan(400_000);
    expect(fitsItemLimit(tooLong, 'new')).toBe(false);
    const small = bytes(470_000, credit);
    expect(fitsItemLimit(small, 'new')).toBe(true);
    expect(fitsItemLimit(bytes(500_000, { ...credit, status: 'void' }), 'kept')).toBe(false);
  });

  it('accepts a sale that is large only because of its metadata', () => {
    const metadata = { a: noise(drawFrom(7), 80_000) };
    const near = bytes(350_000);
    expect(fitsItemLimit(near, 'new')).toBe(true);
    expect(fitsItemLimit({ ...near, transaction: { ...near.transaction, metadata } }, 'new')).toBe(true);
  });
});

const minor = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 999_999_999_999_99n }));
const row = fc
  .record({ taxable: minor, exempt: minor, tax: minor, other: fc.option(minor, { nil: null }) })
  .map(({ other, ...amounts }) => ({ ...amounts, calculated: other ?? amounts.tax }));
const charge = fc.record({
  net: minor,
  tax: minor,
  discount: minor,
  third_party_discount: minor,
  taxable: minor,
  exempt: minor,
  rows: fc.array(row, { maxLength: 4 }),
});
type Charge = typeof charge extends fc.Arbitrary<infer Value> ? Value : never;
const currency = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');

const shippingCharge = {
  amount: '1',
  discount_amount: null,
  product_tax_code: null,
  line_item_ids: null,
  ship_to: null,
  ship_from: null,
  applied_discount_amount: '0',
};

describe('encoded credit counters', () => {
  it('round-trips counters for any line ids, whether or not a line was credited', () => {
    const id = fc.oneof(fc.constantFrom('__proto__', 'constructor', '1,2'), fc.string({ minLength: 1 }));
    const credited = fc.uniqueArray(fc.tuple(id, fc.option(charge)), { selector: ([one]) => one });
    fc.assert(
      fc.property(credited, minor, minor, (lines, net, tax) => {
        const sale = transaction({ line_items: lines.map(([one]) => line({ id: one })) });
        const charges = new Map(lines.flatMap(([one, counters]) => (counters ? [[one, counters] as const] : [])));
        const before = { charges, unmatched: { net, tax } };
        expect(creditedFrom(creditedText(before, sale), sale)).toEqual(before);
      }),
    );
  });

  it('never exceeds the maximum length, because no counter exceeds the recorded amount', () => {
    fc.assert(
      fc.property(currency, fc.array(charge, { minLength: 1, maxLength: 5 }), charge, (code, charges, shipped) => {
        const exponent = minorDigits(code);
        const write = (value: bigint) => formatAmount(value, exponent);
        const taxes = (rows: Charge['rows']) =>
          rows.map(({ taxable, exempt, tax }) => ({
            taxable_amount: write(taxable),
            exempt_amount: write(exempt),
            tax_amount: write(tax),
          }));
        const recorded = ({ net, tax, taxable, exempt, rows }: Charge) => ({
          net_amount: write(net),
          tax_amount: write(tax),
          taxable_amount: write(taxable),
          exempt_amount: write(exempt),
          taxes: taxes(rows) as unknown as LineItemResponse['taxes'],
        });
        const sale = transaction({
          currency: code,
          line_items: charges.map((one, at) => line({ id: `line_${at}`, ...recorded(one) })),
          shipping: { ...shippingCharge, id: 'shipping_1', ...recorded(shipped) },
        });
        const most = (one: Charge) => ({ ...one, third_party_discount: one.net });
        const credited = {
          charges: new Map([
            ...charges.map((one, at) => [`line_${at}`, most(one)] as const),
            ['shipping_1', { ...shipped, third_party_discount: 0n }] as const,
          ]),
          unmatched: { net: 10n ** 18n, tax: 10n ** 18n },
        };
        const calculatedTaxes = [...charges, shipped].flatMap(({ rows }) => rows.map(({ calculated }) => calculated));
        const max = creditedTextMax({ transaction: sale, calculatedTaxes });
        expect(creditedText(credited, sale).length).toBeLessThanOrEqual(max);
      }),
      { numRuns: 500 },
    );
  });

  it('never exceeds the maximum length if no tax was recorded on rows with a calculated tax', () => {
    const count = 60;
    const recorded = { taxable_amount: '9.99', exempt_amount: '0.00', tax_amount: '0.00', rate: '1' };
    const taxes = Array.from({ length: count }, () => recorded) as unknown as LineItemResponse['taxes'];
    const sale = transaction({ line_items: [line({ id: 'a', tax_amount: '0.00', taxes })] });
    const rows = Array.from({ length: count }, () => ({ taxable: 999n, exempt: 0n, tax: 0n, calculated: 999n }));
    const credited = { ...nothingCredited, charges: new Map([['a', { ...noAmounts, rows }]]) };
    const max = creditedTextMax({ transaction: sale, calculatedTaxes: rows.map(({ calculated }) => calculated) });
    expect(creditedText(credited, sale).length).toBeLessThanOrEqual(max);
  });

  it('reports whether anything was credited', () => {
    const sale = transaction({ line_items: ['a', 'b', 'c'].map((one) => line({ id: one })) });
    expect(isEmpty(creditedText(nothingCredited, sale))).toBe(true);
    // A voided credit leaves zeros, which are stored.
    const zeros = { ...nothingCredited, charges: new Map([['b', noAmounts]]) };
    expect(isEmpty(creditedText(zeros, sale))).toBe(false);
    expect(creditedFrom(creditedText(zeros, sale), sale)).toEqual(zeros);
    expect(isEmpty(creditedText({ ...nothingCredited, unmatched: { net: 1n, tax: 0n } }, sale))).toBe(false);
  });

  it('rejects counters for a different sale', () => {
    const [first, second] = [transaction(), transaction({ line_items: [line({ id: 'a' }), line({ id: 'b' })] })];
    const text = (sale: Transaction) => creditedText(nothingCredited, sale);
    expect(() => creditedFrom(text(first), second)).toThrow('different sale');
    expect(() => creditedFrom(text(second), first)).toThrow('different sale');
  });
});
