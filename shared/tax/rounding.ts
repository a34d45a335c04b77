import { assert } from '../base/assert.ts';
import { type Bracket, isPerInvoice, type Rounding } from '../catalog/release-values.ts';
import { allocate, distributeRemainder, sum } from '../money/allocate.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { type Assessment, minorUnit, scaledRate } from './assessment.ts';
import type { TaxDocument } from './document.ts';

/** Parses an amount of a bracket table, such as `0.17`, to cents. */
export const parseCents = (text: string): bigint => {
  assert(/^\d+\.\d{2}$/.test(text), 'a bracket is not written in dollars and cents');
  return BigInt(text.replace('.', ''));
};

/**
 * Returns the tax on a total of `cents` by a statutory table: the rate on whole dollars, plus one cent for each step
 * that the remaining cents exceed (61 Pa. Code section 31.2; Md. Code, Tax-Gen. section 11-301).
 */
export const bracketTax = (cents: bigint, rateUnits: bigint, { steps, nothing_below }: Bracket): bigint => {
  const least = nothing_below === null ? 0n : parseCents(nothing_below);
  if (cents < least) return 0n;
  // At exactly `nothing_below`, the tax is one cent (Md. Code, Tax-Gen. section 11-104(a)(1)(i)).
  if (nothing_below !== null && cents === least) return 1n;
  const above = cents % 100n;
  const perDollar = (100n * rateUnits) / minorUnit;
  return (cents / 100n) * perDollar + BigInt(steps.filter((step) => above > parseCents(step)).length);
};

/** Returns the table for a jurisdiction's tax at a rate, if there is one. Caps and fees have no table. */
export const bracketFor = (
  rounding: Rounding,
  code: string,
  rateUnits: bigint,
  { taxable, exact }: Pick<Assessment, 'taxable' | 'exact'>,
): Bracket | undefined =>
  rounding.method === 'bracket' && exact === taxable * rateUnits
    ? rounding.brackets.find(({ jurisdiction, rate }) => jurisdiction === code && scaledRate(rate).units === rateUnits)
    : undefined;

const firstRounding = ([first]: readonly Assessment[]): Rounding | undefined => first?.treatment.rounding;

/** Returns whether a state drops exactly half a cent (S.C. Code 12-36-940(C)). */
export const dropsHalf = (rounding: Rounding | undefined): boolean =>
  rounding?.method === 'half_up' && rounding.half === 'down';

/** Rounds an exact tax to whole minor units: half a unit up, or down if the state drops it. */
export const roundExact = (exact: bigint, rounding: Rounding | undefined): bigint =>
  divideHalfUp(dropsHalf(rounding) && exact > 0n ? exact - 1n : exact, minorUnit);

/** Splits a rounded total by largest remainder over the exact taxes that it was rounded from. */
const split = (total: bigint, exacts: readonly bigint[]): bigint[] => {
  // Division dominates the cost, and a third of all rows have no tax.
  const parts = exacts.map((exact) => (exact === 0n ? 0n : exact / minorUnit));
  const remainders = exacts.map((exact, index) => exact - (parts[index] as bigint) * minorUnit);
  return distributeRemainder(parts, remainders, total - sum(parts));
};

/**
 * Rounds assessments together: sums their exact taxes, rounds once (half up) and allocates by largest remainder, so the
 * parts always add up (SSUTA section 324).
 *
 * `before` is an exact tax that is rounded elsewhere. With it, the result is `round(before + sum) - round(before)`: the
 * sum rounded up or down, so it is never negative.
 */
export const roundSum = (assessments: readonly Assessment[], before = 0n): bigint[] => {
  const exacts = assessments.map(({ exact }) => exact);
  if (exacts.every((exact) => exact === 0n)) return exacts;
  const rounding = firstRounding(assessments);
  const alone = before === 0n ? 0n : roundExact(before, rounding);
  return split(roundExact(before + sum(exacts), rounding) - alone, exacts);
};

/** Returns whether all assessments are of one state. Only a shipping charge can be taxed in several. */
const isOneState = (assessments: readonly Assessment[]): boolean =>
  assessments.every(({ treatment }) => treatment.state === assessments[0]?.treatment.state);

/** Returns the tax on assessments of one state that are rounded together: the sum of `roundSum`. */
const roundTotal = (assessments: readonly Assessment[]): bigint => {
  const exact = sum(assessments.map((assessment) => assessment.exact));
  return exact === 0n ? 0n : roundExact(exact, firstRounding(assessments));
};

/** Returns the tax on assessments that are rounded together in each of their states. */
export const totalByState = (assessments: readonly Assessment[]): bigint =>
  isOneState(assessments)
    ? roundTotal(assessments)
    : sum([...Map.groupBy(assessments, ({ treatment }) => treatment.state).values()].map(roundTotal));

/** A line or shipping charge, rounded as a unit if the account rounds by line. */
export type Charge = {
  readonly assessments: readonly Assessment[];
  /** Whether the state requires rounding on the invoice total, by a table or half up. */
  readonly isOnInvoice: boolean;
};

