import { endpoint as createFiling } from '../../functions/create-filing.ts';
import { endpoint as createTransaction } from '../../functions/create-transaction.ts';
import { endpoint as getFiling } from '../../functions/get-filing.ts';
import { endpoint as getTransaction } from '../../functions/get-transaction.ts';
import { endpoint as listTransactions } from '../../functions/list-transactions.ts';
import { endpoint as updateFiling } from '../../functions/update-filing.ts';
import { endpoint as updateTransaction } from '../../functions/update-transaction.ts';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { now } from '../../shared/config/clock.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import type { Closed } from '../../shared/filings/ports.ts';
import type { Serve } from '../../shared/http/define-endpoint.ts';
import { exchangeOf } from '../../shared/http/exchange.ts';
import { errorResult } from '../../shared/http/failure.ts';
import { currentVersion } from '../../shared/http/versions.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { draftIndex } from '../../shared/store/ledger/transaction-index.ts';
import { type Swept, sweepDrafts } from '../../shared/transactions/sweep-drafts.ts';
import type { Refusal, Schema } from '../support/http.ts';
import { Died, type Invocation } from './invocation.ts';

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
  /** Sent under the key of another request, or with the cursor of another account: it must be refused. */
  readonly isOther?: boolean;
};

type Listed = Omit<Schema<'TransactionList'>, 'object'> & { readonly object: 'transaction' | 'filing' | 'list' };
export type Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** With the fields of every answer: `object` tells which of them it has. */
  readonly body:
    | (Omit<Schema<'RetrievedTransaction'>, 'object'> &
        Listed &
        Refusal &
        Partial<Pick<Schema<'Filing'>, 'exceptions'>>)
    | null;
};

const draftHours: Readonly<Record<string, number>> = { acct_one: 24, acct_two: 0.0006 };

/** The accounts of a schedule. Drafts of the second one expire after seconds, while clients work on them. */
export const accounts: readonly Account[] = Object.entries(draftHours).map(([id, hours]) => ({
  id,
  name: id,
  created_at: id === 'acct_one' ? '2026-10-01T00:00:00.000Z' : '2026-09-01T00:00:00.000Z',
  cursor_secret: `secret of ${id}`,
  settings: {
    ...defaultSettings(currentVersion),
    draft_ttl_hours: hours,
    // A schedule closes the periods of the second one.
    registrations:
      id === 'acct_one'
        ? null
        : ['MI', 'NJ'].map((state) => ({ state, from: '2026-09-01', to: null, frequency: 'month' })),
  },
}));

const accountOf = (id: string) => accounts.find((account) => account.id === id) as Account;

const eventOf = ({ method, path, id, query = {}, body, key, ifMatch }: Request, requestId: string) => ({
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

const responseOf = ({ statusCode, headers = {}, body }: Awaited<ReturnType<Serve>>): Response => ({
  status: statusCode,
  headers,
  text: body,
  body: body === '' ? null : JSON.parse(body),
});

/** A response with status 500. */
export type Bug = { readonly invocation: string; readonly error: unknown };

/** Send a request. `null` if the invocation died. */
export const send = async (request: Request, invocation: Invocation, bugs: Bug[]): Promise<Response | null> => {
  const exchange = exchangeOf(
    eventOf(request, invocation.id) as unknown as Parameters<typeof exchangeOf>[0],
    invocation.remainingMs,
  );
  // The results of authentication, which is not simulated.
  exchange.caller = {
    account: accountOf(invocation.account),
    credential: invocation.id,
    scopes: new Set(['read', 'write'] as const),
  };
  exchange.version = currentVersion;
  try {
    return responseOf(await invocation.run(() => operations[request.operation].serve(exchange)));
  } catch (error) {
    if (error instanceof Died) return null;
    const answer = errorResult(error, exchange);
    if (answer.statusCode === 500) bugs.push({ invocation: invocation.id, error });
    return responseOf(answer);
  }
};

/** One run of the schedule that closes periods. `null` if it died. */
export const close = async (invocation: Invocation, onFailure: (error: unknown) => void): Promise<Closed | null> => {
  try {
    return await invocation.run(() =>
      closePeriods({
        ...closePorts(invocation.remainingMs),
        onFailure,
        stepMsMax: 0,
        accountIds: async () => ({ ids: accounts.map(({ id }) => id), next: null }),
        findAccount: async (id) => accountOf(id),
      }),
    );
  } catch (error) {
    if (error instanceof Died) return null;
    throw error;
  }
};

/** One run of the schedule that voids expired drafts. `null` if it died. */
export const sweep = async (invocation: Invocation, onFailure: (error: unknown) => void): Promise<Swept | null> => {
  try {
    return await invocation.run(() =>
      sweepDrafts({ ledger, drafts: draftIndex, now, batchMsMax: 0, remainingMs: invocation.remainingMs, onFailure }),
    );
  } catch (error) {
    if (error instanceof Died) return null;
    throw error;
  }
};
