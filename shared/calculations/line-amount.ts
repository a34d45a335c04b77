/** The decimals of a request in minor units. `exponent` is the number of decimals of the currency. */
import { decimal, decimalPattern, multiply, rescale, signedDecimalPattern } from '../money/decimal.ts';

type Text = string | null | undefined;

/** Whether a value of an unvalidated body is a decimal as the schema has it. */
export const isDecimal = (value: unknown): value is string => typeof value === 'string' && decimalPattern.test(value);

/** Like `isDecimal`, for a price, which may be below zero. */
export const isPrice = (value: unknown): value is string =>
  typeof value === 'string' && signedDecimalPattern.test(value);

/** An amount; zero where none was sent. */
export const parseMinor = (text: Text, exponent: number): bigint => (text ? rescale(decimal(text), exponent) : 0n);

/** Quantity times unit price of a line item, before discounts. */
export const lineAmount = (
  { quantity, unit_price }: { readonly quantity?: Text; readonly unit_price?: Text },
  exponent: number,
): bigint => multiply(decimal(quantity ?? '1'), decimal(unit_price ?? '0'), exponent);
