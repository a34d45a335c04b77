import { allocate } from '../money/allocate.ts';
import { type Charge, isBracketed } from './charge.ts';
import type { TaxDocument } from './document.ts';
import type { Assessment } from './effect.ts';
import { roundInvoice, roundTogether } from './rounding.ts';

/** Round the tax of every charge: by line, or together with its state's where the account or the state says so. */
export const settle = ({ rounding }: Pick<TaxDocument, 'rounding'>, charges: readonly Charge[]): bigint[][] => {
  const taxes: bigint[][] = new Array(charges.length);
  const invoices = new Map<string, { charge: number; position: number; assessment: Assessment }[]>();
  for (const [index, { assessments, tax }] of charges.entries()) {
    if (tax !== null) {
      taxes[index] = allocate(
        tax,
        assessments.map(({ taxable, rate }) => taxable * rate.units),
      );
    } else if (rounding === 'line' && !assessments.some(isBracketed)) {
      taxes[index] = roundTogether(assessments);
    } else {
      taxes[index] = new Array(assessments.length).fill(0n);
      for (const [position, assessment] of assessments.entries()) {
        const { state } = assessment.treatment;
        const invoice = invoices.get(state) ?? [];
        if (invoice.push({ charge: index, position, assessment }) === 1) invoices.set(state, invoice);
      }
    }
  }
  for (const invoice of invoices.values()) {
    const assessments = invoice.map(({ assessment }) => assessment);
    const owners = invoice.map(({ charge }) => charge);
    for (const [index, tax] of roundInvoice(assessments, owners).entries()) {
      const { charge, position } = invoice[index] as (typeof invoice)[number];
      (taxes[charge] as bigint[])[position] = tax;
    }
  }
  return taxes;
};
