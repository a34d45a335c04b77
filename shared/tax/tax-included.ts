import { isPerInvoice } from '../catalog/release-values.ts';
import { allocate, sum } from '../money/allocate.ts';
import type { Assessment } from './assessment.ts';
import type { InexactGross } from './document.ts';
import { min } from './effects/base.ts';
import {
  type Charge,
  isRoundedOnInvoice,
  roundCharges,
  roundOnInvoice,
  totalByState,
  totalOnInvoice,
} from './rounding.ts';
import {
  assessAllGoods,
  assessGoods,
  assessGoodsAt,
  assessShipments,
  lineContexts,
  type Nets,
  replaceShipmentNets,
  type Sale,
} from './sale.ts';

/** Extracts included tax from tax-inclusive prices. */

const clamp = (amount: bigint, least: bigint, most: bigint): bigint =>
  amount < least ? least : amount > most ? most : amount;

type AssessAll = (nets: Nets) => readonly (readonly Assessment[])[];

/**
 * Finds the nets of an invoice's charges (at `indexes`) whose sum plus tax equals the gross. If no nets plus their
 * rounded tax equal it, finds the smallest nets that exceed it.
 *
 * Nets that were extracted per charge are off by a few cents. They are adjusted together, one cent at a time, the
 * largest charges first; untaxed charges do not change. Net plus tax never falls as the nets grow (`monotonicity.ts`),
 * so exponential and binary search find the step at which the gross is reached.
 *
 * No net falls below one cent unless the gross cannot be reached otherwise.
 */
const netsOfInvoice = (nets: Nets, grosses: Nets, indexes: readonly number[], assessAll: AssessAll): Nets => {
  const at = (amounts: readonly bigint[], index: number) => amounts[index] as bigint;
  const assessed = assessAll(nets);
  const taxed = indexes
    .filter((_, position) => assessed[position]?.some(({ exact }) => exact > 0n))
    .toSorted((left, right) =>
      at(grosses, left) === at(grosses, right) ? left - right : at(grosses, left) < at(grosses, right) ? 1 : -1,
    );
  const gross = sum(indexes.map((index) => at(grosses, index)));
  if (taxed.length === 0 || gross === 0n) return nets;
  const movedBy = (step: number, least: bigint): Nets => {
    const moved = [...nets];
    for (const [place, index] of taxed.entries()) {
      const cents = BigInt(Math.floor((step + taxed.length - 1 - place) / taxed.length));
      moved[index] = clamp(at(nets, index) + cents, least, at(grosses, index));
    }
    return moved;
  };
  const grossUp = (candidate: Nets): bigint => {
    const tax = totalOnInvoice(assessAll(candidate));
    return sum(indexes.map((index) => at(candidate, index))) + tax;
  };
  const search = (least: bigint): Nets =>
    movedBy(
      findLeast((step) => grossUp(movedBy(step, least)) >= gross),
      least,
    );
  const keeping = (): Nets | null => {
    const lowest = movedBy(-stepsMax, 1n);
    const kept = grossUp(lowest) < gross ? search(1n) : lowest;
    return grossUp(kept) === gross ? kept : null;
  };
  return keeping() ?? search(0n);
};

const stepsMax = 2 ** 40;

/**
 * Returns the smallest sufficient step, given that all larger steps are also sufficient. Returns 0 if there is none
 * within `stepsMax`.
 */
