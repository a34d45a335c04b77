import type { Code } from '../../problem.ts';

/** What each error code says, in the words of the document. A new code does not compile without a meaning. */
export const codeMeanings: Readonly<Record<Code, string>> = {
  validation_malformed_json: 'The body is not JSON.',
  auth_error: 'No credential came, or two that disagree.',
  auth_api_key_not_found: 'There is no such API key, or it was revoked.',
  auth_api_key_expired: 'The API key has expired.',
  auth_token_invalid: 'The bearer token is not valid here.',
  auth_forbidden: 'The credential lacks the scope that the operation needs, named in `meta.scope`.',
  not_found: "There is no such transaction or filing among the account's own.",
  method_not_allowed: 'The path does not answer to the method; `Allow` names those that it answers to.',
  conflict_duplicate_reference_id:
    'Another transaction that is not void has this `reference_id`: `meta.transaction_id`.',
  conflict_invalid_status_transition: 'The status cannot become that: `meta` has `from`, `to` and `allowed`.',
  conflict_immutable_field: 'The field cannot change in the state that the transaction is in.',
  conflict_draft_expired: 'The deadline of the draft has passed.',
  conflict_has_credits: 'Credits of the transaction are in force: void them first.',
  conflict_period_closed: 'The transaction is in a tax period that is closed.',
  conflict_parent_not_creditable: 'Only a sale that is finalized or filed can be credited.',
  conflict_over_credit:
    'More would be credited than is left: `meta` has `remaining_amount` and `remaining_tax_amount`.',
  conflict_credit_stale:
    'The parent was credited since the draft was made, and the tax is another now: `meta.tax_amount`.',
  conflict_period_not_over: 'The last day of the period has not passed yet, in UTC.',
  conflict_period_order:
    "The state's periods are closed in order, and canceled from the last one: `meta` has the `state`, and the `period_end` that comes first.",
  conflict_filing_in_progress: 'A filing of the state is still taking entries, or giving them back: ask again later.',
  precondition_failed: 'The transaction has another version than If-Match names.',
  validation_body_too_large: 'The body is over 1 MiB, or the transaction too large to store.',
  validation_unsupported_media_type: 'The body is not application/json.',
  validation_required_field: 'A field is missing or null; `source.pointer` says where it belongs.',
  validation_invalid_format: 'A field or parameter has a wrong type, format, value or range.',
  validation_unknown_field: 'A field is not known, and `Prefer: handling=strict` asked for a refusal.',
  validation_unknown_parameter: 'A query parameter is not known.',
  validation_unknown_service_version: 'There is no such version: `meta.supported_versions` has those that there are.',
  validation_unknown_product_tax_code: 'There is no such product tax code.',
  validation_unknown_product_attribute: 'There is no such product attribute.',
  validation_product_attribute_not_applicable: 'The attribute does not apply to the product tax code.',
  validation_product_attribute_conflict: 'Two attributes are of one group that allows only one.',
  validation_address_unresolvable:
    "The address cannot be resolved, or is ambiguous where the account's policy rejects that.",
  validation_not_covered: "The content does not cover the address in full, and the account's policy rejects that.",
  validation_invalid_cursor: 'The cursor is no cursor, or one of another account or other filters.',
  validation_parent_not_found: "There is no such parent transaction among the account's own.",
  validation_too_many_entries:
    'A dry run does not get through so many entries in one request: close the period instead, which can be canceled.',
  idempotency_key_reused: 'The Idempotency-Key came with another request before.',
  rate_limit_error: 'The account has used up its window of ten seconds.',
  system_internal_error: 'Something failed on our side.',
  system_service_unavailable: 'A service that this one needs does not answer. Send the request again.',
};
