import type { Code } from '../base/error-codes.ts';
import type { DocumentedEndpoint } from './endpoint.ts';

/** Refusals of `POST /calculations` and of every request that calculates as it does. */
export const calculationErrors = [
  'validation_unknown_product_tax_code',
  'validation_unknown_product_attribute',
  'validation_product_attribute_not_applicable',
  'validation_product_attribute_conflict',
  'validation_address_unresolvable',
  'validation_not_covered',
  'conflict_parent_not_creditable',
  'conflict_over_credit',
] as const satisfies readonly Code[];

const everyEndpoint = [
  'method_not_allowed',
  'validation_unknown_parameter',
  'validation_unknown_service_version',
  'rate_limit_error',
  'system_internal_error',
  'system_service_unavailable',
] as const satisfies readonly Code[];

const withCredential = [
  'auth_error',
  'auth_api_key_not_found',
  'auth_api_key_expired',
  'auth_token_invalid',
  'auth_forbidden',
] as const satisfies readonly Code[];

const withBody = [
  'validation_malformed_json',
  'validation_body_too_large',
  'validation_unsupported_media_type',
  'validation_required_field',
  'validation_invalid_format',
  'validation_unknown_field',
] as const satisfies readonly Code[];

/** Every error code that an endpoint can return. The contract tests compare each response with it. */
export const listErrorCodes = ({ scope, body, query, errors }: DocumentedEndpoint): readonly Code[] => [
  ...new Set<Code>([
    ...everyEndpoint,
    ...(scope === null ? [] : withCredential),
    ...(body ? withBody : []),
    ...(scope === 'write' ? (['idempotency_key_reused'] as const) : []),
    ...(query ? (['validation_invalid_format'] as const) : []),
    ...errors,
  ]),
];
