/**
 * Two accounts with the same objects in a service with a token issuer, and every kind of credential for the first
 * account.
 */

import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { afterAll } from 'vitest';
import { withIssuer } from '../support/issuer.ts';
import type { Random } from '../support/seeded.ts';

const issuer = await withIssuer({ rsa: 'RS256' });
afterAll(() => issuer.close());

// The service reads its environment at import, so the modules that load it are imported after the issuer has started.
const { endpoints } = await import('../../functions/endpoints.ts');
const { newApiKey } = await import('../../shared/accounts/api-key.ts');
const { environment } = await import('../../shared/config/environment.ts');
const { writeCursor } = await import('../../shared/ledger/list-transactions.ts');
const { provisionKey, revokeKey } = await import('../../shared/store/accounts/api-key-store.ts');
const { anonymous, newCaller, startApi } = await import('../support/api.ts');
const { intercept, noFaults } = await import('../support/faults.ts');
const { closedFiling, createFiler, soldOn } = await import('../support/filings.ts');
const { accountClaim } = await import('../support/issuer.ts');
const { buildCreditRequest, made, sale } = await import('../support/sales.ts');

type Caller = Awaited<ReturnType<typeof newCaller>>;
type ApiResponse = Awaited<ReturnType<typeof anonymous.call>>;
type Headers = Readonly<Record<string, string>>;
export type RequestArgs = readonly [method: string, path: string, request?: { body?: unknown; headers?: Headers }];

export const { url } = await startApi();
export const call = ([method, path, request = {}]: RequestArgs, headers: Headers = {}): Promise<ApiResponse> =>
  anonymous.call(method, path, { ...request, headers: { ...request.headers, ...headers } });

const sell = async (caller: Caller) => {
  const filer = createFiler(caller);
  const own = { customer: { ...sale().customer, id: 'the-same-customer' } };
  const finalized = sale({ ...own, status: 'finalized', reference_id: 'the-same-reference' });
  const sold = await made(filer.create(finalized, { 'Idempotency-Key': 'the-same-key' }));
  const half = { line_items: [{ id: 'item_1', quantity: '1' }], tax_date: '2026-10-09' };
  const credit = await made(filer.create(buildCreditRequest(sold, { ...half, reference_id: 'the-same-credit' })));
  const voided = await made(filer.create(sale({ ...own, status: 'finalized', reference_id: 'the-same-void' })));
  await made(filer.update(voided.id, { status: 'void', void_reason: 'a test' }));
  const draft = await made(filer.create(sale({ ...own, tax_date: '2026-11-02', reference_id: 'the-same-draft' })));
  await made(filer.update(draft.id, { metadata: { changed: 'yes' } }, { 'Idempotency-Key': 'the-same-change' }));
  await soldOn(filer, '2026-09-08');
  return { ...caller, finalized, sold, sale: sold.id, credit: credit.id, voided: voided.id, draft: draft.id };
};

/** Closes the periods and creates customers. Returns the caller with its ids and cursors. */
const prepare = async ({ sold, ...caller }: Awaited<ReturnType<typeof sell>>) => {
  const filer = createFiler(caller);
  const { id: earlier } = await closedFiling(filer, 'MI', '2026-09-30');
  const { id: filing } = await closedFiling(filer, 'MI', '2026-10-31');
  const customer = `cus_of_${caller.account.id}`;
  for (const id of [customer, 'the-same-customer'])
    await made(caller.call('POST', '/customers', { body: { id, name: caller.account.id } }));
  await made(caller.call('POST', `/customers/${customer}`, { body: { name: null } }));
  const range = { reconciliation: { from: '2026-10-01', to: '2026-10-31' } };
  return {
    ...caller,
    earlier,
    filing,
    customer,
    cursors: {
      transactions: (await made(filer.list({ limit: '1' }))).next_cursor,
      filings: (await made(filer.filings({ limit: '1' }))).next_cursor,
      customers: (await made(caller.call('GET', '/customers?limit=1'))).next_cursor,
      entries: (await made(filer.filing(filing, { expand: 'entries', limit: '1' }))).entries.next_cursor,
      // Creating enough objects for a cursor of this list would take minutes.
      reconciliation: writeCursor({ id: sold.id, tax_date: sold.tax_date }, caller.account.cursor_secret, range),
    },
  };
};

const settings = { rate_limit: 1_000_000 };
// Both accounts sell before either closes a period, so their open entries exist at the same time.
const [ownersSales, strangersSales] = [
  await sell(await newCaller({ settings })),
  await sell(await newCaller({ settings })),
];
export const owner = await prepare(ownersSales);
export const stranger = await prepare(strangersSales);

