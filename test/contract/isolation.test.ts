import { describe, expect, it } from 'vitest';
import { absentIds, attempts, noCursor, notFound } from '../support/foreign-attempts.ts';
import type { Request } from '../support/http.ts';
import { bytesOf, call, operationsWithId, requestsTo, two, withCalls } from '../support/isolation.ts';
import { refusalOf } from '../support/sales.ts';
import type { Ids, RequestArgs, TwoAccounts } from '../support/two-accounts.ts';

const billed = (reference_id: string) => ({ reference_id, total_amount: '106.00', tax_amount: '6.00' });

type As = 'key' | 'token';
const send = ([method, path, request = {}]: RequestArgs, headers: Request['headers'] = {}) =>
  call(method, path, { ...request, headers: { ...request.headers, ...headers } });
/** The answer to the stranger, and its database calls. */
const asStranger = (as: As, asked: RequestArgs) => withCalls(() => send(asked, two.strangers[as]));

/** A request to each endpoint with an id in its path. */
const readsAndChanges = operationsWithId.map(
  (operation) => [operation, (ids: Ids) => requestsTo(ids)[operation], notFound] as const,
);

describe.each(['key', 'token'] as const)("a stranger's %s", (as) => {
  it.each([...attempts, ...readsAndChanges])(
    'cannot access it by %s, and cannot distinguish it from an absent one',
    async (_name, ask, expected) => {
      const foreign = await asStranger(as, ask(two.owner));
      const absent = await asStranger(as, ask(absentIds));
      expect(refusalOf(foreign.value)).toBe(expected);
      expect(bytesOf(foreign.value)).toEqual(bytesOf(absent.value));
      // Neither does the time tell: the same calls, of the same size.
      expect(foreign.calls).toEqual(absent.calls);
    },
  );

  const garbled = (cursor: string) => (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
  const cursors: readonly (readonly [
    string,
    (cursor: string) => RequestArgs,
    keyof TwoAccounts['owner']['cursors'],
    string,
  ])[] = [
    ['transactions', (cursor) => ['GET', `/transactions?limit=1&starting_after=${cursor}`], 'transactions', noCursor],
    ['filings', (cursor) => ['GET', `/filings?limit=1&starting_after=${cursor}`], 'filings', noCursor],
    ['customers', (cursor) => ['GET', `/customers?limit=1&starting_after=${cursor}`], 'customers', noCursor],
    [
      'entries, for its own filing',
      (cursor) => ['GET', `/filings/${two.stranger.filing}?expand=entries&limit=1&starting_after=${cursor}`],
      'entries',
      noCursor,
    ],
    [
      "entries, for the account's filing",
      (cursor) => ['GET', `/filings/${two.owner.filing}?expand=entries&limit=1&starting_after=${cursor}`],
      'entries',
      notFound,
    ],
    [
      'a reconciliation',
      (cursor) => [
        'POST',
        '/reconciliations',
        { body: { from: '2026-10-01', to: '2026-10-31', transactions: [billed('x')], starting_after: cursor } },
      ],
      'reconciliation',
      '422 | validation_invalid_cursor /starting_after',
    ],
  ];
  it.each(cursors)("cannot use the account's cursor of %s", async (_name, ask, kind, expected) => {
    const cursor = two.owner.cursors[kind];
    const foreign = await asStranger(as, ask(cursor));
    const nonsense = await asStranger(as, ask(garbled(cursor)));
    expect(refusalOf(foreign.value)).toBe(expected);
    expect(bytesOf(foreign.value)).toEqual(bytesOf(nonsense.value));
    expect(foreign.calls).toEqual(nonsense.calls);
    // The path is valid: each account can use it with its own ids.
    const filing = two.owner.filing;
    const [method, path, request] = ask(cursor);
    const own: RequestArgs = [
      method,
      path.replace(two.stranger.filing, filing),
      ...(request ? ([request] as const) : ([] as const)),
    ];
    expect((await send(own, two.credentials['a good key'])).status).toBe(200);
    if (expected !== notFound) expect((await asStranger(as, ask(two.stranger.cursors[kind]))).value.status).toBe(200);
  });

  const filters: readonly (readonly [string, (ids: Ids) => string])[] = [
    ['of its parent', ({ sale }) => `/transactions?parent_transaction_id=${sale}`],
    ['of its parent, with lines', ({ sale }) => `/transactions?parent_transaction_id=${sale}&expand=line_items`],
  ];
  it.each(filters)("finds nothing in a list by the account's id %s", async (_name, path) => {
    const foreign = await asStranger(as, ['GET', path(two.owner)]);
    expect(foreign.value.body).toMatchObject({ data: [] });
    const absent = await asStranger(as, ['GET', path(absentIds)]);
    expect(bytesOf(foreign.value)).toEqual(bytesOf(absent.value));
    expect(foreign.calls).toEqual(absent.calls);
  });
});

it('leaves the objects of the account unchanged', async () => {
  const { sale: sold, credit, voided, draft, filing, earlier, customer } = two.owner;
  expect((await two.owner.call('GET', `/customers/${customer}`)).body).toMatchObject({ name: null, version: 2 });
  const status = async (path: `/${'transactions' | 'filings'}/${string}`) => {
    const { body } = await two.owner.call('GET', path);
    return [body.status, 'version' in body ? body.version : null].join(' ');
  };
  expect(await Promise.all([sold, credit, voided, draft].map((id) => status(`/transactions/${id}`)))).toEqual([
    'finalized 2',
    'finalized 1',
    'void 2',
    'draft 2',
  ]);
  expect(
    await Promise.all([filing, earlier].map(async (id) => (await status(`/filings/${id}`)).split(' ')[0])),
  ).toEqual(['closed', 'closed']);
});
