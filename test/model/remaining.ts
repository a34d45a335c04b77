import { shippingCharges } from '../support/shipping.ts';
import type { Body, Book, Figures, Line } from './book.ts';
import { minor, sum } from './money.ts';

/** Net and tax in minor units. */
export type Share = { readonly net: bigint; readonly tax: bigint };

export const nothing: Share = { net: 0n, tax: 0n };
export const plus = (left: Share, right: Share): Share => ({ net: left.net + right.net, tax: left.tax + right.tax });
export const minus = (left: Share, right: Share): Share => ({ net: left.net - right.net, tax: left.tax - right.tax });
export const isNothing = ({ net, tax }: Share): boolean => net === 0n && tax === 0n;
export const total = (shares: readonly Share[]): Share => shares.reduce(plus, nothing);

/** The amounts of a sale by line, or of its credits. */
export type Parts = { readonly lines: ReadonlyMap<string, Share>; readonly shipping: Share; readonly unmatched: Share };

const shareOf = (currency: string, net: string, tax: string): Share => ({
  net: minor(currency, net),
  tax: minor(currency, tax),
});
const lineShare = (currency: string, line: Body['line_items'][number]) =>
  shareOf(currency, line.net_amount, line.tax_amount);
const shippingShare = ({ currency, shipping }: Figures): Share =>
  total(shippingCharges(shipping).map(({ net_amount, tax_amount }) => shareOf(currency, net_amount, tax_amount)));

const partsOf = (sale: Body): Parts => ({
  lines: new Map(sale.line_items.map((line) => [line.id, lineShare(sale.currency, line)])),
  shipping: shippingShare(sale),
  unmatched: nothing,
});

/** Which line of a sale a credit's line takes from. */
export const matchOf = (line: Partial<Line>, sale: Body): Body['line_items'][number] | undefined =>
  sale.line_items.find(({ id }) => id === (line.parent_line_item_id ?? line.id));

/** The amounts that one credit takes from its sale. */
export const takenBy = (credit: Figures, sale: Body): Parts => {
  const lines = new Map<string, Share>();
  let unmatched = nothing;
  for (const line of credit.line_items) {
    const share = lineShare(credit.currency, line);
    const id = matchOf(line, sale)?.id;
    if (id === undefined) unmatched = plus(unmatched, share);
    else lines.set(id, plus(lines.get(id) ?? nothing, share));
  }
  return { lines, shipping: shippingShare(credit), unmatched };
};

const isLive = ({ status }: Body) => status === 'finalized' || status === 'filed';

/** The credits that count against a sale. */
export const liveCreditsOf = (book: Book, sale: Body): Body[] =>
  [...book.entries.values()]
    .map(({ body }) => body)
    .filter((body) => body.type === 'credit' && body.parent_transaction_id === sale.id && isLive(body));

export type Remaining = Parts & { readonly whole: Parts; readonly total: Share; readonly credited: Share };

/** The remainder of a sale after its live credits, summed from the credits; one credit may be left out. */
export const remainingOf = (book: Book, sale: Body, without?: string): Remaining => {
  const whole = partsOf(sale);
  const taken = liveCreditsOf(book, sale)
    .filter(({ id }) => id !== without)
    .map((credit) => takenBy(credit, sale));
  const left = (share: Share, takes: readonly Share[]) => minus(share, total(takes));
  const lines = new Map(
    [...whole.lines].map(([id, share]) => [
      id,
      left(
        share,
        taken.map((parts) => parts.lines.get(id) ?? nothing),
      ),
    ]),
  );
  const shipping = left(
    whole.shipping,
    taken.map((parts) => parts.shipping),
  );
  const unmatched = total(taken.map((parts) => parts.unmatched));
  const rest = minus(total([...lines.values(), shipping]), unmatched);
  const all = total([...whole.lines.values(), whole.shipping]);
  return { whole, lines, shipping, unmatched, total: rest, credited: minus(all, rest) };
};

/** The sum of a field over charges, in minor units. */
export const sumOf = <Field extends string>(
  currency: string,
  charges: readonly { readonly [Name in Field]: string }[],
  field: Field,
): bigint => sum(charges.map((charge) => minor(currency, charge[field])));
