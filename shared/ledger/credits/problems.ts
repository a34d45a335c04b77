import { isSame, withoutNulls } from '../../base/json.ts';
import { invalidField, invalidFormat, type Problem, requiredField } from '../../base/result.ts';
import { shippingList } from '../../calculations/charges.ts';
import type { LineItemRequest } from '../../calculations/request.ts';
import { formatAmount, minorDigits } from '../../money/currency.ts';
import type { Share, Transaction } from '../transaction.ts';
import { isNothing } from './amounts.ts';
import type { CreditRequest } from './outcome.ts';

/** Returns the problems of a credit request for this sale, with field problems first. Empty if the credit is allowed. */
export const creditProblems = (parent: Transaction, request: CreditRequest): Problem[] => {
  const fields = [...inheritedProblems(parent, request), ...mixedProblems(request)];
  return fields.length > 0 ? fields : parentProblems(parent);
};

const parentProblems = ({ type, status }: Transaction): Problem[] =>
  type === 'sale' && (status === 'finalized' || status === 'filed')
    ? []
    : [
        {
          code: 'conflict_parent_not_creditable',
          title: 'Parent cannot be credited',
          detail: `The parent is a ${status} ${type}. Send the id of a finalized or filed sale.`,
          source: { pointer: '/parent_transaction_id' },
          meta: { parent_type: type, parent_status: status },
        },
      ];

/** The fields that a credit inherits from its sale. A different value is rejected. */
export const inheritedFields = ['currency', 'ship_from', 'tax_included', 'collected_by'] as const;
/** The fields that a credit has only on its lines. */
export const lineFields = ['discount_amount', 'third_party_discount_amount'] as const;

/** Returns the problem of an inherited field with a different value. */
export const inheritedProblem = (name: (typeof inheritedFields)[number], { currency }: Transaction): Problem =>
  name === 'currency'
    ? invalidField('/currency', `Send the currency of the sale, ${currency}.`)
    : invalidField(`/${name}`, "A credit inherits it from its sale: send the sale's value, or leave it out.");

/** Returns the problem of a document discount on a credit. */
export const lineFieldProblem = (name: (typeof lineFields)[number]): Problem =>
  invalidField(
    `/${name}`,
    'Send discounts on the line items: a credit of a sale cannot have a discount on the whole document.',
  );

const inheritedProblems = (parent: Transaction, request: CreditRequest): Problem[] => [
  ...inheritedFields
    .filter((name) => (request[name] ?? null) !== null)
    .filter((name) => !isSame(withoutNulls(request[name]), withoutNulls(parent[name])))
    .map((name) => inheritedProblem(name, parent)),
  ...lineFields.filter((name) => request[name]).map(lineFieldProblem),
];

/** The problem of shipping without lines, which is ambiguous: it could mean the whole sale or only its shipping. */
export const shippingAlone: Problem = invalidFormat(
  '/shipping',
  'Shipping without line_items',
  'Send line_items together with shipping. To credit only shipping, send a line of the sale with a unit_price of "0.00". To credit the whole sale with its shipping, leave out both.',
);

const mixedProblems = ({ line_items, shipping, credit_remaining }: CreditRequest): Problem[] => [
  ...(shippingList(shipping).length > 0 && !line_items ? [shippingAlone] : []),
  ...(credit_remaining && line_items
    ? [invalidField('/credit_remaining', 'Send line_items, or credit_remaining for all that remains; not both.')]
    : []),
];

const linesNamedMax = 10;

