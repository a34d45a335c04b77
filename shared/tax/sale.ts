import { allocate, sum } from '../money/allocate.ts';
import { type Assessment, assess, type Treatment, widestBase } from './assessment.ts';
import { type Delivery, isShippingCharge, type Share, type TaxDocument, type TaxLine } from './document.ts';
import { type Base, countsToward, type FeeBase, type RuleTotals, ruleKey } from './effects/base.ts';
import { assessParcels, assessShipping, type Parcel, type StackedShares, stackShares } from './shipping.ts';
import { type Treated, treatmentCache } from './treatment.ts';

/** A line of goods and its treatments. */
export type Goods = { readonly line: TaxLine; readonly treated: Treated };

/**
 * A delivered line: its position among the goods, and the treatments of the goods and of their shipping at the delivery
 * place.
 */
export type Delivered = {
  readonly position: number;
  readonly line: number;
  readonly goods: Treated;
  readonly shipping: Treated;
};

/** A document with the treatments of its goods and shipping charges. It can be assessed for any net amounts. */
export type Sale = {
  readonly document: TaxDocument;
  readonly goods: readonly Goods[];
  /** The delivered lines of each shipment, in the order of `listCharges`. */
  readonly shipments: readonly (readonly Delivered[])[];
  /** The line index of each of the goods, then of each shipment. */
  readonly indexes: readonly number[];
  readonly includesShipping: boolean;
  readonly hasFees: boolean;
  /** Whether a threshold is compared with the price of several lines. */
  readonly isPerOrder: boolean;
};

/** Amounts without tax, for the goods and then the shipments. */
export type Nets = readonly bigint[];

/**
 * The inputs of a line's assessment in addition to its net: its share of the shipping, for a fee the amount of the
 * goods that it depends on, and the totals of rules with an amount per order.
 */
type LineContext = Pick<Base, 'shipping' | 'order' | 'ruleTotals'>;

type Charge = {
  readonly index: number;
  readonly product: TaxLine['product'];
  readonly deliveries: readonly Delivery[];
};

/**
 * Returns the charges of a document with the indexes of their lines: the seller's fees, then shipping. Charges are taxed
 * one after another, so the order must not depend on whether shipping is sent as a line item or in `shipping`.
 */
export const listCharges = ({ lines }: Pick<TaxDocument, 'lines'>): readonly Charge[] => {
  const charges: Charge[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const { product, deliveries } = lines[index] as TaxLine;
    if (deliveries) charges.push({ index, product, deliveries });
  }
  return charges.length < 2
    ? charges
    : [
        ...charges.filter((one) => !isShippingCharge(one.product)),
        ...charges.filter((one) => isShippingCharge(one.product)),
      ];
};

/** Builds a sale from a document by finding its treatments. */
export const toSale = (document: TaxDocument): Sale => {
  const { lines } = document;
  const treatmentsFor = treatmentCache(document);
  const goods: Goods[] = [];
  const ofGoods: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as TaxLine;
    if (line.deliveries) continue;
    goods.push({ line, treated: treatmentsFor(line.place, line) });
    ofGoods.push(index);
  }
  const charges = listCharges(document);
  const positions = new Map(charges.length === 0 ? [] : ofGoods.map((index, position) => [index, position]));
  const delivered = ({ product }: Charge, delivery: Delivery): Delivered => {
    const { line, place, collectionExemption, isForGoodsOnly } = delivery;
    const { product: sold, use } = lines[line] as TaxLine;
    const ofGoods = isForGoodsOnly ? 'customer_exempt' : collectionExemption;
    return {
      position: positions.get(line) as number,
      line,
      goods: treatmentsFor(place, { product: sold, use, collectionExemption: ofGoods }),
      shipping: treatmentsFor(place, { product, use, collectionExemption }),
    };
  };
  return {
    document,
    goods,
    shipments: charges.map((charge) => charge.deliveries.map((delivery) => delivered(charge, delivery))),
    indexes: [...ofGoods, ...charges.map(({ index }) => index)],
    includesShipping: charges.length > 0 && goods.some(({ treated }) => treated.includesShipping),
    hasFees: goods.some(({ treated }) => treated.isFee),
    isPerOrder: goods.some(({ treated }) => treated.isPerOrder),
  };
};

const noTotals: RuleTotals = new Map();
const noContext: LineContext = { shipping: 0n, order: 0n, ruleTotals: noTotals };

/** Returns the keys of the rule of a treatment, and of the rules that apply above the limits of holidays. */
const listRuleKeys = ({ state, ruleId, effect: { beyondLimit } }: Treatment): readonly string[] => [
  ruleKey(state, ruleId),
  ...(beyondLimit ? listRuleKeys(beyondLimit) : []),
];

