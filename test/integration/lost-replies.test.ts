import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { currentVersion } from '../../shared/http/versions.ts';
import { provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { takeRequests } from '../../shared/store/accounts/rate-window.ts';
import { database } from '../../shared/store/client/client.ts';
import { rateWindowKey } from '../../shared/store/keys.ts';
import { newCaller } from '../support/api.ts';
import { failSends, lostReply, noFaults } from '../support/faults.ts';
import {
  type Client,
  clientOf,
  creditOf,
  dayMs,
  later,
  made,
  metaOf,
  refusalOf,
  sale,
  sold,
} from '../support/sales.ts';
import { kindsOf } from '../support/transactions.ts';

afterEach(noFaults);

/** The SDK's attempts at one call, all of which are written, and whose replies are all lost. */
const allAttempts = 3;
const loseReplies = (of: string | null, sends = allAttempts) =>
  failSends({ sends, error: lostReply, where: 'on the way back', ...(of && { of: [of] }) });

type Send = (headers?: Record<string, string>) => ReturnType<Client['create']>;
const key = { 'Idempotency-Key': 'k' };
const half = { line_items: [{ id: 'item_1', quantity: '1' }] };
const newClient = async () => {
  const caller = await newCaller();
  return { client: clientOf(caller), account: caller.account.id };
};

/** Every write of a request, each with what must be there before it. */
const writes: Readonly<Record<string, (client: Client) => Promise<Send>>> = {
  'a draft': async (client) => (headers) => client.create(sale({ reference_id: 'r' }), headers),
  'a sale': async (client) => (headers) => client.create(sale({ status: 'finalized', reference_id: 'r' }), headers),
  'a credit': async (client) => {
    const parent = await sold(client);
    return (headers) => client.create(creditOf(parent, half), headers);
  },
  'an edit': async (client) => {
    const { id } = await made(client.create(sale()));
    return (headers) => client.update(id, { metadata: { a: '1' }, tax_amount: '5.00' }, headers);
  },
  finalizing: async (client) => {
    const { id } = await made(client.create(sale()));
    return (headers) => client.update(id, { status: 'finalized', reference_id: 'r' }, headers);
  },
  'finalizing a credit': async (client) => {
    const parent = await sold(client);
    const { id } = await made(client.create(creditOf(parent, { status: 'draft', ...half })));
    return (headers) => client.update(id, { status: 'finalized' }, headers);
  },
  'a void': async (client) => {
    const { id } = await sold(client, { reference_id: 'r' });
    return (headers) => client.update(id, { status: 'void', void_reason: 'mistake' }, headers);
  },
  'the void of a credit': async (client) => {
    const parent = await sold(client);
    const { id } = await made(client.create(creditOf(parent, half)));
    return (headers) => client.update(id, { status: 'void' }, headers);
  },
  'a change of nothing': async (client) => {
    const { id } = await sold(client);
    return (headers) => client.update(id, { status: 'finalized' }, headers);
  },
};

describe.each(Object.entries(writes))('a reply that is lost after the database wrote %s', (what, prepare) => {
  it.each([1, 2])('is found by the next attempt at the call: %i lost', async (lost) => {
    const { client } = await newClient();
    const send = await prepare(client);
    const seen = loseReplies('TransactWriteItems', lost);
    const answer = await send(key);
    expect([answer.status < 300, answer.headers.has('idempotent-replayed'), seen.sends]).toEqual([
      true,
      false,
      lost + 1,
    ]);
  });

  it('is 503 where all are lost, and then what was written is replayed, by whoever is asked', async () => {
    const { client, account } = await newClient();
    const send = await prepare(client);
    const seen = loseReplies('TransactWriteItems');
    const lost = await send(key);
    expect([refusalOf(lost), seen.sends]).toEqual(['503 | system_service_unavailable', allAttempts]);
    expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);
    const kinds = await kindsOf(account);
    // Nothing is kept in the process: this is any other one.
    const first = await send(key);
    const second = await send(key);
    expect([first.status < 300, first.headers.get('idempotent-replayed')]).toEqual([true, 'true']);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(await kindsOf(account)).toBe(kinds);
    expect((await client.get(first.body.id)).body).toMatchObject({ version: first.body.version });
  });

  it('is 503 without an Idempotency-Key, too, and then the client hears what there is', async () => {
    const { client } = await newClient();
    const send = await prepare(client);
    // Without a key nothing is written where nothing changes.
    if (what === 'a change of nothing') return void expect((await send()).status).toBe(200);
    loseReplies('TransactWriteItems');
    expect(refusalOf(await send())).toBe('503 | system_service_unavailable');
    const again = await send();
    if (what === 'a draft' || what === 'a sale') {
      // The reference names it: its own earlier attempt.
      expect(refusalOf(again)).toBe('409 | conflict_duplicate_reference_id /reference_id');
      const { data } = await made(client.list());
      expect(data).toHaveLength(1);
      expect(metaOf(again)).toEqual({ transaction_id: data[0].id });
      expect(data[0]).toMatchObject({ reference_id: 'r', tax_amount: '6.00', version: 1 });
    } else if (what === 'a credit') {
      // Nothing tells it from a second credit, but the sale bounds what both take.
      expect(again.status).toBe(201);
      expect(refusalOf(await send())).toBe('409 | conflict_over_credit /line_items/0');
    } else {
      // What it asks for is so already.
      expect([again.status, again.body.version]).toEqual([200, 2]);
    }
  });
});

