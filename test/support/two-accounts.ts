import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { environment } from '../../shared/config/environment.ts';
import { writeCursor } from '../../shared/ledger/list-transactions.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { database } from '../../shared/store/client/client.ts';
import { type Caller, newCaller } from './api.ts';
import { closedFiling, filerOf, soldOn } from './filings.ts';
import type { Answer, Request } from './http.ts';
import { accountClaim, type LocalIssuer } from './issuer.ts';
import type { Input } from './memory-database.ts';
import { creditOf, made, sale } from './sales.ts';

export type RequestArgs = readonly [method: string, path: string, request?: Request];
export type Headers = Readonly<Record<string, string>>;
export type ClosedOperation = Exclude<Operation, 'get-openapi' | 'get-docs' | 'get-console'>;

const range = { from: '2026-10-01', to: '2026-10-31' };
const key = { 'Idempotency-Key': 'the-same-key' };

/** The sales of both accounts, with the same texts, references and keys. */
const salesOf = async (caller: Caller) => {
  const filer = filerOf(caller);
  const own = { customer: { ...sale().customer, id: 'the-same-customer' } };
  const finalized = sale({ ...own, status: 'finalized', reference_id: 'the-same-reference' });
  const sold = await made(filer.create(finalized, key));
  const half = { line_items: [{ id: 'item_1', quantity: '1' }] };
  const credit = await made(
    filer.create(creditOf(sold, { ...half, tax_date: '2026-10-09', reference_id: 'the-same-credit' })),
  );
  const voided = await made(filer.create(sale({ ...own, status: 'finalized', reference_id: 'the-same-void' })));
  await made(filer.update(voided.id, { status: 'void', void_reason: 'a test' }));
  const draft = await made(filer.create(sale({ ...own, tax_date: '2026-11-02', reference_id: 'the-same-draft' })));
  const change = { metadata: { changed: 'yes' } };
  await made(filer.update(draft.id, change, { 'Idempotency-Key': 'the-same-change' }));
  await soldOn(filer, '2026-09-08');
  return { sale: sold, credit, voided, draft, bodies: { finalized, change } };
};

/** The objects of both accounts, with their own ids and cursors. */
const belongingsOf = async (
  caller: Caller,
  { sale: sold, credit, voided, draft, bodies }: Awaited<ReturnType<typeof salesOf>>,
) => {
  const filer = filerOf(caller);
  const earlier = await closedFiling(filer, 'MI', '2026-09-30');
  const filing = await closedFiling(filer, 'MI', '2026-10-31');
  // An own id, like all of the client's: each account has one that the other does not have.
  const customer = `cus_of_${caller.account.id}`;
  for (const id of [customer, 'the-same-customer'])
    await made(caller.call('POST', '/customers', { body: { id, name: caller.account.id } }));
  await made(caller.call('POST', `/customers/${customer}`, { body: { name: null } }));
  const { next_cursor: entries } = (await made(filer.filing(filing.id, { expand: 'entries', limit: '1' }))).entries;
  return {
    sale: sold.id,
    credit: credit.id,
    voided: voided.id,
    draft: draft.id,
    filing: filing.id,
    earlier: earlier.id,
    customer,
    bodies,
    cursors: {
      transactions: (await made(filer.list({ limit: '1' }))).next_cursor,
      filings: (await made(filer.filings({ limit: '1' }))).next_cursor,
      customers: (await made(caller.call('GET', '/customers?limit=1'))).next_cursor,
      entries,
      // A list that is long enough to have one takes minutes to make.
      reconciliation: writeCursor({ id: sold.id, tax_date: sold.tax_date }, caller.account.cursor_secret, {
        reconciliation: range,
      }),
    },
  };
};
export type OwnedIds = Awaited<ReturnType<typeof belongingsOf>>;
/** The ids of things that one may try to reach. */
export type Ids = Pick<OwnedIds, 'sale' | 'credit' | 'voided' | 'draft' | 'filing' | 'earlier' | 'customer'>;

const billed = (reference_id: string) => ({ reference_id, total_amount: '106.00', tax_amount: '6.00' });

/** The endpoints that need a credential. The others are written out, so that no endpoint becomes public by mistake. */
const closedEndpoints = Object.values(endpoints).filter(({ name }) => !/^get-(openapi|docs|console)$/.test(name));
export const closedOperations = closedEndpoints.map(({ name }) => name as ClosedOperation);
export const operationsWithId = closedEndpoints
  .filter(({ path }) => path.includes('{id}'))
  .map(({ name }) => name as ClosedOperation);

type TargetIds = Pick<Ids, 'draft' | 'filing' | 'customer'>;

/** Bodies of requests that succeed for both accounts, where the first example of the documentation does not. */
const ownBodies = ({ customer }: TargetIds): Partial<Record<Operation, unknown>> => ({
  'update-transaction': { metadata: { by: 'stranger' } },
  'create-customer': { id: customer, exemptions: [] },
  'update-customer': { exemptions: [] },
  'create-filing': { state: 'MI', period_end: '2026-10-31' },
  'update-filing': { status: 'filed', confirmation_number: 'stranger' },
  'create-reconciliation': { transactions: [billed('the-same-reference')] },
});

