import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../shared/money/allocate.ts';
import { formatAmount, isCurrency, minorDigits, parseAmount } from '../../shared/money/currency.ts';
import { decimal, decimalPattern, divideHalfUp, multiply, powerOfTen, rescale } from '../../shared/money/decimal.ts';

describe('money decimal', () => {
  // The oracle: arbitrary precision in base 10, rounding of its own, nothing shared with the code under test.
  const Exact = Decimal.clone({ precision: 80, defaults: true, rounding: Decimal.ROUND_HALF_UP });
  const rounded = (value: Decimal, scale: number) =>
    BigInt(value.toFixed(scale, Decimal.ROUND_HALF_UP).replace('.', ''));

  // The national currencies of ISO 4217, list one of 2026-01-01, by minor units. Not fund codes (BOV, CLF, UYI, …), metals and XTS.
  const iso4217 = {
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
    2: [
      'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE',
      'CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR',
      'KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB',
      'PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY',
      'TTD TWD TZS UAH USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG',
    ].join(' '),
    3: 'BHD IQD JOD KWD LYD OMR TND',
  };

  const decimalText = fc
    .tuple(fc.bigInt({ min: 0n, max: 999_999_999_999n }), fc.option(fc.stringMatching(/^\d{1,10}$/), { nil: null }))
    .map(([whole, fraction]) => (fraction === null ? String(whole) : `${whole}.${fraction}`));
  const scale = fc.integer({ min: 0, max: 20 });

  describe('decimals', () => {
    it('reads a decimal to the value that it writes, for any digits', () => {
      fc.assert(
        fc.property(decimalText, (text) => {
          const { units, scale: read } = decimal(text);
          expect(new Exact(String(units)).div(new Exact(10).pow(read)).equals(new Exact(text))).toBe(true);
        }),
        { numRuns: 2000 },
      );
    });

    it('changes a scale by rounding half up, once', () => {
      fc.assert(
        fc.property(decimalText, scale, (text, to) => {
          expect(rescale(decimal(text), to)).toBe(rounded(new Exact(text), to));
        }),
        { numRuns: 2000 },
      );
    });

    it('multiplies exactly and rounds once, half up', () => {
      fc.assert(
        fc.property(decimalText, decimalText, scale, (one, other, to) => {
          expect(multiply(decimal(one), decimal(other), to)).toBe(rounded(new Exact(one).times(other), to));
        }),
        { numRuns: 3000 },
      );
    });

    it('divides to the nearest whole number, half a unit going up', () => {
      fc.assert(
        fc.property(
          fc.bigInt({ min: 0n, max: 10n ** 30n }),
          fc.bigInt({ min: 1n, max: 10n ** 15n }),
          (dividend, by) => {
            // |quotient * by - dividend| is at most half of `by`, and at exactly half the quotient is the larger one.
            const error = divideHalfUp(dividend, by) * by - dividend;
            expect(2n * error).toBeLessThanOrEqual(by);
            expect(2n * error).toBeGreaterThan(-by);
          },
        ),
        { numRuns: 3000 },
      );
    });

    it.each([
      { dividend: 5n, by: 10n, quotient: 1n, because: 'half a unit goes up' },
      { dividend: 15n, by: 10n, quotient: 2n, because: 'half goes up from an odd number' },
      { dividend: 25n, by: 10n, quotient: 3n, because: 'half goes up from an even number: no banker is at work' },
      { dividend: 24n, by: 10n, quotient: 2n, because: 'less than half goes down' },
      { dividend: 26n, by: 10n, quotient: 3n, because: 'more than half goes up: nothing is cut off' },
      { dividend: 1n, by: 3n, quotient: 0n, because: 'a third is less than half' },
      { dividend: 3n, by: 2n, quotient: 2n, because: 'a divisor of two has halves' },
      { dividend: 0n, by: 7n, quotient: 0n, because: 'nothing stays nothing' },
    ])('divides $dividend by $by into $quotient: $because', ({ dividend, by, quotient }) => {
      expect(divideHalfUp(dividend, by)).toBe(quotient);
    });

    it.each([
      { one: '0.10', other: '0.05', scale: 2, product: 1n, because: 'half a cent goes up' },
      { one: '2.5', other: '0.333', scale: 2, product: 83n, because: '0.8325 is nearer to 0.83' },
      {
        one: '999999999999.9999999999',
        other: '999999999999.9999999999',
        scale: 0,
        product: 10n ** 24n - 200n,
        because: 'the largest product of a request is exact to its last digit',
      },
      { one: '1', other: '0.0000000001', scale: 2, product: 0n, because: 'the smallest price is no cent' },
      { one: '0.005', other: '1', scale: 2, product: 1n, because: 'a price below a cent is rounded with the product' },
      { one: '0.004', other: '2', scale: 2, product: 1n, because: 'the price is not rounded before it is multiplied' },
    ])('multiplies $one by $other into $product: $because', ({ one, other, scale: to, product }) => {
      expect(multiply(decimal(one), decimal(other), to)).toBe(product);
    });

    it.each([
      '',
      '.',
      '1.',
      '.5',
      '-1',
      '+1',
      '1e5',
      '1,5',
      ' 1',
      '1 ',
      '1\n',
      '0x1',
      '١',
      'NaN',
      '1234567890123',
      '1.12345678901',
    ])('accepts at most twelve digits before and ten after the point, and nothing else: not %j', (text) => {
      expect(decimalPattern.test(text)).toBe(false);
    });

    it('has every power of ten that two request decimals and a rate need, and refuses any other', () => {
      for (let exponent = 0; exponent < 64; exponent++)
        expect(String(powerOfTen(exponent))).toBe(`1${'0'.repeat(exponent)}`);
      for (const exponent of [-1, 64, 0.5, Number.NaN]) expect(() => powerOfTen(exponent)).toThrow('exponent');
    });
  });

  describe('amounts', () => {
    it('writes an amount with exactly the decimals of its currency', () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 4 }), (minor, exponent) => {
          const expected = new Exact(String(minor)).div(new Exact(10).pow(exponent)).toFixed(exponent);
          expect(formatAmount(minor, exponent)).toBe(expected);
          expect(parseAmount(expected, exponent)).toBe(minor);
        }),
        { numRuns: 2000 },
      );
    });

    it.each([
      { minor: 0n, exponent: 2, text: '0.00' },
      { minor: 5n, exponent: 2, text: '0.05' },
      { minor: 595n, exponent: 2, text: '5.95' },
      { minor: 1000n, exponent: 0, text: '1000' },
      { minor: 1n, exponent: 3, text: '0.001' },
      { minor: -5n, exponent: 2, text: '-0.05' },
    ])('writes $minor minor units of exponent $exponent as $text', ({ minor, exponent, text }) => {
      expect(formatAmount(minor, exponent)).toBe(text);
    });

    it.each([
      { text: '1.005', exponent: 2 },
      { text: '0.5', exponent: 0 },
      { text: '0.0001', exponent: 3 },
    ])('refuses $text, which has more than $exponent decimals', ({ text, exponent }) => {
      expect(() => parseAmount(text, exponent)).toThrow('decimals');
    });

    it.each(Object.entries(iso4217))(
      'accepts the currencies in use of ISO 4217 with %s decimals, as of 2026',
      (decimals, codes) => {
        expect(codes.split(' ').filter((code) => !isCurrency(code))).toEqual([]);
        expect(new Set(codes.split(' ').map(minorDigits))).toEqual(new Set([Number(decimals)]));
      },
    );

    it('accepts the same currencies on every Node.js version', () => {
      const withdrawn = 'ANG BGN CUC HRK SLL ZWL'.split(' ');
      const expected = [...Object.values(iso4217).flatMap((codes) => codes.split(' ')), ...withdrawn, 'XDR', 'XSU'];
      const codes = Array.from({ length: 26 ** 3 }, (_, index) =>
        String.fromCharCode(65 + Math.floor(index / 676), 65 + (Math.floor(index / 26) % 26), 65 + (index % 26)),
      );
      expect(codes.filter(isCurrency)).toEqual(expected.sort());
    });

    it.each(['usd', 'US', 'USDX', '', 'ABC', '__proto__', 'constructor', 'toString'])(
      '%j is not a currency',
      (code) => {
        expect(isCurrency(code)).toBe(false);
      },
    );

    it.each(['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
      'answers a number of decimals even for the name of an inherited property, %s',
      (code) => {
        expect(minorDigits(code)).toBe(2);
      },
    );
  });
});

