import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewCodes } from '../../shared/calculations/warning-codes.ts';
import type { PartPlace, ShardProgress, TotalsPart } from '../../shared/filings/ports.ts';
import { noTotals, type Totals, totalsOfAll, withEntries } from '../../shared/filings/totals.ts';
import { answeredExceptions, answeredTotals } from '../../shared/filings/totals-answer.ts';
import { addToShard, pageOfTotals, sumsAfter, totalsMax } from '../../shared/filings/totals-parts.ts';
import { exceptionReasons, type LiabilityEntry, namedExemptions } from '../../shared/ledger/entries/entry.ts';
import { filingProgressFrom, filingProgressItem } from '../../shared/store/filings/filing-item.ts';
import { entryFromTexts, reasons, type TextAmounts, type TextEntry, type TextRow } from '../support/entry-texts.ts';
import { drawFrom } from '../support/random-orders.ts';
import { saleDocument } from '../support/transactions.ts';

const decimals = { USD: 2, JPY: 0, KWD: 3 } as const;
type Currency = keyof typeof decimals;

const getWriter = (currency: Currency) => (value: number) =>
  new Decimal(value).div(10 ** decimals[currency]).toFixed(decimals[currency]);

const part = fc.option(fc.integer({ min: -9999, max: 9999 }), { nil: undefined });
const split = fc.record({
  resale: part,
  government: part,
  nonprofit: part,
  direct_pay: part,
  customer: part,
  snap: part,
  marketplace: part,
  not_registered: part,
  not_covered: part,
});
type Split = typeof split extends fc.Arbitrary<infer Value> ? Value : never;

/** The optional parts of an amount, as an entry stores them. */
const buildSplit = ({ not_covered, ...exempt }: Split, write: (value: number) => string) => ({
  exempt: Object.fromEntries(
    Object.entries(exempt).flatMap(([reason, value]) => (value === undefined ? [] : [[reason, write(value)]])),
  ),
  ...(not_covered !== undefined && { not_covered_amount: write(not_covered) }),
});

const exceptions = (currency: Currency) =>
  fc.uniqueArray(
    fc.record({
      reason: fc.constantFrom('not_covered' as const, 'over_collected' as const, 'under_collected' as const),
      gross_amount: fc.integer({ min: 1, max: 9999 }).map(getWriter(currency)),
    }),
    { selector: ({ reason }) => reason, maxLength: 2 },
  );

const amounts = (currency: Currency) =>
  fc
    .record({
      code: fc.constantFrom('US-HI', 'US-HI-HONOLULU', 'US-HI-MAUI', 'US-HI-KAUAI'),
      reporting_code: fc.constantFrom(null, '1', '2', '10'),
      rate: fc.constantFrom('0.04', '0.005', '0.0125', '0'),
      taxable: fc.integer({ min: -900_000_000_000, max: 900_000_000_000 }),
      exempt: fc.integer({ min: -99_999, max: 99_999 }),
      tax: fc.integer({ min: -99_999, max: 99_999 }),
      calculated: fc.option(fc.integer({ min: -99_999, max: 99_999 })),
      split,
    })
    .map(({ code, reporting_code, rate, split: parts, ...minor }): TextRow => {
      const write = getWriter(currency);
      return {
        jurisdiction_code: code,
        jurisdiction_name: code,
        jurisdiction_type: code === 'US-HI' ? 'state' : 'county',
        reporting_code,
        rate,
        taxable_amount: write(minor.taxable),
        exempt_amount: write(minor.exempt),
        tax_amount: write(minor.tax),
        ...buildSplit(parts, write),
        ...(minor.calculated !== null && { calculated_tax_amount: write(minor.calculated) }),
      };
    });

const buildBase = ({ taxable_amount, exempt_amount, exempt, not_covered_amount }: TextRow): TextAmounts => ({
  taxable_amount,
  exempt_amount,
  exempt,
  not_covered_amount,
});

