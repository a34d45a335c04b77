import type { Problem } from '../../problem.ts';
import { notFound } from '../../transactions/ports.ts';
import { unreadable } from '../body.ts';
import { failures } from '../failure.ts';
import { supportedVersions, unknownVersion } from '../versions.ts';

/** One error for each status, as the service returns it. */
export const problemExamples: Readonly<Record<number, Problem>> = {
  400: unreadable.malformed,
  401: {
    code: 'auth_error',
    title: 'Unauthorized',
    detail: 'Send an API key in the header X-API-Key, or a bearer token in Authorization.',
    source: { header: 'X-API-Key' },
  },
  403: {
    code: 'auth_forbidden',
    title: 'Forbidden',
    detail: "This credential lacks the scope write. Ask the account's operator for one that has it.",
    meta: { scope: 'write' },
  },
  404: notFound,
  405: {
    code: 'method_not_allowed',
    title: 'Method Not Allowed',
    detail: 'Use one of the methods of this path: GET, POST.',
  },
  412: {
    code: 'precondition_failed',
    title: 'Precondition Failed',
    detail: 'The transaction is at version 3. Read it again and decide anew.',
    source: { header: 'If-Match' },
    meta: { version: 3 },
  },
  413: unreadable.tooLarge,
  415: unreadable.unsupportedMediaType,
  422: unknownVersion(supportedVersions),
  429: {
    code: 'rate_limit_error',
    title: 'Too Many Requests',
    detail: 'The account exceeded its rate limit of 2000 requests per 10 s. Retry in 4 s.',
  },
  500: failures.bug,
  503: failures.outage,
};

const quantityMissing: Problem = {
  code: 'validation_required_field',
  title: 'Missing field quantity',
  detail: 'Send quantity, a decimal as a string.',
  source: { pointer: '/line_items/0/quantity' },
};

const overCredit: Problem = {
  code: 'conflict_over_credit',
  title: 'Credit exceeds the sale',
  detail: 'The credit exceeds what remains of the sale. Credit at most meta.remaining_amount and its tax.',
  source: { pointer: '/parent_transaction_id' },
  meta: { remaining_amount: '50.00', remaining_tax_amount: '3.00' },
};

/** The errors that clients see most, for operations that can return them. */
export const preferredExamples: readonly Problem[] = [quantityMissing, overCredit];
