import { newAccount } from '../../accounts/account.ts';
import { answeredAccount } from '../../accounts/answer.ts';
import { assert } from '../../base/assert.ts';
import { CalculationRequest } from '../../calculations/request.ts';
import { builtInRelease, builtInReleaseFor } from '../../content/built-in.ts';
import { taxabilityOf } from '../../coverage/taxability.ts';
import { filingPeriods } from '../../filings/filing-periods.ts';
import { findRates } from '../../rates/rates.ts';
import { registrationAdvice } from '../../registrations/advice.ts';
import type { RegistrationAdvice } from '../../registrations/response.ts';
import { reportByState } from '../../reports/by-state.ts';
import { countedOf, withCounted } from '../../reports/count-transactions.ts';
import { createCalculation } from '../../transactions/create-calculation.ts';
import { newTransaction } from '../../transactions/new-transaction.ts';
import { listAnswer } from '../../transactions/page-limit.ts';
import { pinnedOf } from '../../transactions/pinned.ts';
import { replayTransaction } from '../../transactions/replay/replay-transaction.ts';
import { TransactionRequest } from '../../transactions/request.ts';
import type { TransactionList } from '../../transactions/response.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { catalog } from '../../vocabulary/catalog.ts';
import { vocabulary } from '../../vocabulary/vocabulary.ts';
import { currentVersion } from '../versions.ts';
import { exampleId, sale } from './request-examples.ts';

const createdAt = '2026-10-08T12:00:00.000Z';

const createdMs = Date.parse(createdAt);
const account = newAccount({
  name: 'Example',
  serviceVersion: currentVersion,
  createdMs,
  settings: { registrations: [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'month' }] },
});

const ports = {
  now: () => createdMs,
  loadContent: async () => builtInReleaseFor,
  customers: { findSome: async () => new Map() },
};
const calculated = await createCalculation(CalculationRequest.parse(sale), [], account, {
  ...ports,
  ledger: { find: async () => undefined },
});
assert(calculated.ok, 'POST /calculations must accept its example.');

/** The response to the example sale, from the built-in content. */
export const calculation = calculated.value;

const { object: _, ...outcome } = calculation;

/** The same sale as a draft. */
const stored = newTransaction(
  TransactionRequest.parse({ ...sale, status: 'draft' }),
  outcome,
  outcome.tax_amount,
  { creditOf: null, pinned: pinnedOf(account.settings) },
  account.settings.draft_ttl_hours,
  { newId: () => exampleId, now: ports.now },
);
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
const replayed = await replayTransaction(finalized.id, account, {
  ...ports,
  ledger: { find: async () => ({ ...stored, transaction: finalized }) },
});
assert(replayed.ok, 'POST /transactions/{id}/replay must accept its example.');
export const replay = replayed.value;

export const transactionList: TransactionList = listAnswer('/transactions', [{ ...finalized, line_items: null }]);

const reportPorts = {
  now: () => createdMs,
  reports: {
    rows: async () =>
      countedOf({ ...stored, transaction: finalized }).map((counted) => ({
        ...withCounted(undefined, counted),
        updatedAt: finalized.updated_at,
      })),
  },
};
const reported = await reportByState({}, account, reportPorts);
assert(reported.ok, 'GET /reports/by-state must accept its example.');
/** The report with only that sale. */
export const byState = reported.value;

export const accountAnswer = answeredAccount(
  { ...account, id: exampleId.replace('txn', 'acct') },
  new Set(['read', 'write']),
);

/** The periods of an account that files in Michigan each month. */
const openPeriods = await filingPeriods(
  {
    ...account,
    settings: {
      ...account.settings,
      registrations: [{ state: 'US-MI', from: '2026-01-01', to: null, frequency: 'month' }],
    },
  },
  null,
  {},
  {
    filings: { chains: async () => [], oldestOpenMonths: async () => [] },
    now: () => createdMs,
  },
);
assert(openPeriods.ok, 'GET /filing-periods must accept its example.');
export const filingPeriodList = openPeriods.value;

const advised = await registrationAdvice(account, reportPorts);
/** One state of many. */
export const advice: RegistrationAdvice = {
  ...advised,
  data: advised.data.filter(({ state }) => state === 'US-MI'),
};

/** A page with one attribute of many. */
export const productAttributes = {
  object: 'list',
  url: '/product-attributes',
  has_more: true,
  data: vocabulary().productAttributes.filter(({ code }) => code === '_ATHLETIC'),
} as const;

/** A page with one product tax code of many. */
const minnesota = builtInRelease('MN');
assert(minnesota !== undefined, 'Minnesota must have a built-in release.');

export const productTaxCodes = {
  object: 'list',
  url: '/product-tax-codes',
  has_more: true,
  data: catalog()
    .filter(({ code }) => code === 'CLOTHING.SWIMWEAR')
    .map((item) => ({ ...item, taxability: taxabilityOf(minnesota, item.code, '2026-11-22') })),
} as const;

export const ratesQuery = { postal_code: '55401', city: 'Minneapolis', state: 'MN', date: '2026-11-22' } as const;

const found = await findRates(ratesQuery, account.settings, {
  ...ports,
  now: () => Date.parse(ratesQuery.date),
});
assert(found.ok, 'GET /rates must accept its example.');

/** The response to it, computed from the built-in content, so that no fact has a second copy here. */
export const rates = found.value;