/** Returns whether a charge is rounded on the invoice, because the account or the state requires it. */
export const isRoundedOnInvoice = (rounding: TaxDocument['rounding'], { isOnInvoice }: Charge): boolean =>
  rounding === 'invoice' || isOnInvoice;

/** An assessment on an invoice, with the index of its charge, and the tax that rounding gives it. */
type Entry = { readonly charge: number; readonly assessment: Assessment; tax: bigint };

const exactTaxes = (entries: readonly Entry[]): bigint[] => entries.map(({ assessment }) => assessment.exact);

const findBracket = ({ assessment }: Entry): Bracket | undefined => {
  const { treatment, rate } = assessment;
  return bracketFor(treatment.rounding, treatment.jurisdiction.code, rate.units, assessment);
};

/** Rounds the total of entries by their table, and allocates it by largest remainder. */
const roundByBracket = (entries: readonly Entry[], bracket: Bracket): bigint[] => {
  const cents = sum(entries.map(({ assessment }) => assessment.taxable));
  return allocate(bracketTax(cents, scaledRate(bracket.rate).units, bracket), exactTaxes(entries));
};

/** Rounds the total of entries half up, and splits it by charge and then by entry, in their order. */
const roundByCharge = (entries: readonly Entry[]): bigint[] => {
  const charges = [...Map.groupBy(entries, ({ charge }) => charge).values()];
  const exacts = charges.map((own) => sum(exactTaxes(own)));
  const total = roundExact(sum(exacts), firstRounding(entries.map(({ assessment }) => assessment)));
  const taxes = split(total, exacts);
  return charges.flatMap((own, index) => split(taxes[index] as bigint, exactTaxes(own)));
};

/**
 * Rounds charges on the invoice of each state: by its mandatory tables, and the remaining rows together half up. A
 * table's total is allocated to its assessments by largest remainder. The remaining tax is allocated first to the
 * charges (lines, shipping) and then to the assessments of each, so no line is off by a whole cent. Returns taxes by
 * charge.
 */
export const roundOnInvoice = (charges: readonly (readonly Assessment[])[]): bigint[][] => {
  const entries = charges.map((assessments, charge) =>
    assessments.map((assessment): Entry => ({ charge, assessment, tax: 0n })),
  );
  for (const invoice of Map.groupBy(entries.flat(), ({ assessment }) => assessment.treatment.state).values())
    for (const [bracket, group] of Map.groupBy(invoice, findBracket)) {
      const taxes = bracket ? roundByBracket(group, bracket) : roundByCharge(group);
      for (const [index, entry] of group.entries()) entry.tax = taxes[index] as bigint;
    }
  return entries.map((own) => own.map(({ tax }) => tax));
};

/**
 * Returns the total tax of charges that are rounded on their invoice: the sum of `roundOnInvoice`, without allocating
 * it.
 */
export const totalOnInvoice = (charges: readonly (readonly Assessment[])[]): bigint => {
  const all = charges.flat();
  if (all.some(({ treatment }) => treatment.rounding.method === 'bracket'))
    return sum(roundOnInvoice(charges).map(sum));
  return totalByState(all);
};

/** Returns whether a charge is the whole invoice of one state without a table. Rounding by line is then the same. */
const isWholeInvoice = ({ assessments }: Charge, { length }: readonly Charge[]): boolean =>
  length === 1 &&
  isOneState(assessments) &&
  assessments.every(({ treatment }) => treatment.rounding.method !== 'bracket');

/**
 * Rounds the tax of every charge: by line, or on the state's invoice if the account or the state requires it. A charge
 * in several states is rounded in each of them, because the seller owes the tax of each state separately.
 */
export const roundCharges = (rounding: TaxDocument['rounding'], charges: readonly Charge[]): bigint[][] => {
  const taxes: bigint[][] = new Array(charges.length);
  const onInvoice: number[] = [];
  for (const [index, charge] of charges.entries()) {
    if (isRoundedOnInvoice(rounding, charge) && !isWholeInvoice(charge, charges)) onInvoice.push(index);
    else if (isOneState(charge.assessments)) taxes[index] = roundSum(charge.assessments);
    else taxes[index] = roundOnInvoice([charge.assessments])[0] as bigint[];
  }
  if (onInvoice.length === 0) return taxes;
  const rounded = roundOnInvoice(onInvoice.map((index) => (charges[index] as Charge).assessments));
  for (const [position, index] of onInvoice.entries()) {
    const { assessments } = charges[index] as Charge;
    const own = rounded[position] as bigint[];
    taxes[index] = own;
    if (rounding === 'invoice' || isOneState(assessments)) continue;
    // The charge can also be in states that do not require rounding on the invoice.
    const alone = roundOnInvoice([assessments])[0] as bigint[];
    const isRequired = (at: number) => isPerInvoice((assessments[at] as Assessment).treatment.rounding);
    taxes[index] = own.map((tax, at) => (isRequired(at) ? tax : (alone[at] as bigint)));
  }
  return taxes;
};
