import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewCodes } from '../../shared/calculations/warning-codes.ts';
import type { PartPlace, ShardProgress, TotalsPart } from '../../shared/filings/ports.ts';
import { noTotals, type Totals, totalsOfAll, withEntries } from '../../shared/filings/totals.ts';
import { addToShard, pageOfTotals, sumsAfter, totalsMax } from '../../shared/filings/totals-parts.ts';
import { toExceptionSums, toFilingTotal } from '../../shared/filings/totals-response.ts';
import {
  type Amounts,
  exceptionReasons,
  type LiabilityEntry,
  namedExemptions,
  taxColumns,
} from '../../shared/ledger/entries/entry.ts';
import { filingProgressItem } from '../../shared/store/filings/filing-item.ts';
import { drawFrom } from '../support/random-orders.ts';
import { saleDocument } from '../support/transactions.ts';

const exemptions = [...namedExemptions, 'not_covered'] as const;
const amountNames = ['taxable', 'exempt', 'tax', ...exemptions, 'difference', 'over_collected', ...taxColumns] as const;

/** Amounts with some of their parts. A part that is zero is absent. */
const amounts = <Part extends keyof Amounts>(parts: readonly Part[]): fc.Arbitrary<Amounts> =>
  fc
    .record({
      main: fc.record({
        taxable: fc.bigInt(-900_000_000_000n, 900_000_000_000n),
        exempt: fc.bigInt(-99_999n, 99_999n),
        tax: fc.bigInt(-99_999n, 99_999n),
      }),
      parts: fc.uniqueArray(fc.tuple(fc.constantFrom(...parts), fc.bigInt(1n, 9999n)), { selector: ([part]) => part }),
    })
    .map(({ main, parts: some }) => ({ ...main, ...Object.fromEntries(some) }));

const row = fc
  .record({
    place: fc.record({
      jurisdiction_code: fc.constantFrom('US-HI', 'US-HI-HONOLULU', 'US-HI-MAUI', 'US-HI-KAUAI'),
      jurisdiction_type: fc.constant('county' as const),
      reporting_code: fc.constantFrom(null, '1', '2', '10'),
      rate: fc.constantFrom('0.04', '0.005', '0.0125', '0'),
    }),
    figures: amounts([...exemptions, 'difference', 'over_collected', ...taxColumns]),
  })
  .map(({ place, figures }) => ({ ...place, ...figures }));

const entry = fc.record({
  transactionId: fc.uuid(),
  version: fc.constant(1),
  state: fc.constant('US-HI'),
  month: fc.constantFrom('2026-09', '2026-10'),
  currency: fc.constantFrom('USD', 'JPY', 'KWD'),
  document: fc.constantFrom('sale' as const, 'credit' as const).map((type) => ({ ...saleDocument, type })),
  base: amounts(exemptions).map((figures) => ({ ...figures, tax: 0n })),
  // Releases can name a jurisdiction differently.
  amounts: fc
    .tuple(fc.constantFrom('Maui', 'Maui County'), fc.array(row, { minLength: 1, maxLength: 5 }))
    .map(([jurisdiction_name, rows]) => rows.map((one) => ({ ...one, jurisdiction_name }))),
  exceptions: fc.uniqueArray(fc.record({ reason: fc.constantFrom(...exceptionReasons), gross: fc.bigInt(1n, 9999n) }), {
    selector: ({ reason }) => reason,
    maxLength: 2,
  }),
  review: fc.uniqueArray(fc.constantFrom(...reviewCodes), { maxLength: 2 }),
});
const entries: fc.Arbitrary<LiabilityEntry[]> = fc.array(entry, { maxLength: 30 });

/** Adds up each amount separately. `of` is the entry of a row. */
const addUp = (rows: readonly { readonly of: LiabilityEntry; readonly figures: Amounts }[]) => {
  const add = (list: readonly bigint[]) => list.reduce((all, value) => all + value, 0n);
  const sums = amountNames.map((name) => [name, add(rows.map(({ figures }) => figures[name] ?? 0n))] as const);
  const credits = rows.filter(({ of }) => of.document.type === 'credit');
  const credit = add(
    credits.map(({ figures: { taxable, exempt, not_covered = 0n } }) => taxable + exempt + not_covered),
  );
  const count = (of: typeof rows) => new Set(of.map((one) => one.of)).size;
  return {
    ...Object.fromEntries(sums.filter(([name, value]) => value !== 0n || amountNames.indexOf(name) < 3)),
    count: count(rows),
    ...(credit !== 0n && { credit }),
    ...(credits.length > 0 && { credits: count(credits) }),
  };
};

