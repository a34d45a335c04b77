/** What each of the goods of a sale is assessed with besides its net: its share of the shipping, and the order of a fee. */
import type { Assessment } from './assessment.ts';
import { type Base, countsToward, type FeeBase } from './effects/base.ts';
import { assessGoods, type Goods, type LineContext, type Nets, noContext, type Sale, sharesOf } from './sale.ts';
import { sum, widestBase } from './widest-base.ts';

const stateOf = ({ goods }: Sale, position: number): string | undefined =>
  goods[position]?.treated.treatments[0]?.state;

/** What one of the goods counts toward a fee of its state. */
const countedToward = (sale: Sale, base: FeeBase | null, position: number, net: bigint, share: bigint): bigint => {
  const { line, treated } = sale.goods[position] as Goods;
  if (treated.isFee || treated.relief !== null) return 0n;
  const assessments = assessGoods(sale, position, net, { shipping: share, order: 0n });
  if (base === null) return widestBase(assessments);
  const isTaxed = assessments.some(
    ({ treatment, taxable }) => treatment.jurisdiction.code === treatment.state && taxable > 0n,
  );
  if (!line.isShipped || !countsToward(base, line.product.path, isTaxed)) return 0n;
  return net + (base.shipping ? share : 0n);
};

/** The goods that each fee depends on, by the position of its line; `null` where an earlier line has the fee of the order. */
const feeOrders = (sale: Sale, nets: Nets): ReadonlyMap<number, Base['order']> => {
  const shares = sharesOf(sale, nets);
  const orders = new Map<number, Base['order']>();
  const charged = new Set<string>();
  for (const [position, { treated }] of sale.goods.entries()) {
    const fee = treated.treatments.find(({ effect }) => effect.kind === 'flat_fee');
    if (!fee) continue;
    const isRepeated = fee.effect.isOncePerOrder === true && charged.has(fee.state);
    charged.add(fee.state);
    const counted = [...sale.goods.keys()].filter((other) => stateOf(sale, other) === fee.state);
    const sums = counted.map((other) =>
      countedToward(sale, fee.effect.feeBase ?? null, other, nets[other] as bigint, shares[other] as bigint),
    );
    orders.set(position, isRepeated ? null : sum(sums));
  }
  return orders;
};

/** The context of each of the goods for these nets. */
export const lineContexts = (sale: Sale, nets: Nets): ((position: number) => LineContext) => {
  const { includesShipping, hasFees } = sale;
  if (!includesShipping && !hasFees) return () => noContext;
  const shares = includesShipping ? sharesOf(sale, nets) : [];
  const orders = hasFees ? feeOrders(sale, nets) : new Map<number, Base['order']>();
  return (position) => {
    const order = orders.get(position);
    return { shipping: shares[position] ?? 0n, order: order === undefined ? 0n : order };
  };
};

/** Assess all goods of a sale. */
export const assessAllGoods = (sale: Sale, nets: Nets): Assessment[][] => {
  const contextOf = lineContexts(sale, nets);
  return sale.goods.map((_, position) => assessGoods(sale, position, nets[position] as bigint, contextOf(position)));
};
