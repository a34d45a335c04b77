import type { Problem } from '../../base/problem.ts';
import { builtInRelease } from '../../content/built-in.ts';
import { attribution } from '../../coverage/attribution.ts';
import { coverageOfAll } from '../../coverage/coverage.ts';
import type { Coverage } from '../../coverage/response.ts';
import {
  type Customer,
  certificateOf,
  customerAnswer,
  customerExists,
  customerIdFixed,
  customerNotFound,
} from '../../customers/customer.ts';
import {
  cancelFirst,
  closeFirst,
  confirmationMissing,
  exceptionsNotAcknowledged,
  filingNotFound,
  noPeriodEnd,
} from '../../filings/problems.ts';
import { transactionsCsv } from '../../transactions/csv.ts';
import type { HistoryEntry, RetrievedTransaction, TransactionHistory } from '../../transactions/history/response.ts';
import { listAnswer } from '../../transactions/page-limit.ts';
import { otherVersion } from '../../transactions/ports.ts';
import type { Reconciliation } from '../../transactions/reconciliation/response.ts';
import {
  accountAnswer,
  advice,
  byState,
  calculation,
  draft,
  filingPeriodList,
  finalized,
  productAttributes,
  productTaxCodes,
  rates,
  replay,
  transactionList,
} from './answer-examples.ts';
import {
  closed,
  closing,
  dryRun,
  filed,
  filingCsv,
  filingExceptionList,
  filingList,
  marking,
} from './filing-examples.ts';
import { exampleCustomer, requestExamples } from './request-examples.ts';

const day = '2026-11-21';
const release = builtInRelease('MI');

/** One state of 52. Computed from the built-in content, so that no fact has a second copy here. */
export const coverage: Coverage = {
  object: 'coverage',
  tax_date: day,
  states: (release ? coverageOfAll([release], day) : []) as Coverage['states'],
  attribution: [...attribution],
};

const change = {
  version: 2,
  at: finalized.updated_at,
  by: 'key_9c1f24ad7be0',
  from: 'draft',
  to: 'finalized',
  fields: ['reference_id', 'status'],
  state_hash: 'H0LzI5m3mJcWqYx3Tt9bV8m1b0dQn7rP2wK4sE6uA1c',
  previous_hash: 'x5oZ0Wm3n1nQm0N0uT7xR2v0d4JXk3yq2mS8cQ2r9a0',
  hash: 'p8TzWm1oZ0n3Nq7xR0uT2v4d0JXk9yS3mQ2cr5a8b1E',
} satisfies HistoryEntry;

const history: TransactionHistory = listAnswer(`/transactions/${finalized.id}/history`, [change], '2');

const reconciliation: Reconciliation = {
  object: 'reconciliation',
  from: '2026-10-01',
  to: '2026-10-31',
  matched_count: 1,
  missing: [{ reference_id: 'invoice_1003', transaction_id: null, reason: 'not_found' }],
  different: [
    {
      reference_id: 'invoice_1002',
      transaction_id: finalized.id,
      type: 'sale',
      status: 'finalized',
      sent: { total_amount: '100.00', tax_amount: '5.00' },
      recorded: { total_amount: '100.70', tax_amount: '5.70' },
      difference: { total_amount: '0.70', tax_amount: '0.70' },
    },
  ],
  extra: [],
  complete: true,
  next_cursor: null,
  warnings: [],
};

const customer: Customer = {
  ...exampleCustomer,
  exemptions: exampleCustomer.exemptions.map(({ states, ...terms }) =>
    certificateOf({ ...terms, states: [...states] }),
  ),
  created_at: '2026-10-08T12:00:00.000Z',
  updated_at: '2026-10-08T12:00:00.000Z',
  version: 1,
};
const renewed: Customer = {
  ...customer,
  exemptions: requestExamples['update-customer'].renew.value.exemptions.map(({ states, ...terms }) =>
    certificateOf({ ...terms, states: [...states] }),
  ),
  updated_at: '2026-10-09T12:00:00.000Z',
  version: 2,
};

type RequestExamples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

type Examples = {
  readonly requests?: RequestExamples;
  /** By status. */
  readonly responses?: Readonly<Record<number, unknown>>;
  readonly csv?: string;
  /** The refusals that a client meets first. Other endpoints show the examples of responses.ts. */
  readonly problems?: readonly Problem[];
};

const responses: Readonly<Record<string, Examples>> = {
  'list-product-attributes': { responses: { 200: productAttributes } },
  'list-product-tax-codes': { responses: { 200: productTaxCodes } },
  'create-calculation': { responses: { 200: calculation } },
  'create-transaction': { responses: { 201: draft } },
  'list-transactions': { responses: { 200: transactionList }, csv: transactionsCsv(transactionList) },
  'get-transaction': { responses: { 200: { ...finalized, history: null } satisfies RetrievedTransaction } },
  'get-transaction-history': { responses: { 200: history } },
  'update-transaction': { responses: { 200: finalized } },
  'replay-transaction': { responses: { 200: replay } },
  'create-reconciliation': { responses: { 200: reconciliation } },
  'create-customer': {
    responses: { 201: customerAnswer(customer), 200: customerAnswer(customer) },
    problems: [customerExists(customer)],
  },
  'list-customers': { responses: { 200: listAnswer('/customers', [customerAnswer(customer)]) } },
  'get-customer': { responses: { 200: customerAnswer(customer) }, problems: [customerNotFound] },
  'update-customer': {
    responses: { 200: customerAnswer(renewed) },
    problems: [customerNotFound, otherVersion(2, 'customer'), customerIdFixed(customer.id)],
  },
  'create-filing': {
    responses: { 202: closing, 200: dryRun },
    problems: [closeFirst('US-MI', '2026-09-30'), noPeriodEnd('US-MI', { before: '2026-09-30', after: '2026-10-31' })],
  },
  'list-filings': { responses: { 200: filingList } },
  'get-filing': { responses: { 200: closed }, csv: filingCsv, problems: [filingNotFound] },
  'list-filing-exceptions': { responses: { 200: filingExceptionList }, problems: [filingNotFound] },
  'update-filing': {
    responses: { 200: filed, 202: marking },
    problems: [filingNotFound, exceptionsNotAcknowledged(2), cancelFirst('US-MI', '2026-11-30'), confirmationMissing],
  },
  'list-filing-periods': { responses: { 200: filingPeriodList } },
  'get-account': { responses: { 200: accountAnswer } },
  'get-coverage': { responses: { 200: coverage } },
  'get-report-by-state': { responses: { 200: byState } },
  'get-registration-advice': { responses: { 200: advice } },
  'get-rates': { responses: { 200: rates } },
  'get-openapi': { responses: { 200: { openapi: '3.1.0', info: { title: 'Levy' }, paths: {} } } },
  'get-console': { responses: { 200: '<!doctype html><title>Levy console</title>' } },
  'get-docs': { responses: { 200: '<!doctype html><title>Levy API</title>' } },
};

/**
 * The examples of an endpoint. They are not in its definition, because they need the tax content, which most functions
 * do not load.
 */
export const examplesOf = (operation: string): Examples => {
  const requests = (requestExamples as Readonly<Record<string, RequestExamples>>)[operation];
  return { ...responses[operation], ...(requests && { requests }) };
};
