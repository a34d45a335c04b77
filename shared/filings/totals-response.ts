import { writerFor } from '../calculations/figures.ts';
import { reviewCodes } from '../calculations/warning-codes.ts';
import {
  type Amounts,
  exceptionReasons,
  grossAmount,
  type NamedExemption,
  namedExemptions,
  type Sum,
} from '../ledger/entries/entry.ts';
import { formatAmount, minorDigits, parseAmount } from '../money/currency.ts';
import { decimal, digits, rescale } from '../money/decimal.ts';
import type { ExceptionSums, FilingSummary, ReviewSums } from './filing.ts';
import type { FilingTotal } from './response.ts';
import { inOrder, type JurisdictionSum, type Totals } from './totals.ts';

/** Formats the amounts of a sum for the API. */
export const formatAmounts = (sum: Amounts, currency: string) => {
  const write = writerFor(minorDigits(currency));
  const { taxable, exempt, tax, difference = 0n, not_covered = 0n, over_collected = 0n } = sum;
  const named = namedExemptions.map((name) => [name, write(sum[name] ?? 0n)]);
  // In the schema, the part of products comes after `resale`.
  const { resale, ...others } = Object.fromEntries(named) as Record<NamedExemption, string>;
  const product = write(namedExemptions.reduce((rest, name) => rest - (sum[name] ?? 0n), exempt));
  return {
    gross_amount: write(grossAmount(sum)),
    exempt_amount: write(exempt),
    exempt_by_reason: { resale, product, ...others },
    not_covered_amount: write(not_covered),
    taxable_amount: write(taxable),
    calculated_tax_amount: write(tax - difference),
    tax_amount: write(tax),
    over_collected_amount: write(over_collected),
  };
};

const formatSum = (sum: Sum, currency: string) => ({
  ...formatAmounts(sum, currency),
  credit_amount: formatAmount(sum.credit ?? 0n, minorDigits(currency)),
  credit_count: sum.credits ?? 0,
  count: sum.count,
});

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const rateUnits = (rate: string): bigint => rescale(decimal(rate), digits.fraction);

type Rated = { readonly rate: string };
const byRate = (a: Rated, b: Rated) => {
  const above = rateUnits(a.rate) - rateUnits(b.rate);
  return above === 0n ? byText(a.rate, b.rate) : above < 0n ? -1 : 1;
};

const toTaxDue = ({ tax, difference = 0n, over_collected = 0n, ...sum }: Sum, currency: string) => {
  const { in_state = 0n, food_drug = 0n, fee = 0n } = sum;
  const write = writerFor(minorDigits(currency));
  return {
    in_state: write(in_state),
    out_of_state: write(tax - difference + over_collected - in_state - food_drug - fee),
    food_and_drugs: write(food_drug),
    fees: write(fee),
  };
};

/** The total of one jurisdiction and currency for the API; rates in ascending order. */
export const toFilingTotal = ({ sum, rates, reporting, ...jurisdiction }: JurisdictionSum): FilingTotal => ({
  ...jurisdiction,
  reporting_code: reporting?.code ?? null,
  ...formatSum(sum, jurisdiction.currency),
  tax_due: toTaxDue(sum, jurisdiction.currency),
  rates: [...rates].map(([rate, ofRate]) => ({ rate, ...formatSum(ofRate, jurisdiction.currency) })).sort(byRate),
});

/** The totals by jurisdiction for the API, ordered by currency and code. */
export const toFilingTotals = ({ jurisdictions }: Pick<Totals, 'jurisdictions'>): FilingTotal[] =>
  inOrder(jurisdictions).map(([, sum]) => toFilingTotal(sum));

/** The totals of the whole state, by currency. */
export const toFilingSummary = ({ summary }: Pick<Totals, 'summary'>): FilingSummary[] =>
  [...summary]
    .map(([currency, sum]) => ({ currency, ...formatSum(sum, currency) }))
    .sort((a, b) => byText(a.currency, b.currency));

/** Formats the sums with this name, by currency. */
const sumsNamed = <Sum extends { readonly gross: bigint; readonly count: number; readonly tax?: bigint }>(
  sums: ReadonlyMap<string, Sum>,
  wanted: string,
) =>
  [...sums]
    .flatMap(([key, { count, gross, tax = 0n }]) => {
      const [name, currency = ''] = key.split(' ');
      const write = writerFor(minorDigits(currency));
      return name === wanted ? [{ currency, count, gross_amount: write(gross), tax_amount: write(tax) }] : [];
    })
    .sort((a, b) => byText(a.currency, b.currency));

/** The number of entries, and an amount of them; `null` if they are in several currencies. */
const getCount = (any: ReturnType<typeof sumsNamed>) => any.reduce((sum, { count }) => sum + count, 0);
const getAmount = (any: ReturnType<typeof sumsNamed>, name: 'gross_amount' | 'tax_amount') =>
  any.length > 1 ? null : (any[0]?.[name] ?? '0.00');

/** The entries that need attention before the return is sent. */
export const toExceptionSums = ({ exceptions }: Pick<Totals, 'exceptions'>): ExceptionSums => {
  const any = sumsNamed(exceptions, 'any');
  return {
    count: getCount(any),
    gross_amount: getAmount(any, 'gross_amount'),
    by_reason: exceptionReasons.flatMap((reason) =>
      sumsNamed(exceptions, reason).map(({ tax_amount: _, ...sum }) => ({ reason, ...sum })),
    ),
  };
};

/** The entries with warnings that can change their tax. */
export const toReviewSums = ({ review }: Pick<Totals, 'review'>): ReviewSums => {
  const any = sumsNamed(review, 'any');
  return {
    count: getCount(any),
    gross_amount: getAmount(any, 'gross_amount'),
    tax_amount: getAmount(any, 'tax_amount'),
    by_code: reviewCodes.flatMap((code) => sumsNamed(review, code).map((sum) => ({ code, ...sum }))),
  };
};

/**
 * Returns the amounts due of a return by currency: the calculated and the over-collected tax with fees, before a vendor
 * discount and prepayments. Negative if credits exceed sales.
 */
export const amountsDue = (summary: readonly FilingSummary[]): { currency: string; amount: string }[] =>
  summary.map(({ currency, calculated_tax_amount, over_collected_amount }) => {
    const exponent = minorDigits(currency);
    const due = parseAmount(calculated_tax_amount, exponent) + parseAmount(over_collected_amount, exponent);
    return { currency, amount: formatAmount(due, exponent) };
  });
