import { type Assessment, assess } from './assessment.ts';
import type { TaxDocument, TaxLine } from './document.ts';
import type { Base } from './effects/base.ts';
import { assessShipping, shareShipping, shippedLines } from './shipping.ts';
import { type Treated, treatmentCache } from './treatment-cache.ts';
import { widestBase } from './widest-base.ts';

/** A document with the treatments of its lines and shipping. It can be assessed on any net amounts. */
export type Sale = {
  readonly document: TaxDocument;
  readonly goods: readonly Treated[];
  /** How the shipping is treated where each line is; empty without shipping. */
  readonly delivery: readonly Treated[];
  readonly includesShipping: boolean;
  readonly hasFees: boolean;
};

/** Amounts without tax. */
export type Nets = { readonly lines: readonly bigint[]; readonly shipping: bigint };

/** What a line is assessed with besides its net: its share of the shipping, and the state's taxable goods. */
type LineContext = { readonly shipping: bigint; readonly order: bigint };

/** Find the treatments of a document. */
export const saleOf = (document: TaxDocument): Sale => {
  const { lines, shipping } = document;
  const treatmentsFor = treatmentCache(document);
  const goods = lines.map((line) => treatmentsFor(line.place, line));
  return {
    document,
    goods,
    delivery: shipping
      ? lines.map(({ place, use, relief }) => treatmentsFor(place, { product: shipping.product, use, relief }))
      : [],
    includesShipping: shipping !== null && goods.some(({ includesShipping }) => includesShipping),
    hasFees: goods.some(({ isFee }) => isFee),
  };
};

const noContext: LineContext = { shipping: 0n, order: 0n };

const baseOf = ({ document }: Sale, index: number, net: bigint, { shipping, order }: LineContext): Base => {
  const { quantity, amount } = document.lines[index] as TaxLine;
  return { net, goods: net, shipping, quantity, exponent: document.exponent, isPriced: amount > 0n, order };
};

/** Assess one line in each of its jurisdictions. */
export const assessLine = (sale: Sale, index: number, net: bigint, context: LineContext = noContext): Assessment[] => {
  const base = baseOf(sale, index, net, context);
  const assessments: Assessment[] = [];
  for (const treatment of (sale.goods[index] as Treated).treatments) assessments.push(assess(treatment, base));
  return assessments;
};

const sharesOf = ({ goods }: Sale, { lines, shipping }: Nets): bigint[] =>
  shareShipping(shipping, lines, (index) => goods[index]?.isFee === true);

const stateOf = ({ goods }: Sale, index: number): string | undefined => goods[index]?.treatments[0]?.state;

/** The taxable goods of the document in each state. */
const ordersOf = (sale: Sale, nets: Nets, shares: readonly bigint[]): ReadonlyMap<string, bigint> => {
  const orders = new Map<string, bigint>();
  for (const [index, net] of nets.lines.entries()) {
    const state = stateOf(sale, index);
    if (state === undefined || sale.goods[index]?.isFee) continue;
    const taxable = widestBase(assessLine(sale, index, net, { shipping: shares[index] ?? 0n, order: 0n }));
    orders.set(state, (orders.get(state) ?? 0n) + taxable);
  }
  return orders;
};

/** The context of each line for these nets. */
export const lineContexts = (sale: Sale, nets: Nets): ((index: number) => LineContext) => {
  const { includesShipping, hasFees } = sale;
  if (!includesShipping && !hasFees) return () => noContext;
  const shares = includesShipping ? sharesOf(sale, nets) : [];
  const orders = hasFees ? ordersOf(sale, nets, shares) : new Map<string, bigint>();
  return (index) => ({ shipping: shares[index] ?? 0n, order: orders.get(stateOf(sale, index) ?? '') ?? 0n });
};

/** Assess every line of a sale. */
export const assessLines = (sale: Sale, nets: Nets): Assessment[][] => {
  const contextOf = lineContexts(sale, nets);
  return nets.lines.map((net, index) => assessLine(sale, index, net, contextOf(index)));
};

/** Assess the shipping of a sale. `lines` are the assessments of its lines on the same nets. */
export const assessDelivery = (sale: Sale, nets: Nets, lines: readonly (readonly Assessment[])[]): Assessment[] => {
  const shares = sharesOf(sale, nets);
  const shipped = shippedLines(lines.length, (index) => sale.goods[index]?.isFee === true);
  return assessShipping(
    shipped.map((index) => ({
      base: baseOf(sale, index, nets.lines[index] as bigint, { shipping: shares[index] as bigint, order: 0n }),
      assessments: lines[index] as readonly Assessment[],
      treatments: (sale.delivery[index] as Treated).treatments,
    })),
  );
};
