import type { Rounding } from '../content/release-values.ts';
import { distributeRemainder } from '../money/allocate.ts';
import { divideHalfUp } from '../money/decimal.ts';
import { type Assessment, minorUnit } from './assessment.ts';
import { bracketFor, roundByBracket } from './brackets.ts';
import { sum } from './widest-base.ts';

const firstRounding = ([first]: readonly Assessment[]): Rounding | undefined => first?.treatment.rounding;

/** Whether a state drops exactly half a cent (S.C. Code 12-36-940(C)). */
export const dropsHalf = (rounding: Rounding | undefined): boolean =>
  rounding?.method === 'half_up' && rounding.half === 'down';

/** Round an exact tax to whole minor units: half a unit up, or down where the state drops it. */
export const roundExact = (exact: bigint, rounding: Rounding | undefined): bigint =>
  divideHalfUp(dropsHalf(rounding) && exact > 0n ? exact - 1n : exact, minorUnit);

/**
 * Round assessments together: their exact taxes are summed, rounded once (half up) and allocated to them by largest
 * remainder, so that the parts always sum (SSUTA section 324).
 *
 * `before` is an exact tax that is rounded elsewhere. With it, the sum is `round(before + sum) - round(before)`: their own
 * sum rounded up or down, and so never negative.
 */
export const roundSum = (assessments: readonly Assessment[], before = 0n): bigint[] => {
  let exactSum = 0n;
  let floors = 0n;
  // Division dominates the time, and a third of all rows have no tax.
  const parts = assessments.map(({ exact }) => {
    const floor = exact === 0n ? 0n : exact / minorUnit;
    exactSum += exact;
    floors += floor;
    return floor;
  });
  if (exactSum === 0n) return parts;
  const remainders = assessments.map(({ exact }, index) => exact - (parts[index] as bigint) * minorUnit);
  const alone = before === 0n ? 0n : roundExact(before, firstRounding(assessments));
  return distributeRemainder(
    parts,
    remainders,
    roundExact(before + exactSum, firstRounding(assessments)) - alone - floors,
  );
};

/** The tax of assessments that are rounded together, as the sum of `roundSum`. */
export const roundTotal = (assessments: readonly Assessment[]): bigint => {
  const exact = sum(assessments.map((assessment) => assessment.exact));
  return exact === 0n ? 0n : roundExact(exact, firstRounding(assessments));
};

/**
 * Round the tax of one state on the whole invoice: by its mandatory tables, and the rest together half up. A table's total
 * is allocated to its assessments by largest remainder. The rest is allocated to the charges (lines, shipping) first and
 * then to the assessments of each, so that no line is off by a whole cent.
 */
export const roundInvoice = (assessments: readonly Assessment[], charges: readonly number[] = []): bigint[] => {
  const taxes: bigint[] = new Array(assessments.length).fill(0n);
  const groups = Map.groupBy(assessments.keys(), (index) => {
    const { treatment, rate, taxable, exact } = assessments[index] as Assessment;
    return bracketFor(treatment.rounding, treatment.jurisdiction.code, rate.units, { taxable, exact });
  });
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
  const exactAt = (index: number) => (group[index] as Assessment).exact;
  const exacts = members.map((indexes) => sum(indexes.map(exactAt)));
  const taxes: bigint[] = new Array(group.length);
  const total = roundExact(sum(exacts), firstRounding(group));
  for (const [charge, tax] of split(total, exacts).entries()) {
    const indexes = members[charge] as number[];
    const parts = split(tax, indexes.map(exactAt));
    for (const [position, index] of indexes.entries()) taxes[index] = parts[position] as bigint;
  }
  return taxes;
};

/** Split a rounded total over the exact taxes that it was rounded from, by largest remainder. */
const split = (total: bigint, exacts: readonly bigint[]): bigint[] => {
  const parts = exacts.map((exact) => exact / minorUnit);
  const remainders = exacts.map((exact) => exact % minorUnit);
  return distributeRemainder(parts, remainders, total - sum(parts));
};
