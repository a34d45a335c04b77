import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { createTransaction } from '../../shared/ledger/create-transaction.ts';
import { type HistoryReads, transactionHistory } from '../../shared/ledger/history.ts';
import type { TransactionRequest } from '../../shared/ledger/request.ts';
import type { HistoryEntry } from '../../shared/ledger/response.ts';
import { updateTransaction } from '../../shared/ledger/update-transaction.ts';
import { database } from '../../shared/store/client/client.ts';
import { auditKey } from '../../shared/store/keys.ts';
import { historyReads } from '../../shared/store/ledger/ledger-reads.ts';
import { newTransactionId } from '../../shared/store/ledger/new-id.ts';
import { transactionPorts } from '../../shared/store/ledger/transaction-ports.ts';
import { type Client, newCaller, newClient } from '../support/api.ts';
import { canonical, committedHash, personalDigest, sha256 } from '../support/committed-hash.ts';
import { runSchedule } from '../support/gateway.ts';
import {
  buildCreditRequest,
  dayMs,
  getMeta,
  getRefusal,
  goods,
  later,
  made,
  michigan,
  recorded,
  sale,
  sold,
} from '../support/sales.ts';

type Fields = Readonly<Record<string, unknown>>;
const states = {
  draft: (client: Client, others: Fields) => made(client.create(sale(others))),
  finalized: (client: Client, others: Fields) => sold(client, others),
  void: async (client: Client, others: Fields) =>
    made(client.update((await sold(client, others)).id, { status: 'void' })),
};
type State = keyof typeof states;

/** Returns a client with a transaction in this state. */
const start = async (state: State, others: Fields = {}) => {
  const client = await newClient();
  const before = await states[state](client, others);
  const update = (body: unknown, headers?: Record<string, string>) => client.update(before.id, body, headers);
  return { client, before, update };
};

/** Each input with a value different from the sale's. */
const inputs: Record<string, unknown> = {
  line_items: [goods({ id: 'other' })],
  tax_date: '2026-10-09',
  currency: 'EUR',
  customer: { id: 'cus_2', address: michigan },
  ship_from: { address: michigan },
  discount_amount: '1.00',
  third_party_discount_amount: '1.00',
  shipping: { amount: '4.00' },
  tax_included: true,
  collected_by: 'marketplace',
  explain: true,
};

it.each(Object.entries(inputs))('allows changes of %s in a draft only', async (field, value) => {
  const { before, update } = await start('draft');
  const edited = await made(update({ [field]: value }));
  expect(edited).toMatchObject({ version: 2, [field]: value, expires_at: before.expires_at });
  for (const state of ['finalized', 'void'] as const) {
    const fixed = await start(state);
    const refused = await fixed.update({ [field]: value });
    expect(getRefusal(refused)).toBe(`409 | conflict_immutable_field /${field}`);
    expect(getMeta(refused)).toEqual({ status: state });
    expect(await made(fixed.client.get(fixed.before.id))).toMatchObject({ version: fixed.before.version });
  }
});

describe('drafts in a different currency', () => {
  it.each([
    ['JPY', '0'],
    ['KWD', '0.000'],
  ])('returns credited amounts with the decimals of the currency: %s', async (currency, zero) => {
    const { update } = await start('draft');
    const changed = await made(update({ currency }));
    expect([changed.credited_amount, changed.credited_tax_amount]).toEqual([zero, zero]);
  });

  it('compares a sent tax in the new currency: 570 yen is not 5.70 dollars', async () => {
    const { client, before, update } = await start('draft', { currency: 'JPY', tax_amount: '570' });
    await made(update({ currency: 'USD', tax_amount: '5.70' }));
    const history = await made(client.call('GET', `/transactions/${before.id}/history`));
    expect(history.data[0]?.fields).toEqual(['currency', 'tax_amount']);
  });
});

it.each(Object.keys(states) as State[])(
  'accepts stored values as no change, even all fields of a %s transaction at once',
  async (state) => {
    const same = { currency: 'USD', collected_by: 'seller', reference_id: 'r', metadata: { a: '1' } };
    const { before, update } = await start(state, { ...inputs, ...same });
    const response = await update(before, { Prefer: 'handling=strict' });
    expect([response.status, response.body]).toEqual([200, before]);
    expect(response.headers.get('etag')).toBe(`"${before.version}"`);
  },
);

