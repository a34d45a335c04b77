import type { Problem } from '../../problem.ts';
import { notFound } from '../../transactions/ports.ts';
import { noCredential, outOfScope } from '../authenticate.ts';
import { unreadable } from '../body.ts';
import { failures } from '../failure.ts';
import { overLimit } from '../limit-rate.ts';
import { supportedVersions, unknownVersion } from '../versions.ts';

/** One error for each status, as the service returns it. */
export const problemExamples: Readonly<Record<number, Problem>> = {
  400: unreadable.malformed,
  401: noCredential().problems[0],
  403: outOfScope('write'),
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
  429: overLimit(2000, 4),
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
  detail: 'More would be credited than is left of the sale. Credit at most meta.remaining_amount and its tax.',
  source: { pointer: '/parent_transaction_id' },
  meta: { remaining_amount: '50.00', remaining_tax_amount: '3.00' },
};

/** The errors that clients see most, for operations that can return them. */
export const preferredExamples: readonly Problem[] = [quantityMissing, overCredit];
