import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { type HistoryReads, transactionHistory } from '../../shared/ledger/history.ts';
import type { HistoryEntry } from '../../shared/ledger/response.ts';
import { database } from '../../shared/store/client/client.ts';
import { auditKey } from '../../shared/store/keys.ts';
import { historyReads } from '../../shared/store/ledger/ledger-reads.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { canonical, committedHash, personalDigest, sha256 } from '../support/committed-hash.ts';
import { type Client, connectClient, creditOf, getRefusal, made, recorded, sale, sold } from '../support/sales.ts';

const newClient = async (): Promise<Client & Caller> => {
  const caller = await newCaller();
  return { ...caller, ...connectClient(caller) };
};
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

describe('GET of a transaction', () => {
  it('accepts no query parameter except expand', async () => {
    const client = await newClient();
    const { id } = await sold(client);
    expect(getRefusal(await client.get(`${id}?verbose=1`))).toBe('422 | validation_unknown_parameter verbose');
    expect(getRefusal(await client.get(`${id}?expand=line_items`))).toBe('422 | validation_invalid_format expand');
  });
});

describe('a history entry', () => {
  it('has a hash that the response determines and the next entry repeats', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const credit = await made(client.create(creditOf(parent)));
    await made(client.update(credit.id, { status: 'void' }));
    for (const { id } of [parent, credit]) {
      const { data } = await made(getHistory(client, id));
      expect(data.map(({ hash }) => hash)).toEqual(data.map((entry) => computeHash(id, entry)));
      expect(data.map(({ previous_hash }) => previous_hash)).toEqual([...data.slice(1).map(({ hash }) => hash), null]);
      expect(data[0]?.state_hash).toBe(await stateHashIn(client, id, recorded(await made(client.get(id)))));
    }
  });
});

describe('expand=history', () => {
  it('adds the newest 50 entries to GET, as a field that is otherwise null, and absent elsewhere', async () => {
    const client = await newClient();
    const draft = await changedTo(client, 52);
    const answer = await expanded(client, draft.id);
    const plain = await client.get(draft.id);
    expect(answer.body.history?.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, i) => 52 - i));
    expect({ ...answer.body, commitments: undefined, history: null }).toEqual(plain.body);
    expect(plain.text.endsWith(',"history":null}')).toBe(true);
    expect(answer.headers.get('etag')).toBe('"52"');
    const { data } = await made(getHistory(client, draft.id, { limit: '50' }));
    expect(data).toEqual(answer.body.history);
    const { data: rows } = await made(client.list());
    for (const other of [draft, rows[0], await made(client.update(draft.id, { metadata: null }))])
      expect(other).not.toHaveProperty('history');
  });
});

describe('paging', () => {
  it('has 25 entries per page by default, and at most 100', async () => {
    const client = await newClient();
    const { id } = await changedTo(client, 27);
    const { data, has_more, next_cursor } = await made(getHistory(client, id));
    expect([data.length, has_more, next_cursor]).toEqual([25, true, '3']);
    const rest = await made(getHistory(client, id, { starting_after: next_cursor }));
    expect([rest.data.map(({ version }) => version), rest.has_more]).toEqual([[2, 1], false]);
    for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
      expect(getRefusal(await getHistory(client, id, { limit }))).toBe('422 | validation_invalid_format limit');
  });

  it('rejects a cursor that is not a version of the transaction', async () => {
    const client = await newClient();
    const { id } = await changedTo(client, 2);
    const foreign = (await made(client.list())).next_cursor ?? 'eyJ9.abc';
    for (const starting_after of ['3', '9999999999', '99999999999', '0', '-1', '01', '1.0', 'x', id, foreign])
      expect([starting_after, getRefusal(await getHistory(client, id, { starting_after }))]).toEqual([
        starting_after,
        '422 | validation_invalid_cursor starting_after',
      ]);
    expect(getRefusal(await getHistory(client, id, { starting_after: '' }))).toBe(
      '422 | validation_invalid_format starting_after',
    );
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

it('returns the other entries if one was deleted: the chain shows the gap', async () => {
  const client = await newClient();
  const { id } = await changedTo(client, 3);
  const Key = auditKey(client.account.id, id, 2);
  await database.send(new DeleteCommand({ TableName: environment.tables.transactions, Key }));
  const { data } = await made(getHistory(client, id));
  expect(data.map(({ version }) => version)).toEqual([3, 1]);
  expect(data[0]?.previous_hash).not.toBe(data[1]?.hash);
});
