import { formatAmount, parseAmount } from '../money/currency.ts';
import { divideHalfUp } from '../money/decimal.ts';
import type { FilingSummary } from './filing.ts';
import type { Filing } from './response.ts';
import { amountsDue } from './totals-answer.ts';

/**
 * A discount for returns that are filed and paid on time: a share of each step of the tax due, in hundredths of a
 * percent. Limits are in US dollars, and apply to each return.
 */
export type DiscountFormula = {
  readonly steps: readonly { readonly up_to?: number; readonly basis_points: number }[];
  readonly cap?: number;
  /** At least this much, but not more than the tax. */
  readonly minimum?: number;
  /** The first day of the periods to which it applies (`YYYY-MM-DD`); absent if it has applied for more than five years. */
  readonly from?: string;
};

const cents = (dollars: number): bigint => BigInt(dollars) * 100n;
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Returns the discount on a tax due, both in cents, rounded half up. */
const discountOn = (tax: bigint, { steps, cap, minimum }: DiscountFormula): bigint => {
  if (tax <= 0n) return 0n;
  // In units of 1/10,000 cent.
  let units = 0n;
  let below = 0n;
  for (const { up_to, basis_points } of steps) {
    const top = up_to === undefined ? tax : smaller(tax, cents(up_to));
    if (top > below) units += (top - below) * BigInt(basis_points);
    below = top;
  }
  const rounded = divideHalfUp(units, 10_000n);
  const raised = minimum !== undefined && rounded < cents(minimum) ? smaller(tax, cents(minimum)) : rounded;
  return cap === undefined ? raised : smaller(raised, cents(cap));
};

type Return = {
  /** The discount in words. */
  readonly vendor_discount: string | null;
  readonly status: Filing['status'];
  readonly period_start: string;
  readonly summary: readonly FilingSummary[];
  /** Whether it was filed, or is not filed, after the due date. */
  readonly isLate: boolean;
};

const unknownReason = (formula: DiscountFormula | undefined, of: Return): string | null => {
  if (of.vendor_discount === 'none') return 'The state has no discount.';
  if (formula === undefined)
    return 'The discount of this state depends on more than the tax due, or is not established.';
  if (formula.from !== undefined && of.period_start < formula.from)
    return `The discount of periods before ${formula.from} is not established.`;
  if (of.status === 'closing') return 'The period is still closing.';
  if (of.status === 'canceled') return 'The filing is canceled.';
  if (of.isLate) return 'The discount is for returns that are filed and paid by the due date.';
  if (of.summary.some(({ currency }) => currency !== 'USD'))
    return 'The filing has amounts in currencies other than USD.';
  return null;
};

/** Estimates the discount of a return in US dollars, or returns why it is not known. */
export const estimateDiscount = (
  formula: DiscountFormula | undefined,
  of: Return,
): Pick<Filing, 'vendor_discount_amount' | 'vendor_discount_reason'> => {
  const reason = unknownReason(formula, of);
  if (formula === undefined || reason !== null) return { vendor_discount_amount: null, vendor_discount_reason: reason };
  const tax = amountsDue(of.summary).reduce((sum, { amount }) => sum + parseAmount(amount, 2), 0n);
  return { vendor_discount_amount: formatAmount(discountOn(tax, formula), 2), vendor_discount_reason: null };
};
