/**
 * Data that the examples of endpoints share: an account, its sale, and a customer. Computed from the built-in content.
 */
import { newAccount } from '../../accounts/account.ts';
import { assert } from '../../base/assert.ts';
import type { Result } from '../../base/result.ts';
import { CalculationRequest } from '../../calculations/request.ts';
import { builtInReleaseFor } from '../../catalog/built-in.ts';
import { type Customer, toCertificate, toCustomerBody } from '../../customers/customer.ts';
import { findFilingTerms } from '../../filings/filing-calendar.ts';
import { Filing, type FilingWithTotals } from '../../filings/response.ts';
import { createCalculation } from '../../ledger/create-calculation.ts';
import { newTransaction } from '../../ledger/new-transaction.ts';
import { replayTransaction } from '../../ledger/replay.ts';
import { TransactionRequest } from '../../ledger/request.ts';
import { snapshotSettings } from '../../ledger/settings-snapshot.ts';
import type { Transaction } from '../../ledger/transaction.ts';
import { countTransaction, withCounted } from '../../reports/count-transactions.ts';
import { currentVersion } from '../versions.ts';
import sampleFiling from './sample-filing.json' with { type: 'json' };
import { exampleCustomer, exampleId, exampleRenewal, sale } from './sample-requests.ts';

const createdAt = '2026-10-08T12:00:00.000Z';

const createdMs = Date.parse(createdAt);
export const account = newAccount({
  name: 'Example',
  serviceVersion: currentVersion,
  createdMs,
  settings: { registrations: [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' }] },
});

export const ports = {
  now: () => createdMs,
  loadContent: async () => builtInReleaseFor,
  customers: { findSome: async () => new Map() },
};

/** The value of a request that must succeed, because it is an example. */
export const accepted = <Value>(result: Result<Value>): Value => {
  assert(result.ok, `An example was refused: ${JSON.stringify(result)}`);
  return result.value;
};

/** The response to the example sale, from the built-in content. */
export const calculation = accepted(
  await createCalculation(CalculationRequest.parse(sale), [], account, {
    ...ports,
    ledger: { find: async () => undefined },
  }),
);

const { object: _, ...outcome } = calculation;

/** The same sale as a draft. */
const stored = {
  ...newTransaction(
    TransactionRequest.parse({ ...sale, status: 'draft' }),
    { calculated: outcome, recorded: outcome },
    { creditOf: null, settingsSnapshot: snapshotSettings(account.settings) },
    account.settings.draft_ttl_hours,
    { newId: () => exampleId, now: ports.now },
  ),
  auditHash: '',
};
export const draft = stored.transaction;

export const finalized: Transaction = {
  ...draft,
  status: 'finalized',
  reference_id: 'invoice_1002',
  updated_at: '2026-10-08T12:05:00.000Z',
  finalized_at: '2026-10-08T12:05:00.000Z',
  expires_at: null,
  version: 2,
};

/** The finalized sale, calculated again. */
export const replay = accepted(
  await replayTransaction(finalized.id, account, {
    ...ports,
    ledger: { find: async () => ({ ...stored, transaction: finalized }) },
  }),
);

export const reportPorts = {
  now: ports.now,
  reports: {
    rows: async () =>
      countTransaction({ ...stored, transaction: finalized }).map((counted) => ({
        ...withCounted(undefined, counted),
        updatedAt: finalized.updated_at,
      })),
  },
};

const certified = (exemptions: (typeof exampleCustomer | typeof exampleRenewal)['exemptions']) =>
  exemptions.map(({ states, ...terms }) => toCertificate({ ...terms, states: [...states] }));

const created: Customer = {
  ...exampleCustomer,
  exemptions: certified(exampleCustomer.exemptions),
  created_at: createdAt,
  updated_at: createdAt,
  version: 1,
};
export const customer = toCustomerBody(created);

/** The customer after applying `exampleRenewal`. */
export const renewedCustomer = toCustomerBody({
  ...created,
  exemptions: certified(exampleRenewal.exemptions),
  updated_at: '2026-10-09T12:00:00.000Z',
  version: 2,
});

/** October in Michigan, with the example sale as its only transaction. */
const { period, figures } = sampleFiling;
const closed = { ...period, ...findFilingTerms('US-MI', 'month', '2026-10-31'), ...figures } as FilingWithTotals;
assert(Filing.safeParse(closed).success, 'The example filing does not match its schema.');

const closing: FilingWithTotals = {
  ...closed,
  status: 'closing',
  totals: [],
  summary: [],
  progress: { entries_moved: 0, entries_marked: 0, entries_reopened: 0, complete: false },
  closed_at: null,
};

const dryRun: FilingWithTotals = {
  ...closed,
  id: null,
  status: 'dry_run',
  exceptions: { count: 0, gross_amount: '0.00', by_reason: [], transactions: [] },
  review: { count: 0, gross_amount: '0.00', tax_amount: '0.00', by_code: [], transactions: [] },
  created_at: null,
  closed_at: null,
};

/** A filing whose return was sent, while Levy marks its transactions as filed. */
const marking: Filing = {
  ...closed,
  days_until_due: null,
  status: 'marking',
  filed_by: 'key_9c1f24ad7be0',
  confirmation_number: 'MI-2026-10-4711',
  progress: { ...closed.progress, complete: false },
};

const filed: Filing = {
  ...marking,
  status: 'filed',
  progress: { ...closed.progress, entries_marked: 1 },
  filed_at: '2026-11-16T15:00:00.000Z',
};

/** An example filing for each status. */
export const filings = { closed, closing, dryRun, marking, filed };
