import * as z from 'zod/mini';
import type { DeepReadonly } from '../base/json.ts';
import {
  type Amounts,
  ExceptionSum,
  entryTax,
  grossAmount,
  type JurisdictionAmounts,
  jurisdictionShape,
  type LiabilityEntry,
  plus,
  ReviewSum,
  Sum,
  zeroSum,
} from '../ledger/entries/entry.ts';

/** A map with string keys, stored as an array of its entries. */
const listEntries = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.codec(
    z.array(z.tuple([z.string(), schema])),
    z.custom<ReadonlyMap<string, z.output<Schema>>>((map) => map instanceof Map),
    {
      decode: (entries) => new Map(entries as readonly (readonly [string, z.output<Schema>])[]),
      encode: (map) => [...map] as [string, z.output<Schema>][],
    },
  );

const JurisdictionSum = z.object({
  ...jurisdictionShape,
  currency: z.string(),
  /** The code in the state's return, and the newest month with an entry that has it; `null` if no entry has a code. */
  reporting: z.nullable(z.object({ code: z.string(), month: z.string() })),
  sum: Sum,
  rates: listEntries(Sum),
});
export type JurisdictionSum = DeepReadonly<z.output<typeof JurisdictionSum>>;
type Reporting = NonNullable<JurisdictionSum['reporting']>;

/** Totals of entries: by jurisdiction, currency and rate, and for the whole state by currency. */
export const Totals = z.object({
  /** The sums of jurisdictions, keyed by `totalsKey`. */
  jurisdictions: listEntries(JurisdictionSum),
  summary: listEntries(Sum),
  /** The exceptions by reason and currency, and for entries with any exception (`any USD`), each counted once. */
  exceptions: listEntries(ExceptionSum),
  /** The entries to review by warning code and currency, and for entries with any code (`any USD`), each counted once. */
  review: listEntries(ReviewSum),
});
export type Totals = DeepReadonly<z.output<typeof Totals>>;

export const noTotals: Totals = {
  jurisdictions: new Map(),
  summary: new Map(),
  exceptions: new Map(),
  review: new Map(),
};

const addTo = <Key>(sums: Map<Key, Sum>, key: Key, sum: Amounts): void =>
  void sums.set(key, plus(sums.get(key) ?? zeroSum, sum));

// A return uses the newest code. The choice between two codes in one month must not depend on the order.
const newerCode = (a: Reporting | null, b: Reporting | null): Reporting | null => {
  if (!a || !b) return a ?? b;
  return `${a.month} ${a.code}` >= `${b.month} ${b.code}` ? a : b;
};

const merged = (a: JurisdictionSum | undefined, b: JurisdictionSum): JurisdictionSum => {
  if (!a) return b;
  const rates = new Map(a.rates);
  for (const [rate, sum] of b.rates) addTo(rates, rate, sum);
  // Releases may name a jurisdiction differently. The choice must not depend on the order of the entries.
  const { jurisdiction_name, jurisdiction_type } = a.jurisdiction_name <= b.jurisdiction_name ? a : b;
  const reporting = newerCode(a.reporting, b.reporting);
  return { ...a, jurisdiction_name, jurisdiction_type, reporting, sum: plus(a.sum, b.sum), rates };
};

/** The key of a sum. The API lists the totals in the order of their keys. */
const totalsKey = ({ jurisdiction_code, currency }: Pick<JurisdictionSum, 'jurisdiction_code' | 'currency'>): string =>
  `${currency} ${jurisdiction_code}`;

/** Adds several totals. */
export const totalsOfAll = (all: readonly Totals[]): Totals => {
  const jurisdictions = new Map<string, JurisdictionSum>();
  const summary = new Map<string, Sum>();
  const exceptions = new Map<string, ExceptionSum>();
  const review = new Map<string, ReviewSum>();
  for (const totals of all) {
    for (const [key, sum] of totals.jurisdictions) jurisdictions.set(key, merged(jurisdictions.get(key), sum));
    for (const [currency, sum] of totals.summary) addTo(summary, currency, sum);
    for (const [key, { gross, count }] of totals.exceptions) {
      const sum = exceptions.get(key);
      exceptions.set(key, { gross: gross + (sum?.gross ?? 0n), count: count + (sum?.count ?? 0) });
    }
    for (const [key, { gross, tax, count }] of totals.review) {
      const sum = review.get(key) ?? { gross: 0n, tax: 0n, count: 0 };
      review.set(key, { gross: gross + sum.gross, tax: tax + sum.tax, count: count + sum.count });
    }
  }
  return { jurisdictions, summary, exceptions, review };
};

