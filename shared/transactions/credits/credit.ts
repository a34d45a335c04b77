import { calculate, type Outcome } from '../../calculations/calculate.ts';
import { crossFieldProblems, discountTooLarge } from '../../calculations/cross-field.ts';
import type { Context } from '../../calculations/document.ts';
import { lineIds } from '../../calculations/line-ids.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import type { LineItemResponse, ShippingResponse, Warning } from '../../calculations/response.ts';
import { unknownFieldWarnings } from '../../calculations/warnings.ts';
import { allocate } from '../../money/allocate.ts';
import { exponentOf, formatAmount, parseAmount } from '../../money/currency.ts';
import { decimal, divideHalfUp, rescale } from '../../money/decimal.ts';
import { accept, type Result, refuse } from '../../result.ts';
import type { TransactionRequest } from '../request.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { creditProblem } from './admission.ts';
import { creditLine, excessiveDiscount, shareOf, sizeLine } from './credit-lines.ts';
import { creditOutcome } from './outcome.ts';
import { isNothing, minus, overCredit, parentLineId, type Remaining, remainingOf, type Share } from './remaining.ts';
import { recordedTax, scaleCharge, scaleShipping } from './scale.ts';

/** What a credit records: its figures with the recorded tax, and how it was asked for. */
export type Credit = { readonly outcome: Outcome; readonly kind: 'all' | 'remaining' | 'lines' };

export type CreditRequest = Pick<
  TransactionRequest,
  'line_items' | 'shipping' | 'tax_date' | 'currency' | 'customer' | 'metadata' | 'explain' | 'credit_remaining'
> & {
  readonly discount_amount?: string | null | undefined;
  readonly third_party_discount_amount?: string | null | undefined;
};

/**
 * Compute a credit of a sale (interface decisions 5): pure, from the sale as it stands now.
 *
 * Without lines the whole sale is reversed, or with `credit_remaining` what is left of it. Refused: a parent that cannot
 * be credited, another currency, and more than is left, of a line or in total.
 */
export const creditOf = (
  parent: StoredTransaction,
  request: CreditRequest,
  context: Context,
  unknownFields: readonly string[],
): Result<Credit> => {
  const credit = creditAs(parent, request, context);
  if (!credit.ok || unknownFields.length === 0) return credit;
  const { outcome, kind } = credit.value;
  return accept({
    kind,
    outcome: { ...outcome, warnings: [...unknownFieldWarnings(unknownFields), ...outcome.warnings] },
  });
};

const creditAs = (parent: StoredTransaction, request: CreditRequest, context: Context): Result<Credit> => {
  const problem = creditProblem(parent.transaction, request);
  if (problem) return refuse(problem);
  const remaining = remainingOf(parent);
  if (request.line_items) return creditLines(parent.transaction, request, remaining, context);
  const isUntouched = isNothing({
    net: parseAmount(parent.transaction.credited_amount, exponentOf(parent.transaction.currency)),
    tax: parseAmount(parent.transaction.credited_tax_amount, exponentOf(parent.transaction.currency)),
  });
  if (request.credit_remaining) return creditRemaining(parent.transaction, request, remaining, context, isUntouched);
  if (!isUntouched) return refuse(overCredit(remaining.total, parent.transaction.currency, '/parent_transaction_id'));
  return accept({ kind: 'all', outcome: wholeOutcome(parent.transaction, request, context) });
};

/** The outcome that reverses a whole sale. Each line names the one that it reverses, whatever that said of a parent. */
const wholeOutcome = (parent: Transaction, request: CreditRequest, context: Context): Outcome => {
  const lines = parent.line_items.map((line) => ({ ...line, parent_line_item_id: line.id }));
  return creditOutcome(parent, request, lines, parent.shipping, [], context);
};

const creditRemaining = (
  parent: Transaction,
  request: CreditRequest,
  remaining: Remaining,
  context: Context,
  isUntouched: boolean,
): Result<Credit> => {
  if (isNothing(remaining.total)) return refuse(overCredit(remaining.total, parent.currency, '/credit_remaining'));
  if (isUntouched) return accept({ kind: 'remaining', outcome: wholeOutcome(parent, request, context) });
  const exponent = exponentOf(parent.currency);
  const shares = capped([...remaining.lines.values(), remaining.shipping], remaining.total);
  const lines = parent.line_items.flatMap((line, index) => {
    const taken = shares[index] as Share;
    if (isNothing(taken)) return [];
    const unitPrice = formatAmount(taken.net, exponent);
    const left = remaining.lines.get(line.id) as Share;
    const thirdPartyDiscount = couponOf(line, taken, left, exponent);
    const sized = { unitPrice, amount: taken.net, discount: 0n, thirdPartyDiscount, net: taken.net };
    return [
      creditLine(
        { ...line, quantity: '1', discount_amount: null, third_party_discount_amount: null },
        line.id,
        line,
        sized,
        taken,
        left,
        exponent,
      ),
    ];
  });
  const taken = shares.at(-1) as Share;
  const shipping =
    parent.shipping && !isNothing(taken)
      ? scaleShipping(parent.shipping, parseAmount(parent.shipping_amount, exponent), {
          taken,
          left: remaining.shipping,
          exponent,
        })
      : null;
  return accept({ kind: 'remaining', outcome: creditOutcome(parent, request, lines, shipping, [], context) });
};

// What a manufacturer paid is not the customer's to get back: it goes by what is credited of the line's net.
const couponOf = (line: LineItemResponse, taken: Share, left: Share, exponent: number): bigint => {
  const [coupon, net] = [line.applied_third_party_discount_amount, line.net_amount].map((text) =>
    parseAmount(text, exponent),
  ) as [bigint, bigint];
  const upTo = (part: bigint) => (net === 0n ? 0n : divideHalfUp(coupon * part, net));
  return upTo(net - left.net + taken.net) - upTo(net - left.net);
};

