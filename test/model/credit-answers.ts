import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../support/http.ts';
import { onlyShipping } from '../support/shipping.ts';
import { type Body, type Book, codesOf, type Figures, must, type Requested, same } from './book.ts';

import {
  type Credit,
  creditOf,
  discountsOf,
  matchOf,
  nothing,
  overTaxed,
  remainingOf,
  type Share,
  takenBy,
  taxRoom,
} from './credits.ts';
import { isShare, minor, sum, sumOf } from './money.ts';
import { isRefused, type Refusal } from './refusal.ts';
import { mustAddUp } from './sales.ts';

const isRefusal = (credit: Credit | readonly Refusal[]): credit is readonly Refusal[] => Array.isArray(credit);

const choices = (request: Requested, sale: Body): bigint[][] =>
  (request.line_items ?? []).reduce(
    (before: bigint[][], line) =>
      before.flatMap((discounts) => discountsOf(line, sale).map((discount) => [...discounts, discount])),
    [[]],
  );

/** Returns the refusals of a credit with a supplied tax, for one choice of its discounts. */
const refusalsWith = (discounts: readonly bigint[], request: Requested, sale: Body, book: Book): readonly Refusal[] => {
  const credit = creditOf(request, sale, book, discounts);
  if (isRefusal(credit)) return credit;
  const supplied = request.tax_amount ?? null;
  if (supplied === null || minor(sale.currency, supplied) === credit.total.tax) return [];
  const remaining = remainingOf(book, sale);
  const room = taxRoom(credit, remaining);
  return minor(sale.currency, supplied) > room ? [overTaxed(sale.currency, room, remaining)] : [];
};

/**
 * Returns why a credit must be refused, if at all. If a discount can be rounded either way, both results are accepted.
 */
export const refusalsOf = (request: Requested, sale: Body, book: Book, answer: Answer): readonly Refusal[] => {
  const possible = choices(request, sale).map((discounts) => refusalsWith(discounts, request, sale, book));
  const matching = possible.find((reasons) => (reasons.length > 0 ? isRefused(answer, reasons) : answer.status < 300));
  // A possible credit can still be refused for a different reason.
  return matching ?? possible.find((reasons) => reasons.length === 0) ?? (possible[0] as readonly Refusal[]);
};

/** Returns the credit that an accepted response must contain, with its discounts, which must be possible. */
export const acceptedCredit = (body: Figures, request: Requested, sale: Body, book: Book): Credit => {
  const discounts = (request.line_items ?? []).map((line, index) => {
    const discount = minor(sale.currency, body.line_items[index]?.applied_discount_amount ?? '');
    must(discountsOf(line, sale).includes(discount), 'An inherited discount is not its part of the line’s.');
    return discount;
  });
  const credit = creditOf(request, sale, book, discounts);
  if (isRefusal(credit)) throw new Error(`Accepted, but must be refused: ${JSON.stringify(credit)}`);
  return credit;
};

const mustTakeLines = (body: Figures, { lines, kind }: Credit, sale: Body): void => {
  const { currency } = sale;
  if (kind === 'lines')
    same(
      body.line_items.map((line) => [minor(currency, line.net_amount), matchOf(line, sale)?.id ?? null]),
      lines.map(({ net, parentId }) => [net, parentId]),
      'The net of each line',
    );
};

/** Checks that the tax is the recorded tax of each line, or a supplied tax distributed by the remaining tax. */
const mustTakeTax = (body: Figures, credit: Credit, sale: Body, book: Book, without?: string): void => {
  const { currency } = sale;
  const remaining = remainingOf(book, sale, without);
  const taken = takenBy(body, sale);
  const credited = [...taken.lines, [null, taken.shipping] as const];
  const left = (id: string | null): Share => (id === null ? remaining.shipping : (remaining.lines.get(id) ?? nothing));
  for (const [id, share] of credited) {
    const of = left(id);
    must(
      share.net <= of.net && share.tax <= of.tax && share.tax >= 0n,
      `More than is left of ${id ?? 'the shipping'}.`,
    );
  }
  if (minor(currency, body.tax_amount) !== credit.total.tax) {
    const unmatched = sum(credit.lines.filter(({ parentId }) => parentId === null).map(({ tax }) => tax));
    const weights = sum(credited.map(([id]) => (id === null && !body.shipping ? 0n : left(id).tax))) + unmatched;
    for (const [id, { tax }] of credited)
      if (id !== null || body.shipping)
        must(
          isShare(tax, minor(currency, body.tax_amount), left(id).tax, weights),
          'A tax is not spread by what is left.',
        );
    return;
  }
  // No field shows which line covers unmatched lines; in total they equal the remainder.
  if (credit.kind !== 'lines' && remaining.unmatched.net + remaining.unmatched.tax > 0n) return;
  for (const { parentId } of credit.lines) {
    const ofLine = credit.lines.filter((line) => line.parentId === parentId);
    if (parentId === null) continue;
    same(taken.lines.get(parentId)?.tax ?? 0n, sum(ofLine.map(({ tax }) => tax)), `The tax of ${parentId}`);
  }
  same(taken.shipping.tax, credit.shipping?.tax ?? 0n, 'The tax of the shipping');
};

/** Checks the amounts of a credit. */
export const mustHaveFigures = (body: Figures, credit: Credit, sale: Body, book: Book, without?: string): void => {
  const { currency } = sale;
  mustAddUp(body);
  mustTakeLines(body, credit, sale);
  mustTakeTax(body, credit, sale, book, without);
  const net =
    sumOf(currency, body.line_items, 'net_amount') + minor(currency, onlyShipping(body.shipping)?.amount ?? '0');
  same(net, credit.total.net, 'The net of the credit');
};

/** The warnings of a credit whose request differs from its sale, or that is dated before it. */
export const differenceCodes = ({ line_items, customer }: Requested, taxDate: string, sale: Body): string[] => {
  const isOther = (sent: unknown, sold: unknown) => (sent ?? null) !== null && !isDeepStrictEqual(sent, sold);
  const pairs = (line_items ?? []).map((line) => [line, matchOf(line, sale)] as const);
  const lines = pairs.flatMap(([line, sold]) =>
    sold
      ? [
          isOther(line.product_tax_code, sold.product_tax_code ?? 'GENERAL'),
          isOther(line.customer, sold.customer ?? sale.customer),
        ]
      : [],
  );
  const isTaken = !line_items || pairs.some(([, sold]) => sold);
  return [
    ...[...lines, isTaken && isOther(customer, sale.customer)].filter(Boolean).map(() => 'credit_field_ignored'),
    ...(taxDate.slice(0, 10) < sale.tax_date.slice(0, 10) ? ['credit_before_sale'] : []),
  ];
};

/** Checks that an accepted response records the requested credit. Returns how it was requested. */
export const mustBeCredit = (
  body: Body,
  request: Requested,
  sale: Body,
  book: Book,
  supplied: string | null,
  warnings: readonly string[],
): Credit['kind'] => {
  const { currency } = sale;
  const credit = acceptedCredit(body, request, sale, book);
  mustHaveFigures(body, credit, sale, book);
  same(minor(currency, body.calculated_tax_amount), credit.total.tax, 'The calculated tax');
  same(minor(currency, body.tax_amount), supplied === null ? credit.total.tax : minor(currency, supplied), 'The tax');
  const unmatched = credit.lines.filter(({ parentId }) => parentId === null).map(() => 'credit_line_unmatched');
  same(
    codesOf(body),
    [...differenceCodes(request, body.tax_date, sale), ...unmatched, ...warnings].sort(),
    'The warnings',
  );
  return credit.kind;
};
