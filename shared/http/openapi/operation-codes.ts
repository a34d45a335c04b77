import type { Code } from '../../error-codes.ts';
import type { Operation } from '../routes.ts';

const everywhere = [
  'method_not_allowed',
  'validation_unknown_parameter',
  'validation_unknown_service_version',
  'rate_limit_error',
  'system_internal_error',
  'system_service_unavailable',
] as const satisfies readonly Code[];

const authenticated = [
  ...everywhere,
  'auth_error',
  'auth_api_key_not_found',
  'auth_api_key_expired',
  'auth_token_invalid',
  'auth_forbidden',
] as const satisfies readonly Code[];

const withBody = [
  ...authenticated,
  'validation_malformed_json',
  'validation_body_too_large',
  'validation_unsupported_media_type',
  'validation_required_field',
  'validation_invalid_format',
  'validation_unknown_field',
] as const satisfies readonly Code[];

const taxing = [
  ...withBody,
  'validation_unknown_product_tax_code',
  'validation_unknown_product_attribute',
  'validation_product_attribute_not_applicable',
  'validation_product_attribute_conflict',
  'validation_address_unresolvable',
  'validation_not_covered',
] as const satisfies readonly Code[];

const crediting = ['conflict_parent_not_creditable', 'conflict_over_credit'] as const satisfies readonly Code[];

const writing = ['conflict_duplicate_reference_id', 'idempotency_key_reused'] as const satisfies readonly Code[];

/** The error codes that each operation can answer with. The contract test holds every answer against it. */
export const operationCodes: Readonly<Record<Operation, readonly Code[]>> = {
  'list-product-attributes': [
    ...authenticated,
    'validation_invalid_format',
    'validation_unknown_product_tax_code',
    'validation_unknown_product_attribute',
  ],
  'list-product-tax-codes': [...authenticated, 'validation_invalid_format'],
  'create-calculation': [...taxing, ...crediting, 'validation_parent_not_found'],
  'create-transaction': [...taxing, ...crediting, ...writing, 'validation_parent_not_found'],
  'list-transactions': [...authenticated, 'validation_invalid_format', 'validation_invalid_cursor'],
  'get-transaction': [...authenticated, 'validation_invalid_format', 'not_found'],
  'get-transaction-history': [...authenticated, 'validation_invalid_format', 'validation_invalid_cursor', 'not_found'],
  'update-transaction': [
    ...taxing,
    ...crediting,
    ...writing,
    'not_found',
    'precondition_failed',
    'conflict_invalid_status_transition',
    'conflict_immutable_field',
    'conflict_draft_expired',
    'conflict_has_credits',
    'conflict_period_closed',
    'conflict_credit_stale',
  ],
  'replay-transaction': [...authenticated, 'not_found'],
  'create-filing': [
    ...withBody,
    'idempotency_key_reused',
    'conflict_period_not_over',
    'conflict_period_order',
    'conflict_filing_in_progress',
    'validation_too_many_entries',
  ],
  'list-filings': [...authenticated, 'validation_invalid_format', 'validation_invalid_cursor'],
  'get-filing': [...authenticated, 'validation_invalid_format', 'validation_invalid_cursor', 'not_found'],
  'update-filing': [
    ...withBody,
    'idempotency_key_reused',
    'not_found',
    'conflict_invalid_status_transition',
    'conflict_immutable_field',
    'conflict_period_order',
  ],
  'create-reconciliation': [...withBody, 'validation_invalid_cursor'],
  'get-coverage': [...authenticated, 'validation_invalid_format'],
  'get-rates': [
    ...authenticated,
    'validation_required_field',
    'validation_invalid_format',
    'validation_address_unresolvable',
    'validation_not_covered',
  ],
  'get-openapi': everywhere,
  'get-docs': everywhere,
};
