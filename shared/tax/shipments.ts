/** The shipping charges of a sale: their shares of the lines that they deliver, and their assessments. */
import { allocate } from '../money/allocate.ts';
import type { Assessment } from './assessment.ts';
import type { Share } from './document.ts';
import { assessOn, type Delivered, type Nets, noContext, type Sale, taxBase } from './sale.ts';
import { assessParcels, assessShipping, type Parcel, type StackedShares, stackShares } from './shipping.ts';

type Shares = readonly bigint[];
type AllGoods = readonly (readonly Assessment[])[];

const deliveredBy = ({ shipments }: Sale, index: number): readonly Delivered[] =>
  shipments[index] as readonly Delivered[];

/** The shares of a shipment, in the order of its delivered lines: by net amount, equally where all are zero. */
const sharesOn = (sale: Sale, nets: Nets, index: number): bigint[] =>
  allocate(
    nets[sale.goods.length + index] as bigint,
    deliveredBy(sale, index).map(({ position }) => nets[position] as bigint),
  );

/** Change what each of the goods has of all shipping by the shares of one shipment. */
const addShares = (all: bigint[], delivered: readonly Delivered[], shares: Shares, sign: 1n | -1n): void => {
  for (const [part, { position }] of delivered.entries())
    all[position] = (all[position] as bigint) + sign * (shares[part] as bigint);
};

/** The share of all shipping that each of the goods has. */
export const shippingShares = (sale: Sale, nets: Nets): bigint[] => {
  const all = new Array<bigint>(sale.goods.length).fill(0n);
  for (const index of sale.shipments.keys()) addShares(all, deliveredBy(sale, index), sharesOn(sale, nets, index), 1n);
  return all;
};

/**
 * The parcels of a shipment for its shares. What does not change with them is calculated once. `goods` are the
 * assessments of the goods. `others` is the share of the other shipments that each of the goods has, where a threshold
 * includes shipping.
 */
const listParcels = (
  sale: Sale,
  nets: Nets,
  index: number,
  goods: AllGoods,
  others: Shares | null,
): ((shares: Shares) => Parcel[]) => {
  const prepared = deliveredBy(sale, index).map(({ position, goods: treated, shipping: { treatments } }) => {
    const base = taxBase(sale, position, nets[position] as bigint, noContext);
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
  /** Its parcels, and its assessments by line, for any net amount. */
  readonly parcelsFor: (shares: Shares) => Parcel[];
  readonly stacked: StackedShares;
};

/**
 * Go through the shipments in their order: each is taxed after the ones before it. `visit` returns the shares of the
 * shipment; the nets of the goods stay the same.
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

/** Assess the shipments of a sale. `goods` are the assessments of its goods on the same nets. */
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
 * The nets, with the nets of the shipments replaced one after the other. `netOf` finds the net of the shipment at a
 * position by its assessments on any net; only that shipment is assessed.
 */
export const replaceShipmentNets = (
  sale: Sale,
  nets: Nets,
  goods: AllGoods,
  netOf: (position: number, assessOn: (net: bigint) => readonly Assessment[]) => bigint,
): Nets => {
  const replaced = [...nets];
  visitShipments(sale, nets, goods, ({ index, parcelsFor, stacked }) => {
    const weights = deliveredBy(sale, index).map(({ position }) => nets[position] as bigint);
    const position = sale.goods.length + index;
    const net = netOf(position, (candidate) => assessParcels(parcelsFor(allocate(candidate, weights)), stacked));
    replaced[position] = net;
    return allocate(net, weights);
  });
  return replaced;
};

/** The shares of each shipment by the indexes of the lines in the document. */
export const shipmentShares = (sale: Sale, nets: Nets): readonly (readonly Share[])[] =>
  sale.shipments.map((delivered, index) => {
    const shares = sharesOn(sale, nets, index);
    return delivered.map(({ line }, part) => ({ line, amount: shares[part] as bigint }));
  });
