import { endpoint as createFiling } from '../../functions/create-filing.ts';
import { endpoint as createTransaction } from '../../functions/create-transaction.ts';
import { endpoint as getFiling } from '../../functions/get-filing.ts';
import { endpoint as getTransaction } from '../../functions/get-transaction.ts';
import { endpoint as listTransactions } from '../../functions/list-transactions.ts';
import { endpoint as updateFiling } from '../../functions/update-filing.ts';
import { endpoint as updateTransaction } from '../../functions/update-transaction.ts';
import { type Account, defaultSettings, type Registration, type Settings } from '../../shared/accounts/account.ts';
import type { Serve } from '../../shared/api/endpoint.ts';
import { requestContext } from '../../shared/api/request-context.ts';
import { errorResult } from '../../shared/api/response.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { type Outcome, redactSelection } from '../../shared/cli/accounts/redact.ts';
import { now } from '../../shared/config/clock.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import type { Closed, ClosePorts } from '../../shared/filings/ports.ts';
import { type Redacted, redactTransaction } from '../../shared/ledger/personal-data/redact.ts';
import { type Swept, sweepDrafts } from '../../shared/ledger/sweep-drafts.ts';
import { changeSettings, findAccount, provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { redactionPorts } from '../../shared/store/ledger/redaction-ports.ts';
import { draftIndex } from '../../shared/store/ledger/transaction-index.ts';
import type { Refusal, Schema } from '../support/http.ts';
import { buildTerm } from '../support/local-days.ts';
import { Died, type Invocation } from './history.ts';
import { between, chance, pickOne, weighted } from './world.ts';

const bugs = new Set(['AssertionError', 'TypeError', 'RangeError', 'SyntaxError', '$ZodError']);

/** The result of an operator's command; `null` if it crashed or its retries ended. Bugs are thrown. */
const run = <Value>(invocation: Invocation, command: () => Promise<Value>): Promise<Value | null> =>
  invocation.run(command).catch((error: Error) => {
    if (bugs.has(error.name)) throw error;
    return null;
  });

/** An operator removes the personal data of a transaction. */
export const redact = (invocation: Invocation, account: string, id: string): Promise<Redacted | null> =>
  run(invocation, () => redactTransaction(account, id, invocation.id, redactionPorts(invocation.remainingMs)));

/** An operator removes the personal data of a customer from all transactions. */
export const redactCustomer = (invocation: Invocation, account: string, customer: string): Promise<Outcome | null> =>
  run(invocation, () => redactSelection(account, { customer }, redactionPorts(invocation.remainingMs)));

/** The service from the validated request to the bytes of the response, and its schedules. */

const operations = {
  createFiling,
  createTransaction,
  getFiling,
  getTransaction,
  listTransactions,
  updateFiling,
  updateTransaction,
};

export type Request = {
  readonly operation: keyof typeof operations;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly key?: string | null;
  readonly ifMatch?: string | null;
  /** Sent with the key of a different request or the cursor of a different account, so it must be refused. */
  readonly isOther?: boolean;
};

type Listed = Omit<Schema<'TransactionList'>, 'object'> & { readonly object: 'transaction' | 'filing' | 'list' };
export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** A union of all response fields; `object` determines which of them are present. */
  readonly body:
    | (Omit<Schema<'RetrievedTransaction'>, 'object'> &
        Listed &
        Refusal &
        Partial<Pick<Schema<'Filing'>, 'exceptions'>>)
    | null;
};

const buildEvent = ({ method, path, id, query = {}, body, key, ifMatch }: Request, requestId: string) => ({
  requestContext: { requestId },
  httpMethod: method,
  resource: id === undefined ? path : path.replace(id, '{id}'),
  path,
  pathParameters: id === undefined ? null : { id },
  headers: null,
  multiValueHeaders: {
    'Content-Type': ['application/json'],
    ...(key && { 'Idempotency-Key': [key] }),
    ...(ifMatch && { 'If-Match': [ifMatch] }),
  },
  queryStringParameters: null,
  multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  body: body ? JSON.stringify(body) : null,
  isBase64Encoded: false,
});

const buildResponse = ({ statusCode, headers = {}, body }: Awaited<ReturnType<Serve>>): Response => ({
  status: statusCode,
  headers,
  text: body,
  body: body === '' ? null : JSON.parse(body),
});

/** A response with status 500. */
export type Bug = { readonly invocation: string; readonly error: unknown };

/** Sends a request. Returns `null` if the invocation crashed. */
export const send = async (request: Request, invocation: Invocation, bugs: Bug[]): Promise<Response | null> => {
  const { caller: account } = invocation;
  if (!account) throw new Error(`${invocation.id} is no request of an account.`);
  const context = requestContext(
    buildEvent(request, invocation.id) as unknown as Parameters<typeof requestContext>[0],
    invocation.remainingMs,
  );
  // The results of authentication, which is not simulated.
  context.caller = {
    account,
    credential: invocation.id,
    scopes: new Set(['read', 'write'] as const),
  };
  context.version = currentVersion;
  try {
    return buildResponse(await invocation.run(() => operations[request.operation].serve(context)));
  } catch (error) {
    if (error instanceof Died) return null;
    const response = errorResult(error, context);
    if (response.statusCode === 500) bugs.push({ invocation: invocation.id, error });
    return buildResponse(response);
  }
};