describe('money allocate', () => {
  const Exact = Decimal.clone({ precision: 80, defaults: true });

  const weights = fc.array(
    fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n })),
    { minLength: 1, maxLength: 40 },
  );
  const total = fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 10n ** 20n }));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((left, right) => left + right, 0n);

  describe('allocating by largest remainder', () => {
    it('always allocates exactly the total', () => {
      fc.assert(
        fc.property(total, weights, (amount, shares) => {
          expect(sum(allocate(amount, shares))).toBe(amount);
        }),
        { numRuns: 3000 },
      );
    });

    it('is never a whole unit away from the exact proportion, and never negative', () => {
      fc.assert(
        fc.property(total, weights, (amount, shares) => {
          const all = sum(shares);
          for (const [index, part] of allocate(amount, shares).entries()) {
            const exact =
              all === 0n
                ? new Exact(String(amount)).div(shares.length)
                : new Exact(String(amount)).times(String(shares[index])).div(String(all));
            expect(new Exact(String(part)).minus(exact).abs().lessThan(1)).toBe(true);
            expect(part).toBeGreaterThanOrEqual(0n);
          }
        }),
        { numRuns: 3000 },
      );
    });

    it('allocates nothing to a weight of zero, unless all weights are zero', () => {
      fc.assert(
        fc.property(total, weights, (amount, shares) => {
          fc.pre(sum(shares) > 0n);
          for (const [index, part] of allocate(amount, shares).entries())
            if (shares[index] === 0n) expect(part).toBe(0n);
        }),
      );
    });

    it('allocates a unit to a larger remainder before a smaller one', () => {
      fc.assert(
        fc.property(total, weights, (amount, shares) => {
          const all = sum(shares);
          fc.pre(all > 0n);
          const rows = allocate(amount, shares).map((part, index) => ({
            isToppedUp: part > (amount * (shares[index] as bigint)) / all,
            remainder: (amount * (shares[index] as bigint)) % all,
          }));
          const lowestTopped = rows.filter((row) => row.isToppedUp).map((row) => row.remainder);
          const highestLeft = rows.filter((row) => !row.isToppedUp).map((row) => row.remainder);
          for (const topped of lowestTopped)
            for (const left of highestLeft) expect(topped).toBeGreaterThanOrEqual(left);
        }),
      );
    });

    it.each([
      [10n, [1n, 1n, 1n], [4n, 3n, 3n], 'the first of equal remainders wins the unit'],
      [11n, [1n, 1n, 1n], [4n, 4n, 3n], 'two units go to the first two of a tie'],
      [1n, [1n, 2n, 2n], [0n, 1n, 0n], 'the earlier of two largest remainders wins'],
      [3n, [2n, 1n, 2n, 1n], [1n, 1n, 1n, 0n], 'a tie is settled by position, not by weight'],
      [5n, [1n, 2n, 7n], [1n, 1n, 3n], 'remainders of .5, .0 and .5: the first, not the last'],
      [100n, [2n, 1n], [67n, 33n], '66.67 has the larger remainder'],
      [100n, [1n, 2n], [33n, 67n], 'the larger remainder wins wherever it stands'],
      [5n, [0n, 0n], [3n, 2n], 'weights of zero share equally'],
      [7n, [0n], [7n], 'one takes all, whatever it weighs'],
      [0n, [3n, 4n], [0n, 0n], 'nothing is shared as nothing'],
      [0n, [], [], 'nothing may be shared with nobody'],
    ])('shares %s by %o as %o: %s', (amount, shares, parts) => {
      expect(allocate(amount, shares)).toEqual(parts);
    });

    it('refuses an amount without weights, and a negative amount', () => {
      expect(() => allocate(1n, [])).toThrow('at least one');
      expect(() => allocate(-1n, [1n, 1n])).toThrow('negative');
    });
  });
});
