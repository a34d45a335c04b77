import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reviewCodes } from '../../shared/calculations/warning-codes.ts';
import type { PartPlace, ShardProgress, TotalsPart } from '../../shared/filings/ports.ts';
import { noTotals, type Totals, totalsOfAll, withEntries } from '../../shared/filings/totals.ts';
import { addToShard, pageOfTotals, sumsAfter, totalsMax } from '../../shared/filings/totals-parts.ts';
import { exceptionReasons, type LiabilityEntry, namedExemptions } from '../../shared/ledger/entries/entry.ts';
import { filingProgressItem } from '../../shared/store/filings/filing-item.ts';
import { drawFrom } from '../support/random-orders.ts';
import { saleDocument } from '../support/transactions.ts';

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
const inSteps = async (sales: readonly Sale[], size: number, rowsMax: number) => {
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
const expected = (sales: readonly Sale[], after = '') => {
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
          const { shards, stored, parts } = await inSteps(sales, size, rowsMax);
          // A jurisdiction with three rates has four rows, and is not split.
          for (const { sums } of stored.values()) expect(rowsIn(sums)).toBeLessThanOrEqual(rowsMax);
          for (const { totals, parts: froms } of shards) {
            expect(rowsIn(totals.jurisdictions)).toBeLessThanOrEqual(froms.length > 0 ? 0 : rowsMax);
            expect(froms).toEqual([...new Set(froms)].sort());
          }
          expect(listTaxes(await Array.fromAsync(sumsAfter(filing, shards, after, { parts })))).toEqual(
            expected(sales, after),
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
    const { shards, parts, calls } = await inSteps(sales, 10, 8);
    expect(Math.min(...shards.map(({ parts: froms }) => froms.length))).toBeGreaterThan(50);
    const before = calls();
    const first = await sumsAfter(filing, shards, '', { parts }).next();
    expect(calls() - before).toBe(1);
    expect(listTaxes([first.value])).toEqual(expected(sales).slice(0, first.value?.length));
    const last = await Array.fromAsync(sumsAfter(filing, shards, 'USD US-TX-996', { parts }));
    expect(listTaxes(last)).toEqual(expected(sales, 'USD US-TX-996'));
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
  const list = { account: { cursor_secret: 'secret' }, of: { filing: 'fil' } };
  expect(pageOfTotals(sums, list).totals_next_cursor).not.toBeNull();
});
