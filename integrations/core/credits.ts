import type { Schemas } from '../../shared/client/client.ts';
import { below, type Charge, creditLine, getNet, getSum, gross, listCharges, reachable } from './charges.ts';
import { distribute, divide, getDecimals, toDecimal, toMinor } from './money.ts';
import type { Order, Refund } from './order.ts';
import { type Attempt, done, failed, type Problem } from './problem.ts';
import { oneOrMany } from './shipping.ts';
import { type Body, createOnce, findByReference, type Ledger, type Transaction } from './transactions.ts';

/** The part of a sale that a credit refunds. */
export type Credit = {
  readonly refund: Refund;
  readonly line_items: Schemas['LineItemRequest'][];
  /** The credited shipping charges, by the ids of the sale. */
  readonly shipping: Schemas['TransactionRequest']['shipping'];
  /** Sent only if the tax that Levy calculates would differ by a cent from the shop's refund. */
  readonly tax_amount: string | null;
  /** The amount to credit: the refund minus the part that exceeds the sale. */
  readonly total: string;
  /** The amount that the shop refunded in excess of everything that it had collected; usually `0.00`. */
  readonly excess: string;
  readonly parts: readonly Part[];
};

/**
 * Distributes the refund over the charges, before adjusting for cents that no net amount reaches. The parts add up to
 * the refund.
 */
const listTargets = (charges: readonly Charge[], refund: Refund, exponent: number, total: bigint): bigint[] => {
  const units = new Map(refund.lines.map(({ id, quantity }) => [id, quantity]));
  const shippingLeft = charges.map((charge) => (charge.isShipping ? gross(charge) : 0n));
  const least = [toMinor(refund.shipping, exponent), getSum(shippingLeft)].reduce((a, b) => (a < b ? a : b));
  const shipping = distribute(least, shippingLeft);
  const targets = charges.map((charge, at) => {
    const left = gross(charge);
    if (charge.isShipping) return shipping[at] as bigint;
    const quantity = units.get(charge.line?.id ?? '') ?? 0;
    if (quantity === 0) return 0n;
    if (quantity >= charge.leftUnits) return left;
    // Quantities have fractions. Only the weights are rounded, to millionths; money stays exact.
    const [part, whole] = [quantity, charge.leftUnits].map((units) => BigInt(Math.round(units * 1e6)));
    return divide(left * (part as bigint), whole as bigint);
  });
  if (getSum(targets) >= total) return distribute(total, targets);
  // The refund exceeds the price of the returned units. Take the excess first from the other units of the same lines, then
  // from all charges.
  const spread = (wanted: bigint, rooms: readonly bigint[]) => {
    const most = getSum(rooms);
    return distribute(wanted < most ? wanted : most, rooms);
  };
  const room = (used: readonly bigint[]) => charges.map((charge, at) => gross(charge) - (used[at] as bigint));
  const ownRoom = room(targets).map((amount, at) => (targets[at] === 0n ? 0n : amount));
  const own = spread(total - getSum(targets), ownRoom);
  const grown = targets.map((target, at) => target + (own[at] as bigint));
  // Charges with only tax left, such as a delivery fee, come last and are credited completely if possible, because they
  // have no net to credit.
  const isFee = ({ leftNet }: Charge) => leftNet === 0n;
  const rooms = room(grown);
  const divisible = rooms.map((amount, at) => (isFee(charges[at] as Charge) ? 0n : amount));
  const others = spread(total - getSum(grown), divisible);
  const full = grown.map((target, at) => target + (others[at] as bigint));
  const isLeft = getSum(full) < total;
  const fees = rooms.map((amount, at) => (isLeft ? amount - (divisible[at] as bigint) : 0n));
  const rest = total - getSum(fees);
  return rest < 0n
    ? distribute(total, fees)
    : distribute(rest, full).map((target, at) => target + (fees[at] as bigint));
};

/** Returns a line with a refund of zero for a shipping-only credit, preferably a line without remaining tax. */
const emptyLine = (charges: readonly Charge[]): Charge | undefined => {
  const lines = charges.filter((charge) => charge.line && (charge.leftNet > 0n || charge.leftTax === 0n));
  return lines.find(({ leftTax }) => leftTax === 0n) ?? lines[0];
};

