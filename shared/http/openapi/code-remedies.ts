import type { Code } from '../../problem.ts';

/** What a client does about each error code, in the words of the document. A new code does not compile without a remedy. */
export const codeRemedies: Readonly<Record<Code, string>> = {
  validation_malformed_json: 'Send one JSON object, in UTF-8.',
  auth_error: 'Send one credential: an API key in `X-API-Key`, or a token in `Authorization: Bearer`.',
  auth_api_key_not_found: 'Look at the whole key, or have the operator make a new one.',
  auth_api_key_expired: 'Have the operator rotate the key, and use the new one.',
  auth_token_invalid: "Get a new token, of the service's issuer and audience, with the claim that names the account.",
  auth_forbidden: 'Use a credential that has the scope of `meta.scope`.',
  not_found: 'Look at the id and at the account that the credential belongs to. Retrying does not help.',
  method_not_allowed: 'Use a method of `Allow`.',
  conflict_duplicate_reference_id:
    'Read `meta.transaction_id`. Where it is your own from an earlier attempt, go on with it; else choose another `reference_id`.',
  conflict_invalid_status_transition: 'Read the transaction or filing again, and choose from `meta.allowed`.',
  conflict_immutable_field:
    'Leave the field out. To correct a finalized sale, credit it or void it, and record another.',
  conflict_draft_expired: 'Create the transaction again; its `reference_id` is free.',
  conflict_has_credits: 'Void the credits first.',
  conflict_period_closed: 'Record a credit instead: it falls into the next period.',
  conflict_parent_not_creditable: 'Finalize the sale first, or name the right parent.',
  conflict_over_credit: 'Credit at most what `meta` says is left, or send `credit_remaining: true`.',
  conflict_credit_stale: 'Read `meta.tax_amount`; finalize again with that tax, or void the draft and create another.',
  conflict_period_not_over: 'Ask again after the last day of the period, or use `dry_run: true`.',
  conflict_period_order: 'Close, or cancel, the period of `meta.period_end` first.',
  conflict_filing_in_progress: 'Read the filing until it is done, then send the request again.',
  precondition_failed: 'Read the transaction again, decide anew, and send its new `ETag`.',
  validation_body_too_large: 'Split the document, or shorten texts and metadata.',
  validation_unsupported_media_type: 'Send `Content-Type: application/json`.',
  validation_required_field: 'Send the field that `source.pointer` names.',
  validation_invalid_format: 'Correct the value that `source` names; `detail` says what is allowed.',
  validation_unknown_field: 'Correct the spelling or leave the field out; without `Prefer` it would be ignored.',
  validation_unknown_parameter: 'Correct the spelling of the parameter, or leave it out.',
  validation_unknown_service_version: 'Send a version of `meta.supported_versions`, or no header.',
  validation_unknown_product_tax_code:
    'Choose a code of `GET /product-tax-codes`; `meta.did_you_mean` has those that are likely meant, at most ten.',
  validation_unknown_product_attribute: 'Choose an attribute of `GET /product-attributes`.',
  validation_product_attribute_not_applicable:
    'Ask `GET /product-attributes?ptc=…` which attributes apply to the code.',
  validation_product_attribute_conflict: 'Keep one attribute of the group.',
  validation_address_unresolvable: 'Send a fuller address: state, city and a ZIP code, better a ZIP+4.',
  validation_not_covered:
    "Look the state up in `GET /coverage`. The account's setting decides whether that is a warning instead.",
  validation_invalid_cursor: 'Start again without `starting_after`, with the same filters on every page.',
  validation_parent_not_found: 'Look at the id of the parent and at the account of the credential.',
  validation_too_many_entries: 'Close the period and read the filing; it can be canceled.',
  idempotency_key_reused: 'Use a new key for a new request, and the same key only for the same one.',
  rate_limit_error: 'Wait for as many seconds as `Retry-After` says, then send the request again.',
  system_internal_error:
    'Send the request again, a writing one with the same `Idempotency-Key`. If it stays, quote the request id.',
  system_service_unavailable:
    'Wait for a second or what `Retry-After` says, then send it again, a writing one with the same `Idempotency-Key`.',
};