type Sums = Totals['jurisdictions'];

/** Adds several groups of jurisdictions. */
export const sumsOfAll = (all: readonly Sums[]): Sums =>
  totalsOfAll(all.map((jurisdictions) => ({ ...noTotals, jurisdictions }))).jurisdictions;

/** Returns the sums with their keys, in the order of the API. */
export const inOrder = (sums: Sums): (readonly [string, JurisdictionSum])[] =>
  [...sums].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));

type Place = Pick<LiabilityEntry, 'currency' | 'month' | 'document'>;

/** A sum that counts as one entry. */
const asEntry = (sum: Sum, { document }: Pick<Place, 'document'>): Sum => {
  if (document.type !== 'credit') return { ...sum, count: 1 };
  const gross = grossAmount(sum);
  return { ...sum, count: 1, ...(gross !== 0n && { credit: gross }), credits: 1 };
};

const jurisdictionSum = (place: Place, rows: readonly JurisdictionAmounts[]): JurisdictionSum => {
  const { currency, month } = place;
  const { jurisdiction_code, jurisdiction_name, jurisdiction_type } = rows[0] as JurisdictionAmounts;
  const reporting = rows
    .map(({ reporting_code: code }) => (code === null ? null : { code, month }))
    .reduce(newerCode, null);
  const sums = new Map<string, Sum>();
  for (const row of rows) addTo(sums, row.rate, row);
  const rates = new Map([...sums].map(([rate, ofRate]) => [rate, asEntry(ofRate, place)]));
  const sum = asEntry([...sums.values()].reduce(plus, zeroSum), place);
  return { jurisdiction_code, jurisdiction_name, jurisdiction_type, currency, reporting, sum, rates };
};

const exceptionSums = ({ currency, exceptions = [] }: LiabilityEntry): [string, ExceptionSum][] => {
  if (exceptions.length === 0) return [];
  // With several reasons, use the gross of the reason that applies to the whole entry.
  const gross = exceptions.map((exception) => exception.gross).reduce((a, b) => (a * a >= b * b ? a : b));
  return [
    [`any ${currency}`, { gross, count: 1 }],
    ...exceptions.map((one): [string, ExceptionSum] => [`${one.reason} ${currency}`, { gross: one.gross, count: 1 }]),
  ];
};

const reviewSums = (entry: LiabilityEntry): [string, ReviewSum][] => {
  const { currency, base, review = [] } = entry;
  if (review.length === 0) return [];
  const sum = { gross: grossAmount(base), tax: entryTax(entry), count: 1 };
  return ['any', ...review].map((code) => [`${code} ${currency}`, sum]);
};

const totalsOfEntry = (entry: LiabilityEntry): Totals => {
  const { currency, base, amounts } = entry;
  const rows = [...Map.groupBy(amounts, ({ jurisdiction_code }) => jurisdiction_code).values()];
  const sums = rows.map((ofJurisdiction) => jurisdictionSum(entry, ofJurisdiction));
  const taxes = sums
    .map(({ sum: { tax, difference, over_collected } }) => ({ ...zeroSum, tax, difference, over_collected }))
    .reduce(plus, zeroSum);
  const whole = asEntry(plus(taxes, base), entry);
  return {
    jurisdictions: new Map(sums.map((sum) => [totalsKey(sum), sum])),
    summary: new Map([[currency, whole]]),
    exceptions: new Map(exceptionSums(entry)),
    review: new Map(reviewSums(entry)),
  };
};

/** Returns the totals after adding these entries. */
export const withEntries = (totals: Totals, entries: readonly LiabilityEntry[]): Totals =>
  totalsOfAll([totals, ...entries.map(totalsOfEntry)]);
