import { type Assessment, assess } from './assessment.ts';
import { type Delivery, isShippingCharge, type ShippingCharge, type TaxDocument, type TaxLine } from './document.ts';
import type { Base } from './effects/base.ts';
import { type Treated, treatmentCache } from './treatment.ts';

/** A line of goods with its treatments. */
export type Goods = { readonly line: TaxLine; readonly treated: Treated };

/** A delivered line: its position among the goods, and how the place of delivery treats the goods and their shipping. */
export type Delivered = {
  readonly position: number;
  readonly line: number;
  readonly goods: Treated;
  readonly shipping: Treated;
};

/** A document with the treatments of its goods and shipping charges. It can be assessed on any net amounts. */
export type Sale = {
  readonly document: TaxDocument;
  readonly goods: readonly Goods[];
  /** The delivered lines of each shipping charge: first the lines that are shipping charges, then `document.shipping`. */
  readonly shipments: readonly (readonly Delivered[])[];
  /** The index of each of the goods and of the shipments in the document: of the lines, and then of `shipping`. */
  readonly indexes: readonly number[];
  readonly includesShipping: boolean;
  readonly hasFees: boolean;
};

/** Amounts without tax: of the goods, and then of the shipments. */
export type Nets = readonly bigint[];

/**
 * The inputs of a line's assessment besides its net: its share of the shipping, and for a fee the goods that it depends
 * on.
 */
export type LineContext = { readonly shipping: bigint; readonly order: Base['order'] };

type Charge = ShippingCharge & { readonly index: number };

/**
 * The charges of a document, with their indexes: fees of the seller, and then shipping. They are taxed one after the other,
 * so the order must not depend on whether shipping is sent as a line item or in `shipping`.
 */
export const listCharges = ({ lines, shipping }: TaxDocument): readonly Charge[] => {
  const charges: Charge[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const { product, amount, discount, deliveries } = lines[index] as TaxLine;
    if (deliveries) charges.push({ product, amount, discount, deliveries, index });
  }
  for (const [index, charge] of shipping.entries()) charges.push({ ...charge, index: lines.length + index });
  return [
    ...charges.filter((one) => !isShippingCharge(one.product)),
    ...charges.filter((one) => isShippingCharge(one.product)),
  ];
};

/** Find the treatments of a document. */
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
  const delivered = ({ product }: Charge, { line, place, collectionExemption }: Delivery): Delivered => {
    const { product: sold, use } = lines[line] as TaxLine;
    return {
      position: positions.get(line) as number,
      line,
      goods: treatmentsFor(place, { product: sold, use, collectionExemption }),
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
  };
};

export const noContext: LineContext = { shipping: 0n, order: 0n };

/** The base of goods by their position. */
export const taxBase = (
  { document, goods }: Sale,
  position: number,
  net: bigint,
  { shipping, order }: LineContext,
): Base => {
  const { quantity, amount } = (goods[position] as Goods).line;
  return {
    net,
    goods: net,
    shipping,
    quantity,
    exponent: document.exponent,
    isPriced: amount > 0n && !document.taxIncluded,
    order,
  };
};

/** Assess goods in each of their jurisdictions. */
export const assessOn = ({ treatments }: Treated, base: Base): Assessment[] =>
  treatments.map((treatment) => assess(treatment, base));

/** Assess one of the goods, by its position, in each of its jurisdictions. */
export const assessGoods = (
  sale: Sale,
  position: number,
  net: bigint,
  context: LineContext = noContext,
): Assessment[] => assessOn((sale.goods[position] as Goods).treated, taxBase(sale, position, net, context));
