// @isolated: the service reads different content settings at import.
import { join } from 'node:path';
import type { Context } from 'aws-lambda';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Operation, ScheduleName } from '../../functions/endpoints.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import {
  draftPartitions,
  operatorAccess,
  type TableAccess,
  writablePartitions,
} from '../../shared/store/table-access.ts';
import { openPublisherServer, smallFiles } from '../support/publisher-server.ts';
import { createFolder } from '../support/temporary-files.ts';

// The service reads these settings when it is imported.
const publisher = await openPublisherServer(['MI']);
Object.assign(process.env, {
  LEVY_CONTENT_MIRROR: publisher.url,
  LEVY_TEST_LOOPBACK_MIRROR: 'on',
  CONTENT_UPDATES: 'activate',
});
vi.resetModules();
const { environment } = await import('../../shared/config/environment.ts');
const { endpoints, schedules } = await import('../../functions/endpoints.ts');
const { handler: update, updateContent } = await import('../../functions/update-content.ts');
const { countTransactions } = await import('../../functions/count-transactions.ts');
const { countRecords } = await import('../../infra/local/handlers.ts');
const { openStream } = await import('../../infra/local/table-stream.ts');
const { readRecords } = await import('../support/raw-items.ts');
const { handlers } = await import('../../infra/local/handlers.ts');
const { activateRelease, beginImport, readActiveReleases } = await import(
  '../../shared/store/content/content-store.ts'
);
const { accountsProgram } = await import('../../shared/cli/accounts.ts');
const { ledgerProgram } = await import('../../shared/cli/ledger.ts');
const { newCaller } = await import('../support/api.ts');
const { intercept } = await import('../support/faults.ts');
const { readOutput } = await import('../support/run-command.ts');
const { ledger } = await import('../../shared/store/ledger/ledger-store.ts');
const { importRelease } = await import('../support/content.ts');
const { buildHead } = await import('../support/local-content.ts');
const { cancel, closedFiling, createFiler, soldOn } = await import('../support/filings.ts');
const { hurriedCall, runSchedule } = await import('../support/gateway.ts');
const { buildCommit, created } = await import('../support/transactions.ts');
const { buildCreditRequest, dayMs, later, made, michigan, sale, sold } = await import('../support/sales.ts');
await import('../support/test-day.ts');

