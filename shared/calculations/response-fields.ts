/** Field names; `true` means that nested fields do not matter. */
export type ResponseFields = { readonly [name: string]: true | ResponseFields };

/** Returns an object that maps each name to `true`. */
export const fieldNames = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>;

const charge = ['taxable_amount', 'exempt_amount', 'tax_amount', 'taxes'] as const;

/**
 * The fields of a response that are not in its request. A response sent back as a request has no warnings about them.
 *
 * They are listed by hand, because building the response schemas would slow down every cold start. A test compares the
 * lists with the schemas.
 */
export const calculationResponseFields = {
  ...fieldNames('object', 'subtotal_amount', 'applied_discount_amount', 'applied_third_party_discount_amount'),
  ...fieldNames('shipping_amount', 'taxable_amount', 'exempt_amount', 'tax_amount', 'total_amount', 'tax_summary'),
  ...fieldNames('content_releases', 'engine_version', 'warnings', 'explanation'),
  line_items: {
    ...fieldNames('amount', 'applied_discount_amount', 'applied_third_party_discount_amount', 'net_amount', ...charge),
    ...fieldNames('address_resolution', 'applied_exemption'),
  },
  shipping: fieldNames('applied_discount_amount', 'net_amount', ...charge),
} satisfies ResponseFields;

// A transaction's request can have a tax_amount.
const { tax_amount: _, ...ofCalculation } = calculationResponseFields;

/** The response fields of a transaction that are not in its request. */
export const transactionResponseFields: ResponseFields = {
  ...ofCalculation,
  ...fieldNames('id', 'calculated_tax_amount', 'tax_amount_source', 'credited_amount', 'credited_tax_amount'),
  ...fieldNames('refund_status', 'created_at', 'updated_at', 'finalized_at', 'filed_at', 'voided_at', 'void_reason'),
  ...fieldNames('expires_at', 'redacted_at', 'filings', 'version', 'history', 'commitments'),
};

/** The response fields of a customer that are not in its request. */
export const customerResponseFields = fieldNames('object', 'created_at', 'updated_at', 'version', 'warnings');

/** The response fields of an account that are not in its request. */
export const accountResponseFields: ResponseFields = fieldNames(
  ...(['object', 'id', 'name', 'scopes', 'draft_ttl_hours', 'api_keys'] as const),
  ...(['settings_changed_at', 'changes', 'service_version'] as const),
);
