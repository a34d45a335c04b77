import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineItemResponse } from '../../shared/calculations/response.ts';
import { noAmounts, nothingCredited } from '../../shared/ledger/credits/amounts.ts';
import { creditedFrom, creditedText, creditedTextMax, isEmpty } from '../../shared/ledger/credits/counters.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { formatAmount, minorDigits } from '../../shared/money/currency.ts';
import { line, transaction } from '../support/transactions.ts';

const minor = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 999_999_999_999_99n }));
const row = fc
  .record({ taxable: minor, exempt: minor, tax: minor, other: fc.option(minor, { nil: null }) })
  .map(({ other, ...amounts }) => ({ ...amounts, calculated: other ?? amounts.tax }));
const charge = fc.record({
  ...{ net: minor, tax: minor, discount: minor, third_party_discount: minor, taxable: minor, exempt: minor },
  rows: fc.array(row, { maxLength: 4 }),
});
type Charge = typeof charge extends fc.Arbitrary<infer Value> ? Value : never;
const currency = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');
// Line ids that a client could use.
const id = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', 'b', '1,2', 'ab'), fc.string({ minLength: 1 }));

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
  it('round-trip in every currency, for any line ids and any credited lines', () => {
    const lines = fc.uniqueArray(fc.tuple(id, fc.option(charge, { nil: null })), { selector: ([one]) => one });
    fc.assert(
      fc.property(currency, lines, fc.boolean(), minor, minor, (code, credited, isShipped, net, tax) => {
        // The last ones can be shipping charges.
        const sold = isShipped ? credited.slice(0, 1) : credited;
        const sale = transaction({
          currency: code,
          line_items: sold.map(([one]) => line({ id: one })),
          shipping: credited.slice(sold.length).map(([one]) => ({ ...line(), ...shippingCharge, id: one })),
        });
        const known = credited.flatMap(([one, of]) => (of ? [[one, of] as const] : []));
        const before = {
          charges: new Map(known),
          unmatched: { net, tax },
        };
        const text = creditedText(before, sale);
        expect(text).toMatch(/^[0-9abc]*$/);
        expect(creditedFrom(text, sale)).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it('never exceed their maximum length, because no counter exceeds the recorded amount', () => {
    fc.assert(
      fc.property(currency, fc.array(charge, { minLength: 1, maxLength: 5 }), charge, (code, charges, shipped) => {
        const exponent = minorDigits(code);
        const write = (value: bigint) => formatAmount(value, exponent);
        const taxes = (rows: Charge['rows']) =>
          rows.map(({ taxable, exempt, tax }) => ({
            ...{ taxable_amount: write(taxable), exempt_amount: write(exempt), tax_amount: write(tax) },
          }));
        const recorded = ({ net, tax, taxable, exempt, rows }: Charge) => ({
          ...{ net_amount: write(net), tax_amount: write(tax) },
          ...{ taxable_amount: write(taxable), exempt_amount: write(exempt) },
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

  it('never exceed their maximum length if no tax was recorded on rows with a calculated tax', () => {
    const count = 60;
    const recorded = { taxable_amount: '9.99', exempt_amount: '0.00', tax_amount: '0.00', rate: '1' };
    const taxes = Array.from({ length: count }, () => recorded) as unknown as LineItemResponse['taxes'];
    const sale = transaction({
      line_items: [line({ id: 'a', tax_amount: '0.00', taxes })],
    });
    const rows = Array.from({ length: count }, () => ({ taxable: 999n, exempt: 0n, tax: 0n, calculated: 999n }));
    const credited = { ...nothingCredited, charges: new Map([['a', { ...noAmounts, rows }]]) };
    const max = creditedTextMax({ transaction: sale, calculatedTaxes: rows.map(({ calculated }) => calculated) });
    expect(creditedText(credited, sale).length).toBeLessThanOrEqual(max);
  });

  it('report whether anything was credited', () => {
    const sale = transaction({ line_items: ['a', 'b', 'c'].map((one) => line({ id: one })) });
    expect(isEmpty(creditedText(nothingCredited, sale))).toBe(true);
    // A voided credit leaves zeros, which are stored.
    const zeros = { ...nothingCredited, charges: new Map([['b', noAmounts]]) };
    expect(isEmpty(creditedText(zeros, sale))).toBe(false);
    expect(creditedFrom(creditedText(zeros, sale), sale)).toEqual(zeros);
    expect(isEmpty(creditedText({ ...nothingCredited, unmatched: { net: 1n, tax: 0n } }, sale))).toBe(false);
  });

  it('are rejected for a different sale', () => {
    const [first, second] = [transaction(), transaction({ line_items: [line({ id: 'a' }), line({ id: 'b' })] })];
    const text = (sale: Transaction) => creditedText(nothingCredited, sale);
    expect(() => creditedFrom(text(first), second)).toThrow('different sale');
    expect(() => creditedFrom(text(second), first)).toThrow('different sale');
  });
});
