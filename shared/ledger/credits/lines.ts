import { accept, type Result, refuse } from '../../base/result.ts';
import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { isReduction } from '../../calculations/charges.ts';
import { discountTooLarge } from '../../calculations/discount-problems.ts';
import { documentIds } from '../../calculations/echo.ts';
import { listCharges, listTaxRows } from '../../calculations/figures.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import { crossFieldProblems } from '../../calculations/request-problems.ts';
import type { LineItemResponse, Warning } from '../../calculations/response.ts';
import { formatAmount, parseAmount } from '../../money/currency.ts';
import { jurisdictionCode, stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import type { Transaction } from '../transaction.ts';
import { type Balance, chargeAmounts, minus, moved, recordedTax, remainingShare, type Share } from './arithmetic.ts';
import { creditLine, excessiveDiscount, sizeLine } from './credit-lines.ts';
import { type CreditContext, unmatchedBasis } from './credit-request.ts';
import { creditSentShipping } from './credit-shipping.ts';
import { unmatchedWarning } from './credit-warnings.ts';
import { creditOutcome } from './outcome.ts';
import { negativePrice, otherState, overCredit, redactedSale, unknownLine } from './problems.ts';
import { parentLineId, type Remaining } from './remaining.ts';
import { type CreditedUnits, unitsProblem } from './sold-units.ts';

type CreditedLines = {
  readonly lines: (LineItemResponse | null)[];
  readonly warnings: Warning[];
  readonly balances: Map<string, Balance>;
  readonly units: CreditedUnits;
};

/** The outcome that credits the sent lines and shipping. */
export const linesOutcome = (credit: CreditContext, remaining: Remaining): Result<Outcome> => {
  const { parent, request, exponent } = credit;
  const requested = request.line_items ?? [];
  const ids = documentIds(
    { line_items: requested },
    listCharges(parent).map(({ id }) => id),
  ).lines;
  const balances = new Map(remaining.charges);
  const creditedLines: CreditedLines = { lines: [], warnings: [], balances, units: new Map() };
  for (const [index, line] of requested.entries()) {
    const problem = creditOneLine(creditedLines, credit, line, ids[index] as string, index);
    if (problem) return refuse(problem);
  }
  const unmatchedAt = creditedLines.lines.indexOf(null);
  if (parent.redacted_at !== undefined && unmatchedAt >= 0) return refuse(redactedSale(unmatchedAt));
  const unmatched = calculateUnmatched(credit, creditedLines, ids);
  if (!unmatched.ok) return unmatched;
  const problem = stateProblem(parent, creditedLines, unmatched.value.line_items);
  if (problem) return refuse(problem);
  const shipping = creditSentShipping(credit, remaining);
  if (!shipping.ok) return shipping;
  const calculated = [...unmatched.value.line_items];
  const lines = creditedLines.lines.map((line) => line ?? (calculated.shift() as LineItemResponse));
  const credited = creditOutcome(credit, lines, shipping.value, creditedLines.warnings);
  // An unmatched line may be in a state that had no content when the sale was recorded.
  const content_releases = { ...unmatched.value.content_releases, ...credited.content_releases };
  const outcome = { ...credited, content_releases };
  const left = minus(remaining.total, sumShares(outcome, exponent));
  return left.net < 0n || left.tax < 0n
    ? refuse(overCredit(remaining.total, parent.currency, '/line_items'))
    : accept(outcome);
};

/** The problem of the first unmatched line in a state that the sale does not have, or `null`. */
const stateProblem = (parent: Transaction, { lines }: CreditedLines, unmatched: readonly LineItemResponse[]) => {
  const statesOf = (rows: readonly { readonly jurisdiction_code: string }[]) =>
    rows.map(({ jurisdiction_code }) => jurisdictionCode(stateOfJurisdiction(jurisdiction_code)));
  const states = [...new Set(statesOf(listTaxRows(parent)))].sort();
  const indexes = lines.flatMap((line, index) => (line === null ? [index] : []));
  for (const [at, { taxes }] of unmatched.entries()) {
    const other = statesOf(taxes).find((state) => !states.includes(state));
    if (other !== undefined) return otherState(indexes[at] as number, other, states);
  }
  return null;
};

const sumShares = (outcome: Outcome, exponent: number): Share => ({
  net: listCharges(outcome).reduce((sum, { net_amount }) => sum + parseAmount(net_amount, exponent), 0n),
  tax: parseAmount(outcome.tax_amount, exponent),
});

// Subtract a line from the remainder of its parent line. Several lines may share a parent line.
const creditOneLine = (
  creditedLines: CreditedLines,
  credit: CreditContext,
  line: LineItemRequest,
  id: string,
  index: number,
) => {
  const { parent, exponent } = credit;
  const pointer = `/line_items/${index}`;
  const parentId = parentLineId(line, parent);
  const parentLine = parent.line_items.find((candidate) => candidate.id === parentId);
  if (isReduction(line.unit_price) && !isReduction(parentLine?.unit_price)) return negativePrice(index);
  if (!parentLine) {
    creditedLines.lines.push(null);
    creditedLines.warnings.push(unmatchedWarning(index));
    return null;
  }
  const balance = creditedLines.balances.get(parentLine.id) as Balance;
  const sized = sizeLine(line, parentLine, balance, exponent);
  const discount = excessiveDiscount(sized);
  if (discount) return discountTooLarge(`${pointer}/${discount}`, discount);
  const left = remainingShare(balance);
  if (sized.net > left.net) {
    const credited = `The credit of ${line.quantity} of ${parentLine.quantity} units of line ${parentLine.id}, ${formatAmount(sized.net, exponent)},`;
    return overCredit(left, parent.currency, pointer, 'line', credited);
  }
  const { currency } = parent;
  const problem = unitsProblem(line, parentLine, creditedLines.units, { left, currency, pointer });
  if (problem) return problem;
  const taken = { net: sized.net, tax: recordedTax(sized.net, balance) };
  const credited = creditLine({ ...line, id }, parentLine, sized, taken, balance, exponent);
  creditedLines.balances.set(parentLine.id, {
    whole: balance.whole,
    credited: moved(balance.credited, chargeAmounts(credited, exponent), 1n),
  });
  creditedLines.lines.push(credited);
  return null;
};

const calculateUnmatched = (
  { parent, request, context }: CreditContext,
  { lines }: CreditedLines,
  ids: readonly string[],
): Result<Pick<Outcome, 'line_items' | 'content_releases'>> => {
  const requested = (request.line_items ?? []).map((line, index) => ({ ...line, id: ids[index] as string }));
  const unmatched = requested.filter((_, index) => lines[index] === null);
  if (unmatched.length === 0) return accept({ line_items: [], content_releases: {} });
  const [unknown, ...more] = (request.line_items ?? []).flatMap((line, index) =>
    lines[index] === null && !line.unit_price ? [unknownLine(index, line, parent)] : [],
  );
  if (unknown) return refuse(unknown, ...more);
  const basis = unmatchedBasis(parent, request);
  // In the order of the request, so that the pointers match it.
  const places = requested.map((line, index) => (lines[index] === null ? line : null));
  const [problem, ...others] = crossFieldProblems({ ...basis, line_items: places });
  if (problem) return refuse(problem, ...others);
  return calculate({ ...basis, type: 'credit', line_items: unmatched }, context, []);
};