type Taken = { readonly net: bigint; readonly tax: bigint };
type Part = Taken & { readonly charge: Charge };
type Parts = { readonly parts: readonly Part[]; readonly isTaxSent: boolean };

/**
 * Credits the whole refund on one line, and sends the line's tax. Levy distributes a sent tax over the lines in
 * proportion to their remaining tax, so only a single taxed line gets exactly this tax.
 */
const singleLineCredit = (charges: readonly Charge[], targets: readonly bigint[], total: bigint): Parts | null => {
  const canTake = (charge: Charge) => gross(charge) >= total && (charge.line || emptyLine(charges)?.leftTax === 0n);
  const [at] = [...charges.keys()]
    .filter((index) => canTake(charges[index] as Charge))
    .sort((a, b) => Number((targets[b] as bigint) - (targets[a] as bigint)));
  if (at === undefined) return null;
  const charge = charges[at] as Charge;
  const { net: whole, tax, leftNet, leftTax } = charge;
  const near = divide(whole * total, whole + tax);
  const least = near < total - leftTax ? total - leftTax : near;
  const net = least > leftNet ? leftNet : least;
  return { parts: [{ charge, net, tax: total - net }], isTaxSent: true };
};

/**
 * Returns the parts of a refund of one line with a given tax, or `null` if the lines have less left. If a discount or
 * an earlier refund reduced the line, another line supplies the missing amount. Like Levy, distributes the tax over the
 * parts.
 */
const taxedParts = (charges: readonly Charge[], refund: Refund, exponent: number, total: bigint): Parts | null => {
  const own = charges.find(({ id }) => id === refund.lines[0]?.id);
  if (refund.tax === undefined || !own) return null;
  const tax = toMinor(refund.tax, exponent);
  const others = charges.filter(({ line }) => line && line !== own.line);
  const lines = [own, ...others];
  const least = total - tax < own.leftNet ? total - tax : own.leftNet;
  const rest = total - tax - least;
  const left = others.map(({ leftNet }) => leftNet);
  if (least < 0n || rest > getSum(left)) return null;
  const nets = [least, ...distribute(rest, left)];
  const listParts = (isTaken: (at: number) => boolean) => {
    const taken = lines.flatMap((charge, at) => (isTaken(at) ? { charge, net: nets[at] as bigint } : []));
    const taxes = taken.map(({ charge }) => charge.leftTax);
    if (getSum(taxes) < tax) return null;
    const shares = distribute(tax, taxes);
    return { parts: taken.map((part, at) => ({ ...part, tax: shares[at] as bigint })), isTaxSent: true };
  };
  return listParts((at) => at === 0 || nets[at] !== 0n) ?? listParts(() => true);
};

/** Returns the share of each charge in a refund. */
const splitRefund = (charges: readonly Charge[], refund: Refund, exponent: number, total: bigint): Parts => {
  const taxed = taxedParts(charges, refund, exponent, total);
  if (taxed) return taxed;
  const targets = listTargets(charges, refund, exponent, total);
  const reached = reachable(charges, targets, false);
  const single = reached ? null : singleLineCredit(charges, targets, total);
  if (single) return single;
  const amounts = reached ?? reachable(charges, targets, true) ?? below(charges, targets);
  const parts = charges.flatMap((charge, at): Part[] => {
    const amount = amounts[at] as bigint;
    const net = amount === 0n ? null : getNet(amount, charge);
    return net === null ? [] : [{ charge, net, tax: amount - net }];
  });
  return { parts, isTaxSent: false };
};

