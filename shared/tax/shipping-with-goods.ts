import type { Assessment } from './assessment.ts';
import type { TaxDocument } from './document.ts';
import type { Charge } from './round-charges.ts';
import { roundSum } from './rounding.ts';
import { sum } from './widest-base.ts';

/** Whether the state of an assessment rounds shipping together with the goods. */
const isWithGoods = ({ treatment: { rounding } }: Assessment): boolean =>
  rounding.method === 'half_up' && rounding.shipping === 'with_goods';

/** The exact tax of all lines in a state. Fees are included: they are whole cents and do not change rounding. */
const exactGoods = (lines: readonly Charge[], state: string): bigint =>
  sum(
    lines.flatMap(({ assessments }) =>
      assessments.map(({ treatment, exact }) => (treatment.state === state ? exact : 0n)),
    ),
  );

/**
 * Round the tax on shipping together with the goods, in states with `shipping: 'with_goods'`, where the account rounds by
 * line and tax is added to the prices. `taxes` has the lines and, last, the shipping rounded by itself. Only the shipping's
 * taxes change.
 *
 * In each such state the tax on shipping is `round(goods + shipping) - round(goods)`, of the exact taxes of all goods of
 * the document in that state and of the shipping. An order of one line is thus rounded once, as one receipt: in Texas
 * (6.25 %), jeans of 99.00 owe 6.1875 and delivery of 6.00 owes 0.3750. The line has 6.19 and the shipping 0.37, because
 * both together owe 6.5625, which is 6.56; by itself the shipping would have 0.38.
 *
 * With several lines, each keeps its own rounding, and the shipping does not compensate for it: two
 * lines of 0.24 owe 0.0150 each and have 0.02 each. With shipping of 1.00 (0.0625), the goods owe 0.0300 and all
 * 0.0925, so that the shipping has 0.09 - 0.03 = 0.06, and the order 0.10. The tax on shipping is therefore always its
 * exact tax rounded up or down, never a whole cent off, and never negative.
 */
export const roundShippingWithGoods = (
  { rounding, lines }: TaxDocument,
  charges: readonly Charge[],
  taxes: readonly (readonly bigint[])[],
): readonly (readonly bigint[])[] => {
  const delivery = charges[lines.length];
  if (rounding === 'invoice' || !delivery?.assessments.some(isWithGoods)) return taxes;
  const { assessments, isBracketed } = delivery;
  const rounded = [...(taxes[lines.length] as readonly bigint[])];
  const stateOf = (assessment: Assessment) => (isWithGoods(assessment) ? assessment.treatment.state : null);
  for (const [state, indexes] of Map.groupBy(assessments.keys(), (index) =>
    stateOf(assessments[index] as Assessment),
  )) {
    // Mandatory tables of other states have rounded their part by state already.
    if (state === null && isBracketed) continue;
    const own = indexes.map((index) => assessments[index] as Assessment);
    const parts = roundSum(own, state === null ? 0n : exactGoods(charges.slice(0, -1), state));
    for (const [position, index] of indexes.entries()) rounded[index] = parts[position] as bigint;
  }
  return taxes.with(lines.length, rounded);
};
