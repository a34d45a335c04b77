import type { Answer } from '../support/http.ts';
import { onlyShipping } from '../support/shipping.ts';
import { type Body, type Book, codesOf, type Entry, type Requested, same } from './book.ts';
import { acceptedCredit, differenceCodes, mustHaveFigures, refusalsOf } from './credit-answers.ts';
import { creditOf, overTaxed, taxRoom } from './credits.ts';
import { minor, written } from './money.ts';
import { type Refusal, refusal } from './refusal.ts';
import { matchOf, remainingOf, takenBy } from './remaining.ts';
import type { Asked } from './requested-changes.ts';
import { mustBeCalculated } from './sales.ts';

/** An update of a transaction that is there, as it reads. */
export type Case = {
  readonly update: Requested;
  readonly view: Body;
  readonly entry: Entry;
  readonly asked: Asked;
  readonly book: Book;
  readonly sale: Body | null;
  readonly supplied: string | null;
};

/** An update of a credit of a sale. */
export type CreditCase = Case & { readonly sale: Body };

/** The request by which a draft credit is computed again, with its recorded or new lines. */
const wishOf = ({ update, view, entry: { kind }, asked }: Case): Requested =>
  kind === 'lines' || asked.inputs.includes('line_items')
    ? { line_items: update.line_items ?? view.line_items, shipping: onlyShipping(view.shipping) ?? null }
    : { credit_remaining: kind === 'remaining' };

/** The tax that an update leaves supplied: an edit of what it was calculated from drops it unless it is sent again. */
export const suppliedAfter = (update: Requested, view: Body, asked: Asked): string | null => {
  if (update.tax_amount !== undefined) return update.tax_amount;
  return asked.inputs.length === 0 && view.tax_amount_source === 'provided' ? view.tax_amount : null;
};

/** The fields that a recalculation replaces. */
export const figureFields = new Set([
  ...['line_items', 'shipping', 'subtotal_amount', 'applied_discount_amount', 'applied_third_party_discount_amount'],
  ...['shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount', 'total_amount', 'tax_summary'],
  ...['content_releases', 'engine_version', 'warnings', 'explanation', 'calculated_tax_amount', 'tax_amount_source'],
]);

const expectedCodes = (
  body: Body,
  update: Requested,
  view: Body,
  asked: Asked,
  unmatched: readonly string[],
): string[] => {
  const isDropped = asked.inputs.length > 0 && update.tax_amount === undefined && view.tax_amount_source === 'provided';
  const differs = minor(body.currency, body.tax_amount) !== minor(body.currency, body.calculated_tax_amount);
  return [...unmatched, ...(differs ? ['tax_amount_differs'] : isDropped ? ['tax_amount_dropped'] : [])].sort();
};

export const isFinalizing = ({ asked, update }: Case) => asked.status && update.status === 'finalized';

/** The draft of a credit finalized as it is, though other credits came between: its figures must still be the same. */
const staleRefusals = (one: CreditCase, request: Requested): Refusal[] => {
  const { view, sale, book, asked, supplied } = one;
  if (!isFinalizing(one) || asked.tax || asked.inputs.length > 0) return [];
  const discounts = (request.line_items ?? []).map((line) => minor(sale.currency, line.discount_amount ?? '0'));
  const credit = creditOf(request, sale, book, discounts);
  if (!('total' in credit)) throw new Error('It was refused before.');
  const { currency } = sale;
  const tax = supplied === null ? credit.total.tax : minor(currency, supplied);
  const coupons = minor(currency, view.applied_third_party_discount_amount);
  const net = minor(currency, view.total_amount) - minor(currency, view.tax_amount) + coupons;
  const isMoved = tax !== minor(currency, view.tax_amount) || credit.total.net !== net;
  return isMoved ? [refusal('conflict_credit_stale', '/status', { tax_amount: written(currency, tax) })] : [];
};

