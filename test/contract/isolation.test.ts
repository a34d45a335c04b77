/** No request reaches or detects an object of another account. @isolated: the service needs a token issuer. */
import { describe, expect, it } from 'vitest';
import { type ApiResponse, send } from '../support/http.ts';
import { getRefusal, goods, sale } from '../support/sales.ts';
import { createRandom } from '../support/seeded.ts';
import {
  absentIds,
  billed,
  call,
  closedEndpoints,
  credentials,
  getBytes,
  type Ids,
  idChanges,
  owner,
  ownerToken,
  type RequestArgs,
  requestTo,
  stranger,
  strangers,
  strayPaths,
  url,
  withCalls,
} from './isolation-accounts.ts';

const notFound = '404 | not_found';
const noParent = '422 | validation_parent_not_found /parent_transaction_id';
const noCursor = '422 | validation_invalid_cursor starting_after';

type Attempt = readonly [
  name: string,
  target: string,
  expected: string,
  body?: object | null,
  headers?: Record<string, string>,
];
const credit = (parent: keyof Ids, others: object = {}) => ({
  type: 'credit',
  parent_transaction_id: `{${parent}}`,
  ...others,
});
const line = { line_items: [{ id: 'item_1', quantity: '1' }] };
const csv = { Accept: 'text/csv' };
const firstVersion = { 'If-Match': '"1"' };
const key = { 'Idempotency-Key': 'k' };
const sameChange = { 'Idempotency-Key': 'the-same-change' };

/** Requests with an object's id in braces. The expected errors are written by hand. */
const attempts: readonly Attempt[] = [
  ...closedEndpoints
    .filter(({ path }) => path.includes('{id}'))
    .map((endpoint): Attempt => {
      const braced = Object.fromEntries(Object.keys(absentIds).map((name) => [name, `{${name}}`])) as Ids;
      const [method, path, { body = null } = {}] = requestTo(endpoint, braced);
      return [endpoint.name, `${method} ${path}`, notFound, body as object | null];
    }),
  ['reading a sale', 'GET /transactions/{sale}', notFound],
  ['reading a credit', 'GET /transactions/{credit}', notFound],
  ['reading a void sale', 'GET /transactions/{voided}', notFound],
  ['reading a sale with its history', 'GET /transactions/{sale}?expand=history', notFound],
  ['reading a later page of a history', 'GET /transactions/{draft}/history?starting_after=2', notFound],
  ['reading a history after its end', 'GET /transactions/{draft}/history?starting_after=9', notFound],
  ['reading one entry of a history', 'GET /transactions/{sale}/history?limit=1', notFound],
  ['changing nothing of a draft', 'POST /transactions/{draft}', notFound, { status: 'draft' }],
  ['finalizing a draft', 'POST /transactions/{draft}', notFound, { status: 'finalized' }],
  ['voiding a draft', 'POST /transactions/{draft}', notFound, { status: 'void' }],
  ['voiding a sale', 'POST /transactions/{sale}', notFound, { status: 'void' }],
  ['voiding a void sale', 'POST /transactions/{voided}', notFound, { status: 'void' }],
  ['voiding a credit', 'POST /transactions/{credit}', notFound, { status: 'void' }],
  ['changing the lines of a sale', 'POST /transactions/{sale}', notFound, { line_items: [goods()] }],
  ['changing version 1', 'POST /transactions/{draft}', notFound, { metadata: { a: 'b' } }, firstVersion],
  ['changing version 2', 'POST /transactions/{draft}', notFound, { metadata: { a: 'b' } }, { 'If-Match': '"2"' }],
  ['repeating a change', 'POST /transactions/{draft}', notFound, { metadata: { changed: 'yes' } }, sameChange],
  ['reusing the key of a change', 'POST /transactions/{draft}', notFound, { metadata: { a: 'b' } }, sameChange],
  ['replaying a sale', 'POST /transactions/{sale}/replay', notFound],
  ['replaying a credit', 'POST /transactions/{credit}/replay', notFound],
  ['listing after a sale', 'GET /transactions?starting_after={sale}', noCursor],
  ['listing with lines after a draft', 'GET /transactions?expand=line_items&starting_after={draft}', noCursor],
  ['crediting a sale', 'POST /transactions', noParent, credit('sale', { status: 'finalized' })],
  ['crediting a line in a draft', 'POST /transactions', noParent, credit('sale', line)],
  ['crediting a void sale', 'POST /transactions', noParent, credit('voided')],
  ['crediting a credit', 'POST /transactions', noParent, credit('credit', line)],
  ['crediting in another currency', 'POST /transactions', noParent, credit('sale', { currency: 'EUR' })],
  ['crediting with a key', 'POST /transactions', noParent, credit('sale'), key],
  ['calculating the credit of a sale', 'POST /calculations', noParent, credit('sale')],
  ['calculating the credit of a line', 'POST /calculations', noParent, credit('sale', line)],
  ['reading the entries of a filing', 'GET /filings/{filing}?expand=entries', notFound],
  ['reading a filing as CSV', 'GET /filings/{filing}', notFound, null, csv],
  ['reading entries as CSV', 'GET /filings/{filing}?expand=entries', notFound, null, csv],
  ['canceling a filing', 'POST /filings/{filing}', notFound, { status: 'canceled' }],
  ['canceling a filing with a key', 'POST /filings/{earlier}', notFound, { status: 'canceled' }, key],
  ['renaming a customer', 'POST /customers/{customer}', notFound, { name: 'stranger' }],
  ['changing nothing of a customer', 'POST /customers/{customer}', notFound, {}],
  ['changing version 1 of a customer', 'POST /customers/{customer}', notFound, { name: 'stranger' }, firstVersion],
  ['changing a customer with a key', 'POST /customers/{customer}', notFound, { name: 'stranger' }, key],
  ['listing after a filing', 'GET /filings?starting_after={filing}', noCursor],
];

