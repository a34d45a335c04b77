/**
 * Every warning code. If what it reports can change the tax of a sale, its text tells finance what to check, and filings
 * list the sale for review before the return is sent. `null` if it cannot change the tax of a recorded sale, or if the
 * exceptions of the filing list the sale.
 */
export const warningReviews = {
  product_tax_code_missing:
    'No product tax code was sent, so the product was taxed as general goods. Check whether it is exempt or has a rate of its own.',
  unknown_field:
    'A part of the order that was sent is unknown to Levy and was ignored. Check with the sender whether it matters for the tax.',
  postal_code_unknown: 'The ZIP code is not known to be in use, so the local tax may be wrong. Correct the address.',
  address_ambiguous:
    'The address fits several places with different taxes, and one of them was assumed. Check the rate, and send complete addresses.',
  address_contradictory: 'Parts of the address contradict each other, and one of them decided. Correct the address.',
  local_rates_missing:
    'Local tax is missing, because its rates are not on record. Import the local rates of the state, and add the local tax.',
  local_rates_approximate:
    'The local rates of another day were used, because those of the tax date are not on record. Compare them with the published rates.',
  local_rates_outdated: 'Newer local rates were due and have not been imported. Compare with the published rates.',
  local_rates_by_place:
    'The local rates were found by ZIP code and city. An address outside the city limits may be taxed differently.',
  // The exception `not_covered` lists these sales.
  not_covered: null,
  content_unconfirmed:
    'The rule or rate is not confirmed by a primary source. Confirm it with the state or a tax adviser.',
  content_approximate:
    'The rule or rate of another day was used, because that of the tax date is not on record. Compare it with the law of that day.',
  taxability_not_established:
    'It is not established whether the state taxes this product or charge. Confirm the treatment with the state.',
  taxability_assumed:
    'The treatment depends on facts that were not sent, and the usual case was assumed. Check that it applies.',
  other_tax_applies:
    'No sales tax is due, because another tax applies, which Levy does not calculate. Check whether it is reported elsewhere.',
  shipping_not_stated:
    'Shipping was taxed as not separately stated. It is exempt in the state if the invoice states it separately.',
  general_excise_not_passed_on:
    'The general excise tax is also owed on the tax itself, and that part was not charged to the buyer.',
  remote_seller_rate: 'Another local rate may apply to sellers from other states. Check what your registration says.',
  retail_delivery_fee_due: 'A retail delivery fee is due and was not charged. Add it to the return.',
  // The tax is the difference to the gross by rule, to the cent.
  tax_included_not_exact: null,
  line_amount_differs:
    'The amount that was sent is not the quantity times the price, which was taxed. Check the amount of the sale.',
  // The exceptions `over_collected` and `under_collected` list these sales.
  tax_amount_differs: null,
  tax_amount_dropped:
    'An edit calculated the tax again, and the tax that was sent before no longer counts. Check what the buyer paid.',
  tax_day_differs:
    "The sale's day differs between its own time zone and that of the account, which decided. Check the period and the rate.",
  credit_line_unmatched:
    'A credited line matches no line of its sale, so its tax was calculated and not taken from the sale. Check the refund.',
  // A credit returns the recorded tax of its sale, whatever else is sent.
  credit_field_ignored: null,
  credit_before_sale: 'The credit is dated before its sale, so it can count in an earlier period. Check its date.',
  exemption_expired:
    "The buyer's exemption certificate had expired, so the sale was taxed. Ask the buyer for a valid certificate.",
  exemption_not_yet_valid:
    "The buyer's exemption certificate was not yet valid, so the sale was taxed. Check its first day with the buyer.",
  // Only calculations have this warning.
  registrations_missing: null,
  // Only the advice about registrations has this warning.
  currency_not_counted: null,
} as const satisfies Readonly<Record<string, string | null>>;

type Reviews = typeof warningReviews;
export type WarningCode = keyof Reviews;
/** A code whose sales are listed for review. */
export type ReviewCode = { [Code in WarningCode]: Reviews[Code] extends string ? Code : never }[WarningCode];

export const warningCodes = Object.keys(warningReviews) as readonly WarningCode[];
export const isReviewCode = (code: WarningCode): code is ReviewCode => warningReviews[code] !== null;
export const reviewCodes: readonly ReviewCode[] = warningCodes.filter(isReviewCode);