/** The ids of objects that a caller could try to reach. */
export type Ids = Pick<typeof owner, 'sale' | 'credit' | 'voided' | 'draft' | 'filing' | 'earlier' | 'customer'>;
export const absentIds: Ids = {
  sale: 'txn_01KAAAAAAAAAAAAAAAAAAAAAAA',
  credit: 'txn_01KBBBBBBBBBBBBBBBBBBBBBBB',
  voided: 'txn_01KCCCCCCCCCCCCCCCCCCCCCCC',
  draft: 'txn_01KDDDDDDDDDDDDDDDDDDDDDDD',
  filing: 'fil_01KAAAAAAAAAAAAAAAAAAAAAAA',
  earlier: 'fil_01KBBBBBBBBBBBBBBBBBBBBBBB',
  customer: 'cus_of_nobody',
};

const keyed = async (terms: Partial<Parameters<typeof provisionKey>[0]> = {}) => {
  const secret = newApiKey();
  const key = { account: owner.account.id, secret, scopes: ['read', 'write'] as const, expires_at: null, ...terms };
  const { id } = await provisionKey({ ...key, scopes: [...key.scopes] });
  return { id, headers: { 'X-API-Key': secret } };
};
const token = async (account: string, claims: Record<string, unknown> = {}) => ({
  Authorization: `Bearer ${await issuer.sign(issuer.claims({ [accountClaim]: account, ...claims }))}`,
});
const revoked = await keyed();
await revokeKey(owner.account.id, revoked.id);
const swapped = (secret: string) => secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');

export const ownerToken = await token(owner.account.id);
export const strangers = { key: { 'X-API-Key': stranger.key }, token: await token(stranger.account.id) };
const [forbidsRead, forbidsWrite] = ['403 auth_forbidden read', '403 auth_forbidden write'];
const noCredential = '401 auth_error X-API-Key';
const unknownKey = '401 auth_api_key_not_found X-API-Key';
const expiredKey = '401 auth_api_key_expired X-API-Key';
const badToken = '401 auth_token_invalid Authorization';
const expired = await keyed({ expires_at: '2026-01-01T00:00:00.000Z' });
const otherSignature = { Authorization: swapped(ownerToken.Authorization.slice(0, -1)) };

/** Credentials with the expected error of a read and of a write operation; `null` means that it succeeds. */
export const credentials: readonly (readonly [string, Headers, read: string | null, write: string | null])[] = [
  ['no credential', {}, noCredential, noCredential],
  ['an unknown key', { 'X-API-Key': newApiKey() }, unknownKey, unknownKey],
  ['a misspelt key', { 'X-API-Key': swapped(owner.key) }, unknownKey, unknownKey],
  ['a revoked key', revoked.headers, unknownKey, unknownKey],
  ['an expired key', expired.headers, expiredKey, expiredKey],
  ["the account's id for a key", { 'X-API-Key': owner.account.id }, unknownKey, unknownKey],
  ['a token with another signature', otherSignature, badToken, badToken],
  ['an expired token', await token(owner.account.id, { exp: 1 }), badToken, badToken],
  ['a token of no account', await token('acct_unknown'), badToken, badToken],
  ['a key and a foreign token', { 'X-API-Key': owner.key, ...strangers.token }, noCredential, noCredential],
  ['a read-only key', (await keyed({ scopes: ['read'] })).headers, null, forbidsWrite],
  ['a read-only token', await token(owner.account.id, { scope: 'levy/read' }), null, forbidsWrite],
  ['a key that only writes', (await keyed({ scopes: ['write'] })).headers, forbidsRead, null],
  ['a good key', { 'X-API-Key': owner.key }, null, null],
  ['a good token', ownerToken, null, null],
];

/** The endpoints that need a credential. The public ones are listed by hand, so no endpoint becomes public by mistake. */
export const closedEndpoints = Object.values(endpoints).filter(
  ({ name }) => !/^get-(openapi|docs|console)$/.test(name),
);

export const billed = (reference_id: string) => ({ reference_id, total_amount: '106.00', tax_amount: '6.00' });

/** Request bodies that succeed for both accounts, for operations whose first documented example does not. */
const ownBodies = ({ customer }: Ids): Readonly<Record<string, unknown>> => ({
  'update-transaction': { metadata: { by: 'stranger' } },
  'create-customer': { id: customer, exemptions: [] },
  'update-customer': { exemptions: [] },
  'create-filing': { state: 'MI', period_end: '2026-10-31' },
  'update-filing': { status: 'filed', confirmation_number: 'stranger' },
  'create-reconciliation': { transactions: [billed('the-same-reference')] },
});

