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
import {
  type Client,
  clientOf,
  creditOf,
  dayMs,
  later,
  made,
  recorded,
  refusalOf,
  retrieved,
  sale,
  sold,
} from '../support/sales.ts';

const newClient = async (): Promise<Client & Caller> => {
  const caller = await newCaller();
  return { ...caller, ...clientOf(caller) };
};
const historyOf = (client: Client, id: string, parameters: Record<string, string> = {}) =>
  client.call('GET', `/transactions/${id}/history?${new URLSearchParams(parameters)}`);
const expanded = (client: Client, id: string) => client.get(`${id}?expand=history`);

/** Computes the state hash as an auditor does, from the response with the history and the transaction's salt. */
const stateHashIn = async (client: Client, id: string, state: unknown): Promise<string> => {
  const { commitments } = (await expanded(client, id)).body;
  return committedHash(state, personalDigest(state, commitments?.salt ?? ''));
};

/** Computes the hash of an entry as an auditor does, from the response alone. */
const hashOf = (transactionId: string, { hash: _, state_hash, previous_hash, ...others }: HistoryEntry) =>
  sha256(canonical({ ...others, transactionId, stateHash: state_hash, previousHash: previous_hash }));

/** Returns a draft that was edited until it has this version. */
const changedTo = async (client: Client, version: number, others: object = {}) => {
  const draft = await made(client.create(sale({ ...others })));
  for (let note = 2; note <= version; note++) await made(client.update(draft.id, { metadata: { note: String(note) } }));
  return draft;
};

describe('GET of a transaction', () => {
  it('returns the bytes of the last change, with its version as ETag', async () => {
    const client = await newClient();
    const { id } = await made(client.create(sale({ metadata: { a: '1' }, shipping: { amount: '3.00' } })));
    const changed = await client.update(id, { metadata: { b: '2' } });
    const { status, text, headers } = await client.get(id);
    expect([status, text]).toEqual([200, `${changed.text.slice(0, -1)},"history":null}`]);
    expect([headers.get('etag'), headers.get('location')]).toEqual(['"2"', null]);
  });

  it('returns an expired draft as the void that the sweep will write', async () => {
    const client = await newClient();
    const { expires_at, ...draft } = await made(client.create(sale()));
    await later(dayMs - 2000, async () => expect((await made(client.get(draft.id))).status).toBe('draft'));
    await later(dayMs, async () => {
      const { body, headers } = await client.get(draft.id);
      const times = { expires_at, voided_at: expires_at, updated_at: expires_at };
      expect(body).toEqual({
        ...retrieved(draft),
        ...times,
        status: 'void',
        void_reason: 'draft_expired',
        version: 2,
      });
      expect(headers.get('etag')).toBe('"2"');
    });
  });

  it('accepts no query parameter except expand', async () => {
    const client = await newClient();
    const { id } = await sold(client);
    expect(refusalOf(await client.get(`${id}?verbose=1`))).toBe('422 | validation_unknown_parameter verbose');
    expect(refusalOf(await client.get(`${id}?expand=line_items`))).toBe('422 | validation_invalid_format expand');
  });
});

