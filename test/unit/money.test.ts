import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocate } from '../../shared/money/allocate.ts';
import { formatAmount, isCurrency, minorDigits, parseAmount } from '../../shared/money/currency.ts';
import { decimal, decimalPattern, divideHalfUp, multiply, powerOfTen, rescale } from '../../shared/money/decimal.ts';

// The oracle: arbitrary precision in base 10 with separate rounding, sharing no code with the code under test.
const Exact = Decimal.clone({ precision: 80, defaults: true, rounding: Decimal.ROUND_HALF_UP });
const exact = (units: bigint) => new Exact(String(units));
const rounded = (value: Decimal, scale: number) => BigInt(value.toFixed(scale, Decimal.ROUND_HALF_UP).replace('.', ''));
const check = <Values extends [unknown, ...unknown[]]>(
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  holds: (...drawn: Values) => void,
) => fc.assert(fc.property(...values, holds), { numRuns: 3000 });

describe('decimals', () => {
  const text = fc
    .tuple(fc.bigInt({ min: 0n, max: 999_999_999_999n }), fc.option(fc.stringMatching(/^\d{1,10}$/), { nil: null }))
    .map(([whole, fraction]) => (fraction === null ? String(whole) : `${whole}.${fraction}`));
  const scale = fc.integer({ min: 0, max: 20 });

  it('parses the value that it writes, for any digits', () =>
    check([text], (written) => {
      const { units, scale: read } = decimal(written);
      expect(exact(units).div(new Exact(10).pow(read)).equals(new Exact(written))).toBe(true);
    }));

  it('rescales and multiplies with a single half-up rounding', () =>
    check([text, text, scale], (left, right, to) => {
      expect(rescale(decimal(left), to)).toBe(rounded(new Exact(left), to));
      expect(multiply(decimal(left), decimal(right), to)).toBe(rounded(new Exact(left).times(right), to));
    }));

  it('divides to the nearest whole number, half up', () =>
    check([fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 1n, max: 10n ** 15n })], (dividend, by) => {
      // |quotient * by - dividend| is at most half of `by`; at exactly half, the quotient is the larger one.
      const error = divideHalfUp(dividend, by) * by - dividend;
      expect(2n * error).toBeLessThanOrEqual(by);
      expect(2n * error).toBeGreaterThan(-by);
    }));

  const largest = '999999999999.9999999999';
  it('multiplies amounts exactly up to the largest result of a request', () =>
    expect(multiply(decimal(largest), decimal(largest), 0)).toBe(10n ** 24n - 200n));

  it('accepts only up to twelve digits before and ten after the point', () => {
    const others = ['', '.', '1.', '.5', '-1', '+1', '1e5', '1,5', ' 1', '1 ', '1\n', '0x1', '١', 'NaN'];
    expect([...others, '1234567890123', '1.12345678901'].filter((other) => decimalPattern.test(other))).toEqual([]);
    expect(decimalPattern.test(largest)).toBe(true);
  });

  it('returns every power of ten from 0 to 63, and throws for others', () => {
    for (let exponent = 0; exponent < 64; exponent++)
      expect(String(powerOfTen(exponent))).toBe(`1${'0'.repeat(exponent)}`);
    for (const exponent of [-1, 64, 0.5, Number.NaN]) expect(() => powerOfTen(exponent)).toThrow('exponent');
  });
});

describe('amounts', () => {
  it('round-trips with exactly the decimals of the currency', () =>
    check([fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 4 })], (minor, exponent) => {
      const expected = exact(minor).div(new Exact(10).pow(exponent)).toFixed(exponent);
      expect(formatAmount(minor, exponent)).toBe(expected);
      expect(parseAmount(expected, exponent)).toBe(minor);
    }));

  it('accepts negative amounts, and rejects more decimals than the currency has', () => {
    expect(formatAmount(-5n, 2)).toBe('-0.05');
    expect(() => parseAmount('1.005', 2)).toThrow('decimals');
    expect(() => parseAmount('0.5', 0)).toThrow('decimals');
  });
});

describe('currencies', () => {
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

  it('accepts a currency in ISO 4217 as of 2026 or withdrawn, with its decimals', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
    const withdrawn = 'ANG BGN CUC HRK SLL ZWL XDR XSU'.split(' ');
    const inUse = Object.values(iso4217).flatMap((own) => own.split(' '));
    expect(codes.filter(isCurrency)).toEqual([...inUse, ...withdrawn].sort());
    for (const [decimals, own] of Object.entries(iso4217))
      expect(new Set(own.split(' ').map(minorDigits))).toEqual(new Set([Number(decimals)]));
  });

  it.each(['usd', 'US', 'USDX', '', '__proto__', 'constructor', 'toString'])(
    'rejects %j, although it has two decimals',
    (code) => {
      expect([isCurrency(code), minorDigits(code)]).toEqual([false, 2]);
    },
  );
});

describe('allocation by largest remainder', () => {
  const weights = fc.array(
    fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n })),
    { minLength: 1, maxLength: 40 },
  );
  const total = fc.oneof(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 10n ** 20n }));
  const sum = (amounts: readonly bigint[]) => amounts.reduce((left, right) => left + right, 0n);

  it('allocates exactly the total, with each share rounded up or down by largest remainder', () =>
    check([total, weights], (amount, given) => {
      const parts = allocate(amount, given);
      expect(sum(parts)).toBe(amount);
      const shares = sum(given) === 0n ? given.map(() => 1n) : given;
      const rows = parts.map((part, index) => {
        const [numerator, all] = [amount * (shares[index] as bigint), sum(shares)];
        const above = part - numerator / all;
        expect(above === 0n || above === 1n).toBe(true);
        return { isToppedUp: above === 1n, remainder: numerator % all };
      });
      const left = rows.filter((row) => !row.isToppedUp).map((row) => row.remainder);
      const highest = left.reduce((most, one) => (one > most ? one : most), 0n);
      expect(rows.every(({ isToppedUp, remainder }) => !isToppedUp || (remainder > 0n && remainder >= highest))).toBe(
        true,
      );
    }));

  it('allocates a unit to the first of equal remainders, regardless of their weights', () => {
    expect(allocate(11n, [1n, 1n, 1n])).toEqual([4n, 4n, 3n]);
    expect(allocate(3n, [2n, 1n, 2n, 1n])).toEqual([1n, 1n, 1n, 0n]);
    expect([allocate(5n, [0n, 0n]), allocate(7n, [0n]), allocate(0n, [])]).toEqual([[3n, 2n], [7n], []]);
  });

  it('rejects an amount without weights, and a negative amount', () => {
    expect(() => allocate(1n, [])).toThrow('no weight');
    expect(() => allocate(-1n, [1n, 1n])).toThrow('negative');
  });
});