type Client = ReturnType<typeof createFiler>;
type Entry = Operation | ScheduleName | 'count-transactions' | 'update-content';
type Identified = { readonly id: string };
/** A sale, and the other data that an operation needs. */
type Parent = Identified & {
  draft: Identified & Pick<Transaction, 'reference_id'>;
  credit: Identified;
  settingsSnapshot: Identified;
  hurried: Client;
  filing: Identified;
  filed: Identified;
  customer: Identified;
};
type Key = { readonly pk: string };
type Write = { readonly TableName: string; readonly Key?: Key; readonly Item?: Key };
type Input = Partial<Write> & {
  readonly IndexName?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, string>>;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly Key[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Write>>[];
};

const named = Object.fromEntries(Object.entries(environment.tables).map(([name, table]) => [table, name]));

/** Returns the kind of a partition as a policy can express it: `T#*` for `T#acc_1#tax_1`. */
const getKind = (partition = '') => partition.replace(/#.*/s, '#*');
const kindIn = ({ Key, Item }: Partial<Write>) => getKind((Key ?? Item)?.pk);
// Each query passes its partition as the first value.
const kindAsked = ({ ExpressionAttributeValues = {} }: Input) => getKind(Object.values(ExpressionAttributeValues)[0]);

/** Returns the permissions of a command: an action, a table and a partition kind, for each write of a transaction. */
const asksFor = (command: string, input: Input): (readonly [action: string, table: string, kind: string])[] => {
  const { TableName = '', IndexName, RequestItems = {}, TransactItems = [] } = input;
  // Partitions of other indexes start with the account.
  if (command === 'Query' && IndexName !== undefined && IndexName !== 'drafts')
    return [[`Query ${IndexName}`, TableName, 'any']];
  if (command === 'Query') return [[['Query', IndexName].filter(Boolean).join(' '), TableName, kindAsked(input)]];
  if (command === 'BatchGetItem')
    return Object.entries(RequestItems).flatMap(([table, { Keys }]) =>
      Keys.map(({ pk }) => [command, table, getKind(pk)] as const),
    );
  if (command !== 'TransactWriteItems') return [[command, TableName, kindIn(input)]];
  const actions: Record<string, string> = { ConditionCheck: 'ConditionCheckItem' };
  return TransactItems.flatMap((item) =>
    Object.entries(item).map(
      ([kind, write]) => [actions[kind] ?? `${kind}Item`, write.TableName, kindIn(write)] as const,
    ),
  );
};

afterAll(() => publisher.close());

let seen: Set<string> | null = null;
/**
 * The partitions accessed since the set was cleared, as `table kind`, without the per-request updates in the accounts
 * table.
 */
const reached = new Set<string>();
const partitions = new Set<string>();
let stream: string;
/** The partitions in which the accounts table is updated: the policy lists them as a pattern. */
const updatable = new RegExp(`^(${(writablePartitions({}).UpdateItem ?? []).join('|').replaceAll('*', '[^#]+')})$`);

beforeAll(async () => {
  stream = await openStream(environment.tables.transactions);
  await importRelease(release, []);
  await activateRelease(release.state, release.id, await readActiveReleases(), release.imported_at);
  intercept(({ command, input, pass }) => {
    for (const [action, table, kind] of asksFor(command, input as Input)) {
      seen?.add(`${named[table]} ${action}`);
      if (seen && kind !== 'any' && action !== 'UpdateItem') reached.add(`${named[table]} ${kind}`);
    }
    const { TableName, Key } = input as Input;
    if (seen && command === 'UpdateItem' && TableName === environment.tables.accounts)
      partitions.add(Key?.['pk'] ?? '');
    return pass();
  });
});

/** Returns the permissions that the commands of a run need. */
const recorded = async (run: () => Promise<unknown>): Promise<string[]> => {
  seen = new Set();
  try {
    await run();
    return [...seen].sort();
  } finally {
    seen = null;
  }
};

const key = (name: string) => ({ 'Idempotency-Key': name });
const half = { line_items: [{ id: 'item_1', quantity: '1' }] };
const customer = { id: 'cus_1', address: michigan };
const release = buildHead('US-MN@2030-01-01.1');
/** Builds a sale to a ZIP in the active imported release. An instance reads each ZIP once. */
const imported = (postal_code: string) => ({ customer: { address: { state: 'MN', postal_code, country: 'US' } } });

/** The data before an operation, then every code path with different database calls. */
const ways: Partial<Record<Entry, (client: Client, parent: Parent) => Promise<unknown>>> = {
  'list-product-tax-codes': (client) => made(client.call('GET', '/product-tax-codes?state=MN' as '/product-tax-codes')),
  'create-calculation': async (client, parent) => {
    await made(client.calculate({ type: 'credit', parent_transaction_id: parent.id }));
    await made(client.calculate(sale(imported('55401'))));
    await made(client.calculate(sale({ customer })));
  },
  'create-transaction': async (client, parent) => {
    await made(client.create(sale({ reference_id: 'made', customer }), key('1')));
    await made(client.create(sale({ reference_id: 'made too', status: 'finalized' })));
    await made(client.create(buildCreditRequest(parent, { ...half, status: 'draft' })));
    await made(client.create(buildCreditRequest(parent, half)));
    await made(client.create(buildCreditRequest(parent, half), key('2')));
    await client.create(sale({ reference_id: 'made', customer }), key('1'));
    await client.create(sale({ reference_id: 'made', tax_date: '1990-01-01' }), key('3'));
    await client.create(sale({ reference_id: 'made' }));
    await made(client.create(sale(imported('55402'))));
  },
  'list-transactions': async (client, parent) => {
    await made(client.list({ expand: 'line_items', starting_after: parent.id }));
    await made(client.list({ expand: 'line_items' }));
    for (const filter of ['customer_id', 'reference_id', 'parent_transaction_id', 'tax_date[gte]'])
      await made(client.list({ [filter]: '2026-01-01' }));
    await made(client.list({ type: 'credit' }));
  },
  'get-transaction': async (client, parent) => {
    await made(client.get(parent.id));
    await made(client.get(`${parent.id}?expand=history`));
  },
  'replay-transaction': async (client, parent) => {
    await made(client.call('POST', `/transactions/${parent.credit.id}/replay`));
    await made(client.call('POST', `/transactions/${parent.settingsSnapshot.id}/replay`));
  },
  'create-reconciliation': (client, parent) =>
    made(
      client.call('POST', '/reconciliations', {
        body: {
          from: '2026-10-01',
          to: '2026-10-31',
          transactions: [parent.draft.reference_id, 'none'].map((reference_id) => ({
            reference_id,
            total_amount: '1',
            tax_amount: '0',
          })),
        },
      }),
    ),
  'get-coverage': (client) => made(client.call('GET', '/coverage?state=MI&expand=releases' as '/coverage')),
  'update-session': async (client) => {
    const act = (action: string, headers = {}) => client.call('POST', '/session', { body: { action }, headers });
    const [Cookie = ''] = (await act('start')).headers.get('set-cookie')?.split(';') ?? [];
    const session = { 'X-API-Key': null, 'Console-Session': '1', 'Sec-Fetch-Site': 'same-origin', Cookie };
    for (const action of ['extend', 'end']) expect((await act(action, session)).status).toBe(200);
  },
  'update-account': async (client) => {
    await made(client.call('POST', '/account', { body: { registrations: [{ ...monthly, from: '2026-01-01' }] } }));
    await made(client.call('POST', '/account', { body: { books_open_from: '2025-01-01' } }));
  },
  'get-rates': (client) => made(client.call('GET', '/rates?postal_code=55405')),
  'update-transaction': async (client, parent) => {
    const draft = parent.draft;
    await made(client.update(draft.id, imported('55403')));
    await made(client.update(draft.id, { customer }));
    await made(client.update(draft.id, { reference_id: 'new', metadata: { a: '1' } }, key('4')));
    await made(client.update(draft.id, { status: 'finalized' }));
    await made(client.update(draft.id, { tax_amount: '5.00' }));
    await made(client.update(parent.credit.id, { status: 'finalized' }));
    await made(client.update(parent.credit.id, { status: 'void' }));
    for (const name of ['5', '6']) await made(client.update(draft.id, { status: 'void' }, key(name)));
  },
  'create-customer': async (client) => {
    const body = { id: 'made', name: 'A' };
    for (const request of [{ body }, { body }, { body, headers: key('10') }, { body, headers: key('10') }])
      await made(client.call('POST', '/customers', request));
    expect((await client.call('POST', '/customers', { body: { id: 'made' } })).status).toBe(409);
  },
  'list-customers': async (client) => {
    await made(client.call('GET', '/customers'));
    await made(client.call('GET', '/customers?expiring_before=2027-01-01&state=MI'));
  },
  'get-customer': async (client) => expect((await client.call('GET', '/customers/none')).status).toBe(404),
  'update-customer': async (client, parent) => {
    const path = `/customers/${parent.customer.id}`;
    await made(client.call('POST', path, { body: { name: 'B' } }));
    await made(client.call('POST', path, { body: { name: 'C' }, headers: key('11') }));
    await made(client.call('POST', path, { body: { name: 'C' }, headers: key('12') }));
  },
  'create-filing': async (client, parent) => {
    await made(client.close({ state: 'MI', period_end: '2026-10-31', dry_run: true }));
    await made(client.close({ state: 'MI', period_end: '2026-10-31' }, key('6')));
    await made(client.close({ state: 'MI', period_end: '2026-10-31' }, key('6')));
    await made(client.close({ state: 'MI', period_end: '2026-10-31' }, key('7')));
    await made(parent.hurried.close({ state: 'HI', period_end: '2026-10-31' }));
    await made(client.close({ state: 'HI', period_end: '2026-10-31' }));
    await made(client.close({ state: 'OH', period_end: '2026-10-31' }));
  },
  'list-filings': async (client, parent) => {
    await made(client.filings());
    await made(client.filings({ starting_after: parent.filing.id }));
  },
  'get-filing': async (client, parent) => {
    await made(client.filing(parent.filing.id));
    await made(client.filing(parent.filing.id, { expand: 'entries' }));
  },
  'update-filing': async (client, parent) => {
    await cancel(client, parent.filing.id);
    await made(client.change(parent.filed.id, { status: 'filed', confirmation_number: 'c' }, key('8')));
    await made(client.change(parent.filed.id, { status: 'filed', confirmation_number: 'c' }, key('8')));
    await made(client.change(parent.filed.id, { status: 'filed', confirmation_number: 'c' }, key('9')));
  },
  'close-periods': () => runSchedule('close-periods'),
  'count-transactions': async () => countRecords(await readRecords(stream)),
  'update-content': async () => {
    publisher.publish(smallFiles('MI', { rate: '0' }));
    const log = vi.spyOn(console, 'info').mockImplementation(() => {});
    expect(await update({ state: 'MI' }, {} as Context)).toMatchObject({ activated: true, failed: false });
    // An import that was interrupted a day ago is discarded.
    expect((await beginImport('US-MI@2026-11-01.150', '2026-11-01T00:00:00.000Z')).ok).toBe(true);
    publisher.publish(smallFiles('MI', { rate: '0.005' }));
    expect(await update({ state: 'MI' }, {} as Context)).toMatchObject({ waiting: true, failed: false });
    log.mockRestore();
  },
  'sweep-drafts': () => later(retainedMs, () => runSchedule('sweep-drafts')),
};

/** The endpoint has only one code path. */
const onlyWay = (operation: Operation) => async (client: Client, parent: Parent) => {
  const { method, path } = endpoints[operation];
  const { id } = path.startsWith('/filings/') ? parent.filing : parent;
  expect((await client.call(method, path.replace('{id}', id))).status).toBe(200);
};

/** Steps of a filing that any of three operations can perform. Here, a different operation performs them. */
const notSeen: Partial<Record<Entry, readonly string[]>> = {
  'create-filing': ['transactions T#*'],
  'close-periods': ['transactions T#*'],
};
/** The partitions that an operation can use; content partitions are not limited. */
const limited = (entries: Iterable<string>) => [...new Set(entries)].filter((at) => !at.startsWith('content ')).sort();

/** One period with an entry to cancel, one with an entry to file, and one that is still closing. */
const preparedFilings = async (client: Client, hurried: Client) => {
  await soldOn(client, '2026-10-08', '1.00', {
    customer: { address: { city: 'Honolulu', state: 'HI', postal_code: '96813', country: 'US' } },
  });
  const filing = await closedFiling(client, 'MI', '2026-10-31');
  const filed = await closedFiling(client, 'HI', '2026-10-31');
  await made(hurried.close({ state: 'OH', period_end: '2026-10-31' }));
  return { filing, filed };
};

const definitions: Readonly<Record<Entry, { readonly access: TableAccess }>> = {
  ...endpoints,
  ...schedules,
  'count-transactions': countTransactions,
  'update-content': updateContent,
};

const retainedMs = 31 * dayMs;

const monthly = { state: 'MI', from: '2020-01-01', to: null, frequency: 'month' } as const;

// Prepares sales with an open entry, a filed entry and a saved response for the removal of personal data.
const prepareRetention = async (client: Client, id: string) => {
  await closedFiling(client, 'MI', '2026-10-31');
  await soldOn(client, '2026-11-08');
  await later(retainedMs, async () => made(client.update(id, { metadata: { late: 'yes' } }, key('13'))));
};

it.each(Object.keys(definitions) as Entry[])('uses exactly the access in the definition of %s', async (entry) => {
  const isRetaining = entry === 'sweep-drafts';
  const caller = await newCaller({
    scopes: ['read', 'write', 'settings'],
    settings: {
      ...(isRetaining && { retain_personal_data_days: 30 }),
      ...(entry === 'list-filing-periods' && { registrations: [monthly, { ...monthly, state: 'WY' }] }),
    },
  });
  const client = createFiler(caller);
  const { id } = await sold(client, { customer });
  if (isRetaining) await prepareRetention(client, id);
  const draft = await made(client.create(sale({ reference_id: 'old' })));
  const credit = await made(client.create(buildCreditRequest({ id }, { status: 'draft', ...half })));
  // Written directly to the table, because the API instance would cache the content.
  const settingsSnapshot = created({ ...imported('55404'), content_releases: { [release.state]: release.id } });
  await ledger.commit(buildCommit(caller.account.id, settingsSnapshot));
  const hurried = createFiler({ call: await hurriedCall(caller, handlers) });
  const hasFilings = /filing|close/.test(entry) && entry !== 'create-filing';
  // A canceled period that is closed again, and two registered states: one has a period due, and the other has no
  // filing.
  if (entry === 'create-filing') await cancel(client, (await closedFiling(client, 'OH', '2026-10-31')).id);
  if (entry === 'close-periods')
    for (const ageMs of [40 * dayMs, 0])
      await later(-ageMs, () => newCaller({ settings: { registrations: [monthly] } }));
  const filings = hasFilings ? await preparedFilings(client, hurried) : { filing: { id: '' }, filed: { id: '' } };
  const stored = await made(client.call('POST', '/customers', { body: { id: 'cus_1' } }));
  const parent: Parent = {
    id,
    draft,
    credit,
    settingsSnapshot: settingsSnapshot.after.transaction,
    hurried,
    customer: stored,
    ...filings,
  };
  const { actions: byTable, indexes = [], partitions: reachable = {}, readOnly = [] } = definitions[entry].access;
  const granted = [
    ...new Set([
      ...Object.entries(byTable).flatMap(([table, actions]) => actions.map((action) => `${table} ${action}`)),
      ...indexes.map((index) => `transactions Query ${index}`),
      ...readOnly.map(([action]) => `transactions ${action}`),
    ]),
  ].sort();
  // Two minutes later the instance's cache of the caller has expired and the rate-limit window is new.
  reached.clear();
  const used = await later(120_000, () => recorded(() => (ways[entry] ?? onlyWay(entry as Operation))(client, parent)));
  expect(used).toEqual(granted);
  const kinds = Object.entries(reachable).flatMap(([table, all]) => all.map((kind) => `${table} ${kind}`));
  expect(limited([...reached, ...(notSeen[entry] ?? [])])).toEqual(
    limited([
      ...kinds,
      ...readOnly.map(([, kind]) => `transactions ${kind}`),
      ...(indexes.includes('drafts') ? [`transactions ${draftPartitions}`] : []),
    ]),
  );
  // Half an hour later, the use of the key is recorded again.
  if (granted.includes('accounts UpdateItem'))
    await later(31 * 60_000, () => recorded(() => client.call('GET', '/coverage')));
  for (const partition of partitions) expect(partition).toMatch(updatable);
  if (granted.includes('accounts UpdateItem')) expect(partitions).toContain(`USE#${caller.account.id}`);
});

it('uses exactly the permissions of the operator policy in operator commands', async () => {
  const caller = await newCaller();
  const client = createFiler(caller);
  const { id } = await sold(client, { customer });
  await made(client.create(buildCreditRequest({ id }, { status: 'finalized', ...half })));
  await closedFiling(client, 'MI', '2026-10-31');
  const { id: account } = caller.account;
  const folder = createFolder();
  const file = join(folder, 'ledger.ndjson');
  const run = (program: () => Command, ...args: string[]) => readOutput(program(), args);
  const used = await recorded(async () => {
    const { id: made } = JSON.parse(await run(accountsProgram, 'create', '--name', 'A shop', '--json'));
    await run(accountsProgram, 'list');
    await run(accountsProgram, 'settings', '--account', made, 'rate_limit=5');
    const key = JSON.parse(
      await run(accountsProgram, 'keys', 'create', '--account', made, '--scopes', 'read', '--json'),
    );
    await run(accountsProgram, 'keys', 'rotate', key.id, '--account', made, '--overlap', '0');
    await run(accountsProgram, 'keys', 'list', '--account', made);
    await run(accountsProgram, 'keys', 'revoke', key.id, '--account', made);
    await run(ledgerProgram, 'verify', '--account', account);
    await run(ledgerProgram, 'history', id, '--account', account);
    await run(ledgerProgram, 'history', 'none', '--account', account).catch(() => {});
    await run(accountsProgram, 'redact', '--account', account, '--transaction', id, '--dry-run');
    const between = ['--from', '2026-01-01T00:00:00Z', '--to', '2027-01-01T00:00:00Z', '--bus', 'Levy'];
    await run(ledgerProgram, 'events', '--account', account, ...between);
    await run(ledgerProgram, 'export', account, '--out', file);
    await run(ledgerProgram, 'import', 'acct_operator', file);
    await run(accountsProgram, 'close', '--account', made, '--yes');
    await run(accountsProgram, 'reopen', '--account', made);
    await run(accountsProgram, 'close', '--account', made, '--yes');
    const madeFile = `${file}.made`;
    await run(ledgerProgram, 'export', made, '--out', madeFile);
    await later(2 * dayMs, () => run(accountsProgram, 'delete', '--account', made, '--export', madeFile, '--yes'));
    // `npm run filings` calls the same operations.
    await runSchedule('close-periods');
    await closedFiling(client, 'OH', '2026-10-31');
  });
  const { content, ...others } = operatorAccess.actions;
  // `npm run content` performs the same calls as the nightly update, which the test above checks.
  expect(content).toEqual(updateContent.access.actions.content);
  const granted = [
    ...Object.entries(others).flatMap(([table, actions]) => actions.map((action) => `${table} ${action}`)),
    ...operatorAccess.indexes.map((index) => `transactions Query ${index}`),
  ];
  expect(used.filter((call) => !call.startsWith('content '))).toEqual(granted.sort());
});