const entries = fc.array(
  fc.constantFrom<Currency>('USD', 'JPY', 'KWD').chain((currency) =>
    fc
      .tuple(
        fc.array(amounts(currency), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('2026-09', '2026-10'),
        fc.constantFrom('sale' as const, 'credit' as const),
        exceptions(currency),
      )
      .map(
        ([rows, month, type, some]): TextEntry => ({
          transactionId: crypto.randomUUID(),
          state: 'US-HI',
          month,
          currency,
          version: 1,
          base: buildBase(rows[0] as TextRow),
          amounts: rows,
          document: { ...saleDocument, type },
          ...(some.length > 0 && { exceptions: some }),
        }),
      ),
  ),
  { maxLength: 30 },
);

/** Adds up an amount over all rows; missing amounts are zero. */
const getSum = <Row>(rows: readonly Row[], currency: string, getAmount: (row: Row) => string | undefined) =>
  rows.reduce((sum, row) => sum.plus(getAmount(row) ?? 0), new Decimal(0)).toFixed(decimals[currency as Currency]);

/** Adds up the amounts that do not depend on rates, each separately. */
const splitSums = (of: readonly TextAmounts[], currency: string) => {
  const sum = (getAmount: (row: TextAmounts) => string | undefined) => getSum(of, currency, getAmount);
  const exempt = Object.fromEntries(reasons.map((reason) => [reason, sum((row) => row.exempt?.[reason])]));
  const exempt_amount = sum((row) => row.exempt_amount);
  const not_covered_amount = sum((row) => row.not_covered_amount);
  const taxable_amount = sum((row) => row.taxable_amount);
  const product = Object.values(exempt).reduce((rest, amount) => rest.minus(amount), new Decimal(exempt_amount));
  return {
    gross_amount: getSum([taxable_amount, exempt_amount, not_covered_amount], currency, (amount) => amount),
    exempt_amount,
    exempt_by_reason: { ...exempt, product: product.toFixed(decimals[currency as Currency]) },
    not_covered_amount,
    taxable_amount,
  };
};

const taxSums = (of: readonly TextRow[], currency: string) => ({
  calculated_tax_amount: getSum(of, currency, (row) => row.calculated_tax_amount ?? row.tax_amount),
  tax_amount: getSum(of, currency, (row) => row.tax_amount),
  // For a positive tax the excess, for a negative tax the shortfall.
  over_collected_amount: getSum(of, currency, (row) => {
    const difference = new Decimal(row.tax_amount).minus(row.calculated_tax_amount ?? row.tax_amount);
    const isNegative = new Decimal(row.tax_amount).lt(0);
    return (isNegative ? difference.lt(0) : difference.gt(0)) ? difference.toString() : '0';
  }),
});

/** The entries have no sales from inside the state. */
const getDue = (of: readonly TextRow[], currency: string) => {
  const { calculated_tax_amount: calculated, over_collected_amount: over } = taxSums(of, currency);
  const zero = getSum([], currency, () => undefined);
  const out_of_state = getSum([calculated, over], currency, (amount) => amount);
  return { in_state: zero, out_of_state, food_and_drugs: zero, fees: zero };
};

/** Calculates the same sums by filtering all rows again for each amount. */
const expected = (all: readonly TextEntry[]) => {
  const rows = all.flatMap(({ currency, month, transactionId, document, amounts: of }) =>
    of.map((row) => ({ ...row, currency, month, transactionId, isCredit: document?.type === 'credit' })),
  );
  const getCode = (of: typeof rows) => {
    const coded = of.filter(({ reporting_code }) => reporting_code !== null);
    const last = coded.some(({ month }) => month === '2026-10') ? '2026-10' : '2026-09';
    const codes = coded.filter(({ month }) => month === last).map(({ reporting_code }) => reporting_code);
    return codes.sort().at(-1) ?? null;
  };
  const getCount = (of: typeof rows) => new Set(of.map(({ transactionId }) => transactionId)).size;
  const sums = (of: typeof rows, currency: string) => {
    const credits = of.filter(({ isCredit }) => isCredit);
    return {
      ...splitSums(of, currency),
      ...taxSums(of, currency),
      credit_amount: splitSums(credits, currency).gross_amount,
      credit_count: getCount(credits),
      count: getCount(of),
    };
  };
  return [...Map.groupBy(rows, (row) => `${row.currency} ${row.jurisdiction_code}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, of]) => {
      const [currency = '', jurisdiction_code] = place.split(' ');
      const rates = [...Map.groupBy(of, ({ rate }) => rate)].sort(([a], [b]) => new Decimal(a).cmp(b));
      return {
        jurisdiction_code,
        reporting_code: getCode(of),
        currency,
        ...sums(of, currency),
        tax_due: getDue(of, currency),
        rates: rates.map(([rate, ofRate]) => ({ rate, ...sums(ofRate, currency) })),
      };
    });
};

const inSteps = (all: readonly TextEntry[], size: number) => {
  let totals = noTotals;
  for (let at = 0; at < all.length; at += size)
    totals = withEntries(totals, all.slice(at, at + size).map(entryFromTexts));
  return totals;
};

describe('totals', () => {
  it('are the exact sums of the entries by jurisdiction, currency and rate, in any steps and over any shards', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 7 }), (all, size) => {
        const half = Math.floor(all.length / 2);
        const totals = totalsOfAll([inSteps(all.slice(0, half), size), inSteps(all.slice(half), size + 1)]);
        expect(
          answeredTotals(totals).map(({ jurisdiction_name: _, jurisdiction_type: __, ...total }) => total),
        ).toEqual(expected(all));
      }),
    );
  });

  it('count each entry with exceptions once, and each of its reasons', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const half = Math.floor(all.length / 2);
        const actual = answeredExceptions(totalsOfAll([inSteps(all.slice(0, half), 2), inSteps(all.slice(half), 3)]));
        const some = all.filter((entry) => entry.exceptions);
        const sums = some.flatMap(({ currency, exceptions: of = [] }) => of.map((one) => ({ ...one, currency })));
        const expectedSums = [...Map.groupBy(sums, ({ reason, currency }) => `${reason} ${currency}`)].map(
          ([key, of]) => `${key} ${of.length} ${getSum(of, of[0]?.currency ?? '', ({ gross_amount }) => gross_amount)}`,
        );
        expect(actual.count).toBe(some.length);
        expect(
          actual.by_reason
            .map(({ reason, currency, count, gross_amount }) => `${reason} ${currency} ${count} ${gross_amount}`)
            .sort(),
        ).toEqual(expectedSums.sort());
        // If an entry has several reasons, the reason with the larger gross.
        const currencies = [...new Set(some.map(({ currency }) => currency))] as Currency[];
        const largest = some.map(({ exceptions: of = [] }) => Decimal.max(...of.map((one) => one.gross_amount)));
        const gross = getSum(largest, currencies[0] ?? 'USD', String);
        expect(actual.gross_amount).toBe(currencies.length > 1 ? null : gross);
      }),
    );
  });

  it('round-trip through storage', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const totals = inSteps(all, 4);
        const progress = {
          shard: 3,
          phase: 'move',
          isDone: false,
          entries: { moved: all.length, marked: 0, reopened: 0 },
          cursor: null,
          totals,
          parts: [...totals.jurisdictions.keys()].slice(0, 2),
          version: 7,
        } as const;
        expect(filingProgressFrom(filingProgressItem('acct', 'fil', progress))).toEqual(progress);
      }),
    );
  });

  it('use the same jurisdiction name whichever entry comes first', () => {
    const named = (jurisdiction_name: string): TextEntry => {
      const place = { jurisdiction_code: 'US-HI-MAUI', jurisdiction_name, jurisdiction_type: 'county' } as const;
      const figures = { taxable_amount: '1.00', exempt_amount: '0.00' };
      return {
        transactionId: jurisdiction_name,
        state: 'US-HI',
        month: '2026-10',
        currency: 'USD',
        version: 1,
        document: saleDocument,
        base: figures,
        amounts: [{ ...place, ...figures, reporting_code: null, rate: '0.005', tax_amount: '0.01' }],
      };
    };
    const names = ['Maui', 'Maui County'];
    for (const order of [names, names.toReversed()])
      expect(answeredTotals(inSteps(order.map(named), 1)).map((total) => total.jurisdiction_name)).toEqual(['Maui']);
  });
});

const filing = { account: 'acct', id: 'fil' };

type Levied = { readonly code: number; readonly rate: '0' | '0.01' | '0.02'; readonly tax: number };
const levied = fc.record({
  code: fc.integer({ min: 0, max: 30 }),
  rate: fc.constantFrom('0.01', '0.02', '0'),
  tax: fc.integer({ min: -999, max: 999 }),
});
const sale = fc.record({
  currency: fc.constantFrom('EUR', 'JPY', 'USD'),
  levies: fc.array(levied, { minLength: 1, maxLength: 12 }),
  shard: fc.integer({ min: 0, max: 2 }),
});
type Sale = typeof sale extends fc.Arbitrary<infer Value> ? Value : never;

const buildEntry = (
  { currency, levies }: { currency: string; levies: readonly Levied[] },
  at: number,
): LiabilityEntry => ({
  transactionId: `txn_${at}`,
  version: 1,
  state: 'US-TX',
  month: '2026-10',
  currency,
  document: saleDocument,
  base: { taxable: 0n, exempt: 0n, tax: 0n },
  amounts: levies.map(({ code, rate, tax }) => ({
    jurisdiction_code: `US-TX-${code}`,
    jurisdiction_name: `City ${code}`,
    jurisdiction_type: 'city',
    reporting_code: null,
    rate,
    taxable: 0n,
    exempt: 0n,
    tax: BigInt(tax),
  })),
});

describe('the sums of a shard that are not in parts', () => {
  it('fit in an item with every currency, exception and code to review', () => {
    const drawn = drawFrom(1);
    const amount = () => BigInt(drawn.below(2 ** 31)) * 1_000_003n;
    // ISO 4217 has about 180 currencies. Their codes do not matter here.
    const entries = Array.from({ length: 180 }, (_, at): LiabilityEntry => {
      const currency = String.fromCharCode(65 + (at % 26), 65 + ((at * 7) % 26), 65 + Math.floor(at / 26));
      const parts = Object.fromEntries([...namedExemptions, 'not_covered'].map((part) => [part, amount()]));
      return {
        ...buildEntry({ currency, levies: [{ code: 1, rate: '0.01', tax: drawn.below(1e9) }] }, at),
        base: { taxable: amount(), exempt: amount(), tax: 0n, ...parts },
        exceptions: exceptionReasons.map((reason) => ({ reason, gross: amount() })),
        review: reviewCodes,
      };
    });
    // The jurisdictions are bounded apart.
    const totals = { ...withEntries(noTotals, entries), jurisdictions: noTotals.jurisdictions };
    // Sums of one code differ from those of the others.
    const review = new Map(
      [...totals.review].map(([key, { count }]) => [key, { count, gross: amount(), tax: amount() }]),
    );
    expect(review.size).toBe(180 * (1 + reviewCodes.length));
    const progress = { ...({ shard: 0, phase: 'move', isDone: false, cursor: null, parts: [], version: 1 } as const) };
    const none = { moved: 0, marked: 0, reopened: 0 };
    const item = filingProgressItem('acct', 'fil', { ...progress, entries: none, totals: { ...totals, review } });
    const stored = item['totals'] as Uint8Array;
    // An item has at most 400 KB, and the jurisdictions at most 210 KB.
    expect(stored.byteLength).toBeLessThan(190_000);
  });
});

/** Returns the shards after the steps, and their stored parts. */
const inShards = async (sales: readonly Sale[], size: number, rowsMax: number) => {
  const stored = new Map<string, TotalsPart>();
  const getPlace = ({ shard, from }: PartPlace) => `${shard} ${from}`;
  let calls = 0;
  const parts = async (_account: string, _id: string, places: readonly PartPlace[]) => {
    calls += 1;
    return places.map((place) => stored.get(getPlace(place)) as TotalsPart);
  };
  const shards: ShardProgress[] = [];
  for (const shard of [0, 1, 2]) {
    let progress = { shard, totals: noTotals, parts: [] as readonly string[] } as ShardProgress;
    const own = sales.filter((one) => one.shard === shard);
    for (let at = 0; at < own.length; at += size) {
      const added = withEntries(noTotals, own.slice(at, at + size).map(buildEntry));
      const { written, ...grown } = await addToShard(progress, added, rowsMax, async (froms) => {
        const read = await parts(
          '',
          '',
          froms.map((from) => ({ shard, from })),
        );
        return new Map(read.map(({ from, sums }) => [from, sums]));
      });
      for (const part of written) stored.set(getPlace(part), part);
      progress = { ...progress, ...grown };
    }
    shards.push(progress);
  }
  return { shards, stored, parts, calls: () => calls };
};

const rowsIn = (sums: Totals['jurisdictions']) =>
  [...sums.values()].reduce((rows, { rates }) => rows + 1 + rates.size, 0);

/** Adds up the tax again by currency, jurisdiction and rate, in minor units and in the order of the API. */
const expectedTaxes = (sales: readonly Sale[], after = '') => {
  const taxes = new Map<string, Map<string, number>>();
  for (const { currency, levies } of sales)
    for (const { code, rate, tax } of levies) {
      const key = `${currency} US-TX-${code}`;
      const rates = taxes.get(key) ?? new Map<string, number>();
      taxes.set(key, rates.set(rate, (rates.get(rate) ?? 0) + tax));
    }
  return [...taxes]
    .filter(([key]) => key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, rates]) => [key, [...rates].sort().map(([rate, tax]) => `${rate} ${tax}`)]);
};

type Groups = Awaited<
  ReturnType<typeof Array.fromAsync<Awaited<ReturnType<ReturnType<typeof sumsAfter>['next']>>['value']>>
>;
const listTaxes = (groups: Groups) =>
  groups
    .flatMap((group) => group ?? [])
    .map(([key, { rates }]) => [key, [...rates].map(([rate, { tax }]) => `${rate} ${tax}`).sort()]);

describe('totals in parts', () => {
  it('are bounded, and add up to all entries in order, from any starting key', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(sale, { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(4, 8, 20, 1000),
        fc.constantFrom('', 'EUR US-TX-2', 'JPY', 'USD US-TX-15', 'USD US-TX-99'),
        async (sales, size, rowsMax, after) => {
          const { shards, stored, parts } = await inShards(sales, size, rowsMax);
          // A jurisdiction with three rates has four rows, and is not split.
          for (const { sums } of stored.values()) expect(rowsIn(sums)).toBeLessThanOrEqual(rowsMax);
          for (const { totals, parts: froms } of shards) {
            expect(rowsIn(totals.jurisdictions)).toBeLessThanOrEqual(froms.length > 0 ? 0 : rowsMax);
            expect(froms).toEqual([...new Set(froms)].sort());
          }
          expect(listTaxes(await Array.fromAsync(sumsAfter(filing, shards, after, { parts })))).toEqual(
            expectedTaxes(sales, after),
          );
          const whole = totalsOfAll(shards.map(({ totals }) => totals));
          const count = [...whole.summary.values()].reduce((sum, ofCurrency) => sum + ofCurrency.count, 0);
          expect(count).toBe(sales.length);
        },
      ),
    ));

  it('are read only as far as a page needs', async () => {
    const sales = Array.from({ length: 400 }, (_, at) => ({
      currency: ['EUR', 'JPY', 'USD'][at % 3] as 'EUR',
      levies: Array.from(
        { length: 30 },
        (_, of): Levied => ({ code: (at * 7 + of * 13) % 997, rate: '0.01', tax: of }),
      ),
      shard: at % 3,
    }));
    const { shards, parts, calls } = await inShards(sales, 10, 8);
    expect(Math.min(...shards.map(({ parts: froms }) => froms.length))).toBeGreaterThan(50);
    const before = calls();
    const first = await sumsAfter(filing, shards, '', { parts }).next();
    expect(calls() - before).toBe(1);
    expect(listTaxes([first.value])).toEqual(expectedTaxes(sales).slice(0, first.value?.length));
    const last = await Array.fromAsync(sumsAfter(filing, shards, 'USD US-TX-996', { parts }));
    expect(listTaxes(last)).toEqual(expectedTaxes(sales, 'USD US-TX-996'));
    expect(calls() - before).toBeLessThan(6);
  });
});

it('keeps fewer totals on a page than fit in memory', () => {
  const sum = { taxable: 0n, exempt: 0n, tax: 0n, count: 1 };
  const place = {
    jurisdiction_code: 'US-TX',
    jurisdiction_name: 'T',
    jurisdiction_type: 'city',
    currency: 'JPY',
  } as const;
  const sums = Array.from({ length: totalsMax() + 1 }, (_, at) => {
    const one = { ...place, reporting: null, sum, rates: new Map([['0', sum]]) };
    return [String(at), one] as const;
  });
  const list = { account: { cursor_secret: 'secret' }, owner: { filing: 'fil' } };
  expect(pageOfTotals(sums, list).totals_next_cursor).not.toBeNull();
});