/** Returns the account ids in pages of one account. */
const accountIds: ClosePorts['accountIds'] = async (after) => {
  const [first, ...others] = ['acct_one', 'acct_two'].filter((id) => after === null || id > after);
  return { rows: first === undefined ? [] : [first], next: others.length > 0 ? (first ?? null) : null };
};

/** Stores the accounts, with their entries in the due index. */
export const storeAccounts = (accounts: readonly Account[], invocation: Invocation): Promise<void> =>
  invocation.run(async () => {
    for (const account of accounts) await provisionAccount(account);
  });

/** An operator changes settings of an account. */
export const changeSetting = (id: string, changed: () => Partial<Settings>, invocation: Invocation): Promise<void> =>
  invocation.run(async () => {
    const account = await findAccount(id);
    if (account) await changeSettings(account, changed());
  });

/** The result of a run of a schedule; `null` if it crashed. */
const scheduled = <Value>(invocation: Invocation, run: () => Promise<Value>): Promise<Value | null> =>
  invocation.run(run).catch((error: unknown) => {
    if (error instanceof Died) return null;
    throw error;
  });

/** One run of the schedule that closes periods. */
export const close = (
  invocation: Invocation,
  onFailure: (error: unknown) => void,
  limits: Partial<ClosePorts> = {},
): Promise<Closed | null> =>
  scheduled(invocation, () =>
    closePeriods({ ...closePorts(invocation.remainingMs), onFailure, stepMsMax: 0, accountIds, ...limits }),
  );

/** One run of the schedule that voids expired drafts. */
export const sweep = (invocation: Invocation, onFailure: (error: unknown) => void): Promise<Swept | null> =>
  scheduled(invocation, () =>
    sweepDrafts({ ledger, drafts: draftIndex, now, batchMsMax: 0, remainingMs: invocation.remainingMs, onFailure }),
  );

/** The accounts of a schedule, and changes of their settings. */

const draftHours: Readonly<Record<string, number>> = { acct_one: 24, acct_two: 0.0006 };

const monthlyIn = (...states: string[]): Registration[] =>
  states.map((state) => ({ state, from: '2026-09-01', to: null, frequency: 'month' }));

const newAccounts = (getSettings: (id: string) => Partial<Settings>): readonly Account[] =>
  Object.entries(draftHours).map(([id, hours]) => ({
    id,
    name: id,
    created_at: id === 'acct_one' ? '2026-10-01T00:00:00.000Z' : '2026-09-01T00:00:00.000Z',
    cursor_secret: `secret of ${id}`,
    settings: { ...defaultSettings(currentVersion), draft_ttl_hours: hours, ...getSettings(id) },
  }));

/** Drafts of the second account expire after seconds, while clients work on them, and a schedule closes its periods. */
export const plainAccounts = newAccounts((id) => ({
  registrations: id === 'acct_one' ? null : monthlyIn('MI', 'NJ'),
}));

/**
 * These accounts have no reminders, because the calls of reminders make races between redactions and filings less
 * frequent.
 */
export const accountsOfRedactions = plainAccounts.map((account) => ({
  ...account,
  settings: { ...account.settings, filing_reminder_days: null },
}));

/** A change of a setting of `acct_two` that decides when periods close. */
export const plainChange = (): Partial<Settings> =>
  pickOne([
    { review_days: pickOne([0, 3, 20]) },
    { registrations: pickOne([monthlyIn('MI'), monthlyIn('MI', 'NJ'), monthlyIn('MI', 'NJ', 'OH')]) },
  ]);

const timeZones = ['UTC', 'America/New_York', 'Pacific/Honolulu', 'Pacific/Kiritimati', 'Asia/Kolkata'] as const;

/** Registrations of one state: with a later change of frequency, a gap of some months, an end, or none. */
const histories = [
  [3, []],
  [1, [buildTerm('month', '2026-09-01')]],
  [1, [buildTerm('quarter', '2026-07-01')]],
  [1, [buildTerm('quarter', '2026-07-01', '2026-10-31'), buildTerm('month', '2026-11-01')]],
  [1, [buildTerm('year', '2026-01-01', '2026-09-30'), buildTerm('month', '2026-10-01')]],
  [3, [buildTerm('month', '2026-08-01', '2026-09-15'), buildTerm('month', '2026-11-10')]],
  [1, [buildTerm('month', '2026-08-01', '2026-10-31')]],
] as const;

const someRegistrations = (): Settings['registrations'] =>
  chance(0.1)
    ? null
    : ['MI', 'NJ'].flatMap((state) =>
        weighted<(typeof histories)[number][1]>(histories).map((one) => ({ state, ...one })),
      );

/** Accounts in different time zones with different registrations. */
export const variedAccounts = (): readonly Account[] =>
  newAccounts(() => ({
    time_zone: pickOne(timeZones),
    review_days: pickOne([0, 0, 3]),
    registrations: someRegistrations(),
  }));

export const variedChange = (): Partial<Settings> =>
  weighted<Partial<Settings>>([
    [2, { time_zone: pickOne(timeZones) }],
    [3, { registrations: someRegistrations() }],
    [1, { review_days: pickOne([0, 3, 20]) }],
  ]);

/** How long a running instance can use stale account settings. */
export const cachedMs = (): number => (chance(0.2) ? between(0, 60_000) : 0);
