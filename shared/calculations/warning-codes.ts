import texts from './warning-texts.json' with { type: 'json' };

/**
 * Every warning code, and whether filings list the sale for review before the return is sent, because the reported
 * uncertainty can change the tax. Other warnings are not reviewed: they cannot change the tax of a recorded sale, or
 * the exceptions of the filing already list the sale.
 */
const isReviewed = {
  product_tax_code_missing: true,
  unknown_field: true,
  postal_code_unknown: true,
  address_ambiguous: true,
  address_contradictory: true,
  local_rates_missing: true,
  local_rates_approximate: true,
  local_rates_outdated: true,
  local_rates_by_place: true,
  not_covered: false,
  content_unconfirmed: true,
  content_approximate: true,
  taxability_not_established: true,
  taxability_assumed: true,
  other_tax_applies: true,
  shipping_not_stated: true,
  general_excise_not_passed_on: true,
  remote_seller_rate: true,
  retail_delivery_fee_due: true,
  tax_included_not_exact: false,
  line_amount_differs: true,
  tax_amount_differs: false,
  tax_amount_dropped: true,
  tax_day_differs: true,
  credit_line_unmatched: true,
  credit_field_ignored: false,
  credit_before_sale: true,
  exemption_expired: true,
  exemption_not_yet_valid: true,
  registrations_missing: false,
  currency_not_counted: false,
} as const satisfies Readonly<Record<string, boolean>>;

type Reviewed = typeof isReviewed;
export type WarningCode = keyof Reviewed;
/** A code whose sales are listed for review. */
export type ReviewCode = { [Code in WarningCode]: Reviewed[Code] extends true ? Code : never }[WarningCode];

export const warningCodes = Object.keys(isReviewed) as readonly WarningCode[];
export const isReviewCode = (code: WarningCode): code is ReviewCode => isReviewed[code];
export const reviewCodes: readonly ReviewCode[] = warningCodes.filter(isReviewCode);

/** The meaning of each warning, and what to do. Bundles of functions that use only the codes do not include the texts. */
export const warnings: Readonly<Record<WarningCode, { readonly meaning: string; readonly remedy: string }>> = texts;

/** Returns what a warning means and what to do, in one text. */
export const warningText = (code: WarningCode): string => `${warnings[code].meaning} ${warnings[code].remedy}`;