const groups = <Item, Value>(items: readonly Item[], getKey: (item: Item) => string, get: (rows: Item[]) => Value) =>
  new Map([...Map.groupBy(items, getKey)].map(([key, rows]) => [key, get(rows)]));

/** Calculates the totals by filtering all rows again for each sum. */
const expected = (all: readonly LiabilityEntry[]) => {
  const rows = all.flatMap((of) => of.amounts.map((figures) => ({ of, figures })));
  const wholes = all.map((of) => ({ of, figures: of.base }));
  const taxes = rows.map(({ of, figures: { tax, difference = 0n, over_collected = 0n } }) => ({
    of,
    figures: { taxable: 0n, exempt: 0n, tax, difference, over_collected },
  }));
  const exceptions = all.flatMap(({ currency, exceptions: of = [] }) => {
    const largest = of.toSorted((a, b) => Number(b.gross - a.gross)).slice(0, 1);
    return [...largest.map(({ gross }) => ({ reason: 'any', gross })), ...of].map((one) => ({ ...one, currency }));
  });
  const reviews = all.flatMap((of) =>
    (of.review?.length ? ['any', ...of.review] : []).map((code) => ({
      key: `${code} ${of.currency}`,
      gross: of.base.taxable + of.base.exempt + (of.base.not_covered ?? 0n),
      tax: of.amounts.reduce((sum, { tax }) => sum + tax, 0n),
    })),
  );
  const add = (list: readonly bigint[]) => list.reduce((sum, value) => sum + value, 0n);
  return {
    jurisdictions: groups(
      rows,
      ({ of, figures }) => `${of.currency} ${figures.jurisdiction_code}`,
      (own) => {
        const [{ of, figures }] = own as [(typeof own)[number]];
        const codes = own.flatMap((one) =>
          one.figures.reporting_code === null ? [] : [`${one.of.month} ${one.figures.reporting_code}`],
        );
        const [month = '', code = ''] = codes.sort().at(-1)?.split(' ') ?? [];
        return {
          jurisdiction_code: figures.jurisdiction_code,
          jurisdiction_name: own.map((one) => one.figures.jurisdiction_name).sort()[0],
          jurisdiction_type: figures.jurisdiction_type,
          currency: of.currency,
          reporting: codes.length > 0 ? { month, code } : null,
          sum: addUp(own),
          rates: groups(own, (one) => one.figures.rate, addUp),
        };
      },
    ),
    summary: groups(
      [...wholes, ...taxes],
      ({ of }) => of.currency,
      (own) => ({ ...addUp(own) }),
    ),
    exceptions: groups(
      exceptions,
      ({ reason, currency }) => `${reason} ${currency}`,
      (of) => ({ gross: add(of.map(({ gross }) => gross)), count: of.length }),
    ),
    review: groups(
      reviews,
      ({ key }) => key,
      (of) => ({ gross: add(of.map(({ gross }) => gross)), tax: add(of.map(({ tax }) => tax)), count: of.length }),
    ),
  };
};

const inSteps = (all: readonly LiabilityEntry[], size: number) => {
  let totals = noTotals;
  for (let at = 0; at < all.length; at += size) totals = withEntries(totals, all.slice(at, at + size));
  return totals;
};

const open = { phase: 'move', isDone: false, cursor: null } as const;

