import type { TaxDocument, Treatment } from './document.ts';
import type { Assessment } from './effect.ts';
import { roundInvoice, roundTogether } from './rounding.ts';
import { extractTax } from './tax-included.ts';

/** What is assessed and rounded as one: a line, or the shipping. */
export type Charge = {
  /** What it is assessed on, without tax. */
  readonly base: bigint;
  readonly widest: Widest;
  readonly treatments: readonly Treatment[];
  readonly assessments: readonly Assessment[];
  /** The tax where it is settled before rounding: the difference between a gross amount and its net. */
  readonly tax: bigint | null;
};

type Widest = (assessments: readonly Assessment[]) => bigint;

/** The sum of amounts. */
export const sum = (amounts: readonly bigint[]): bigint => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

type Assessor = Pick<Charge, 'treatments' | 'widest'> & {
  readonly assessAll: (net: bigint) => readonly Assessment[];
};

/** Assess an amount; where tax is included in it, take the tax out first. */
export const chargeOf = ({ taxIncluded }: TaxDocument, amount: bigint, assessor: Assessor): Charge => {
  const { assessAll, treatments, widest } = assessor;
  if (!taxIncluded) return { base: amount, widest, treatments, assessments: assessAll(amount), tax: null };
  const { net, tax } = extractTax(amount, (candidate) => {
    const assessments = assessAll(candidate);
    return sum(assessments.some(isBracketed) ? roundInvoice(assessments) : roundTogether(assessments));
  });
  return { base: net, widest, treatments, assessments: assessAll(net), tax };
};

/** Whether a state's mandatory table rounds it, on the whole invoice. */
export const isBracketed = ({ treatment }: Assessment): boolean => treatment.rounding.method === 'bracket';

/** What is taxed of a line at all: its jurisdictions tax the same goods, so the widest of their bases. */
export const widestBase: Widest = (assessments) => {
  let widest = 0n;
  for (const { taxable } of assessments) if (taxable > widest) widest = taxable;
  return widest;
};

/** The same for shipping, which may have several rows in one jurisdiction and lines in several states. */
export const widestShippingBase: Widest = (assessments) => {
  const states = Map.groupBy(assessments, ({ treatment }) => treatment.state);
  const bases = [...states.values()].map((rows) => {
    const jurisdictions = Map.groupBy(rows, ({ treatment }) => treatment.jurisdiction.code);
    return [...jurisdictions.values()].map((parts) => sum(parts.map(({ taxable }) => taxable)));
  });
  return sum(bases.map((amounts) => amounts.reduce((one, other) => (one > other ? one : other))));
};