/** Returns the price of all goods to which each rule applies; empty if no threshold is compared with several lines. */
const totalRules = ({ goods, isPerOrder }: Sale, nets: Nets): RuleTotals => {
  if (!isPerOrder) return noTotals;
  const totals = new Map<string, bigint>();
  for (const [position, { treated }] of goods.entries())
    for (const key of new Set(treated.treatments.flatMap(listRuleKeys)))
      totals.set(key, (totals.get(key) ?? 0n) + (nets[position] as bigint));
  return totals;
};

/** Returns the base of the goods at a position. */
const taxBase = ({ document, goods }: Sale, position: number, net: bigint, context: LineContext): Base => {
  const { quantity, amount } = (goods[position] as Goods).line;
  return {
    net,
    goods: net,
    shipping: context.shipping,
    quantity,
    exponent: document.exponent,
    isPriced: amount > 0n && !document.taxIncluded,
    order: context.order,
    ruleTotals: context.ruleTotals,
  };
};

/** Assesses goods in each of their jurisdictions. */
const assessOn = ({ treatments }: Treated, base: Base): Assessment[] =>
  treatments.map((treatment) => assess(treatment, base));

/** Assesses the goods at a position in each of their jurisdictions. */
export const assessGoods = (
  sale: Sale,
  position: number,
  net: bigint,
  context: LineContext = noContext,
): Assessment[] => assessOn((sale.goods[position] as Goods).treated, taxBase(sale, position, net, context));

type Shares = readonly bigint[];
type AllGoods = readonly (readonly Assessment[])[];

const deliveredBy = ({ shipments }: Sale, index: number): readonly Delivered[] =>
  shipments[index] as readonly Delivered[];

/** Allocates a shipment to its delivered lines by net amount, or equally if all are zero. */
const sharesOn = (sale: Sale, nets: Nets, index: number): bigint[] =>
  allocate(
    nets[sale.goods.length + index] as bigint,
    deliveredBy(sale, index).map(({ position }) => nets[position] as bigint),
  );

/** Adds the shares of one shipment to the shipping of each of the goods, or subtracts them. */
const addShares = (all: bigint[], delivered: readonly Delivered[], shares: Shares, sign: 1n | -1n): void => {
  for (const [part, { position }] of delivered.entries())
    all[position] = (all[position] as bigint) + sign * (shares[part] as bigint);
};

/** Returns the total shipping share of each of the goods. */
const shippingShares = (sale: Sale, nets: Nets): bigint[] => {
  const all = new Array<bigint>(sale.goods.length).fill(0n);
  for (const index of sale.shipments.keys()) addShares(all, deliveredBy(sale, index), sharesOn(sale, nets, index), 1n);
  return all;
};

/**
 * Returns a function that converts the shares of a shipment to its parcels. Everything that does not depend on the
 * shares is calculated once. `goods` are the assessments of the goods. `others` are the shares of the other shipments,
 * if a threshold includes shipping.
 */
const listParcels = (
  sale: Sale,
  nets: Nets,
  index: number,
  goods: AllGoods,
  others: Shares | null,
): ((shares: Shares) => Parcel[]) => {
  const context = { ...noContext, ruleTotals: totalRules(sale, nets) };
  const prepared = deliveredBy(sale, index).map(({ position, goods: treated, shipping: { treatments } }) => {
    const base = taxBase(sale, position, nets[position] as bigint, context);
    const isThere = treated === sale.goods[position]?.treated;
    const assessed = isThere ? (goods[position] as readonly Assessment[]) : assessOn(treated, base);
    return { position, base, treatments, treated, assessed, shipping: others?.[position] ?? 0n };
  });
  return (shares) =>
    prepared.map(({ position, base, treatments, treated, assessed, shipping }, part): Parcel => {
      const share = shares[part] as bigint;
      if (!treated.includesShipping) return { position, base, share, assessments: assessed, treatments };
      const whole = { ...base, shipping: shipping + share };
      return { position, base: whole, share, assessments: assessOn(treated, whole), treatments };
    });
};

type Shipment = {
  readonly index: number;
  /** Returns the parcels of the shipment for its shares. */
  readonly parcelsFor: (shares: Shares) => Parcel[];
  readonly stacked: StackedShares;
};

/**
 * Visits the shipments in order. Each is taxed after the ones before it. `visit` returns the shares of the shipment;
 * the nets of the goods do not change.
 */
const visitShipments = (sale: Sale, nets: Nets, goods: AllGoods, visit: (shipment: Shipment) => Shares): void => {
  const stacked: StackedShares = new Map();
  const all = sale.includesShipping ? shippingShares(sale, nets) : null;
  for (const [index, delivered] of sale.shipments.entries()) {
    if (all) addShares(all, delivered, sharesOn(sale, nets, index), -1n);
    const parcelsFor = listParcels(sale, nets, index, goods, all);
    const shares = visit({ index, parcelsFor, stacked });
    if (all) addShares(all, delivered, shares, 1n);
    if (index + 1 < sale.shipments.length) stackShares(parcelsFor(shares), stacked);
  }
};