/** Why the figures of a credit of a sale refuse an update. */
export const creditRefusals = (one: CreditCase, answer: Answer): readonly Refusal[] => {
  const { view, book, sale, supplied, asked } = one;
  if (view.status === 'draft') {
    if (!isFinalizing(one) && asked.inputs.length === 0 && !asked.tax) return [];
    const request = { ...wishOf(one), tax_amount: supplied };
    const refused = refusalsOf(request, sale, book, answer);
    return refused.length > 0 ? refused : staleRefusals(one, request);
  }
  if (!asked.tax) return [];
  const { currency } = sale;
  const without = remainingOf(book, sale, view.id);
  const room = taxRoom(takenLines(view, sale), without);
  const tax = minor(currency, supplied ?? view.calculated_tax_amount);
  return tax !== minor(currency, view.tax_amount) && tax > room ? [overTaxed(currency, room, without)] : [];
};

const takenLines = (credit: Body, sale: Body) => ({
  lines: credit.line_items.map((line) => ({
    parentId: matchOf(line, sale)?.id ?? null,
    net: minor(sale.currency, line.net_amount),
    tax: minor(sale.currency, line.tax_amount),
    discount: 0n,
  })),
  shipping: credit.shipping ? takenBy(credit, sale).shipping : null,
});

// A draft is computed again from its sale; a finalized credit keeps what it was warned of.
const differencesAfter = (one: Case, taxDate: string, sale: Body): string[] => {
  const { view } = one;
  if (view.status !== 'draft')
    return codesOf(view).filter((code) => ['credit_field_ignored', 'credit_before_sale'].includes(code));
  return differenceCodes(wishOf(one), taxDate, sale);
};

/** Hold the figures of an accepted update against the model. */
export const judgeFigures = (one: Case, body: Body): void => {
  const { update, view, asked, book, sale, supplied } = one;
  const { currency } = view;
  const tax = minor(currency, supplied ?? body.calculated_tax_amount);
  same(minor(currency, body.tax_amount), tax, 'The tax after the update');
  same(body.tax_amount_source, supplied === null ? 'calculated' : 'provided', 'Where the tax is from');
  const ofSale = sale ? body.line_items.filter((line) => !matchOf(line, sale)) : [];
  const unmatched = ofSale.map(() => 'credit_line_unmatched');
  const differing = sale ? differencesAfter(one, body.tax_date, sale) : [];
  same(codesOf(body), expectedCodes(body, update, view, asked, [...differing, ...unmatched]), 'The warnings');
  if (!sale) mustBeCalculated(body, requestAfter(one), supplied);
  else if (view.status === 'finalized') mustBeRetaxed({ ...one, sale }, body, tax);
  else {
    const credit = acceptedCredit(body, wishOf(one), sale, book);
    same(minor(currency, body.calculated_tax_amount), credit.total.tax, 'The calculated tax');
    mustHaveFigures(body, credit, sale, book);
  }
};

const requestAfter = ({ update, view }: Case): Requested => ({
  line_items: update.line_items ?? view.line_items,
  shipping: update.shipping === undefined ? (onlyShipping(view.shipping) ?? null) : update.shipping,
  discount_amount: update.discount_amount === undefined ? view.discount_amount : update.discount_amount,
});

/** Checks that only the tax of a finalized credit changed, distributed by what is left without this credit. */
const mustBeRetaxed = ({ view, entry, book, sale }: CreditCase, body: Body, tax: bigint): void => {
  const { currency } = view;
  same(body.calculated_tax_amount, view.calculated_tax_amount, 'The calculated tax');
  const { lines, shipping } = takenLines(view, sale);
  const net = minor(currency, view.total_amount) - minor(currency, view.tax_amount);
  const coupons = minor(currency, view.applied_third_party_discount_amount);
  // No credit is negative, because the tax was distributed.
  const isSpread = tax !== minor(currency, view.tax_amount);
  const total = { net: net + coupons, tax: isSpread ? -1n : tax };
  mustHaveFigures(body, { kind: entry.kind ?? 'lines', lines, shipping, total }, sale, book, view.id);
};
