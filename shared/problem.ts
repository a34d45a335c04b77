/** Every code that the API can answer with, and its HTTP status (specification 7; interface decisions 9). */
export const statusOf = {
  validation_malformed_json: 400,
  auth_error: 401,
  auth_api_key_not_found: 401,
  auth_api_key_expired: 401,
  auth_token_invalid: 401,
  auth_forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict_duplicate_reference_id: 409,
  conflict_invalid_status_transition: 409,
  conflict_immutable_field: 409,
  conflict_draft_expired: 409,
  conflict_has_credits: 409,
  conflict_period_closed: 409,
  conflict_parent_not_creditable: 409,
  conflict_over_credit: 409,
  conflict_credit_stale: 409,
  conflict_period_not_over: 409,
  conflict_period_order: 409,
  conflict_filing_in_progress: 409,
  precondition_failed: 412,
  validation_body_too_large: 413,
  validation_unsupported_media_type: 415,
  validation_required_field: 422,
  validation_invalid_format: 422,
  validation_unknown_field: 422,
  validation_unknown_parameter: 422,
  validation_unknown_service_version: 422,
  validation_unknown_product_tax_code: 422,
  validation_unknown_product_attribute: 422,
  validation_product_attribute_not_applicable: 422,
  validation_product_attribute_conflict: 422,
  validation_address_unresolvable: 422,
  validation_not_covered: 422,
  validation_invalid_cursor: 422,
  validation_parent_not_found: 422,
  validation_too_many_entries: 422,
  idempotency_key_reused: 422,
  rate_limit_error: 429,
  system_internal_error: 500,
  system_service_unavailable: 503,
} as const;

export type Code = keyof typeof statusOf;

/** Where in the request a problem lies: a JSON Pointer into the body, or the name of a query parameter or header. */
export type Source = { readonly pointer: string } | { readonly parameter: string } | { readonly header: string };

/** What a client is told about a refusal: what is wrong (`title`), and what to do about it (`detail`). */
export type Problem = {
  readonly code: Code;
  readonly title: string;
  readonly detail: string;
  readonly source?: Source;
  readonly meta?: Readonly<Record<string, unknown>>;
};
