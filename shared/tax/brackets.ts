import { assert } from '../assert.ts';
import type { Bracket, Rounding } from '../content/release-values.ts';
import { allocate } from '../money/allocate.ts';
import { type Assessment, minorUnit } from './assessment.ts';
import { scaledRate } from './general-rate.ts';

/** An amount of a table, such as `0.17`, in cents. */
export const parseCents = (text: string): bigint => {
  assert(/^\d+\.\d{2}$/.test(text), 'a bracket is written in dollars and cents');
  return BigInt(text.replace('.', ''));
};

/**
 * The tax on a total of `cents` by a statutory table: the rate on whole dollars, plus one cent for each step that the
 * remaining cents exceed (61 Pa. Code section 31.2; Md. Code, Tax-Gen. section 11-301).
 */
export const bracketTax = (cents: bigint, rateUnits: bigint, { steps, nothing_below }: Bracket): bigint => {
  const least = nothing_below === null ? 0n : parseCents(nothing_below);
  if (cents < least) return 0n;
  // At the start of the table the tax is one cent for all steps (Md. Code, Tax-Gen. section 11-104(a)(1)(i)).
  if (nothing_below !== null && cents === least) return 1n;
  const above = cents % 100n;
  const perDollar = (100n * rateUnits) / minorUnit;
  return (cents / 100n) * perDollar + BigInt(steps.filter((step) => above > parseCents(step)).length);
};

/** The table for a jurisdiction's tax at a rate, if there is one. Caps and fees have no table. */
export const bracketFor = (
  rounding: Rounding,
  code: string,
  rateUnits: bigint,
  { taxable, exact }: Pick<Assessment, 'taxable' | 'exact'>,
): Bracket | undefined =>
  rounding.method === 'bracket' && exact === taxable * rateUnits
    ? rounding.brackets.find(({ jurisdiction, rate }) => jurisdiction === code && scaledRate(rate).units === rateUnits)
    : undefined;

/** Round assessments by their table, on their total, and allocate the tax by largest remainder. */
export const roundByBracket = (group: readonly Assessment[], bracket: Bracket): bigint[] => {
  const cents = group.reduce((sum, { taxable }) => sum + taxable, 0n);
  return allocate(
    bracketTax(cents, group[0]?.rate.units ?? 0n, bracket),
    group.map(({ exact }) => exact),
  );
};
