/** The inputs of the assessment of goods besides their net: its share of the shipping, and the order of a fee. */
import type { Assessment } from './assessment.ts';
import { type Base, countsToward, type FeeBase } from './effects/base.ts';
import { assessGoods, type Goods, type LineContext, type Nets, noContext, type Sale } from './sale.ts';
import { shippingShares } from './shipments.ts';
import { widestBase } from './widest-base.ts';

const lineState = ({ goods }: Sale, position: number): string | undefined =>
  goods[position]?.treated.treatments[0]?.state;

/** The amount of goods that counts toward a fee of their state. */
const countedToward = (
  { line, treated }: Goods,
  base: FeeBase | null,
  assessments: readonly Assessment[],
  net: bigint,
  share: bigint,
): bigint => {
  if (treated.isFee || treated.collectionExemption !== null) return 0n;
  if (base === null) return widestBase(assessments);
  const isTaxed = assessments.some(
    ({ treatment, taxable }) => treatment.jurisdiction.code === treatment.state && taxable > 0n,
  );
  if (!line.isShipped || !countsToward(base, line.product.path, isTaxed)) return 0n;
  return net + (base.shipping ? share : 0n);
};

/** Assess the goods at these positions. None of them is a fee, so that they depend on no other goods. */
export const assessGoodsAt = (sale: Sale, nets: Nets, positions: readonly number[]): Assessment[][] => {
  const shares = positions.some((position) => sale.goods[position]?.treated.includesShipping)
    ? shippingShares(sale, nets)
    : [];
  return positions.map((position) =>
    assessGoods(sale, position, nets[position] as bigint, { shipping: shares[position] ?? 0n, order: 0n }),
  );
};

/** The assessments of the goods that are not fees; they do not depend on fees. */
const assessWithoutFees = (sale: Sale, nets: Nets, shares: Nets): readonly (Assessment[] | null)[] =>
  sale.goods.map(({ treated }, position) =>
    treated.isFee
      ? null
      : assessGoods(sale, position, nets[position] as bigint, { shipping: shares[position] ?? 0n, order: 0n }),
  );

/**
 * The base of each fee, by the position of its line: the goods of its state that count, in minor units; `null` where an
 * earlier line has the fee of the order.
 */
const feeOrders = (
  sale: Sale,
  nets: Nets,
  shares: Nets,
  assessed: readonly (readonly Assessment[] | null)[],
): ReadonlyMap<number, Base['order']> => {
  const orders = new Map<number, Base['order']>();
  const charged = new Set<string>();
  for (const [position, { treated }] of sale.goods.entries()) {
    const fee = treated.isFee ? treated.treatments.find(({ effect }) => effect.kind === 'flat_fee') : undefined;
    if (!fee) continue;
    const isRepeated = fee.effect.isOncePerOrder === true && charged.has(fee.state);
    charged.add(fee.state);
    if (isRepeated) {
      orders.set(position, null);
      continue;
    }
    const base = fee.effect.feeBase ?? null;
    let order = 0n;
    for (const [other, goods] of sale.goods.entries())
      if (lineState(sale, other) === fee.state)
        order += countedToward(goods, base, assessed[other] ?? [], nets[other] as bigint, shares[other] ?? 0n);
    orders.set(position, order);
  }
  return orders;
};

const contextBuilder =
  (shares: Nets, orders: ReadonlyMap<number, Base['order']>) =>
  (position: number): LineContext => {
    const order = orders.get(position);
    return { shipping: shares[position] ?? 0n, order: order === undefined ? 0n : order };
  };

/** The context of each of the goods for these nets. */
export const lineContexts = (sale: Sale, nets: Nets): ((position: number) => LineContext) => {
  const { includesShipping, hasFees } = sale;
  if (!includesShipping && !hasFees) return () => noContext;
  const shares = shippingShares(sale, nets);
  const orders = hasFees ? feeOrders(sale, nets, shares, assessWithoutFees(sale, nets, shares)) : noOrders;
  return contextBuilder(shares, orders);
};

const noOrders: ReadonlyMap<number, Base['order']> = new Map();

/** Assess all goods of a sale. */
export const assessAllGoods = (sale: Sale, nets: Nets): Assessment[][] => {
  if (!sale.hasFees) {
    const lineContext = lineContexts(sale, nets);
    return sale.goods.map((_, position) =>
      assessGoods(sale, position, nets[position] as bigint, lineContext(position)),
    );
  }
  const shares = shippingShares(sale, nets);
  const assessed = assessWithoutFees(sale, nets, shares);
  const lineContext = contextBuilder(shares, feeOrders(sale, nets, shares, assessed));
  return assessed.map(
    (own, position) => own ?? assessGoods(sale, position, nets[position] as bigint, lineContext(position)),
  );
};