/** Builds a valid request to an operation with the ids of an account. */
export const requestTo = (
  { name, method, path, requests }: (typeof closedEndpoints)[number],
  ids: Ids,
): RequestArgs => {
  const id = path.startsWith('/filings') ? ids.filing : path.startsWith('/customers') ? ids.customer : ids.draft;
  const [example] = Object.values(requests ?? {});
  const filled = path.replace('{id}', id) + (name === 'get-rates' ? '?postal_code=55401' : '');
  return [method, filled, example ? { body: ownBodies(ids)[name] ?? example.value } : {}];
};

type Input = {
  readonly TableName?: string;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly unknown[] }>>;
  readonly TransactItems?: readonly unknown[];
};

/** Runs a function and returns its ledger calls, each with its kind and number of items. */
export const withCalls = async <Value>(run: () => Promise<Value>): Promise<{ value: Value; calls: string[] }> => {
  const calls: string[] = [];
  intercept(async ({ command, input, pass }) => {
    const { TableName, RequestItems, TransactItems = [] } = input as Input;
    const named = RequestItems?.[environment.tables.transactions]?.Keys?.length ?? TransactItems.length;
    if (TableName !== environment.tables.accounts) calls.push(`${command} ${named}`);
    return pass();
  });
  try {
    return { value: await run(), calls };
  } finally {
    noFaults();
  }
};

// The headers that differ between any two responses.
const ownHeaders = new Set(['x-request-id', 'date', 'x-ratelimit-remaining']);

/** Returns the bytes of a response without the parts that differ between any two responses. */
export const getBytes = ({ status, headers, text }: Pick<ApiResponse, 'status' | 'headers' | 'text'>): string =>
  JSON.stringify({
    status,
    headers: [...headers].map(([name, value]) => [name, ownHeaders.has(name) ? '' : value]),
    text: text.replaceAll(headers.get('X-Request-Id') ?? 'no id', 'the request'),
  });

type Change = (id: string, random: Random, account: string) => string;

const letter = (random: Random) => random.pick([...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']);
const percent = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
/** Changes one character at a random position, or among the last `last` characters. */
const atPlace =
  (change: (char: string, random: Random) => string, last = Number.POSITIVE_INFINITY): Change =>
  (id, random) => {
    const at = id.length - 1 - random.below(Math.min(last, id.length - 1));
    return id.slice(0, at) + change(id.charAt(at), random) + id.slice(at + 1);
  };
const hostile: Readonly<{ id_patterns: string[][]; id_paths: string[] }> = JSON.parse(
  readFileSync(new URL('hostile.json', import.meta.url), 'utf8'),
);
const around =
  (...patterns: string[]): Change =>
  (id, random, account) =>
    random.pick(patterns).replaceAll('ID', id).replaceAll('ACCOUNT', account);

/** Ways to change an id so that a careless lookup might still find its object. */
export const idChanges: readonly Change[] = [
  (id) => id,
  atPlace((_, random) => letter(random)),
  atPlace((_, random) => letter(random), 4),
  atPlace((char, random) => char + letter(random)),
  atPlace(() => ''),
  (id, random) => id.slice(0, 1 + random.below(id.length - 1)),
  (id, random) => id.slice(1 + random.below(id.length - 1)),
  (id) => id.slice(4),
  (id) => id.toLowerCase(),
  (id) => id.toUpperCase(),
  atPlace((char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())),
  (id, random) => random.pick(['txn_', 'fil_', 'key_', 'TXN_', 'txn-', 'tx_', 'txn__', '_']) + id.slice(4),
  (id) => `${id.slice(0, 4)}${ulid()}`,
  (id) => `${id.slice(0, 14)}${ulid().slice(10)}`,
  (id) => [...id].reverse().join(''),
  atPlace(percent),
  percent,
  (id) => percent(percent(id.slice(0, 8))) + id.slice(8),
  atPlace((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  atPlace((char, random) => char + random.pick(['\u0301', '\u200b', '\u00ad', '\ufeff', '\u{1f4b0}'])),
  ...hostile.id_patterns.map((patterns) => around(...patterns)),
  (id, random) => id.padEnd(60 + random.below(10), letter(random)),
  (id, random) => id.padEnd(1000 + random.below(2000), letter(random)),
];

/** Malformed paths to an id. They are sent without further encoding. */
export const strayPaths = (collection: string, id: string): readonly string[] =>
  hostile.id_paths
    .map((path) => path.replaceAll('COLLECTION', collection).replaceAll('ID', id))
    .concat([`/${collection.toUpperCase()}/${id}`, `/%74${collection.slice(1)}/${id}`]);
