import { allocate } from '../money/allocate.ts';
import type { Assessment } from './assessment.ts';
import type { InexactGross } from './document.ts';
import { fitColumns, netsOfInvoice } from './gross-invoice.ts';
import { type Charge, isRoundedOnInvoice, roundCharges } from './round-charges.ts';
import { roundTogether } from './rounding.ts';
import { aroundLines, assessDelivery, assessLine, assessLines, type Nets, type Sale } from './sale.ts';
import { sum } from './widest-base.ts';

/**
 * Take the tax out of a gross amount: the net whose own tax, added to it, gives the gross.
 *
 * Searched, because caps and thresholds have no single rate. Net plus tax never falls as the net grows, so the smallest
 * net that reaches the gross is found by halving. Where rounding skips the gross, the tax is the difference.
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

/** What a sale with tax in its prices comes to. Taxes come by charge: the lines, and the shipping where there is one. */
export type Extracted = {
  readonly nets: Nets;
  readonly charges: readonly Charge[];
  readonly taxes: readonly (readonly bigint[])[];
  readonly inexact: readonly InexactGross[];
};

const taxAlone = (assessments: readonly Assessment[]): bigint => sum(roundTogether(assessments));

/** Take the tax out of each line by itself, and then out of the shipping, whose shares go by the lines' nets. */
const extractEach = (sale: Sale, gross: Nets, known: Nets): Nets => {
  const around = aroundLines(sale, known);
  const lines = gross.lines.map(
    (amount, index) => extractTax(amount, (net) => taxAlone(assessLine(sale, index, net, around(index)))).net,
  );
  if (!sale.document.shipping) return { lines, shipping: 0n };
  const assessed = sale.includesShipping ? null : assessLines(sale, { lines, shipping: 0n });
  const { net } = extractTax(gross.shipping, (shipping) => {
    const nets = { lines, shipping };
    return taxAlone(assessDelivery(sale, nets, assessed ?? assessLines(sale, nets)));
  });
  return { lines, shipping: net };
};

const isSame = (one: Nets, other: Nets): boolean =>
  one.shipping === other.shipping && one.lines.every((net, index) => net === other.lines[index]);

const passesMax = 8;

// Where a line's tax depends on the net shipping or on other lines' nets, they are found together, step by step.
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
 * Charges whose taxes are rounded together, by invoice: those of one state, and of all states that one shipping charge
 * brings goods to. A fee is no part of it, because it is never rounded.
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

/** What is rounded together and does not come to its gross, with the tax that its nets have by themselves. */
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
 * Take the tax out of a sale whose prices include it (interface decisions 2): line by line, or where the tax is rounded on
 * the invoice, out of each state's invoice as a whole. The tax of a charge is what its gross has more than its net.
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
