import type { Assessment } from './assessment.ts';
import type { TaxDocument } from './document.ts';
import { roundInvoice, roundSum, roundTotal } from './rounding.ts';
import { sum } from './widest-base.ts';

/** A line, or the shipping: rounded as one where the account rounds by line. */
export type Charge = {
  readonly assessments: readonly Assessment[];
  /** Whether its state requires rounding on the invoice's total, by a table or half up. */
  readonly isOnInvoice: boolean;
};

/** Whether a charge is rounded on the invoice, because the account or its state requires it. */
export const isRoundedOnInvoice = (rounding: TaxDocument['rounding'], { isOnInvoice }: Charge): boolean =>
  rounding === 'invoice' || isOnInvoice;

type Entry = { readonly charge: number; readonly position: number; readonly assessment: Assessment };

/** Round charges on their invoice, each state's together. Returns taxes by charge. */
export const roundOnInvoice = (charges: readonly (readonly Assessment[])[]): bigint[][] => {
  const taxes = charges.map((assessments) => new Array<bigint>(assessments.length).fill(0n));
  const invoices = new Map<string, Entry[]>();
  for (const [charge, assessments] of charges.entries())
    for (const [position, assessment] of assessments.entries()) {
      const { state } = assessment.treatment;
      const invoice = invoices.get(state) ?? [];
      if (invoice.push({ charge, position, assessment }) === 1) invoices.set(state, invoice);
    }
  for (const invoice of invoices.values()) {
    const assessments = invoice.map(({ assessment }) => assessment);
    const owners = invoice.map(({ charge }) => charge);
    for (const [index, tax] of roundInvoice(assessments, owners).entries()) {
      const { charge, position } = invoice[index] as Entry;
      (taxes[charge] as bigint[])[position] = tax;
    }
  }
  return taxes;
};

/** The tax of charges that are rounded on their invoice: the sum of `roundOnInvoice`, without its allocation to them. */
export const totalOnInvoice = (charges: readonly (readonly Assessment[])[]): bigint => {
  const all = charges.flat();
  if (all.some(({ treatment }) => treatment.rounding.method === 'bracket'))
    return sum(roundOnInvoice(charges).map(sum));
  return sum([...Map.groupBy(all, ({ treatment }) => treatment.state).values()].map(roundTotal));
};

/** Round the tax of every charge: by line, or on the state's invoice where the account or the state requires it. */
export const roundCharges = (rounding: TaxDocument['rounding'], charges: readonly Charge[]): bigint[][] => {
  const taxes: bigint[][] = new Array(charges.length);
  const onInvoice: number[] = [];
  for (const [index, charge] of charges.entries()) {
    if (isRoundedOnInvoice(rounding, charge)) onInvoice.push(index);
    else taxes[index] = roundSum(charge.assessments);
  }
  if (onInvoice.length === 0) return taxes;
  const rounded = roundOnInvoice(onInvoice.map((index) => (charges[index] as Charge).assessments));
  for (const [position, index] of onInvoice.entries()) taxes[index] = rounded[position] as bigint[];
  return taxes;
};
