import { allocate } from '../money/allocate.ts';
import type { Assessment } from './assessment.ts';
import type { InexactGross } from './document.ts';
import { fitColumns, netsOfInvoice } from './gross-invoice.ts';
import { type Charge, isRoundedOnInvoice, roundCharges } from './round-charges.ts';
import { roundSum } from './rounding.ts';
import { assessDelivery, assessLine, assessLines, lineContexts, type Nets, type Sale } from './sale.ts';
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

/** The nets and taxes of a sale. Taxes are by charge: the lines, and the shipping if there is one. */
export type Extracted = {
  readonly nets: Nets;
  readonly charges: readonly Charge[];
  readonly taxes: readonly (readonly bigint[])[];
  readonly inexact: readonly InexactGross[];
};

const taxAlone = (assessments: readonly Assessment[]): bigint => sum(roundSum(assessments));

/** Extract the tax from each line by itself, and then from the shipping, which is allocated by the lines' nets. */
const extractEach = (sale: Sale, gross: Nets, known: Nets): Nets => {
  const contextOf = lineContexts(sale, known);
  const lines = gross.lines.map(
    (amount, index) => extractTax(amount, (net) => taxAlone(assessLine(sale, index, net, contextOf(index)))).net,
  );
  if (!sale.document.shipping) return { lines, shipping: 0n };
  const assessed = sale.includesShipping ? null : assessLines(sale, { lines, shipping: 0n });
  const { net } = extractTax(gross.shipping, (shipping) => {
    const nets = { lines, shipping };
    return taxAlone(assessDelivery(sale, nets, assessed ?? assessLines(sale, nets)));
  });
  return { lines, shipping: net };
};

const isSame = (left: Nets, right: Nets): boolean =>
  left.shipping === right.shipping && left.lines.every((net, index) => net === right.lines[index]);

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

/** The charges of a sale on given nets: its lines, and the shipping where there is one. */
export const chargesOf = (sale: Sale, nets: Nets): Charge[] => {
  const lines = assessLines(sale, nets);
  const charges = lines.map((assessments, index) => ({
    assessments,
    isBracketed: sale.goods[index]?.isBracketed === true,
  }));
  if (!sale.document.shipping) return charges;
  const assessments = assessDelivery(sale, nets, lines);
  const isBracketed = assessments.some(({ treatment }) => treatment.rounding.method === 'bracket');
  return [...charges, { assessments, isBracketed }];
};

/**
 * The indexes of charges that are rounded together, by invoice: those of one state, or of all states that share a shipping
 * charge. Fees are not part of it, because they are never rounded.
 */
const invoicesOf = (sale: Sale, charges: readonly Charge[]): number[][] => {
  const { rounding, lines } = sale.document;
  const statesOf = ({ assessments }: Charge) => assessments.map(({ treatment }) => treatment.state);
  const delivery = charges[lines.length];
  const joined = new Set(delivery && isRoundedOnInvoice(rounding, delivery) ? statesOf(delivery) : []);
  const indexes = [...charges.keys()].filter(
    (index) => isRoundedOnInvoice(rounding, charges[index] as Charge) && sale.goods[index]?.isFee !== true,
  );
  const keyOf = (index: number) => {
    const [state = ''] = statesOf(charges[index] as Charge);
    return joined.has(state) ? 'joined' : state;
  };
  return [...Map.groupBy(indexes, keyOf).values()];
};

/** The charges whose nets plus tax are not their gross, with the tax on their nets. */
const inexactOf = (
  { document }: Sale,
  charges: readonly Charge[],
  grosses: readonly bigint[],
  amounts: readonly bigint[],
  invoices: readonly (readonly number[])[],
): InexactGross[] => {
  const taxes = roundCharges(document.rounding, charges);
  const alone = [...charges.keys()].filter((index) => !invoices.some((indexes) => indexes.includes(index)));
  return [...invoices, ...alone.map((index) => [index])]
    .map((indexes) => ({
      charges: indexes.map((index) => (index < document.lines.length ? index : null)),
      gross: sum(indexes.map((index) => grosses[index] as bigint)),
      net: sum(indexes.map((index) => amounts[index] as bigint)),
      taxOfNet: sum(indexes.flatMap((index) => taxes[index] as bigint[])),
    }))
    .filter(({ gross, net, taxOfNet }) => net + taxOfNet !== gross);
};

/**
 * Extract the tax from a sale whose prices include it: line by line, or from each state's invoice
 * where the tax is rounded on the invoice. The tax of a charge is its gross less its net.
 */
export const extractSale = (sale: Sale, gross: Nets): Extracted => {
  const grosses = [...gross.lines, gross.shipping];
  let nets = extractAlone(sale, gross);
  const invoices = invoicesOf(sale, chargesOf(sale, nets));
  for (const indexes of invoices)
    nets = netsOfInvoice(nets, grosses, indexes, (candidate) => {
      const charges = chargesOf(sale, candidate);
      return indexes.map((index) => (charges[index] as Charge).assessments);
    });
  const charges = chargesOf(sale, nets);
  const amounts = [...nets.lines, nets.shipping];
  const taxes: (readonly bigint[])[] = charges.map(({ assessments }, index) =>
    allocate(
      (grosses[index] as bigint) - (amounts[index] as bigint),
      assessments.map(({ exact }) => exact),
    ),
  );
  for (const indexes of invoices) {
    const fitted = fitColumns(
      indexes.map((index) => (charges[index] as Charge).assessments),
      indexes.map((index) => taxes[index] as readonly bigint[]),
    );
    for (const [position, index] of indexes.entries()) taxes[index] = fitted[position] as readonly bigint[];
  }
  return { nets, charges, taxes, inexact: inexactOf(sale, charges, grosses, amounts, invoices) };
};
