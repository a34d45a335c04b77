import { getSum } from '../core/charges.ts';
import { divide, toDecimal, toMinor } from '../core/money.ts';
import type { Refund } from '../core/order.ts';
import { getAmount, getExponent, type Item, netOfLine, roundExact, sumExact, takePercent, toExact } from './cart.ts';

type Dated = { readonly created_at: string | Date };
export type Payment = {
  readonly amount: number;
  readonly captured_at?: string | Date | null;
  readonly canceled_at?: string | Date | null;
  readonly captures?: readonly (Dated & { readonly amount: number })[] | null;
  readonly refunds?: readonly (Dated & { readonly id: string; readonly amount: number })[] | null;
};
/** Store credit and other amounts that reduce the payment but not the price of the goods. */
export type CreditLine = Dated & {
  readonly amount: number;
  readonly metadata?: { readonly created_in_version?: number } | null;
};

/**
 * Returns the order version in which staff gave store credit instead of a refund. Medusa records the store credit as a
 * line with a negative amount.
 */
const getRefundVersion = ({ amount, metadata }: CreditLine): number | undefined =>
  Number(amount) < 0 ? metadata?.created_in_version : undefined;

/** A change of an order, with the version of the order that it created. */
export type Change = {
  readonly order_id: string;
  readonly version: number;
  readonly confirmed_at?: string | Date | null;
};

/** Returns the refunds of payments, and the refunds as store credit. */
export const toRefunds = (
  payments: readonly Payment[],
  { credit_lines, changes }: { readonly credit_lines: readonly CreditLine[]; readonly changes: readonly Change[] },
  currency: string,
): Refund[] => {
  const exponent = getExponent(currency);
  const none = { lines: [], shipping: getAmount(0, currency) };
  const ofPayments = payments.flatMap(({ refunds }) => refunds ?? []);
  // Medusa copies the lines with new ids and times to each version of an order. The first change of a version created it.
  const versions = new Set(credit_lines.flatMap((line) => getRefundVersion(line) ?? []));
  const asCredit = [...versions].map((version): Refund => {
    const own = credit_lines.filter((line) => getRefundVersion(line) === version);
    const confirmed = changes.flatMap((row) => (row.version === version ? (row.confirmed_at ?? []) : []));
    const at = [...confirmed, ...own.map(({ created_at }) => created_at)].map(getInstant).sort()[0] as string;
    return {
      id: `store-credit-${version}`,
      total: toDecimal(roundExact(-sumExact(own, exponent)), exponent),
      at,
      ...none,
    };
  });
  return [
    ...ofPayments.map(({ id, amount, created_at }) => {
      return { id, total: getAmount(amount, currency), at: getInstant(created_at), ...none };
    }),
    ...asCredit,
  ];
};

export const oldestFirst = (refunds: readonly Refund[]): Refund[] =>
  refunds.toSorted((a, b) => (a.at === b.at ? Number(a.id > b.id) - 0.5 : a.at < b.at ? -1 : 1));

/** The captured amount of a payment in millionths of a minor unit. Each shipment can capture a part. */
export const sumCaptured = ({ amount, captured_at, captures }: Payment, exponent: number): bigint => {
  const parts = captures ?? [];
  return sumExact(parts.length === 0 && captured_at ? [{ amount }] : parts, exponent);
};

/**
 * Returns the part of an order that credit lines pay, in millionths of a minor unit. Medusa also writes credit lines for
 * refunds, which never exceed the refunds.
 */
export const paidByCredit = (all: readonly CreditLine[], payments: readonly Payment[], exponent: number): bigint => {
  const lines = all.filter((line) => getRefundVersion(line) === undefined);
  const isLater = ({ metadata }: CreditLine) => metadata?.created_in_version !== undefined;
  const later = sumExact(lines.filter(isLater), exponent);
  const refunded = sumExact(
    payments.flatMap(({ refunds }) => refunds ?? []),
    exponent,
  );
  return sumExact(lines, exponent) - (later < refunded ? later : refunded);
};