// Lines that matched none may have taken from the total what the lines themselves still show.
const capped = (shares: readonly Share[], total: Share): Share[] => {
  const nets = allocate(
    total.net,
    shares.map(({ net }) => net),
  );
  const taxes = allocate(
    total.tax,
    shares.map(({ tax }) => tax),
  );
  return shares.map((_, index) => ({ net: nets[index] as bigint, tax: taxes[index] as bigint }));
};

const unmatchedWarning = (index: number): Warning => ({
  code: 'credit_line_unmatched',
  message: "No line of the parent has this id: it was calculated at the parent's releases and date.",
  pointer: `/line_items/${index}`,
});

type Drawn = {
  readonly lines: (LineItemResponse | null)[];
  readonly warnings: Warning[];
  readonly left: Map<string, Share>;
};

const creditLines = (
  parent: Transaction,
  request: CreditRequest,
  remaining: Remaining,
  context: Context,
): Result<Credit> => {
  const requested = request.line_items ?? [];
  const ids = lineIds(
    requested,
    parent.line_items.map(({ id }) => id),
  );
  const drawn: Drawn = { lines: [], warnings: [], left: new Map(remaining.lines) };
  for (const [index, line] of requested.entries()) {
    const problem = drawLine(drawn, parent, line, ids[index] as string, index);
    if (problem) return refuse(problem);
  }
  const unmatched = calculateUnmatched(parent, request, drawn, ids, context);
  if (!unmatched.ok) return unmatched;
  const shipping = drawShipping(parent, request, remaining.shipping);
  if (!shipping.ok) return shipping;
  const lines = drawn.lines.map((line) => line ?? (unmatched.value.shift() as LineItemResponse));
  const outcome = creditOutcome(parent, request, lines, shipping.value, drawn.warnings, context);
  const left = minus(remaining.total, totalOf(lines, outcome));
  return left.net < 0n || left.tax < 0n
    ? refuse(overCredit(remaining.total, parent.currency, '/line_items'))
    : accept({ kind: 'lines', outcome });
};

const totalOf = (lines: readonly LineItemResponse[], { currency, shipping_amount, tax_amount }: Outcome): Share => {
  const exponent = exponentOf(currency);
  const nets = lines.map(({ net_amount }) => parseAmount(net_amount, exponent));
  return {
    net: nets.reduce((sum, net) => sum + net, parseAmount(shipping_amount, exponent)),
    tax: parseAmount(tax_amount, exponent),
  };
};

// Take a line out of what is left of its parent's line; several lines may draw on one.
const drawLine = (drawn: Drawn, parent: Transaction, line: LineItemRequest, id: string, index: number) => {
  const exponent = exponentOf(parent.currency);
  const parentId = parentLineId(line, parent);
  const parentLine = parent.line_items.find((candidate) => candidate.id === parentId);
  if (!parentLine) {
    drawn.lines.push(null);
    drawn.warnings.push(unmatchedWarning(index));
    return null;
  }
  const left = drawn.left.get(parentLine.id) as Share;
  const sized = sizeLine(line, parentLine, exponent);
  const discount = excessiveDiscount(sized);
  if (discount) return discountTooLarge(`/line_items/${index}/${discount}`, discount);
  if (sized.net > left.net) return overCredit(left, parent.currency, `/line_items/${index}`);
  const taken = shareOf(sized, parentLine, left, exponent);
  drawn.left.set(parentLine.id, minus(left, taken));
  drawn.lines.push(creditLine(line, id, parentLine, sized, taken, left, exponent));
  return null;
};

const calculateUnmatched = (
  parent: Transaction,
  request: CreditRequest,
  { lines }: Drawn,
  ids: readonly string[],
  context: Context,
): Result<LineItemResponse[]> => {
  const requested = (request.line_items ?? []).map((line, index) => ({ ...line, id: ids[index] as string }));
  const unmatched = requested.filter((_, index) => lines[index] === null);
  if (unmatched.length === 0) return accept([]);
  const { currency, tax_date, tax_included, collected_by, ship_from } = parent;
  const customer = request.customer ?? parent.customer;
  const basis = { currency, tax_date, tax_included, collected_by, ship_from, customer };
  // In the places where they stand, so that the pointers are those of the request.
  const places = requested.map((line, index) => (lines[index] === null ? line : null));
  const [problem, ...others] = crossFieldProblems({ ...basis, line_items: places });
  if (problem) return refuse(problem, ...others);
  const calculated = calculate({ ...basis, line_items: unmatched }, context, []);
  return calculated.ok ? accept(calculated.value.line_items) : calculated;
};

const drawShipping = (
  parent: Transaction,
  { shipping }: CreditRequest,
  left: Share,
): Result<ShippingResponse | null> => {
  if (!shipping) return accept(null);
  const exponent = exponentOf(parent.currency);
  const net = rescale(decimal(shipping.amount), exponent);
  const whole = {
    net: parseAmount(parent.shipping_amount, exponent),
    tax: parseAmount(parent.shipping?.tax_amount ?? '0', exponent),
  };
  if (!parent.shipping || net > left.net) return refuse(overCredit(left, parent.currency, '/shipping/amount'));
  const taken = { net, tax: recordedTax(net, whole, left) };
  const scaled = scaleCharge(parent.shipping, whole.net, { taken, left, exponent });
  return accept({ ...scaled, amount: shipping.amount, product_tax_code: parent.shipping.product_tax_code });
};
