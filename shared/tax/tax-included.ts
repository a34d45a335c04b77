import { isPerInvoice } from '../content/release-values.ts';
import { allocate } from '../money/allocate.ts';
import type { Assessment } from './assessment.ts';
import type { InexactGross } from './document.ts';
import { fitColumns, netsOfInvoice } from './gross-invoice.ts';
import { assessAllGoods, assessGoodsAt, lineContexts } from './line-contexts.ts';
import { type Charge, isRoundedOnInvoice, roundCharges } from './round-charges.ts';
import { roundTotal } from './rounding.ts';
import { assessGoods, type Nets, type Sale } from './sale.ts';
import { assessShipments, replaceShipmentNets } from './shipments.ts';
import { sum } from './widest-base.ts';

/**
 * Extract the tax from a gross amount: find the net that plus its tax is the gross.
 *
 * Caps and thresholds have no single rate, so the net is searched. Net plus tax never falls as the net grows
 * (`content check` verifies it, see `monotonicity.ts`), so bisection finds the smallest net that reaches the gross. Where
 * rounding skips the gross, the tax is the difference.
 */
export const extractTax = (
  gross: bigint,
  taxOn: (net: bigint) => bigint,
): { readonly net: bigint; readonly tax: bigint } => {
  let low = 0n;
  let high = gross;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle + taxOn(middle) >= gross) high = middle;
    else low = middle + 1n;
  }
  return { net: low, tax: gross - low };
};

/** The nets, charges and taxes of a sale: of its goods, and then of its shipments. */
export type Extracted = {
  readonly nets: Nets;
  readonly charges: readonly Charge[];
  readonly taxes: readonly (readonly bigint[])[];
  readonly inexact: readonly InexactGross[];
};

/** Extract the tax from each of the goods by itself, and then from each shipment, which is allocated by the goods' nets. */
const extractEach = (sale: Sale, gross: Nets, known: Nets): Nets => {
  const lineContext = lineContexts(sale, known);
  const nets = [...known];
  const netAt = (position: number, assessOn: (net: bigint) => readonly Assessment[]): bigint =>
    extractTax(gross[position] as bigint, (net) => roundTotal(assessOn(net))).net;
  for (const position of sale.goods.keys()) {
    const context = lineContext(position);
    nets[position] = netAt(position, (net) => assessGoods(sale, position, net, context));
  }
  return sale.shipments.length === 0 ? nets : replaceShipmentNets(sale, nets, assessAllGoods(sale, nets), netAt);
};

const isSame = (left: Nets, right: Nets): boolean => left.every((net, index) => net === right[index]);

const passesMax = 8;

// Where a line's tax depends on the net shipping or on other lines' nets, the nets are found by iteration.
const extractAlone = (sale: Sale, gross: Nets): Nets => {
  let nets = extractEach(sale, gross, gross);
  if (!sale.includesShipping && !sale.hasFees) return nets;
  for (let pass = 1; pass < passesMax; pass += 1) {
    const next = extractEach(sale, gross, nets);
    if (isSame(next, nets)) return next;
    nets = next;
  }
  return nets;
};

/** The charges of a sale on given nets: its goods, and then its shipments. */
export const chargeInclusive = (sale: Sale, nets: Nets): Charge[] => {
  const goods = assessAllGoods(sale, nets);
  return [
    ...goods.map((assessments, position) => ({
      assessments,
      isOnInvoice: sale.goods[position]?.treated.isOnInvoice === true,
    })),
    ...assessShipments(sale, nets, goods).map((assessments) => ({
      assessments,
      isOnInvoice: assessments.some(({ treatment }) => isPerInvoice(treatment.rounding)),
    })),
  ];
};

/**
 * The positions of charges that are rounded together, by invoice: those of one state, or of all states that share a shipping
 * charge. Fees are not part of it, because they are never rounded.
 */
const groupInvoices = ({ document: { rounding }, goods }: Sale, charges: readonly Charge[]): number[][] => {
  const chargeStates = ({ assessments }: Charge) => assessments.map(({ treatment }) => treatment.state);
  const shipments = charges.slice(goods.length).filter((charge) => isRoundedOnInvoice(rounding, charge));
  const joined = new Set(shipments.flatMap(chargeStates));
  const positions = [...charges.keys()].filter(
    (position) => isRoundedOnInvoice(rounding, charges[position] as Charge) && goods[position]?.treated.isFee !== true,
  );
  const invoiceKey = (position: number) => {
    const [state = ''] = chargeStates(charges[position] as Charge);
    return joined.has(state) ? 'joined' : state;
  };
  return [...Map.groupBy(positions, invoiceKey).values()];
};

/** The assessments of the charges of an invoice. Goods do not depend on those of other invoices, so only they are assessed. */
const assessAt = (sale: Sale, nets: Nets, positions: readonly number[]): readonly (readonly Assessment[])[] => {
  if (positions.every((position) => position < sale.goods.length)) return assessGoodsAt(sale, nets, positions);
  const charges = chargeInclusive(sale, nets);
  return positions.map((position) => (charges[position] as Charge).assessments);
};

/** The charges whose nets plus tax are not their gross, with the tax on their nets. */
const findInexact = (
  { document, indexes }: Sale,
  charges: readonly Charge[],
  gross: Nets,
  nets: Nets,
  invoices: readonly (readonly number[])[],
): InexactGross[] => {
  const taxes = roundCharges(document.rounding, charges);
  const alone = [...charges.keys()].filter((position) => !invoices.some((positions) => positions.includes(position)));
  return [...invoices, ...alone.map((position) => [position])]
    .map((positions) => ({
      charges: positions.map((position) => indexes[position] as number),
      gross: sum(positions.map((position) => gross[position] as bigint)),
      net: sum(positions.map((position) => nets[position] as bigint)),
      taxOfNet: sum(positions.flatMap((position) => taxes[position] as bigint[])),
    }))
    .filter((one) => one.net + one.taxOfNet !== one.gross);
};

/** The weights by which the tax of a charge is split. A charge that is all tax has no exact taxes: where one is levied counts. */
const taxWeights = (assessments: readonly Assessment[]): bigint[] =>
  assessments.some(({ exact }) => exact !== 0n)
    ? assessments.map(({ exact }) => exact)
    : assessments.map(({ treatment }) => (treatment.effect.kind === 'collection_exemption' ? 0n : 1n));

/**
 * Extract the tax from a sale whose prices include it: charge by charge, or from each state's invoice where the tax is
 * rounded on the invoice. The tax of a charge is its gross less its net.
 */
export const extractSale = (sale: Sale, gross: Nets): Extracted => {
  let nets = extractAlone(sale, gross);
  const invoices = groupInvoices(sale, chargeInclusive(sale, nets));
  for (const positions of invoices)
    nets = netsOfInvoice(nets, gross, positions, (candidate) => assessAt(sale, candidate, positions));
  const charges = chargeInclusive(sale, nets);
  const taxes: (readonly bigint[])[] = charges.map(({ assessments }, position) =>
    allocate((gross[position] as bigint) - (nets[position] as bigint), taxWeights(assessments)),
  );
  for (const positions of invoices) {
    const fitted = fitColumns(
      positions.map((position) => (charges[position] as Charge).assessments),
      positions.map((position) => taxes[position] as readonly bigint[]),
    );
    for (const [index, position] of positions.entries()) taxes[position] = fitted[index] as readonly bigint[];
  }
  return { nets, charges, taxes, inexact: findInexact(sale, charges, gross, nets, invoices) };
};
