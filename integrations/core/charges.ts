import type { Schemas } from '../../shared/client/client.ts';
import { divide, toDecimal, toMinor } from './money.ts';
import { isShippingId } from './shipping.ts';

/** A line or a shipping charge of a sale in minor units, and the amounts that earlier credits left. */
export type Charge = {
  readonly id: string;
  /** `null` for a charge in `shipping`. */
  readonly line: Sale['line_items'][number] | null;
  readonly isShipping: boolean;
  readonly net: bigint;
  readonly tax: bigint;
  leftNet: bigint;
  leftTax: bigint;
  leftUnits: number;
};
type Sale = Pick<Schemas['Transaction'], 'tax_amount' | 'line_items' | 'shipping'>;

/** Returns the remaining amount of a charge, with tax. */
export const gross = ({ leftNet, leftTax }: Charge): bigint => leftNet + leftTax;
export const getSum = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

/** Returns the lines of a sale, followed by its shipping. A line with a negative price has no amount. */
export const listCharges = (sale: Sale, exponent: number): Charge[] => {
  type Row = Pick<Sale['line_items'][number], 'id' | 'net_amount' | 'tax_amount'>;
  const charge = ({ id, net_amount, tax_amount }: Row, line: Charge['line']): Charge => {
    const [net, tax] = [toMinor(net_amount, exponent), toMinor(tax_amount, exponent)];
    const isShipping = line === null || isShippingId(id);
    const left = { leftNet: net, leftTax: tax, leftUnits: Number(line?.quantity ?? 0) };
    return { id, line, isShipping, net, tax, ...left };
  };
  const lines = (sale.line_items ?? []).filter(({ unit_price }) => !unit_price.startsWith('-'));
  return [
    ...lines.map((line) => charge(line, line)),
    ...[sale.shipping ?? []].flat().map((shipping) => charge(shipping, null)),
  ];
};

/**
 * Returns the tax that Levy calculates for a part of a line: its recorded tax in proportion; the last part gets the
 * rest.
 */
const getTax = (net: bigint, { leftNet, leftTax, ...whole }: Charge): bigint => {
  if (net === leftNet) return leftTax;
  const tax = whole.net === 0n ? 0n : divide(whole.tax * net, whole.net);
  return tax < leftTax ? tax : leftTax;
};

/** Returns the net amount whose sum with its tax is exactly `amount`; `null` if rounding skips that sum. */
export const getNet = (amount: bigint, charge: Charge): bigint | null => {
  if (amount < 0n || amount > gross(charge)) return null;
  if (amount === gross(charge)) return charge.leftNet;
  const whole = charge.net + charge.tax;
  const near = whole === 0n ? 0n : divide(charge.net * amount, whole);
  const isExact = (net: bigint) => net >= 0n && net <= charge.leftNet && net + getTax(net, charge) === amount;
  return [near, near - 1n, near + 1n].find(isExact) ?? null;
};

const nearby = [0, -1, 1, -2, 2];

/**
 * Returns reachable amounts close to the targets with the same sum, or `null` if there are none. With `isAny`, charges
 * outside of the refund can also contribute a cent.
 */
export const reachable = (charges: readonly Charge[], targets: readonly bigint[], isAny: boolean): bigint[] | null => {
  type Path = { readonly cost: number; readonly amounts: readonly bigint[] };
  let paths = new Map<number, Path>([[0, { cost: 0, amounts: [] }]]);
  for (const [at, charge] of charges.entries()) {
    const target = targets[at] as bigint;
    const next = new Map<number, Path>();
    const isReached = (off: number) => target + BigInt(off) === 0n || getNet(target + BigInt(off), charge) !== null;
    const offsets = target === 0n && !isAny ? [0] : nearby.filter(isReached);
    for (const [sum, { cost, amounts }] of paths)
      for (const off of offsets) {
        const path = { cost: cost + Math.abs(off), amounts: [...amounts, target + BigInt(off)] };
        if (Math.abs(sum + off) <= 4 && path.cost < (next.get(sum + off)?.cost ?? Infinity)) next.set(sum + off, path);
      }
    paths = next;
  }
  return paths.get(0)?.amounts.slice() ?? null;
};

/** Returns the largest reachable amounts up to the targets. */
export const below = (charges: readonly Charge[], targets: readonly bigint[]): bigint[] =>
  targets.map((target, at) => {
    let amount = target;
    while (amount > 0n && getNet(amount, charges[at] as Charge) === null) amount--;
    return amount;
  });

/** Returns the credit line that refunds `net` of a line, or `null` for shipping. */
export const creditLine = ({ line, leftUnits }: Charge, net: bigint, quantity: number, exponent: number) => {
  if (line === null) return null;
  const isExact = Number.isInteger(quantity) && (line.unit_price.split('.')[1]?.length ?? 0) <= exponent;
  const amount = isExact ? toMinor(line.unit_price, exponent) * BigInt(quantity) : 0n;
  const asSold = isExact && quantity > 0 && quantity <= leftUnits && amount >= net;
  return {
    id: line.id,
    quantity: asSold ? String(quantity) : '1',
    unit_price: asSold ? line.unit_price : toDecimal(net, exponent),
    discount_amount: toDecimal(asSold ? amount - net : 0n, exponent),
  };
};