/** Returns the problem of a line that matches no line of the sale and has no price to calculate with. */
export const unknownLine = (
  index: number,
  { id, parent_line_item_id }: Pick<LineItemRequest, 'id' | 'parent_line_item_id'>,
  { id: sale, line_items }: Transaction,
): Problem => {
  const sent = parent_line_item_id ?? id;
  const why = sent ? `No line of ${sale} has the id ${sent}.` : `This line names no line of ${sale}.`;
  const others = line_items.length - linesNamedMax;
  const ids = line_items.slice(0, linesNamedMax).map((line) => line.id);
  const known = `${ids.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return requiredField(
    `/line_items/${index}/unit_price`,
    `${why} Send one of ${known} as parent_line_item_id, or a unit_price to credit something else.`,
  );
};

/** Returns the problem of a line that would reduce a credit of a sale. */
export const negativePrice = (index: number): Problem =>
  invalidFormat(
    `/line_items/${index}/unit_price`,
    'Negative unit_price in a credit',
    'Credit less instead: send a lower quantity or unit_price on the line items that you credit.',
  );

/** Returns the problem of a shipping charge that matches none or several of the sale's charges. */
export const unknownShipping = (pointer: string, { id, shipping, currency }: Transaction): Problem => {
  const ids = shippingList(shipping).map((charge) => charge.id);
  return ids.length === 0
    ? overCredit({ net: 0n, tax: 0n }, currency, `${pointer}/amount`, 'shipping')
    : invalidFormat(
        `${pointer}/id`,
        'Unknown shipping charge',
        `Send the id of a shipping charge of ${id}: ${ids.join(', ')}.`,
      );
};

/** Returns the problem of an unmatched line in a state that the sale does not have. */
export const otherState = (index: number, state: string, states: readonly string[]): Problem =>
  invalidFormat(
    `/line_items/${index}`,
    'Line in another state',
    `This line matches no line of the sale and is in ${state}, but the sale has ${states.length > 0 ? states.join(', ') : 'no state'}. Send the parent_line_item_id of the line to credit, or an address in a state of the sale.`,
  );

/** Returns the problem of an unmatched line on a redacted sale: without the address, its tax cannot be calculated. */
export const redactedSale = (index: number): Problem =>
  invalidFormat(
    `/line_items/${index}`,
    'Line is not in the sale',
    'The address of the sale was removed with its personal data, so other lines cannot be taxed. Send the parent_line_item_id of the line to credit, or a credit without parent_transaction_id.',
  );

/** The problem of a parent that does not exist or belongs to a different account, without revealing which. */
export const parentNotFound: Problem = {
  code: 'validation_parent_not_found',
  title: 'Parent not found',
  detail: 'No transaction of this account has this id. Send the id of a sale.',
  source: { pointer: '/parent_transaction_id' },
};

const exceeds = (whole: string) => (net: string, tax: string, credited: string) =>
  `${credited} exceeds the remaining amount of the ${whole}. Credit at most ${net} and its tax of ${tax}.`;

/**
 * The messages by exceeded limit. The third argument describes the credited part, the units sold, or the least or
 * greatest discount.
 */
const details = {
  sale: exceeds('sale'),
  line: exceeds('line'),
  shipping: exceeds('shipping'),
  coupon: (_net: string, _tax: string, least: string) =>
    `The credit exceeds the amount that the buyer paid for the line. Send a third_party_discount_amount of at least ${least}.`,
  couponLeft: (_net: string, _tax: string, most: string) =>
    `The third-party discount of the credit exceeds the remaining third-party discount of the line. Send a third_party_discount_amount of at most ${most}.`,
  units: (_net: string, _tax: string, sold: string) =>
    `The credit has more units than the sale: ${sold}. Send at most that quantity. To credit an amount instead, send quantity "1" and the amount as unit_price.`,
  tax: (_net: string, tax: string) =>
    `The credited tax exceeds the tax that remains for these lines. Send at most ${tax}.`,
} as const;

/**
 * Returns the problem of a credit that exceeds the remainder of its parent, of a line or of the shipping, in minor
 * units. For a supplied tax, the limits are the remaining net of the sale and the remaining tax of the credited lines.
 */
export const overCredit = (
  remaining: Share,
  currency: string,
  pointer: string,
  exceeded: keyof typeof details = 'sale',
  credited = 'The credit',
): Problem => {
  const exponent = minorDigits(currency);
  const [net, tax] = [formatAmount(remaining.net, exponent), formatAmount(remaining.tax, exponent)];
  return {
    code: 'conflict_over_credit',
    title: 'Credit exceeds the sale',
    detail:
      exceeded === 'sale' && isNothing(remaining)
        ? 'The sale is fully refunded.'
        : details[exceeded](net, tax, credited),
    source: { pointer },
    meta: { remaining_amount: net, remaining_tax_amount: tax },
  };
};
