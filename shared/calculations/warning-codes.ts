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
  general_excise_not_passed_on: true,
  remote_seller_rate: true,
  retail_delivery_fee_due: true,
  retail_delivery_fee_refunded: true,
  tax_included_not_exact: false,
  line_amount_differs: true,
  line_tax_ignored: true,
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
  state_not_registered: false,
} as const satisfies Readonly<Record<string, boolean>>;

type Reviewed = typeof isReviewed;
export type WarningCode = keyof Reviewed;
/** A code whose sales are listed for review. */
export type ReviewCode = { [Code in WarningCode]: Reviewed[Code] extends true ? Code : never }[WarningCode];

export const warningCodes = Object.keys(isReviewed) as readonly WarningCode[];
export const isReviewCode = (code: WarningCode): code is ReviewCode => isReviewed[code];
export const reviewCodes: readonly ReviewCode[] = warningCodes.filter(isReviewCode);

/** The meaning of each warning, and what to do. esbuild drops this object from functions that use only the codes. */
export const warnings: Readonly<Record<WarningCode, { readonly meaning: string; readonly remedy: string }>> = {
  product_tax_code_missing: {
    meaning: 'No product tax code was sent, so the product was taxed as general goods.',
    remedy: 'Check whether it is exempt or has a special rate.',
  },
  unknown_field: {
    meaning: 'The order has an unknown field, which Levy ignored.',
    remedy: 'Check with the sender whether it matters for the tax.',
  },
  postal_code_unknown: {
    meaning: 'The ZIP code is not known to be in use, so the local tax may be wrong.',
    remedy: 'Correct the address.',
  },
  address_ambiguous: {
    meaning: 'The address fits several places with different taxes, and one of them was assumed.',
    remedy: 'Check the rate, and complete the address.',
  },
  address_contradictory: {
    meaning: 'Parts of the address contradict each other, and Levy used one of them.',
    remedy: 'Correct the address.',
  },
  local_rates_missing: {
    meaning: 'Local tax is missing, because its rates are not on record.',
    remedy: 'Import the local rates of the state, and add the local tax.',
  },
  local_rates_approximate: {
    meaning: 'The local rates of a different day were used, because the rates of the tax date are not on record.',
    remedy: 'Compare them with the published rates.',
  },
  local_rates_outdated: {
    meaning: 'Newer local rates are due and have not been imported.',
    remedy: 'Compare with the published rates.',
  },
  local_rates_by_place: {
    meaning: 'The local rates were found by ZIP code and city.',
    remedy: 'Check addresses outside the city limits or in special districts, which may be taxed differently.',
  },
  not_covered: {
    meaning: 'No content release covers the place or the day, so no tax was calculated.',
    remedy: 'Import content for the state, or send the correct tax as `tax_amount`.',
  },
  content_unconfirmed: {
    meaning: 'The rule or rate is not confirmed by a primary source.',
    remedy: 'Confirm it with the state or a tax adviser.',
  },
  content_approximate: {
    meaning: 'The rule, rate or holidays of the tax date are not on record, so the tax can differ.',
    remedy: 'Compare it with the law of that day.',
  },
  taxability_not_established: {
    meaning: 'It is not established whether the state taxes this product or charge.',
    remedy: 'Confirm the treatment with the state.',
  },
  taxability_assumed: {
    meaning: 'The treatment depends on facts that the sale does not state, and the usual case was assumed.',
    remedy: 'Check that it applies. If the message names attributes, add the one that the product has.',
  },
  other_tax_applies: {
    meaning: 'No sales tax is due, because another tax applies, which Levy does not calculate.',
    remedy: 'Check whether you must report the other tax.',
  },
  general_excise_not_passed_on: {
    meaning:
      'You owe general excise tax that was not charged to the buyer: on the tax itself, or on a sale to an exempt buyer (Hawaii taxes sales for resale at 0.5 %, and most others in full).',
    remedy:
      'No action is required for the tax on the tax. To charge it, raise the price. Report exempt sales at their rate.',
  },
  remote_seller_rate: {
    meaning: 'A different local rate may apply to sellers from other states.',
    remedy: 'Check the local rates that your registration requires.',
  },
  retail_delivery_fee_due: {
    meaning: 'A retail delivery fee is due and was not charged.',
    remedy: 'Add it to the return.',
  },
  retail_delivery_fee_refunded: {
    meaning: 'A credit refunds a retail delivery fee, which is not refundable if delivered goods are returned.',
    remedy: 'If the goods were delivered, void the credit and credit only the other line items.',
  },
  tax_included_not_exact: {
    meaning: 'No tax-exclusive price gives exactly the price that includes tax.',
    remedy: 'No action is required: the tax is the exact difference to the price.',
  },
  line_amount_differs: {
    meaning: 'Levy taxed the quantity times the price, which differs from the amount that was sent.',
    remedy: 'Check the amount of the sale.',
  },
  line_tax_ignored: {
    meaning:
      'The line items or shipping were sent with their tax, which differs from the recorded tax and is not recorded.',
    remedy: 'Check what the buyer paid. Send the collected tax of the whole document as `tax_amount`.',
  },
  tax_amount_differs: {
    meaning: 'The recorded `tax_amount` is not the tax that Levy calculates.',
    remedy: 'Check why your system charged a different tax. The filing lists the sale as an exception.',
  },
  tax_amount_dropped: {
    meaning: 'An edit recalculated the tax and replaced the tax that was sent.',
    remedy: 'Check what the buyer paid.',
  },
  tax_day_differs: {
    meaning: "The sale's day differs between its time zone and the account's time zone. Levy used the account's.",
    remedy: 'Check the period and the rate.',
  },
  credit_line_unmatched: {
    meaning: 'A credited line matches no line of its sale, so its tax was calculated and not taken from the sale.',
    remedy: 'Check the refund.',
  },
  credit_field_ignored: {
    meaning: 'A credit of a sale takes its tax from the sale, so a field of the request had no effect.',
    remedy: 'Leave the field out.',
  },
  credit_before_sale: {
    meaning: 'The credit is dated before its sale, so it can count in an earlier period.',
    remedy: 'Check its date.',
  },
  exemption_expired: {
    meaning: "The buyer's exemption certificate had expired, so the sale was taxed.",
    remedy: 'Ask the buyer for a valid certificate.',
  },
  exemption_not_yet_valid: {
    meaning: "The buyer's exemption certificate was not yet valid, so the sale was taxed.",
    remedy: 'Check its first day with the buyer.',
  },
  registrations_missing: {
    meaning: 'The account has no list of registrations, so tax is calculated in every state.',
    remedy: 'Set the account setting `registrations`.',
  },
  currency_not_counted: {
    meaning: 'Sales in other currencies do not count toward the thresholds in US dollars.',
    remedy: 'Convert these sales to US dollars, and add them to the amounts in the response.',
  },
  state_not_registered: {
    meaning: 'The filing is of a state in which the account is not registered on any day of the period.',
    remedy: 'Check the state, and cancel a filing that was closed by mistake.',
  },
};

/** Returns what a warning means and what to do, in one text. */
export const warningText = (code: WarningCode): string => `${warnings[code].meaning} ${warnings[code].remedy}`;