/** Assesses the shipments of a sale. `goods` are the assessments of its goods for the same nets. */
export const assessShipments = (sale: Sale, nets: Nets, goods: AllGoods): Assessment[][] => {
  const assessed: Assessment[][] = [];
  visitShipments(sale, nets, goods, ({ index, parcelsFor, stacked }) => {
    const shares = sharesOn(sale, nets, index);
    assessed.push(assessShipping(parcelsFor(shares), stacked));
    return shares;
  });
  return assessed;
};

/**
 * Returns the nets with the net of each shipment replaced in order. `getNet` finds a shipment's net, given a function
 * that assesses only that shipment for any net.
 */
export const replaceShipmentNets = (
  sale: Sale,
  nets: Nets,
  goods: AllGoods,
  getNet: (position: number, assessOn: (net: bigint) => readonly Assessment[]) => bigint,
): Nets => {
  const replaced = [...nets];
  visitShipments(sale, nets, goods, ({ index, parcelsFor, stacked }) => {
    const weights = deliveredBy(sale, index).map(({ position }) => nets[position] as bigint);
    const position = sale.goods.length + index;
    const net = getNet(position, (candidate) => assessParcels(parcelsFor(allocate(candidate, weights)), stacked));
    replaced[position] = net;
    return allocate(net, weights);
  });
  return replaced;
};

/** Returns the shares of each shipment by line index. */
export const shipmentShares = (sale: Sale, nets: Nets): readonly (readonly Share[])[] =>
  sale.shipments.map((delivered, index) => {
    const shares = sharesOn(sale, nets, index);
    return delivered.map(({ line }, part) => ({ line, amount: shares[part] as bigint }));
  });

/** Returns the amount of goods that counts toward a fee of their state. */
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

/**
 * Returns the base of the fee at each position: the state's goods that count, in minor units; `null` if the order's fee
 * is on an earlier line, and 0 for other goods.
 */
const feeOrders = (
  { goods }: Sale,
  nets: Nets,
  shares: Shares,
  assessed: readonly (readonly Assessment[] | null)[],
): Base['order'][] => {
  const charged = new Set<string>();
  return goods.map(({ treated }) => {
    const fee = treated.isFee ? treated.treatments.find(({ effect }) => effect.kind === 'flat_fee') : undefined;
    if (!fee) return 0n;
    const { state, effect } = fee;
    const isRepeated = effect.isOncePerOrder === true && charged.has(state);
    charged.add(state);
    const counted = goods.map((other, index) =>
      other.treated.treatments[0]?.state === state
        ? countedToward(
            other,
            effect.feeBase ?? null,
            assessed[index] ?? [],
            nets[index] as bigint,
            shares[index] as bigint,
          )
        : 0n,
    );
    return isRepeated ? null : sum(counted);
  });
};

/** Returns the contexts of the goods for these nets and, if there are fees, the assessments of the other goods. */
const readContexts = (sale: Sale, nets: Nets) => {
  const { goods, includesShipping, hasFees } = sale;
  const shares = includesShipping || hasFees ? shippingShares(sale, nets) : [];
  const common = { ...noContext, ruleTotals: totalRules(sale, nets) };
  const contexts = goods.map((_, position): LineContext => {
    const shipping = shares[position];
    return shipping === undefined ? common : { ...common, shipping };
  });
  if (!hasFees) return { contexts, assessed: null };
  const assessed = goods.map(({ treated }, position) =>
    treated.isFee ? null : assessGoods(sale, position, nets[position] as bigint, contexts[position]),
  );
  const orders = feeOrders(sale, nets, shares, assessed);
  return { contexts: contexts.map((context, position) => ({ ...context, order: orders[position] ?? null })), assessed };
};

/** Returns the context of each of the goods for these nets. */
export const lineContexts = (sale: Sale, nets: Nets): readonly LineContext[] => readContexts(sale, nets).contexts;

/** Assesses all goods of a sale. */
export const assessAllGoods = (sale: Sale, nets: Nets): Assessment[][] => {
  const { contexts, assessed } = readContexts(sale, nets);
  return sale.goods.map(
    (_, position) => assessed?.[position] ?? assessGoods(sale, position, nets[position] as bigint, contexts[position]),
  );
};

/** Assesses the goods at these positions. None of them may be a fee, because a fee depends on other goods. */
export const assessGoodsAt = (sale: Sale, nets: Nets, positions: readonly number[]): Assessment[][] => {
  const isIncluded = positions.some((position) => sale.goods[position]?.treated.includesShipping);
  const shares = isIncluded ? shippingShares(sale, nets) : [];
  const context = { ...noContext, ruleTotals: totalRules(sale, nets) };
  return positions.map((position) =>
    assessGoods(sale, position, nets[position] as bigint, { ...context, shipping: shares[position] ?? 0n }),
  );
};