describe('totals', () => {
  it('adds up the entries exactly, in any order and steps and over any shards', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 7 }), (all, size) => {
        const half = Math.floor(all.length / 2);
        expect(totalsOfAll([inSteps(all.slice(0, half), size), inSteps(all.slice(half), size + 1)])).toEqual(
          expected(all),
        );
      }),
    );
  });

  it('returns totals in the decimals of their currency, with the remaining exempt amounts and tax due', () => {
    const main = { taxable: 100_000n, exempt: 900n, tax: 4200n, resale: 100n, marketplace: 200n, not_covered: 50n };
    const sum = { ...main, difference: 100n, over_collected: 100n, fee: 10n, food_drug: 20n, in_state: 30n, count: 2 };
    const place = { jurisdiction_code: 'US-HI', jurisdiction_name: 'Hawaii', jurisdiction_type: 'state' } as const;
    const rates = new Map(['0.04', '0.0050', '0.005'].map((rate) => [rate, { ...sum, credit: -7n, credits: 1 }]));
    const total = toFilingTotal({ ...place, currency: 'KWD', reporting: { code: '1', month: '2026-10' }, sum, rates });
    const none = Object.fromEntries(namedExemptions.map((name) => [name, '0.000']));
    const exempt_by_reason = { ...none, resale: '0.100', marketplace: '0.200', product: '0.600' };
    const base = { gross_amount: '100.950', exempt_amount: '0.900', exempt_by_reason, not_covered_amount: '0.050' };
    const tax = { calculated_tax_amount: '4.100', tax_amount: '4.200', over_collected_amount: '0.100' };
    const figures = { ...base, ...tax, taxable_amount: '100.000', count: 2 };
    const noCredits = { credit_amount: '0.000', credit_count: 0 };
    const credits = { credit_amount: '-0.007', credit_count: 1 };
    expect(total).toEqual({
      ...place,
      ...figures,
      ...noCredits,
      currency: 'KWD',
      reporting_code: '1',
      tax_due: { in_state: '0.030', out_of_state: '4.140', food_and_drugs: '0.020', fees: '0.010' },
      rates: ['0.005', '0.0050', '0.04'].map((rate) => ({ rate, ...figures, ...credits })),
    });
  });

  it('includes the exceptions of each currency, and a total gross amount only for a single currency', () => {
    const any = (currency: string) => [`any ${currency}`, { gross: 100n, count: 1 }] as const;
    const usd = [any('USD'), ['over_collected USD', { gross: 100n, count: 1 }]] as const;
    const reason = { reason: 'over_collected', currency: 'USD', count: 1, gross_amount: '1.00' };
    const single = { count: 1, gross_amount: '1.00', by_reason: [reason] };
    expect(toExceptionSums({ exceptions: new Map(usd) })).toEqual(single);
    const both = { count: 2, gross_amount: null, by_reason: [reason] };
    expect(toExceptionSums({ exceptions: new Map([...usd, any('JPY')]) })).toEqual(both);
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

it('fits all sums of a shard that are not in parts into one item, with every currency, exception and code', () => {
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
  // The size of the jurisdictions has a separate bound.
  const totals = { ...withEntries(noTotals, entries), jurisdictions: noTotals.jurisdictions };
  // Each code has different sums.
  const review = new Map(
    [...totals.review].map(([key, { count }]) => [key, { count, gross: amount(), tax: amount() }]),
  );
  expect(review.size).toBe(180 * (1 + reviewCodes.length));
  const entriesNone = { moved: 0, marked: 0, reopened: 0 };
  const progress = { ...open, shard: 0, parts: [], version: 1, entries: entriesNone };
  const item = filingProgressItem('acct', 'fil', { ...progress, totals: { ...totals, review } });
  const stored = item['totals'] as Uint8Array;
  // An item has at most 400 KB, and the jurisdictions at most 210 KB.
  expect(stored.byteLength).toBeLessThan(190_000);
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
        const places = froms.map((from) => ({ shard, from }));
        const read = await parts('', '', places);
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

/** The jurisdictions of sales after a key, in the order of the API. */
const expectedSums = (sales: readonly Sale[], after = '') =>
  [...expected(sales.map(buildEntry)).jurisdictions]
    .filter(([key]) => key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1));

describe('totals in parts', () => {
  it('limits each part, and adds up all entries in order, from any starting key', () =>
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
          const found = await Array.fromAsync(sumsAfter(filing, shards, after, { parts }));
          expect(found.flat()).toEqual(expectedSums(sales, after));
          const whole = totalsOfAll(shards.map(({ totals }) => totals));
          const count = [...whole.summary.values()].reduce((sum, ofCurrency) => sum + ofCurrency.count, 0);
          expect(count).toBe(sales.length);
        },
      ),
    ));

  it('reads parts only as far as a page needs', async () => {
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
    expect(first.value).toEqual(expectedSums(sales).slice(0, first.value?.length));
    const last = await Array.fromAsync(sumsAfter(filing, shards, 'USD US-TX-996', { parts }));
    expect(last.flat()).toEqual(expectedSums(sales, 'USD US-TX-996'));
    expect(calls() - before).toBeLessThan(6);
  });
});

it('limits the totals on a page to what fits in memory', () => {
  const sum = { taxable: 0n, exempt: 0n, tax: 0n, count: 1 };
  const names = { jurisdiction_code: 'US-TX', jurisdiction_name: 'T', jurisdiction_type: 'city' } as const;
  const place = { ...names, currency: 'JPY' };
  const sums = Array.from({ length: totalsMax() + 1 }, (_, at) => {
    const one = { ...place, reporting: null, sum, rates: new Map([['0', sum]]) };
    return [String(at), one] as const;
  });
  const list = { account: { cursor_secret: 'secret' }, owner: { filing: 'fil' } };
  expect(pageOfTotals(sums, list).totals_next_cursor).not.toBeNull();
});