it.each(['ship_from', 'discount_amount', 'third_party_discount_amount', 'shipping', 'customer', 'reference_id'])(
  'clears %s with null',
  async (field) => {
    const line_items = [goods({ customer: { address: michigan } })];
    const { update } = await start('draft', { line_items, reference_id: 'r', [field]: inputs[field] ?? 'r' });
    expect(await made(update({ [field]: null }))).toMatchObject({ [field]: null, version: 2 });
    expect((await made(update({ [field]: null }))).version).toBe(2);
  },
);

it('accepts metadata of at most 50 keys of 40 characters with 500 characters, even after a merge', async () => {
  const keys = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
  const { update } = await start('draft', { metadata: keys(50, 'a') });
  expect(getRefusal(await update({ metadata: { more: 'x' } }))).toBe('422 | validation_invalid_format /metadata');
  expect((await update({ metadata: { a0: null, more: 'x' } })).status).toBe(200);
  for (const metadata of [{ ['k'.repeat(41)]: 'x' }, { k: 'x'.repeat(501) }, { k: 1 }, 'text', keys(51, 'b')])
    expect((await update({ metadata })).status).toBe(422);
});

it.each([
  ['"1"', 200],
  ['*', 200],
  ['"7", "1"', 200],
  ['"2"', 412],
  ['W/"1"', 412],
  ['1', 412],
  ['', 412],
])('returns $1 if the version is 1 and If-Match is $0', async (header, status) => {
  const { client, before, update } = await start('draft');
  const response = await update({ metadata: { a: '1' } }, { 'If-Match': header });
  expect(response.status).toBe(status);
  if (status === 412) expect(getRefusal(response)).toBe('412 | precondition_failed If-Match');
  expect((await made(client.get(before.id))).version).toBe(status === 200 ? 2 : 1);
});

it('records the account settings that affect amounts: a recalculation of a finalized transaction returns the same amounts', async () => {
  const { account } = await newCaller({ settings: { registrations: [], rounding: 'invoice' } });
  const now = { ...account, settings: { ...account.settings, registrations: null, incomplete_coverage: 'reject' } };
  const ports = { ...transactionPorts(() => 9000), newId: newTransactionId };
  const asked = { idempotency: null, sent: [] };
  const request = sale({ status: 'finalized', tax_amount: '5.00' }) as unknown as TransactionRequest;
  const sold = await createTransaction({ ...asked, request }, { account, credential: 'key_test' }, ports);
  const { id, calculated_tax_amount } = JSON.parse((sold as Extract<typeof sold, { ok: true }>).value.body);
  expect(calculated_tax_amount).toBe('0.00');
  const { settings } = account;
  const { service_version, rate_limit, draft_ttl_hours, books_open_from, review_days, time_zone, ...others } = settings;
  const { filing_reminder_days, retain_personal_data_days, return_identity, ...settingsSnapshot } = others;
  expect((await ports.ledger.find(account.id, id))?.settingsSnapshot).toEqual(settingsSnapshot);
  const update = { ...asked, id, update: { tax_amount: null }, ifMatch: null };
  const changed = await updateTransaction(update, { account: now as typeof account, credential: 'key_test' }, ports);
  expect(JSON.parse((changed as Extract<typeof changed, { ok: true }>).value.body)).toMatchObject({
    tax_amount: '0.00',
    line_items: [{ taxes: [{ taxability_reason: 'not_collecting' }] }],
  });
});

const getHistory = (client: Client, id: string, parameters: Record<string, string> = {}) =>
  client.call('GET', `/transactions/${id}/history?${new URLSearchParams(parameters)}`);
const expanded = (client: Client, id: string) => client.get(`${id}?expand=history`);

/** Computes the state hash as an auditor does, from the response with the history and the transaction's salt. */
const stateHashIn = async (client: Client, id: string, state: unknown): Promise<string> => {
  const { commitments } = (await expanded(client, id)).body;
  return committedHash(state, personalDigest(state, commitments?.salt ?? ''));
};