describe('a history entry', () => {
  it('has the credential, the fields and the time of a change, newest first, with the hash of the state', async () => {
    const client = await newClient();
    const draft = await made(client.create(sale({ metadata: { a: '1' } })));
    const edited = await made(client.update(draft.id, { metadata: { b: '2' }, tax_amount: '5.00' }));
    const finalized = await made(client.update(draft.id, { status: 'finalized', reference_id: 'in_1' }));
    const { data, ...list } = await made(historyOf(client, draft.id));
    expect(list).toEqual({
      object: 'list',
      url: `/transactions/${draft.id}/history`,
      has_more: false,
      next_cursor: null,
    });
    const [third, second, first] = data;
    expect(data.map(({ version, at, from, to }) => [version, at, from, to])).toEqual([
      [3, finalized.updated_at, 'draft', 'finalized'],
      [2, edited.updated_at, 'draft', 'draft'],
      [1, draft.created_at, null, 'draft'],
    ]);
    expect(first?.fields).toEqual([]);
    expect(third?.fields).toEqual(expect.arrayContaining(['reference_id', 'status']));
    expect(second?.fields).toEqual(expect.arrayContaining(['metadata', 'tax_amount']));
    const credential = data.map(({ by }) => by);
    expect(new Set(credential).size).toBe(1);
    expect(credential[0]).toMatch(/^key_/);
    expect(client.key).not.toContain(credential[0]);
    const states = [finalized, edited, draft].map((state) => stateHashIn(client, draft.id, state));
    expect(data.map(({ state_hash }) => state_hash)).toEqual(await Promise.all(states));
  });

  it('has a hash that the response determines and the next entry repeats', async () => {
    const client = await newClient();
    const parent = await sold(client);
    const credit = await made(client.create(creditOf(parent)));
    await made(client.update(credit.id, { status: 'void' }));
    for (const { id } of [parent, credit]) {
      const { data } = await made(historyOf(client, id));
      expect(data.map(({ hash }) => hash)).toEqual(data.map((entry) => hashOf(id, entry)));
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
    const { data } = await made(historyOf(client, draft.id, { limit: '50' }));
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
    const { data, has_more, next_cursor } = await made(historyOf(client, id));
    expect([data.length, has_more, next_cursor]).toEqual([25, true, '3']);
    const rest = await made(historyOf(client, id, { starting_after: next_cursor }));
    expect([rest.data.map(({ version }) => version), rest.has_more]).toEqual([[2, 1], false]);
    for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
      expect(refusalOf(await historyOf(client, id, { limit }))).toBe('422 | validation_invalid_format limit');
  });

  it('rejects a cursor that is not a version of the transaction', async () => {
    const client = await newClient();
    const { id } = await changedTo(client, 2);
    const foreign = (await made(client.list())).next_cursor ?? 'eyJ9.abc';
    for (const starting_after of ['3', '9999999999', '99999999999', '0', '-1', '01', '1.0', 'x', id, foreign])
      expect([starting_after, refusalOf(await historyOf(client, id, { starting_after }))]).toEqual([
        starting_after,
        '422 | validation_invalid_cursor starting_after',
      ]);
    expect(refusalOf(await historyOf(client, id, { starting_after: '' }))).toBe(
      '422 | validation_invalid_format starting_after',
    );
  });
});

describe('a draft after its deadline', () => {
  it('has the entry that the sweep will write, byte for byte, before and after the sweep', async () => {
    const client = await newClient();
    const draft = await changedTo(client, 3, { reference_id: 'r' });
    await later(dayMs, async () => {
      const before = await historyOf(client, draft.id);
      const whole = await expanded(client, draft.id);
      const { commitments: _, ...state } = recorded(whole.body) as Partial<typeof whole.body>;
      const page = await historyOf(client, draft.id, { limit: '1' });
      expect(page.body).toMatchObject({ has_more: true, next_cursor: '4' });
      const rest = await historyOf(client, draft.id, { starting_after: '4' });
      expect(before.body.data.map(({ version }) => version)).toEqual([4, 3, 2, 1]);
      expect(before.body.data[0]).toMatchObject({
        at: draft.expires_at,
        by: 'draft_expired',
        from: 'draft',
        to: 'void',
        fields: ['status'],
        state_hash: await stateHashIn(client, draft.id, state),
      });
      expect(rest.body.data).toEqual(before.body.data.slice(1));
      expect(whole.body.history).toEqual(before.body.data);
      expect(refusalOf(await historyOf(client, draft.id, { starting_after: '5' }))).toBe(
        '422 | validation_invalid_cursor starting_after',
      );
      // A change of an expired draft first writes the sweep's entry.
      await made(client.update(draft.id, { metadata: { late: 'yes' } }));
      expect((await made(historyOf(client, draft.id))).data.slice(1)).toEqual(before.body.data);
      expect((await historyOf(client, draft.id, { starting_after: '4' })).text).toBe(rest.text);
    });
  });
});

it('omits an entry that was written during the read', async () => {
  const client = await newClient();
  const { id } = await changedTo(client, 2);
  const next = await made(client.update(id, { metadata: { later: 'yes' } }));
  const { data } = await made(historyOf(client, id));
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
  const { data } = await made(historyOf(client, id));
  expect(data.map(({ version }) => version)).toEqual([3, 1]);
  expect(data[0]?.previous_hash).not.toBe(data[1]?.hash);
});