const toCredit = (charges: readonly Charge[], refund: Refund, exponent: number): Credit => {
  const write = (minor: bigint) => toDecimal(minor, exponent);
  const paid = toMinor(refund.total, exponent);
  const left = getSum(charges.map(gross));
  const total = paid < left ? paid : left;
  const quantities = new Map(refund.lines.map(({ id, quantity }) => [id, quantity]));
  const { parts, isTaxSent } = splitRefund(charges, refund, exponent, total);
  const returned = (charge: Charge) => quantities.get(charge.line?.id ?? '') ?? 0;
  const lines = parts.flatMap(({ charge, net }) => creditLine(charge, net, returned(charge), exponent) ?? []);
  const empty = lines.length === 0 ? emptyLine(charges) : undefined;
  const shipping = parts.flatMap(({ charge: { id, line }, net }) => (line ? [] : [{ id, amount: write(net) }]));
  const [net, tax] = [getSum(parts.map((part) => part.net)), getSum(parts.map((part) => part.tax))];
  const line_items = empty ? [creditLine(empty, 0n, 0, exponent) ?? []].flat() : lines;
  return {
    refund,
    parts,
    line_items,
    shipping: oneOrMany(shipping),
    tax_amount: isTaxSent ? write(tax) : null,
    total: write(net + tax),
    excess: write(paid - net - tax),
  };
};

/** Subtracts the amounts and units of a refund from the remaining amounts of the charges. */
const subtract = (charges: readonly Charge[], { lines }: Refund, parts: ReadonlyMap<string, Taken>): void => {
  const units = new Map(lines.map(({ id, quantity }) => [id, quantity]));
  for (const charge of charges) {
    const { net, tax } = parts.get(charge.id) ?? { net: 0n, tax: 0n };
    charge.leftNet -= net;
    charge.leftTax -= tax;
    charge.leftUnits -= units.get(charge.id) ?? 0;
  }
};

/** Returns the amounts of a recorded credit by the id of their charge. */
const readTaken = ({ line_items, shipping }: Transaction, exponent: number): ReadonlyMap<string, Taken> => {
  const rows = [...line_items, ...[shipping ?? []].flat()];
  const read = (amount: string) => toMinor(amount, exponent);
  return new Map(rows.map((row) => [row.id, { net: read(row.net_amount), tax: read(row.tax_amount) }]));
};

/** Returns the reference of the credit for a refund. */
export const refundReference = (order: string, refund: string): string => `${order}-refund-${refund}`;

const creditBody = (sale: Transaction, credit: Credit, order: Order, shop: string): Body => ({
  type: 'credit',
  parent_transaction_id: sale.id,
  reference_id: refundReference(order.reference, credit.refund.id),
  tax_date: credit.refund.at,
  line_items: credit.line_items,
  ...(credit.shipping && { shipping: credit.shipping }),
  ...(credit.tax_amount !== null && { tax_amount: credit.tax_amount }),
  metadata: { shop, order: order.reference, refund: credit.refund.id },
});

type Credited = {
  readonly transaction?: Transaction;
  readonly isRecorded?: boolean;
  readonly isChanged: boolean;
  readonly problem: Problem | null;
};

const excessProblem = (reference: string, { reference: order }: Order, excess: string): Problem =>
  failed(reference, 'excess', `Refunds of order ${order} exceed its recorded total by ${excess}.`).problem;

/** Returns the problem of a credit that differs from its refund, or `null`. */
const getDifference = (sale: Transaction, credit: Transaction, expected: string): Problem | null => {
  const { id, total_amount, parent_transaction_id } = credit;
  const [actual, wanted] = [total_amount, expected].map((amount) => toMinor(amount, getDecimals(sale.tax_amount)));
  if (parent_transaction_id === sale.id && actual === wanted) return null;
  const detail = `The refund should credit ${expected} of ${sale.id}, but ${id} credits ${total_amount} of ${parent_transaction_id}.`;
  return failed(credit.reference_id ?? id, 'mismatch', detail).problem;
};

/** Records the credit of a refund. Returns a problem for each difference between the ledger and the shop's refund. */
const ensureCredit = async (ledger: Ledger, sale: Transaction, credit: Credit, order: Order): Promise<Credited> => {
  const body = creditBody(sale, credit, order, ledger.shop);
  const isAbove = (amount: string) => toMinor(amount, getDecimals(sale.tax_amount)) > 0n;
  const problem = isAbove(credit.excess) ? excessProblem(body.reference_id, order, credit.excess) : null;
  if (!isAbove(credit.total)) return { isChanged: false, problem };
  const found = await createOnce(ledger, 'refund', body, 'finalized');
  if (!found.ok) return { isChanged: false, problem: found.problem };
  const { isChanged, transaction } = found.value;
  const difference = getDifference(sale, transaction, credit.total);
  return { transaction, isRecorded: difference === null, isChanged, problem: difference ?? problem };
};

