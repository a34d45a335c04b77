import { exponentOf, formatAmount, parseAmount } from '../money/currency.ts';
import { decimal, digits, rescale } from '../money/decimal.ts';
import type { OpenAmounts, OpenEntry } from '../transactions/open-entries.ts';
import type { FilingSummary } from './filing.ts';
import type { FilingTotal } from './response.ts';

/** Sums in minor units, and the number of entries that they come from, credits included. */
type Sum = { readonly taxable: bigint; readonly exempt: bigint; readonly tax: bigint; readonly count: number };

type Reporting = { readonly code: string; readonly month: string };

type JurisdictionSum = Pick<OpenAmounts, 'jurisdiction_code' | 'jurisdiction_name' | 'jurisdiction_type'> & {
  readonly currency: string;
  /** The code in the state's return, and the newest month with an entry that has it; `null` if no entry has a code. */
  readonly reporting: Reporting | null;
  readonly sum: Sum;
  readonly rates: ReadonlyMap<string, Sum>;
};

/** Totals of entries: by jurisdiction, currency and rate, and for the whole state by currency. */
export type Totals = {
  readonly jurisdictions: ReadonlyMap<string, JurisdictionSum>;
  readonly summary: ReadonlyMap<string, Sum>;
};

export const noTotals: Totals = { jurisdictions: new Map(), summary: new Map() };

const nothing: Sum = { taxable: 0n, exempt: 0n, tax: 0n, count: 0 };

const plus = (a: Sum, b: Sum): Sum => ({
  taxable: a.taxable + b.taxable,
  exempt: a.exempt + b.exempt,
  tax: a.tax + b.tax,
  count: a.count + b.count,
});

const addTo = <Key>(sums: Map<Key, Sum>, key: Key, sum: Sum): void =>
  void sums.set(key, plus(sums.get(key) ?? nothing, sum));

// A return is filled in with the newest code. Of two codes in one month, the choice must not depend on the order.
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

const keyOf = ({ jurisdiction_code, currency }: JurisdictionSum) => `${jurisdiction_code} ${currency}`;

/** The sum of several totals. Pure. */
export const totalsOfAll = (all: readonly Totals[]): Totals => {
  const jurisdictions = new Map<string, JurisdictionSum>();
  const summary = new Map<string, Sum>();
  for (const totals of all) {
    for (const [key, sum] of totals.jurisdictions) jurisdictions.set(key, merged(jurisdictions.get(key), sum));
    for (const [currency, sum] of totals.summary) addTo(summary, currency, sum);
  }
  return { jurisdictions, summary };
};

type Place = Pick<OpenEntry, 'currency' | 'month'>;

const jurisdictionSum = (
  { currency, month }: Place,
  rows: readonly OpenAmounts[],
  exponent: number,
): JurisdictionSum => {
  const { jurisdiction_code, jurisdiction_name, jurisdiction_type } = rows[0] as OpenAmounts;
  const reporting = rows
    .map(({ reporting_code: code }) => (code === null ? null : { code, month }))
    .reduce(newerCode, null);
  const rates = new Map<string, Sum>();
  for (const { rate, taxable_amount, exempt_amount, tax_amount } of rows)
    addTo(rates, rate, {
      taxable: parseAmount(taxable_amount, exponent),
      exempt: parseAmount(exempt_amount, exponent),
      tax: parseAmount(tax_amount, exponent),
      count: rates.has(rate) ? 0 : 1,
    });
  const sum = { ...[...rates.values()].reduce(plus, nothing), count: 1 };
  return { jurisdiction_code, jurisdiction_name, jurisdiction_type, currency, reporting, sum, rates };
};

const totalsOfEntry = ({ currency, month, base, amounts }: OpenEntry): Totals => {
  const exponent = exponentOf(currency);
  const rows = [...Map.groupBy(amounts, ({ jurisdiction_code }) => jurisdiction_code).values()];
  const sums = rows.map((ofJurisdiction) => jurisdictionSum({ currency, month }, ofJurisdiction, exponent));
  const whole = {
    taxable: parseAmount(base.taxable_amount, exponent),
    exempt: parseAmount(base.exempt_amount, exponent),
    tax: sums.reduce((tax, { sum }) => tax + sum.tax, 0n),
    count: 1,
  };
  return { jurisdictions: new Map(sums.map((sum) => [keyOf(sum), sum])), summary: new Map([[currency, whole]]) };
};

/** The totals after adding these entries. */
export const withEntries = (totals: Totals, entries: readonly OpenEntry[]): Totals =>
  totalsOfAll([totals, ...entries.map(totalsOfEntry)]);

const answered = ({ taxable, exempt, tax, count }: Sum, currency: string) => {
  const exponent = exponentOf(currency);
  return {
    gross_amount: formatAmount(taxable + exempt, exponent),
    exempt_amount: formatAmount(exempt, exponent),
    taxable_amount: formatAmount(taxable, exponent),
    tax_amount: formatAmount(tax, exponent),
    count,
  };
};

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const unitsOf = (rate: string): bigint => rescale(decimal(rate), digits.fraction);

type Rated = { readonly rate: string };
const byRate = (a: Rated, b: Rated) => {
  const above = unitsOf(a.rate) - unitsOf(b.rate);
  return above === 0n ? byText(a.rate, b.rate) : above < 0n ? -1 : 1;
};

/** The totals by jurisdiction for the API, ordered by code and currency; rates in ascending order. */
export const answeredTotals = ({ jurisdictions }: Totals): FilingTotal[] =>
  [...jurisdictions.values()]
    .map(({ sum, rates, reporting, ...jurisdiction }) => ({
      ...jurisdiction,
      reporting_code: reporting?.code ?? null,
      ...answered(sum, jurisdiction.currency),
      rates: [...rates].map(([rate, ofRate]) => ({ rate, ...answered(ofRate, jurisdiction.currency) })).sort(byRate),
    }))
    .sort((a, b) => byText(a.jurisdiction_code, b.jurisdiction_code) || byText(a.currency, b.currency));

/** The totals of the whole state, by currency. */
export const answeredSummary = ({ summary }: Totals): FilingSummary[] =>
  [...summary]
    .map(([currency, sum]) => ({ currency, ...answered(sum, currency) }))
    .sort((a, b) => byText(a.currency, b.currency));
