/** Every error code of the API, with the HTTP status of a response whose first error has this code. */
export const errorStatuses = {
  validation_malformed_json: 400,
  auth_error: 401,
  auth_api_key_not_found: 401,
  auth_api_key_expired: 401,
  auth_token_invalid: 401,
  auth_forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict_duplicate_reference_id: 409,
  conflict_duplicate_customer_id: 409,
  conflict_invalid_status_transition: 409,
  conflict_exceptions_not_acknowledged: 409,
  conflict_immutable_field: 409,
  conflict_draft_expired: 409,
  conflict_has_credits: 409,
  conflict_period_closed: 409,
  conflict_parent_not_creditable: 409,
  conflict_over_credit: 409,
  conflict_credit_stale: 409,
  conflict_period_not_over: 409,
  conflict_period_order: 409,
  conflict_return_incomplete: 409,
  conflict_filing_in_progress: 409,
  precondition_failed: 412,
  validation_body_too_large: 413,
  validation_unsupported_media_type: 415,
  validation_required_field: 422,
  validation_date_out_of_range: 422,
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

export type Code = keyof typeof errorStatuses;

type ErrorText = {
  /**
   * The endpoints that return the code, by name or by their definition: `all`, or endpoints with a `body`, with `lines`
   * in the body, with a `query`, with any `scope` or the scope `write`, with an `id` in the path, or with `pages`.
   */
  readonly endpoints: readonly string[];
  readonly meaning: string;
  readonly remedy: string;
};

/**
 * The endpoints and the meaning of each error code, and what to do. esbuild drops this object from functions, which use
 * only the statuses.
 */
export const errorTexts: Readonly<Record<Code, ErrorText>> = {
  validation_malformed_json: {
    endpoints: ['body'],
    meaning: 'The request body is not valid JSON.',
    remedy: 'Send one JSON object, encoded as UTF-8.',
  },
  auth_error: {
    endpoints: ['scope'],
    meaning: 'The request contains no credential, or two conflicting ones.',
    remedy: 'Send one credential: an API key in `X-API-Key`, or a token in `Authorization: Bearer`.',
  },
  auth_api_key_not_found: {
    endpoints: ['scope'],
    meaning: 'The API key does not exist or was revoked.',
    remedy: 'Check that you send the complete key, or request a new one from the operator.',
  },
  auth_api_key_expired: {
    endpoints: ['scope'],
    meaning: 'The API key has expired.',
    remedy: 'Have the operator rotate the key, then send the new one.',
  },
  auth_token_invalid: {
    endpoints: ['scope'],
    meaning: 'The bearer token is not valid for this service.',
    remedy:
      'Get a new token from the configured issuer, with the configured audience and the claim that names the account.',
  },
  auth_forbidden: {
    endpoints: ['scope'],
    meaning: 'The credential lacks the scope that the operation requires; `meta.scope` names it.',
    remedy: 'Use a credential that has the scope in `meta.scope`.',
  },
  not_found: {
    endpoints: ['id'],
    meaning: 'The account has no transaction or filing with this id.',
    remedy: 'Check the id and the account of the credential; a retry does not help.',
  },
  method_not_allowed: {
    endpoints: ['all'],
    meaning: 'The path does not support this method; the `Allow` header lists the methods that it supports.',
    remedy: 'Use a method from the `Allow` header.',
  },
  conflict_duplicate_reference_id: {
    endpoints: ['create-transaction', 'update-transaction'],
    meaning: 'Another transaction that is not void has this `reference_id`; `meta.transaction_id` names it.',
    remedy:
      'Read the transaction in `meta.transaction_id`: continue with it if an earlier attempt of yours created it, otherwise choose another `reference_id`.',
  },
  conflict_duplicate_customer_id: {
    endpoints: ['create-customer'],
    meaning: 'The account has a customer with this `id` and different content; `meta.version` is its version.',
    remedy: 'Read the customer, and change it with `POST /customers/{id}`, or choose another `id`.',
  },
  conflict_invalid_status_transition: {
    endpoints: ['update-filing', 'update-transaction'],
    meaning: 'The status cannot change from `meta.from` to `meta.to`.',
    remedy: 'Read the transaction or filing again and choose a status from `meta.allowed`.',
  },
  conflict_exceptions_not_acknowledged: {
    endpoints: ['update-filing'],
    meaning:
      'The filing has exceptions, and the request does not acknowledge their number; `meta.count` is the number.',
    remedy: 'Check `GET /filings/{id}/exceptions`, then set `acknowledge_exceptions` to `meta.count`.',
  },
  conflict_immutable_field: {
    endpoints: ['update-customer', 'update-filing', 'update-transaction'],
    meaning: 'The field can never change, or cannot change in the current status.',
    remedy: 'Leave the field out. To correct a finalized sale, credit or void it and record a new one.',
  },
  conflict_draft_expired: {
    endpoints: ['update-transaction'],
    meaning: 'The draft has passed its deadline.',
    remedy: 'Create the transaction again; you can reuse its `reference_id`.',
  },
  conflict_has_credits: {
    endpoints: ['update-transaction'],
    meaning: 'The transaction has credits that are not void.',
    remedy: 'Void the credits first.',
  },
  conflict_period_closed: {
    endpoints: ['update-transaction'],
    meaning: 'The transaction belongs to a closed tax period.',
    remedy: 'To correct a sale, record a credit. To correct a credit, record a sale. It counts in the next period.',
  },
  conflict_parent_not_creditable: {
    endpoints: ['lines'],
    meaning: 'The parent is not a finalized or filed sale.',
    remedy: 'Finalize the sale first, or send the id of another parent.',
  },
  conflict_over_credit: {
    endpoints: ['lines'],
    meaning:
      'The credit exceeds the amounts that remain on the sale: `meta.remaining_amount` and `meta.remaining_tax_amount`.',
    remedy: 'Credit at most the amounts in `meta`, or send `credit_remaining: true`.',
  },
  conflict_credit_stale: {
    endpoints: ['update-transaction'],
    meaning:
      "The parent was credited, or its tax changed, after this draft was created, so the draft's tax is now `meta.tax_amount`.",
    remedy: 'Finalize again with the tax in `meta.tax_amount`, or void the draft and create a new one.',
  },
  conflict_period_not_over: {
    endpoints: ['create-filing'],
    meaning: "The last day of the period has not passed in the account's time zone.",
    remedy: 'Retry after the last day of the period, or send `dry_run: true`.',
  },
  conflict_period_order: {
    endpoints: ['create-filing', 'update-account', 'update-filing'],
    meaning:
      "A state's periods close from the oldest to the newest and are canceled in reverse; `meta` has the `state` and the `period_end` that comes first. An account change cannot exclude an open period with sales or credits.",
    remedy:
      "Close or cancel the period in `meta.period_end` first. Periods before a state's first period must be filed outside of Levy.",
  },
  conflict_return_incomplete: {
    endpoints: ['create-filing', 'get-filing'],
    meaning: 'The return of the filing cannot be written, because something is missing; each error names one reason.',
    remedy: 'Correct what each `detail` names, then request the return again.',
  },
  conflict_filing_in_progress: {
    endpoints: ['create-filing'],
    meaning: 'Another filing of the state is still moving its entries.',
    remedy: 'Poll the filing in `meta.filing_id` until `progress.complete` is true, then retry.',
  },
  precondition_failed: {
    endpoints: ['update-account', 'update-customer', 'update-transaction'],
    meaning: 'The version of the transaction, the customer or the settings does not match `If-Match`.',
    remedy: 'Read it again, check your change against it, and send its new `ETag`.',
  },
  validation_body_too_large: {
    endpoints: ['body'],
    meaning: 'The request body exceeds 1 MiB, or the transaction is too large to store, or its response exceeds 6 MB.',
    remedy: 'Split the order, shorten texts and metadata, or leave out `explain`.',
  },
  validation_unsupported_media_type: {
    endpoints: ['body'],
    meaning:
      'The request body is not declared as JSON in UTF-8, or it has a `Content-Encoding`; `source` names the header.',
    remedy: 'Send `Content-Type: application/json`, and the body uncompressed.',
  },
  validation_required_field: {
    endpoints: ['body', 'get-rates'],
    meaning: 'A required field is missing or null; `source` names it.',
    remedy: 'Send the field that `source` names.',
  },
  validation_date_out_of_range: {
    endpoints: ['create-filing', 'create-transaction', 'update-transaction'],
    meaning: "The date is before the first day of the account's books, `meta.earliest`.",
    remedy: 'Send a date on or after `meta.earliest`; the operator can change the setting `books_open_from`.',
  },
  validation_invalid_format: {
    endpoints: ['body', 'query'],
    meaning: 'A field or parameter has the wrong type, format or value; `source` names it.',
    remedy: 'Correct the value that `source` names; `detail` states what is allowed.',
  },
  validation_unknown_field: {
    endpoints: ['body'],
    meaning:
      "The body has an unknown field, and the request sent `Prefer: handling=strict` or the field is in a customer's certificate.",
    remedy:
      'Correct the spelling or remove the field. Without the `Prefer` header Levy ignores it with a warning, except in a certificate.',
  },
  validation_unknown_parameter: {
    endpoints: ['all'],
    meaning: 'The operation has no such query parameter.',
    remedy: 'Correct the spelling or remove the parameter.',
  },
  validation_unknown_service_version: {
    endpoints: ['all'],
    meaning: 'The version in `Service-Version` does not exist.',
    remedy: 'Send a version from `meta.supported_versions`, or leave the header out.',
  },
  validation_unknown_product_tax_code: {
    endpoints: ['lines', 'list-product-attributes'],
    meaning: 'The product tax code does not exist.',
    remedy: 'Send a code from `GET /product-tax-codes`; `meta.did_you_mean` has up to ten suggestions.',
  },
  validation_unknown_product_attribute: {
    endpoints: ['lines', 'list-product-attributes'],
    meaning: 'The product attribute does not exist.',
    remedy: 'Send an attribute from `GET /product-attributes`.',
  },
  validation_product_attribute_not_applicable: {
    endpoints: ['lines'],
    meaning: 'The attribute does not apply to the product tax code.',
    remedy: 'Remove the attribute; `GET /product-attributes?ptc=…` lists those that apply.',
  },
  validation_product_attribute_conflict: {
    endpoints: ['lines'],
    meaning: 'Two attributes belong to a group that allows only one.',
    remedy: 'Keep one attribute of the group.',
  },
  validation_address_unresolvable: {
    endpoints: ['lines', 'get-rates'],
    meaning: "The address cannot be resolved, or is ambiguous and the account's policy rejects ambiguous addresses.",
    remedy: 'Send the state, the city and the ZIP code, preferably as ZIP+4.',
  },
  validation_not_covered: {
    endpoints: ['lines', 'get-rates'],
    meaning: "The tax content does not fully cover the address, and the account's policy rejects incomplete coverage.",
    remedy:
      "Check the state in `GET /coverage`; the account's `incomplete_coverage` setting can turn this error into a warning.",
  },
  validation_invalid_cursor: {
    endpoints: ['pages', 'create-filing', 'get-filing'],
    meaning: 'The cursor is malformed, or belongs to a different account or to different filters.',
    remedy: 'Start again without `starting_after`, and send the same filters with every page.',
  },
  validation_parent_not_found: {
    endpoints: ['create-calculation', 'create-transaction'],
    meaning: 'The account has no transaction with the id in `parent_transaction_id`.',
    remedy: 'Check the id of the parent and the account of the credential.',
  },
  validation_too_many_entries: {
    endpoints: ['create-filing'],
    meaning: 'The period has too many entries for a dry run.',
    remedy: 'Close the period and read the filing; you can cancel it afterwards.',
  },
  idempotency_key_reused: {
    endpoints: ['write'],
    meaning: 'An earlier request used this `Idempotency-Key` with a different body or path.',
    remedy: 'Send a new key with each new request, and repeat a key only to retry the same request.',
  },
  rate_limit_error: {
    endpoints: ['all'],
    meaning: 'The account has used up its requests in the current 10 s window.',
    remedy: 'Wait for the seconds in `Retry-After`, then retry.',
  },
  system_internal_error: {
    endpoints: ['all'],
    meaning: 'An unexpected error occurred in the service.',
    remedy:
      'Retry, with the same `Idempotency-Key` if the request writes. If the error persists, report the `X-Request-Id`.',
  },
  system_service_unavailable: {
    endpoints: ['all'],
    meaning: 'A service that Levy depends on does not respond.',
    remedy:
      'Wait for the seconds in `Retry-After`, or 1 s, then retry with the same `Idempotency-Key` if the request writes.',
  },
};