it('lets a client that names the version know that it has moved', async () => {
  const { client } = await newClient();
  const { id } = await made(client.create(sale()));
  loseReplies('TransactWriteItems');
  const send = () => client.update(id, { metadata: { a: '1' } }, { 'If-Match': '"1"' });
  expect((await send()).status).toBe(503);
  const again = await send();
  expect([refusalOf(again), metaOf(again)]).toEqual(['412 | precondition_failed If-Match', { version: 2 }]);
});

it('records a sale twice where nothing tells the second from the first: that is what the key is for', async () => {
  const { client } = await newClient();
  loseReplies('TransactWriteItems');
  expect((await client.create(sale())).status).toBe(503);
  expect((await client.create(sale())).status).toBe(201);
  expect((await made(client.list())).data).toHaveLength(2);
});

it('makes an expired draft void once, whoever writes it', async () => {
  const { client, account } = await newClient();
  const { id } = await made(client.create(sale()));
  await later(dayMs, async () => {
    // The change of an expired draft writes first what a sweep would.
    loseReplies('TransactWriteItems');
    const send = () => client.update(id, { metadata: { a: '1' } }, key);
    expect((await send()).status).toBe(503);
    noFaults();
    expect(await kindsOf(account)).toBe('AAH');
    expect((await made(send())).version).toBe(3);
    expect(await kindsOf(account)).toBe('AAAHI');
  });
});

describe('an account', () => {
  const account = (): Account => ({
    id: `acct_${randomBytes(16).toString('hex')}`,
    name: 'Test',
    created_at: new Date(now()).toISOString(),
    cursor_secret: 'secret',
    settings: defaultSettings(currentVersion),
  });

  it('is provisioned once: the next attempt, and the next operator, find it', async () => {
    const asked = account();
    loseReplies(null, 2);
    await provisionAccount(asked);
    noFaults();
    const other = account();
    loseReplies(null);
    await expect(provisionAccount(other)).rejects.toMatchObject({ name: 'TimeoutError' });
    await provisionAccount(other);
  });

  it('has one key of a secret, with one name', async () => {
    const asked = account();
    await provisionAccount(asked);
    const key = { account: asked.id, secret: newApiKey(), scopes: ['read' as const], expires_at: null };
    loseReplies('TransactWriteItems', 2);
    const { id } = await provisionKey(key);
    noFaults();
    expect((await provisionKey(key)).id).toBe(id);
    const another = { ...key, secret: newApiKey() };
    loseReplies('TransactWriteItems');
    await expect(provisionKey(another)).rejects.toMatchObject({ name: 'TimeoutError' });
    const found = await provisionKey(another);
    expect(await provisionKey(another)).toEqual(found);
    loseReplies('UpdateItem', 2);
    expect(await revokeKey(asked.id, found.id)).toBe(true);
  });
});

it('counts a request at the most as often as its count was sent, and never passes the limit', async () => {
  const start = windowMs * 1000;
  const account = `acct_${randomBytes(16).toString('hex')}`;
  const counted = async () => {
    const Key = rateWindowKey(account, start);
    const { Item } = await database.send(
      new GetCommand({ TableName: environment.tables.accounts, Key, ConsistentRead: true }),
    );
    return Item?.['requests'];
  };
  loseReplies('UpdateItem', 1);
  // An addition is not the same twice: some of the limit is wasted, and the answer says so.
  expect(await takeRequests(account, start, 4, 10)).toEqual({ taken: true, used: 8 });
  noFaults();
  expect(await counted()).toBe(8);
  loseReplies('UpdateItem', 1);
  expect(await takeRequests(account, start, 2, 10)).toEqual({ taken: false, used: 10 });
  noFaults();
  expect(await counted()).toBe(10);
});
