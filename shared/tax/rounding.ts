import { assert } from '../assert.ts';
import { type Bracket, rateDecimals } from '../content/release.ts';
import { allocate, topUp } from '../money/allocate.ts';
import { divideHalfUp, powerOfTen } from '../money/decimal.ts';
import type { Assessment } from './effect.ts';

/** One minor unit of the currency, in the scale of taxable base times rate. */
const minorUnit = powerOfTen(rateDecimals);

/** Tax before rounding, in units of `10^-rateDecimals` of a minor unit. */
const exactTax = ({ taxable, rate }: Assessment): bigint => taxable * rate.units;

/**
 * Round the tax of assessments that are rounded together: their exact taxes are summed, rounded once (half up), and
 * split over them by largest remainder, so that the parts always sum (interface decisions 2; SSUTA section 324).
 */
export const roundTogether = (assessments: readonly Assessment[]): bigint[] => {
  let sum = 0n;
  let floors = 0n;
  const parts: bigint[] = [];
  const remainders: bigint[] = [];
  for (const assessment of assessments) {
    const exact = exactTax(assessment);
    const floor = exact / minorUnit;
    sum += exact;
    floors += floor;
    parts.push(floor);
    remainders.push(exact - floor * minorUnit);
  }
  return topUp(parts, remainders, divideHalfUp(sum, minorUnit) - floors);
};

// Brackets are written in dollars and cents: "0.17" is 17.
const centsOf = (text: string): bigint => {
  assert(/^\d+\.\d{2}$/.test(text), 'a bracket is written in dollars and cents');
  return BigInt(text.replace('.', ''));
};

/**
 * The tax on a total of `cents` by a statutory table: the rate on whole dollars, and for the cents above as many cents as
 * there are steps below them (61 Pa. Code section 31.2; Md. Code, Tax-Gen. section 11-301).
 */
const bracketTax = (cents: bigint, rateUnits: bigint, { steps, nothing_below }: Bracket): bigint => {
  const least = nothing_below === null ? 0n : centsOf(nothing_below);
  if (cents < least) return 0n;
  // Just where the table begins it takes one cent, whatever its steps say (Md. Code, Tax-Gen. section 11-104(a)(1)(i)).
  if (nothing_below !== null && cents === least) return 1n;
  const above = cents % 100n;
  const perDollar = (100n * rateUnits) / minorUnit;
  return (cents / 100n) * perDollar + BigInt(steps.filter((step) => above > centsOf(step)).length);
};

const bracketOf = ({ treatment, rate }: Assessment): Bracket | undefined =>
  treatment.rounding.method === 'bracket'
    ? treatment.rounding.brackets.find(
        (bracket) => bracket.jurisdiction === treatment.jurisdiction.code && isSameRate(bracket.rate, rate.units),
      )
    : undefined;

const isSameRate = (text: string, units: bigint) =>
  BigInt(text.replace('.', '').padEnd(text.indexOf('.') < 0 ? text.length : rateDecimals + text.indexOf('.'), '0')) ===
  units;

/**
 * Round the tax of one state on the whole invoice: what its mandatory tables name by the table, the rest together half
 * up. A table's total is allocated to its assessments by largest remainder; the rest to the charges (lines, shipping)
 * that the assessments belong to, and then to the assessments of each, so that no line is a whole cent off.
 */
export const roundInvoice = (assessments: readonly Assessment[], charges: readonly number[] = []): bigint[] => {
  const taxes: bigint[] = new Array(assessments.length).fill(0n);
  const groups = Map.groupBy(assessments.keys(), (index) => bracketOf(assessments[index] as Assessment));
  for (const [bracket, indexes] of groups) {
    const group = indexes.map((index) => assessments[index] as Assessment);
    const parts = bracket
      ? roundByBracket(group, bracket)
      : roundByCharge(
          group,
          indexes.map((index) => charges[index]),
        );
    for (const [position, index] of indexes.entries()) taxes[index] = parts[position] as bigint;
  }
  return taxes;
};

const roundByCharge = (group: readonly Assessment[], charges: readonly (number | undefined)[]): bigint[] => {
  const members = [...Map.groupBy(group.keys(), (index) => charges[index]).values()];
  const exacts = members.map((indexes) =>
    indexes.reduce((sum, index) => sum + exactTax(group[index] as Assessment), 0n),
  );
  const taxes: bigint[] = new Array(group.length);
  const total = divideHalfUp(
    exacts.reduce((one, other) => one + other, 0n),
    minorUnit,
  );
  for (const [charge, tax] of split(total, exacts).entries()) {
    const indexes = members[charge] as number[];
    const parts = split(
      tax,
      indexes.map((index) => exactTax(group[index] as Assessment)),
    );
    for (const [position, index] of indexes.entries()) taxes[index] = parts[position] as bigint;
  }
  return taxes;
};

/** Split a rounded total over the exact taxes that it was rounded from, by largest remainder. */
const split = (total: bigint, exacts: readonly bigint[]): bigint[] => {
  const parts = exacts.map((exact) => exact / minorUnit);
  const remainders = exacts.map((exact) => exact % minorUnit);
  return topUp(parts, remainders, total - parts.reduce((one, other) => one + other, 0n));
};

const roundByBracket = (group: readonly Assessment[], bracket: Bracket): bigint[] => {
  const cents = group.reduce((sum, { taxable }) => sum + taxable, 0n);
  return allocate(bracketTax(cents, group[0]?.rate.units ?? 0n, bracket), group.map(exactTax));
};