const findLeast = (isEnough: (step: number) => boolean): number => {
  const isUp = !isEnough(0);
  let [low, high] = isUp ? [0, 1] : [-1, 0];
  for (; isUp && !isEnough(high); high *= 2) {
    low = high;
    if (high > stepsMax) return 0;
  }
  for (; !isUp && isEnough(low); low *= 2) {
    high = low;
    if (low < -stepsMax) return 0;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
};

type Cell = { readonly code: string; readonly isTaxed: boolean; tax: bigint };

/**
 * Moves cents between the rows of one charge, from jurisdictions with too much tax to jurisdictions with too little. A
 * row without remaining tax never receives tax, so each row is visited once.
 */
const moveCents = (cells: readonly Cell[], due: Map<string, bigint>): void => {
  const dueTo = ({ code }: Cell): bigint => due.get(code) as bigint;
  const spare = (giver: Cell): bigint => min(-dueTo(giver), giver.tax);
  const givers = cells.filter((cell) => spare(cell) > 0n).values();
  let { value: giver } = givers.next();
  for (const receiver of cells.filter(({ isTaxed }) => isTaxed))
    while (giver && dueTo(receiver) > 0n) {
      const cents = min(dueTo(receiver), spare(giver));
      if (cents <= 0n) {
        giver = givers.next().value;
        continue;
      }
      giver.tax -= cents;
      receiver.tax += cents;
      due.set(receiver.code, dueTo(receiver) - cents);
      due.set(giver.code, dueTo(giver) + cents);
    }
};

/**
 * Moves cents between the rows of charges until each jurisdiction has the invoice tax from its table, as far as the tax
 * of each charge allows. The tax of each charge does not change. Takes and returns taxes by charge.
 */
const fitColumns = (
  charges: readonly (readonly Assessment[])[],
  taxes: readonly (readonly bigint[])[],
): readonly (readonly bigint[])[] => {
  if (!charges.flat().some(({ treatment }) => treatment.rounding.method === 'bracket')) return taxes;
  const cells = charges.map((assessments, charge) =>
    assessments.map(
      ({ treatment, exact }, position): Cell => ({
        code: treatment.jurisdiction.code,
        isTaxed: exact > 0n,
        tax: taxes[charge]?.[position] as bigint,
      }),
    ),
  );
  const due = new Map<string, bigint>();
  const rounded = roundOnInvoice(charges);
  for (const [charge, row] of cells.entries())
    for (const [position, { code, tax }] of row.entries())
      due.set(code, (due.get(code) ?? 0n) + (rounded[charge]?.[position] as bigint) - tax);
  for (const row of cells) moveCents(row, due);
  return cells.map((row) => row.map(({ tax }) => tax));
};

/**
 * Extracts the tax from a gross amount by finding the net whose sum with its tax equals the gross.
 *
 * Caps and thresholds have no single rate, so the net is searched. Net plus tax never falls as the net grows (`content
 * check` verifies it, see `monotonicity.ts`), so bisection finds the smallest net that reaches the gross. If no net
 * plus its rounded tax equals the gross, the tax is the gross less this net.
 *
 * With an exemption above an amount, the tax falls there, so a net below it and a net above it may both add up to the
 * gross. If the gross itself is exempt, it includes no tax.
 */
const extractTax = (gross: bigint, taxOn: (net: bigint) => bigint): { readonly net: bigint; readonly tax: bigint } => {
  if (taxOn(gross) === 0n) return { net: gross, tax: 0n };
  let low = 0n;
  let high = gross;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (middle + taxOn(middle) >= gross) high = middle;
    else low = middle + 1n;
  }
  return { net: low, tax: gross - low };
};

/** The nets, charges and taxes of a sale, for the goods and then the shipments. */
export type Extracted = {
  readonly nets: Nets;
  readonly charges: readonly Charge[];
  readonly taxes: readonly (readonly bigint[])[];
  readonly inexact: readonly InexactGross[];
};

/**
 * Extracts the tax from each of the goods separately, then from each shipment, which is allocated by the goods' nets.
 */
const extractEach = (sale: Sale, gross: Nets, known: Nets): Nets => {
  const contexts = lineContexts(sale, known);
  const nets = [...known];
  const netAt = (position: number, assessOn: (net: bigint) => readonly Assessment[]): bigint =>
    extractTax(gross[position] as bigint, (net) => totalByState(assessOn(net))).net;
  for (const position of sale.goods.keys()) {
    const context = contexts[position];
    nets[position] = netAt(position, (net) => assessGoods(sale, position, net, context));
  }
  return sale.shipments.length === 0 ? nets : replaceShipmentNets(sale, nets, assessAllGoods(sale, nets), netAt);
};

const isSame = (left: Nets, right: Nets): boolean => left.every((net, index) => net === right[index]);

