import type { Assessment } from './assessment.ts';
import type { TaxDocument } from './document.ts';
import type { Charge } from './round-charges.ts';
import { roundSum } from './rounding.ts';

/** Whether the state of an assessment rounds shipping together with the goods. */
const isWithGoods = ({ treatment: { rounding } }: Assessment): boolean =>
  rounding.method === 'half_up' && rounding.shipping === 'with_goods';

/** Add the exact tax of a charge to that of each state. Fees are included: they are whole cents and do not change rounding. */
const addExacts = (exacts: Map<string, bigint>, { assessments }: Charge): void => {
  for (const { treatment, exact } of assessments)
    exacts.set(treatment.state, (exacts.get(treatment.state) ?? 0n) + exact);
};

/**
 * Round the tax on shipping together with the goods, in states with `shipping: 'with_goods'`, where the account rounds by
 * line and tax is added to the prices. `charges` are the goods (the first `goods` of them) and then the shipping charges;
 * `taxes` are theirs, each rounded by itself. Only the taxes of the shipping change.
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
 *
 * Of several shipping charges, each is rounded with the goods and the charges before it.
 */
export const roundShippingWithGoods = (
  rounding: TaxDocument['rounding'],
  goods: number,
  charges: readonly Charge[],
  taxes: readonly (readonly bigint[])[],
): readonly (readonly bigint[])[] => {
  if (rounding === 'invoice') return taxes;
  if (!charges.slice(goods).some(({ assessments }) => assessments.some(isWithGoods))) return taxes;
  const before = new Map<string, bigint>();
  for (const charge of charges.slice(0, goods)) addExacts(before, charge);
  return taxes.map((own, position) => {
    const charge = charges[position] as Charge;
    const { assessments, isOnInvoice } = charge;
    if (position < goods) return own;
    const rounded = [...own];
    const stateWithGoods = (assessment: Assessment) => (isWithGoods(assessment) ? assessment.treatment.state : null);
    for (const [state, indexes] of Map.groupBy(assessments.keys(), (index) =>
      stateWithGoods(assessments[index] as Assessment),
    )) {
      // States that require rounding on the invoice have rounded their part already.
      if (state === null && isOnInvoice) continue;
      const ofState = indexes.map((index) => assessments[index] as Assessment);
      const parts = roundSum(ofState, state === null ? 0n : (before.get(state) ?? 0n));
      for (const [part, index] of indexes.entries()) rounded[index] = parts[part] as bigint;
    }
    addExacts(before, charge);
    return rounded;
  });
};
