import type { Problem } from '../../base/problem.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import type { LineItemResponse } from '../../calculations/response.ts';
import { decimal, digits, rescale } from '../../money/decimal.ts';
import type { Share } from './arithmetic.ts';
import { overCredit } from './problems.ts';

/** The units that a credit takes of lines of its sale at the price at which they were sold, by the id of the line. */
export type CreditedUnits = Map<string, bigint>;

const exact = (text: string): bigint => rescale(decimal(text), digits.fraction);
const one = exact('1');

/**
 * The problem of a credit line with more units than were sold, or `null`. Adds its units to the credit's.
 *
 * At the price of the sale, the lines of one credit together have at most the units of the sold line. At another price, a
 * quantity of 1 stands for a part of the line's amount, whatever the quantity sold: any other is at most the one sold.
 * Several credits are bounded by money alone (`remaining.ts`).
 */
export const unitsProblem = (
  { quantity, unit_price }: Pick<LineItemRequest, 'quantity' | 'unit_price'>,
  sold: LineItemResponse,
  credited: CreditedUnits,
  { left, currency, pointer }: { readonly left: Share; readonly currency: string; readonly pointer: string },
): Problem | null => {
  const units = exact(quantity);
  const isAsSold = exact(unit_price ?? sold.unit_price) === exact(sold.unit_price);
  const together = (credited.get(sold.id) ?? 0n) + units;
  if (isAsSold) credited.set(sold.id, together);
  const isTooMany = isAsSold ? together > exact(sold.quantity) : units > exact(sold.quantity) && units !== one;
  return isTooMany
    ? overCredit(left, currency, `${pointer}/quantity`, 'units', `${sold.quantity} of line ${sold.id}`)
    : null;
};