const buildRequest = ([, target, , body = null, headers = {}]: Attempt, ids: Ids): RequestArgs => {
  const filled = (text: string, encode: (id: string) => string) =>
    text.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => encode(ids[name]));
  const [method = '', path = ''] = target.split(' ');
  const json = body === null ? null : JSON.parse(filled(JSON.stringify(body), (id) => JSON.stringify(id).slice(1, -1)));
  return [method, filled(path, encodeURIComponent), { headers, ...(json !== null && { body: json }) }];
};

const october = { from: '2026-10-01', to: '2026-10-31' };
const listEntries =
  (filing: string) =>
  (cursor: string): RequestArgs => ['GET', `/filings/${filing}?expand=entries&limit=1&starting_after=${cursor}`];
const getPage =
  (list: string) =>
  (cursor: string): RequestArgs => ['GET', `/${list}?limit=1&starting_after=${cursor}`];
const cursors: readonly (readonly [keyof typeof owner.cursors, (cursor: string) => RequestArgs, expected: string])[] = [
  ['transactions', getPage('transactions'), noCursor],
  ['filings', getPage('filings'), noCursor],
  ['customers', getPage('customers'), noCursor],
  ['entries', listEntries(stranger.filing), noCursor],
  ['entries', listEntries(owner.filing), notFound],
  [
    'reconciliation',
    (cursor) => [
      'POST',
      '/reconciliations',
      { body: { ...october, transactions: [billed('x')], starting_after: cursor } },
    ],
    '422 | validation_invalid_cursor /starting_after',
  ],
];

describe.each(['key', 'token'] as const)("another account's %s", (kind) => {
  const asStranger = (asked: RequestArgs) => withCalls(() => call(asked, strangers[kind]));
  const expectEqual = async (foreign: RequestArgs, absent: RequestArgs) => {
    const [left, right] = [await asStranger(foreign), await asStranger(absent)];
    expect(getBytes(left.value)).toBe(getBytes(right.value));
    // The calls are the same and of the same size, so response times reveal nothing.
    expect(left.calls).toEqual(right.calls);
    return left.value;
  };

  it.each(attempts.map((attempt) => [attempt[0], attempt] as const))(
    'rejects access to the object, and does not reveal that it exists: %s',
    async (_name, attempt) => {
      const response = await expectEqual(buildRequest(attempt, owner), buildRequest(attempt, absentIds));
      expect(getRefusal(response)).toBe(attempt[2]);
    },
  );

  it.each(cursors)("rejects the owner's cursor of %s", async (name, ask, expected) => {
    const cursor = owner.cursors[name];
    const garbled = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
    expect(getRefusal(await expectEqual(ask(cursor), ask(garbled)))).toBe(expected);
    // Each account can use the path with its ids.
    const [method, path, request = {}] = ask(cursor);
    const own: RequestArgs = [method, path.replace(stranger.filing, owner.filing), request];
    expect((await call(own, ownerToken)).status).toBe(200);
    if (expected !== notFound) expect((await asStranger(ask(stranger.cursors[name]))).value.status).toBe(200);
  });

  it.each(['', '&expand=line_items'])("finds nothing in a list by the owner's parent id%s", async (more) => {
    const path = ({ sale: id }: Ids) => `/transactions?parent_transaction_id=${id}${more}`;
    const response = await expectEqual(['GET', path(owner)], ['GET', path(absentIds)]);
    expect(response.body).toMatchObject({ data: [] });
  });
});