/**
 * If the recorded part of exchanged goods exceeds the current part, keeps it, and takes the difference from the other
 * parts.
 */
const keepExchanged = (
  refunds: readonly Refund[],
  exponent: number,
  recorded: ReadonlyMap<string, Transaction>,
): readonly Refund[] => {
  const parts = refunds.filter(({ isExchanged }) => isExchanged);
  const totals = new Map(parts.map(({ id, total }) => [id, toMinor(total, exponent)]));
  const open = parts.filter(({ id }) => !recorded.has(id));
  for (const { id } of parts) {
    const credit = recorded.get(id);
    for (const other of credit ? open : []) {
      const [own, left] = [totals.get(id) ?? 0n, totals.get(other.id) ?? 0n];
      const excess = toMinor(credit?.total_amount ?? '0', exponent) - own;
      const moved = excess < 0n ? 0n : excess < left ? excess : left;
      totals.set(id, own + moved).set(other.id, left - moved);
    }
  }
  return refunds.map((refund) => {
    const total = totals.get(refund.id);
    return total === undefined ? refund : { ...refund, total: toDecimal(total, exponent) };
  });
};

/**
 * Returns the refunds that require credits. The first refunds return the amount that the customer paid `above` the
 * sale, unless they have a credit. `recorded` has the credits by the id of the refund.
 */
const refundsOfSale = (
  refunds: readonly Refund[],
  exponent: number,
  above: bigint,
  recorded: ReadonlyMap<string, Transaction>,
): Refund[] => {
  if (above <= 0n) return [...refunds];
  let left = above;
  return refunds.flatMap((refund) => {
    const whole = toMinor(refund.total, exponent);
    const overpaid = left < 0n ? 0n : left < whole ? left : whole;
    const credit = recorded.get(refund.id);
    const part = credit ? toMinor(credit.total_amount, exponent) : whole - overpaid;
    left -= whole - part;
    if (part === whole) return refund;
    return part > 0n ? { ...refund, total: toDecimal(part, exponent), lines: [], shipping: '0' } : [];
  });
};

/** Returns the recorded credits of a sale by the id of their refund. */
const readRecorded = async (
  ledger: Ledger,
  sale: Transaction,
  { reference, refunds }: Order,
): Promise<Attempt<Map<string, Transaction>>> => {
  const isCredited = [sale.credited_amount, sale.credited_tax_amount].some((amount) => /[1-9]/.test(amount));
  const recorded = new Map<string, Transaction>();
  for (const { id } of isCredited ? refunds : []) {
    const found = await findByReference(ledger, refundReference(reference, id));
    if (!found.ok) return found;
    if (found.value?.parent_transaction_id === sale.id) recorded.set(id, found.value);
  }
  return done(recorded);
};

/** The credits of a sale after recording, the problems, and whether anything was written. */
export type Credits = {
  readonly problems: readonly Problem[];
  readonly isChanged: boolean;
  /** The ids of the credits by the id of their refund. */
  readonly credits: ReadonlyMap<string, string>;
};

/**
 * Returns the refunds of an order that require credits of its sale, and the recorded credits. The customer can have paid
 * more than `sold`, the total of the sale: an edit lowered a paid order, or raised it above a sale that Levy refuses to
 * void. Refunding the difference requires no credit.
 */
const readRefunds = async (ledger: Ledger, sale: Transaction, order: Order, sold: string) => {
  const recorded = await readRecorded(ledger, sale, order);
  if (!recorded.ok) return recorded;
  const exponent = getDecimals(sale.tax_amount);
  const [paid, total] = [order.paid ?? order.total, order.total].map((amount) => toMinor(amount, exponent));
  const most = (paid as bigint) > (total as bigint) ? (paid as bigint) : (total as bigint);
  const kept = keepExchanged(order.refunds, exponent, recorded.value);
  const refunds = refundsOfSale(kept, exponent, most - toMinor(sold, exponent), recorded.value);
  return done({ refunds, recorded: recorded.value });
};