/** A good request to every operation that needs a credential, with these ids where it takes one. */
export const requestsTo = (ids: TargetIds) => {
  const idOf: Readonly<Record<string, string>> = {
    transactions: ids.draft,
    filings: ids.filing,
    customers: ids.customer,
  };
  const requests = closedEndpoints.map(({ name, method, path, requests: examples }): [string, RequestArgs] => {
    const filled = path.replace('{id}', idOf[path.split('/')[1] ?? ''] ?? 'none');
    const query = name === 'get-rates' ? '?postal_code=55401' : '';
    const [example] = Object.values(examples ?? {});
    return [name, [method, filled + query, example ? { body: ownBodies(ids)[name] ?? example.value } : {}]];
  });
  return Object.fromEntries(requests) as Readonly<Record<ClosedOperation, RequestArgs>>;
};

/** Two accounts with the same belongings, and every kind of credential of the first. */
export const twoAccounts = async (issuer: LocalIssuer) => {
  const settings = { rate_limit: 1_000_000 };
  const [owner, stranger] = await Promise.all([newCaller({ settings }), newCaller({ settings })]);
  // Both sell before either closes a period, so that their open entries exist at the same time.
  const [ownersSales, strangersSales] = [await salesOf(owner), await salesOf(stranger)];
  const [owned, strange] = [await belongingsOf(owner, ownersSales), await belongingsOf(stranger, strangersSales)];
  const keyed = async (terms: Partial<Parameters<typeof provisionKey>[0]> = {}) => {
    const secret = newApiKey();
    const { id } = await provisionKey({
      account: owner.account.id,
      secret,
      scopes: ['read', 'write'],
      expires_at: null,
      ...terms,
    });
    return { id, headers: { 'X-API-Key': secret } };
  };
  const token = async (account: string, claims: Record<string, unknown> = {}) => ({
    Authorization: `Bearer ${await issuer.sign(issuer.claims({ [accountClaim]: account, ...claims }))}`,
  });
  const revoked = await keyed();
  await revokeKey(owner.account.id, revoked.id);
  const swapped = (secret: string) => secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
  const good = (await token(owner.account.id)).Authorization;
  const credentials = {
    'no credential': {},
    'an unknown key': { 'X-API-Key': newApiKey() },
    'a misspelt key': { 'X-API-Key': swapped(owner.key) },
    'a revoked key': revoked.headers,
    'an expired key': (await keyed({ expires_at: '2026-01-01T00:00:00.000Z' })).headers,
    "the account's id for a key": { 'X-API-Key': owner.account.id },
    'a token with another signature': { Authorization: swapped(good.slice(0, -1)) },
    'an expired token': await token(owner.account.id, { exp: 1 }),
    'a token of no account': await token('acct_unknown'),
    'a key of one and a token of the other': {
      'X-API-Key': owner.key,
      ...(await token(stranger.account.id)),
    },
    'a read-only key': (await keyed({ scopes: ['read'] })).headers,
    'a read-only token': await token(owner.account.id, { scope: 'levy/read' }),
    'a key that only writes': (await keyed({ scopes: ['write'] })).headers,
    'a good key': { 'X-API-Key': owner.key },
    'a good token': await token(owner.account.id),
  } as const satisfies Record<string, Headers>;
  return {
    owner: { ...owner, ...owned },
    stranger: { ...stranger, ...strange },
    credentials,
    strangers: { key: { 'X-API-Key': stranger.key }, token: await token(stranger.account.id) },
  };
};
export type TwoAccounts = Awaited<ReturnType<typeof twoAccounts>>;

/** Run a function and return its calls to the ledger: each with its kind and number of items. */
export const withCalls = async <Value>(run: () => Promise<Value>): Promise<{ value: Value; calls: string[] }> => {
  const calls: string[] = [];
  database.middlewareStack.add(
    (next, context) => async (sent) => {
      const { TableName, RequestItems, TransactItems = [] } = sent.input as Input;
      const named = RequestItems?.[environment.tables.transactions]?.Keys?.length ?? TransactItems.length;
      if (TableName !== environment.tables.accounts) calls.push(`${String(context.commandName)} ${named}`);
      return next(sent);
    },
    { step: 'initialize', name: 'isolation', priority: 'high' },
  );
  try {
    return { value: await run(), calls };
  } finally {
    database.middlewareStack.remove('isolation');
  }
};

// The fields that differ between any two answers: the request's name, the time, and how much is left of the account's
// window.
const itsOwn = new Set(['x-request-id', 'date', 'x-ratelimit-remaining']);

/** An answer to the byte, but for what is every answer's own. */
export const bytesOf = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].map(([name, value]) => [name, itsOwn.has(name) ? '' : value]),
  text: text.replaceAll(headers.get('X-Request-Id') ?? 'no id', 'the request'),
});
