import type { Settings } from '../accounts/account.ts';
import { taxDateAt } from '../accounts/time-zone.ts';
import { assert } from '../assert.ts';
import type { ReleaseFor } from '../content/content.ts';
import { stateJurisdiction } from '../jurisdiction.ts';
import { exponentOf } from '../money/currency.ts';
import { decimal, multiply, rescale } from '../money/decimal.ts';
import { accept, type Result, refuse } from '../result.ts';
import type { Relief, TaxDocument, TaxLine } from '../tax/document.ts';
import { type ProductTaxCode, parseProductTaxCode } from '../vocabulary/product-tax-code.ts';
import type { Customer, Exemption } from './fields.ts';
import { distinct, type LocatedLine, locateLines } from './locate-lines.ts';
import { policyProblem } from './policy.ts';
import type { CalculationInput } from './request.ts';

/** The inputs of a calculation besides the request. */
export type Context = {
  readonly settings: Settings;
  readonly releaseFor: ReleaseFor;
  /** The service's time in milliseconds. */
  readonly now: number;
};

export type ReadDocument = {
  readonly document: TaxDocument;
  readonly located: readonly LocatedLine[];
  /** ISO instant or date that begins with the tax day: as sent, or now. */
  readonly taxDate: string;
};

export const generalGoods = 'GENERAL';
const delivery = 'SHIPPING.DELIVERY';

const productOf = (text: string): ProductTaxCode => {
  const parsed = parseProductTaxCode(text);
  assert(parsed.ok, 'The schema accepted an unknown product tax code.');
  return parsed.value;
};

const isWithin = (day: string, from: string | null | undefined, to: string | null | undefined) =>
  (!from || from <= day) && (!to || day <= to);

const isValid = ({ regions, valid_from, valid_to }: Exemption, place: string, day: string): boolean =>
  isWithin(day, valid_from, valid_to) && (!regions || regions.some((region) => stateJurisdiction(region) === place));

/**
 * Why nothing is collected from a buyer in a place (`US-MI`) on a tax day, or `null`.
 *
 * In this order: the account is not registered there, a marketplace collects, the buyer's certificate is valid. A line's
 * customer overrides the document's (interface decisions 2).
 */
const reliefOf = (
  { collected_by, customer }: CalculationInput,
  lineCustomer: Customer | null,
  place: string,
  day: string,
  { registrations }: Settings,
): Relief => {
  if (
    registrations &&
    !registrations.some(({ state, from, to }) => stateJurisdiction(state) === place && isWithin(day, from, to))
  )
    return 'not_collecting';
  if (collected_by === 'marketplace') return 'marketplace_collects';
  const exemption = lineCustomer?.exemption ?? customer?.exemption;
  return exemption && isValid(exemption, place, day) ? 'customer_exempt' : null;
};

/**
 * Convert a valid request into the tax core's document: amounts in minor units, addresses as places.
 *
 * Refusals: addresses that cannot be resolved, and places that the account's policies reject.
 */
export const readDocument = (input: CalculationInput, context: Context): Result<ReadDocument> => {
  const taxDate = input.tax_date ?? taxDateAt(context.now, context.settings.time_zone);
  const day = taxDate.slice(0, 10);
  const currency = input.currency ?? 'USD';
  const exponent = exponentOf(currency);
  const minor = (text: string | null | undefined) => (text ? rescale(decimal(text), exponent) : 0n);
  const located = locateLines(input, context, day);
  if (!located.ok) return located;
  const lines = (input.line_items ?? []).map((line, index): TaxLine => {
    const { place } = located.value[index] as LocatedLine;
    const quantity = decimal(line.quantity);
    return {
      product: productOf(line.product_tax_code ?? generalGoods),
      quantity,
      amount: multiply(quantity, decimal(line.unit_price ?? '0'), exponent),
      discount: minor(line.discount_amount),
      thirdPartyDiscount: minor(line.third_party_discount_amount),
      place,
      use: line.customer?.use ?? input.customer?.use ?? null,
      relief: reliefOf(input, line.customer ?? null, place.code, day, context.settings),
    };
  });
  // Where nothing is collected, incomplete content does not matter.
  const rejected = located.value.filter((_, index) => lines[index]?.relief === null);
  const [problem, ...others] = distinct(rejected.flatMap((line) => policyProblem(line, context.settings) ?? []));
  if (problem) return refuse(problem, ...others);
  const shipping = input.shipping
    ? { amount: minor(input.shipping.amount), product: productOf(input.shipping.product_tax_code ?? delivery) }
    : null;
  return accept({
    taxDate,
    located: located.value,
    document: {
      day,
      currency,
      exponent,
      rounding: context.settings.rounding,
      taxIncluded: input.tax_included ?? false,
      passOnGeneralExcise: context.settings.pass_on_general_excise,
      discount: minor(input.discount_amount),
      thirdPartyDiscount: minor(input.third_party_discount_amount),
      lines,
      shipping,
    },
  });
};