/** Returns the sum of the credits that the refunds of an order require, in minor units. */
export const sumCredits = async (ledger: Ledger, sale: Transaction, order: Order): Promise<Attempt<bigint>> => {
  const read = await readRefunds(ledger, sale, order, order.total);
  if (!read.ok) return read;
  return done(getSum(read.value.refunds.map(({ total }) => toMinor(total, getDecimals(sale.tax_amount)))));
};

/** Records the credits of refunds, oldest first. Each one uses the amounts that earlier credits left. */
const recordOpen = async (
  ledger: Ledger,
  sale: Transaction,
  order: Order,
  charges: readonly Charge[],
  refunds: readonly Refund[],
): Promise<Credits> => {
  const exponent = getDecimals(sale.tax_amount);
  const problems: Problem[] = [];
  const credits = new Map<string, string>();
  let isChanged = false;
  for (const refund of refunds) {
    const credit = toCredit(charges, refund, exponent);
    const credited = await ensureCredit(ledger, sale, credit, order);
    const { transaction, problem } = credited;
    if (problem) problems.push(problem);
    if (transaction && credited.isRecorded) credits.set(refund.id, transaction.id);
    isChanged ||= credited.isChanged;
    const expected = new Map(credit.parts.map(({ charge, ...taken }) => [charge.id, taken]));
    // Levy distributes a sent tax over the lines.
    subtract(
      charges,
      refund,
      transaction?.parent_transaction_id === sale.id ? readTaken(transaction, exponent) : expected,
    );
  }
  return { problems, isChanged, credits };
};

/**
 * Records the credits of an order's refunds on its sale, whose total is `sold`. Recorded credits stay as they are: the
 * others are distributed over the remaining amounts, even if their refund is older, such as one that was pending for
 * days. Each credit has the amount that the shop refunded:
 *
 * - Returned units refund their share of the remaining amount of their line, and shipping its amount.
 * - If the refund is lower, all of them are reduced in proportion.
 * - An additional amount, or a refund without lines, is taken in proportion from the rest of the returned lines, then
 * from all lines and the shipping.
 * - A refund that exceeds the remaining total is credited up to that total; the rest is `excess`.
 *
 * Without a given tax, the tax is the part of the recorded tax that Levy calculates for a credit. The credits of a fully
 * refunded order add up to its sale to the cent. A zero refund has no credit.
 */
export const recordCredits = async (
  ledger: Ledger,
  sale: Transaction,
  order: Order,
  sold = order.total,
): Promise<Credits> => {
  const read = await readRefunds(ledger, sale, order, sold);
  if (!read.ok) return { problems: [read.problem], isChanged: false, credits: new Map() };
  const exponent = getDecimals(sale.tax_amount);
  const { refunds, recorded } = read.value;
  const charges = listCharges(sale, exponent);
  for (const refund of refunds) {
    const credit = recorded.get(refund.id);
    if (credit) subtract(charges, refund, readTaken(credit, exponent));
  }
  const open = refunds.filter(({ id }) => !recorded.has(id));
  const opened = await recordOpen(ledger, sale, order, charges, open);
  const problems: Problem[] = [];
  const credits = new Map(opened.credits);
  const isAllCredited = getSum(charges.map(gross)) === 0n;
  for (const { id, total } of refunds) {
    const credit = recorded.get(id);
    if (!credit) continue;
    credits.set(id, credit.id);
    const missing = toMinor(total, exponent) - toMinor(credit.total_amount, exponent);
    const excess = toDecimal(missing, exponent);
    const problem =
      missing > 0n && isAllCredited
        ? excessProblem(refundReference(order.reference, id), order, excess)
        : getDifference(sale, credit, total);
    if (problem) problems.push(problem);
  }
  return { problems: [...problems, ...opened.problems], isChanged: opened.isChanged, credits };
};