const asStranger = ([method, path, request = {}]: RequestArgs): Promise<ApiResponse> =>
  send(url, method, path, { ...request, headers: { ...request.headers, ...strangers.key } });

it("treats an id derived from another account's id like a nonexistent id, in every request", {
  timeout: 180_000,
}, async () => {
  const random = createRandom(1, 1);
  const owned = [owner.sale, owner.credit, owner.voided, owner.draft, owner.filing, owner.earlier, owner.customer];
  const others: unknown[] = [];
  for (const attempt of attempts) {
    const expected = getBytes(await asStranger(buildRequest(attempt, absentIds)));
    const account = () => random.pick([owner.account.id, stranger.account.id]);
    const ids = idChanges.map((change) => change(random.pick(owned), random, account()) || 'x');
    // Other ids are rejected as malformed before any lookup.
    const isWellFormed = (id: string) => attempt[2] === notFound || (id.length <= 64 && !/\p{Cc}/u.test(id));
    await Promise.all(
      ids.filter(isWellFormed).map(async (id) => {
        const everywhere = Object.fromEntries(Object.keys(absentIds).map((name) => [name, id])) as Ids;
        if (getBytes(await asStranger(buildRequest(attempt, everywhere))) !== expected) others.push([attempt[0], id]);
      }),
    );
  }
  expect(others).toEqual([]);
});

it.each([
  ['transactions', owner.sale, absentIds.sale],
  ['filings', owner.filing, absentIds.filing],
])('returns the same response to malformed paths to %s and to a nonexistent object', async (collection, id, nobody) => {
  const absent = strayPaths(collection, nobody);
  for (const [index, path] of strayPaths(collection, id).entries()) {
    const response = await asStranger(['GET', path]);
    const same = getBytes(response) === getBytes(await asStranger(['GET', absent[index] as string]));
    expect([path, getRefusal(response), same]).toEqual([path, notFound, true]);
  }
});

it("leaves the account's objects unchanged", async () => {
  const { sale: sold, credit, voided, draft, filing, earlier, customer } = owner;
  expect((await owner.call('GET', `/customers/${customer}`)).body).toMatchObject({ name: null, version: 2 });
  const readState = async (path: string) => {
    const { status, version } = (await call(['GET', path], ownerToken)).body as { status?: string; version?: number };
    return [status, version].join(' ');
  };
  const states = await Promise.all([sold, credit, voided, draft].map((id) => readState(`/transactions/${id}`)));
  expect(states).toEqual(['finalized 2', 'finalized 1', 'void 2', 'draft 2']);
  for (const id of [filing, earlier]) expect(await readState(`/filings/${id}`)).toMatch(/^closed/);
});