/** The fields of an item's returned units. */
export type SoldItem = Item & {
  readonly tax_lines?:
    | readonly { readonly code: string; readonly rate: number; readonly created_at?: string | Date }[]
    | null;
  readonly detail?: {
    readonly return_received_quantity?: number | null;
    readonly return_dismissed_quantity?: number | null;
  } | null;
};
type Units = { readonly item_id: string; readonly quantity: number; readonly received_quantity?: number | null };
export type Return = {
  readonly id: string;
  readonly claim_id?: string | null;
  readonly canceled_at?: string | Date | null;
  readonly received_at?: string | Date | null;
  readonly updated_at: string | Date;
  readonly items?: readonly Units[] | null;
};
export type Claim = {
  readonly id: string;
  readonly order_id: string;
  readonly canceled_at?: string | Date | null;
  readonly created_at: string | Date;
  readonly updated_at: string | Date;
  readonly claim_items?: readonly (Units & { readonly is_additional_item?: boolean })[] | null;
};

export const getInstant = (value: string | Date): string => new Date(value).toISOString();

/** Returns the cost of an item's units in millionths of a minor unit. */
const computeCost = (item: SoldItem, units: number, exponent: number) => {
  const net = units === 0 ? 0n : divide(netOfLine(item, exponent) * toExact(units, 0), toExact(item.quantity, 0));
  return { net, tax: getSum((item.tax_lines ?? []).map(({ rate }) => takePercent(net, rate))) };
};

const sumOfCosts = (parts: readonly { readonly net: bigint; readonly tax: bigint }[]) => ({
  net: getSum(parts.map(({ net }) => net)),
  tax: getSum(parts.map(({ tax }) => tax)),
});

const countUnitsBack = ({ detail }: SoldItem): number =>
  Number(detail?.return_received_quantity ?? 0) + Number(detail?.return_dismissed_quantity ?? 0);

/**
 * Returns the amount of returned units in millionths of a minor unit. Medusa calculates an order's totals for the
 * remaining units, but the sale contains all units.
 */
export const getReturned = (items: readonly SoldItem[], exponent: number) =>
  sumOfCosts(items.map((item) => computeCost(item, countUnitsBack(item), exponent)));

/**
 * Returns the received units of each return by item, newest first. If a return was received in several parts, Medusa
 * keeps only the last part in the return, but all units in the item.
 */
const receivedUnits = (items: readonly SoldItem[], returns: readonly Return[]): Map<Return, Map<string, number>> => {
  const newestFirst = returns
    .filter(({ canceled_at }) => !canceled_at)
    .toSorted((a, b) => (getInstant(a.updated_at) < getInstant(b.updated_at) ? 1 : -1));
  const getUnits = ({ items: units }: Return) =>
    (units ?? []).map((row) => [row.item_id, Number(row.received_quantity ?? 0)] as const);
  const left = new Map(items.map((item) => [item.id, countUnitsBack(item)]));
  for (const [id, units] of newestFirst.flatMap(getUnits)) left.set(id, (left.get(id) ?? 0) - units);
  return new Map(
    newestFirst.map((row) => {
      const received = getUnits(row).map(([id, units]): [string, number] => {
        const more = Math.max(left.get(id) ?? 0, 0);
        left.delete(id);
        return [id, units + more];
      });
      return [row, new Map(received)];
    }),
  );
};

/** Units that were returned or written off by a claim, and their price with tax in minor units. */
export type GivenBack = {
  readonly id: string;
  readonly at: string;
  readonly value: bigint;
  readonly lines: Refund['lines'];
};

/**
 * Returns the returns and claims of an order. A unit that a claim wrote off counts once, even if it is also returned.
 */