/** Computes the hash of an entry as an auditor does, from the response alone. */
const computeHash = (transactionId: string, { hash: _, state_hash, previous_hash, ...others }: HistoryEntry) =>
  sha256(canonical({ ...others, transactionId, stateHash: state_hash, previousHash: previous_hash }));

/** Returns a draft that was edited until it has this version. */
const changedTo = async (client: Client, version: number, others: object = {}) => {
  const draft = await made(client.create(sale({ ...others })));
  for (let note = 2; note <= version; note++) await made(client.update(draft.id, { metadata: { note: String(note) } }));
  return draft;
};

it('includes a hash in each history entry that the response determines and the next entry repeats', async () => {
  const client = await newClient();
  const parent = await sold(client);
  const credit = await made(client.create(buildCreditRequest(parent)));
  await made(client.update(credit.id, { status: 'void' }));
  for (const { id } of [parent, credit]) {
    const { data } = await made(getHistory(client, id));
    expect(data.map(({ hash }) => hash)).toEqual(data.map((entry) => computeHash(id, entry)));
    expect(data.map(({ previous_hash }) => previous_hash)).toEqual([...data.slice(1).map(({ hash }) => hash), null]);
    expect(data[0]?.state_hash).toBe(await stateHashIn(client, id, recorded(await made(client.get(id)))));
  }
});

it('adds the newest 50 entries to GET with expand=history; the field is null without the parameter, and absent in other responses', async () => {
  const client = await newClient();
  const draft = await changedTo(client, 52);
  const response = await expanded(client, draft.id);
  const plain = await client.get(draft.id);
  expect(response.body.history?.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, i) => 52 - i));
  expect({ ...response.body, commitments: undefined, history: null }).toEqual(plain.body);
  expect(plain.text.endsWith(',"history":null}')).toBe(true);
  expect(response.headers.get('etag')).toBe('"52"');
  const { data } = await made(getHistory(client, draft.id, { limit: '50' }));
  expect(data).toEqual(response.body.history);
  const { data: rows } = await made(client.list());
  for (const other of [draft, rows[0], await made(client.update(draft.id, { metadata: null }))])
    expect(other).not.toHaveProperty('history');
});

it('lists the void of an expired draft first, before the sweep writes it', async () => {
  const client = await newClient();
  const { id } = await changedTo(client, 2);
  const before = await made(getHistory(client, id));
  await later(dayMs, async () => {
    const first = await made(getHistory(client, id, { limit: '1' }));
    expect(first).toMatchObject({ data: [{ version: 3, from: 'draft', to: 'void' }], next_cursor: '3' });
    const rest = () => made(getHistory(client, id, { starting_after: '3' }));
    expect((await rest()).data).toEqual(before.data);
    expect(getRefusal(await getHistory(client, id, { starting_after: '4' }))).toBe(
      '422 | validation_invalid_cursor starting_after',
    );
    await runSchedule('sweep-drafts');
    expect((await rest()).data).toEqual(before.data);
    expect((await made(getHistory(client, id))).data).toEqual([...first.data, ...before.data]);
  });
});

it('omits an entry that was written during the read', async () => {
  const client = await newClient();
  const { id } = await changedTo(client, 2);
  const next = await made(client.update(id, { metadata: { later: 'yes' } }));
  const { data } = await made(getHistory(client, id));
  const { account } = client;
  // The query reads the transaction first, so entries written later come after its version.
  const newest: HistoryReads['newest'] = async (...asked) => {
    const found = await historyReads.newest(...asked);
    if (!found) return undefined;
    const transaction = { ...found.stored.transaction, version: next.version - 1 };
    return { ...found, stored: { ...found.stored, transaction } };
  };
  const page = await transactionHistory(id, {}, account, { history: { ...historyReads, newest }, now });
  expect(page).toMatchObject({ ok: true, value: { data: data.slice(1), has_more: false } });
});

it('returns the other entries if one was deleted, and the hash chain shows the gap', async () => {
  const client = await newClient();
  const { id } = await changedTo(client, 3);
  const Key = auditKey(client.account.id, id, 2);
  await database.send(new DeleteCommand({ TableName: environment.tables.transactions, Key }));
  const { data } = await made(getHistory(client, id));
  expect(data.map(({ version }) => version)).toEqual([3, 1]);
  expect(data[0]?.previous_hash).not.toBe(data[1]?.hash);
});