describe('equal ids and references in two accounts', () => {
  it.each([
    ['the owner', owner, stranger],
    ['the stranger', stranger, owner],
  ])("lists, repeats and files only the account's objects: %s", async (_name, own, other) => {
    const lists = [
      'transactions?reference_id=the-same-reference',
      'transactions?customer_id=the-same-customer',
      `transactions?parent_transaction_id=${own.sale}`,
      'filings',
    ];
    const found = await Promise.all(
      lists.map(async (path) => {
        const { body } = await own.call('GET', `/${path}` as '/transactions');
        return body.data.map(({ id }) => id).sort();
      }),
    );
    const transactions = [own.credit, own.sale, own.voided, own.draft];
    expect(found).toEqual([[own.sale], transactions.sort(), [own.credit], [own.filing, own.earlier].sort()]);
    const request = { body: own.finalized, headers: { 'Idempotency-Key': 'the-same-key' } };
    const { headers, body } = await own.call('POST', '/transactions', request);
    expect([headers.get('Idempotent-Replayed'), body.id]).toEqual(['true', own.sale]);
    const filing = (await own.call('GET', `/filings/${own.filing}?expand=entries`)).body;
    expect(filing.entries.data.map(({ transaction_id }) => transaction_id).sort()).toEqual(
      [own.sale, own.credit].sort(),
    );
    const { text } = await own.call('GET', `/filings/${own.filing}?expand=entries`, { headers: csv });
    expect([text.includes(own.sale), text.includes(other.sale)]).toEqual([true, false]);
    const again = await own.call('POST', '/filings', { body: { state: 'MI', period_end: '2026-10-31' } });
    expect(again.body.id).toBe(own.filing);
  });

  it('creates, changes and finalizes transactions with a reference that the other account uses', async () => {
    const body = sale({ status: 'finalized', reference_id: 'of-the-owner' });
    const first = await owner.call('POST', '/transactions', { body });
    const other = await stranger.call('POST', '/transactions', { body });
    expect([first.status, other.status]).toEqual([201, 201]);
    const again = await stranger.call('POST', '/transactions', { body });
    expect(getRefusal(again)).toBe('409 | conflict_duplicate_reference_id /reference_id');
    expect(again.body.errors[0].meta.transaction_id).toBe(other.body.id);
    await owner.call('POST', '/transactions', { body: sale({ reference_id: 'of-the-owners-draft' }) });
    const draft = await stranger.call('POST', '/transactions', { body: sale() });
    const change = { status: 'finalized', reference_id: 'of-the-owners-draft' };
    const renamed = await stranger.call('POST', `/transactions/${draft.body.id}`, { body: change });
    expect([renamed.status, renamed.body.reference_id]).toEqual([200, 'of-the-owners-draft']);
  });

  it.each(['6.00', '7.00'])(
    'finds no references of the other account in a list with the tax %s',
    async (tax_amount) => {
      const suffixes = [`sale-${tax_amount}`, `draft-${tax_amount}`, `void-${tax_amount}`];
      const theirs = await Promise.all(
        suffixes.map(async (suffix) => {
          const status = suffix.startsWith('draft') ? 'draft' : 'finalized';
          return (
            await owner.call('POST', '/transactions', { body: sale({ status, reference_id: `theirs-${suffix}` }) })
          ).body.id;
        }),
      );
      await owner.call('POST', `/transactions/${theirs[2] ?? ''}`, { body: { status: 'void' } });
      const ask = (prefix: string) => {
        const transactions = suffixes.map((suffix) => ({ ...billed(`${prefix}-${suffix}`), tax_amount }));
        return withCalls(() => stranger.call('POST', '/reconciliations', { body: { ...october, transactions } }));
      };
      const [foreign, absent] = [await ask('theirs'), await ask('nobody')];
      const { missing, different, matched_count, extra } = foreign.value.body;
      expect([missing.map(({ reason }) => reason), different, matched_count]).toEqual([
        Array(3).fill('not_found'),
        [],
        0,
      ]);
      expect(extra.filter(({ transaction_id }) => theirs.includes(transaction_id))).toEqual([]);
      const renamed = { ...foreign.value, text: foreign.value.text.replaceAll('theirs-', 'nobody-') };
      expect([getBytes(renamed), foreign.calls]).toEqual([getBytes(absent.value), absent.calls]);
    },
  );
});

/** POST requests that do not change an account, written by hand. Every other POST needs the write scope. */
const readingPosts = ['create-calculation', 'create-reconciliation', 'replay-transaction', 'update-session'];

// These requests change the owner's objects, so they run after the tests above.
describe.each(closedEndpoints)('$name', (endpoint) => {
  const isReading = /^(get|list)-/.test(endpoint.name) || readingPosts.includes(endpoint.name);
  const [request, absent] = [requestTo(endpoint, owner), requestTo(endpoint, absentIds)];

  it.each(credentials)('checks the scopes of %s before any read', async (_name, headers, read, write) => {
    const { value, calls } = await withCalls(() => call(request, headers));
    const needed = isReading ? read : write;
    // No credential of this test has the scope settings.
    const expected =
      endpoint.scope === 'settings' && !needed?.startsWith('401') ? '403 auth_forbidden settings' : needed;
    if (expected === null) {
      // Filing returns 202 while work remains, and 200 when the request is repeated.
      const served =
        endpoint.name === 'create-transaction' ? [201] : endpoint.name === 'update-filing' ? [200, 202] : [200];
      expect(served).toContain(value.status);
      return;
    }
    const [error, ...more] = value.body.errors;
    const refused = [value.status, error.code, error.source.header ?? error.meta.scope, ...more].join(' ');
    expect([refused, calls]).toEqual([expected, []]);
    const bearer = error.code === 'auth_token_invalid' ? ', error="invalid_token"' : '';
    if (value.status === 401)
      expect(value.headers.get('WWW-Authenticate')).toBe(
        `ApiKey realm="levy", header="X-API-Key", Bearer realm="levy"${bearer}`,
      );
    expect(getBytes(value)).toBe(getBytes(await call(absent, headers)));
  });
});

// The attempts above would prove nothing if their requests found no object of any account. Runs last: it cancels filings.
it("finds the objects of the caller's own account with the same requests", async () => {
  const refused: string[] = [];
  for (const attempt of attempts) {
    const response = await call(buildRequest(attempt, owner), ownerToken);
    if (response.status >= 400 && getRefusal(response) === attempt[2]) refused.push(attempt[0]);
  }
  expect(refused).toEqual([]);
});