const passesMax = 8;

// If a line's tax depends on the net shipping or on other lines' nets, the nets are found by iteration.
const extractAlone = (sale: Sale, gross: Nets): Nets => {
  let nets = extractEach(sale, gross, gross);
  if (!sale.includesShipping && !sale.hasFees && !sale.isPerOrder) return nets;
  for (let pass = 1; pass < passesMax; pass += 1) {
    const next = extractEach(sale, gross, nets);
    if (isSame(next, nets)) return next;
    nets = next;
  }
  return nets;
};

/** Returns the charges of a sale for given nets: its goods, then its shipments. */
export const chargeInclusive = (sale: Sale, nets: Nets): Charge[] => {
  const goods = assessAllGoods(sale, nets);
  const shipments = sale.shipments.length === 0 ? [] : assessShipments(sale, nets, goods);
  return [
    ...goods.map((assessments, position) => ({
      assessments,
      isOnInvoice: sale.goods[position]?.treated.isOnInvoice === true,
    })),
    ...shipments.map((assessments) => ({
      assessments,
      isOnInvoice: assessments.some(({ treatment }) => isPerInvoice(treatment.rounding)),
    })),
  ];
};

/** Groups states that share a charge, directly or through charges with other states. */
const groupStates = (charges: readonly (readonly string[])[]): readonly ReadonlySet<string>[] => {
  let groups: readonly ReadonlySet<string>[] = [];
  for (const states of charges) {
    const own = new Set(states);
    const apart = groups.filter((group) => group.isDisjointFrom(own));
    groups = [...apart, groups.filter((group) => !apart.includes(group)).reduce((all, group) => all.union(group), own)];
  }
  return groups;
};

/**
 * Groups the positions of charges that are rounded together: the charges of one state, or of states that share a
 * shipping charge above zero. Fees are left out, because they are never rounded.
 */
const groupInvoices = ({ document: { rounding }, goods }: Sale, charges: readonly Charge[]): number[][] => {
  const chargeStates = ({ assessments }: Charge) => assessments.map(({ treatment }) => treatment.state);
  const isPriced = ({ assessments }: Charge) => assessments.some(({ taxable, exempt }) => taxable + exempt > 0n);
  const shipments = charges
    .slice(goods.length)
    .filter((charge) => isRoundedOnInvoice(rounding, charge) && isPriced(charge));
  const joined = groupStates(shipments.map(chargeStates));
  const positions = [...charges.keys()].filter(
    (position) => isRoundedOnInvoice(rounding, charges[position] as Charge) && goods[position]?.treated.isFee !== true,
  );
  const invoiceKey = (position: number) => {
    const [state = ''] = chargeStates(charges[position] as Charge);
    return joined.find((group) => group.has(state)) ?? state;
  };
  return [...Map.groupBy(positions, invoiceKey).values()];
};

/**
 * Returns the assessments of an invoice's charges. Goods do not depend on goods of other invoices, so an invoice of
 * goods is assessed separately.
 */
const assessAt = (sale: Sale, nets: Nets, positions: readonly number[]): readonly (readonly Assessment[])[] => {
  if (positions.every((position) => position < sale.goods.length)) return assessGoodsAt(sale, nets, positions);
  const charges = chargeInclusive(sale, nets);
  return positions.map((position) => (charges[position] as Charge).assessments);
};

/** Returns the charges whose net plus tax differs from their gross, with the tax calculated on their nets. */
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

/**
 * Returns the weights by which the tax of a charge is split. If the charge has no exact tax, it is split equally among
 * the jurisdictions that collect.
 */
const taxWeights = (assessments: readonly Assessment[]): bigint[] =>
  assessments.some(({ exact }) => exact !== 0n)
    ? assessments.map(({ exact }) => exact)
    : assessments.map(({ treatment }) => (treatment.effect.kind === 'collection_exemption' ? 0n : 1n));

/**
 * Extracts the tax from a sale with tax-inclusive prices: per charge, or per state invoice if the tax is rounded on the
 * invoice. The tax of a charge is its gross less its net.
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