export const sumGivenBack = (
  items: readonly SoldItem[],
  { returns, claims }: { readonly returns: readonly Return[]; readonly claims: readonly Claim[] },
  currency: string,
): GivenBack[] => {
  const exponent = getExponent(currency);
  const given = (id: string, at: string | Date, units: ReadonlyMap<string, number>): GivenBack | [] => {
    const found = items.flatMap((item) => ({ item, quantity: units.get(item.id) ?? 0 }));
    const { net, tax } = sumOfCosts(found.map(({ item, quantity }) => computeCost(item, quantity, exponent)));
    const lines = found.filter(({ quantity }) => quantity > 0).map(({ item: { id }, quantity }) => ({ id, quantity }));
    const value = roundExact(net + tax);
    return value > 0n ? { id, at: getInstant(at), value, lines } : [];
  };
  const claimed = (claim: Claim): [string, number][] =>
    (claim.claim_items ?? [])
      .filter(({ is_additional_item }) => !is_additional_item)
      .map(({ item_id, quantity }) => [item_id, Number(quantity)]);
  const open = claims.filter(({ canceled_at }) => !canceled_at);
  const all = [
    ...open.flatMap((claim) => given(claim.id, claim.created_at, new Map(claimed(claim)))),
    ...[...receivedUnits(items, returns)].flatMap(([{ id, claim_id, received_at, updated_at }, units]) => {
      const own = new Map(open.filter((claim) => claim.id === claim_id).flatMap(claimed));
      const received = [...units].map(([item, count]): [string, number] => [
        item,
        Math.max(count - (own.get(item) ?? 0), 0),
      ]);
      return given(id, received_at ?? updated_at, new Map(received));
    }),
  ];
  return all.sort((a, b) => (a.at < b.at ? -1 : 1));
};

/**
 * Builds credits for returned units that were not refunded, because they paid for something else in the order: the new
 * units of an exchange or claim, or a return fee. `amount` is its price in minor units. Each return or claim
 * contributes at most its value minus the refunds before the next one. Parts of zero are included.
 */
export const exchangedFor = (
  amount: bigint,
  givenBack: readonly GivenBack[],
  refunds: readonly Refund[],
  exponent: number,
): Refund[] => {
  const paidBack = (at: number): bigint => {
    const [from, to] = [givenBack[at]?.at ?? '', givenBack[at + 1]?.at ?? '9'];
    return getSum(refunds.filter((row) => row.at >= from && row.at < to).map((row) => toMinor(row.total, exponent)));
  };
  let left = amount;
  const take = (most: bigint): bigint => {
    const taken = most < 0n ? 0n : most < left ? most : left;
    left -= taken;
    return taken;
  };
  const first = givenBack.map(({ value }, at) => take(value - paidBack(at)));
  const taken = givenBack.map(({ value }, at) => (first[at] as bigint) + take(value - (first[at] as bigint)));
  // The difference is fractions of a cent.
  const last = taken.length - 1;
  return givenBack.map(({ id, at, lines }, index) => {
    const part = (taken[index] as bigint) + (index === last ? left : 0n);
    const [total, shipping] = [part, 0n].map((minor) => toDecimal(minor, exponent)) as [string, string];
    return { id, at, lines: part > 0n ? lines : [], total, shipping, isExchanged: true };
  });
};

/**
 * Assigns returned units to the refunds after each return, up to the value of the returned units minus its `used` part.
 * Medusa does not link refunds to returns.
 */
export const withReturnedLines = (
  refunds: readonly Refund[],
  givenBack: readonly GivenBack[],
  used: readonly Refund[],
  exponent: number,
): Refund[] => {
  const left = new Map(givenBack.map(({ id, value }) => [id, value]));
  for (const { id, total } of used) left.set(id, (left.get(id) ?? 0n) - toMinor(total, exponent));
  return refunds.map((refund) => {
    const source = givenBack.findLast(({ at }) => at <= refund.at);
    const rest = (left.get(source?.id ?? '') ?? 0n) - toMinor(refund.total, exponent);
    // A difference of one cent is rounding.
    if (!source || rest < -1n) return refund;
    left.set(source.id, rest);
    return { ...refund, lines: source.lines };
  });
};
