import { TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { customerKey } from '../../shared/store/keys.ts';
import { stateJurisdictions } from '../../shared/vocabulary/jurisdiction.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { cancelled, failSends, lostResponse, noFaults, throttled } from '../support/faults.ts';
import { everyPage, getMeta, getRefusal, made, michigan, sale } from '../support/sales.ts';

const resale = (others: object = {}) => ({ reason: 'resale', ...others });
const path = (id: string) => `/customers/${encodeURIComponent(id)}` as const;

const connectClient = ({ call }: Caller) => ({
  create: (body: unknown, headers = {}) => call('POST', '/customers', { body, headers }),
  update: (id: string, body: unknown, headers = {}) => call('POST', path(id) as '/customers/{id}', { body, headers }),
  get: (id: string) => call('GET', path(id) as '/customers/{id}'),
  list: (parameters: Record<string, string> = {}) => call('GET', `/customers?${new URLSearchParams(parameters)}`),
});
const newClient = async () => connectClient(await newCaller());

describe('creation of customers', () => {
  it('stores the customer with states as jurisdiction codes, without duplicates, and with every key', async () => {
    const client = await newClient();
    const document_url = 'https://files.example.com/a?id=1&v=2#page=3';
    const states = ['MI', 'us-oh', 'Ohio'];
    const exemptions = [resale({ states, document_url, valid_to: '2026-12-31' }), { reason: 'government' }];
    const response = await client.create({ id: 'cus_1', exemptions });
    const none = { states: null, certificate_number: null, document_url: null, valid_from: null, valid_to: null };
    expect(response.body).toMatchObject({ object: 'customer', id: 'cus_1', name: null, version: 1, warnings: [] });
    expect(response.body.exemptions).toEqual([
      { ...none, reason: 'resale', states: ['US-MI', 'US-OH'], document_url, valid_to: '2026-12-31' },
      { ...none, reason: 'government' },
    ]);
    expect(response.body.created_at).toBe(response.body.updated_at);
    expect([response.status, response.headers.get('ETag')]).toEqual([201, '"1"']);
    const got = await client.get('cus_1');
    expect([got.body, got.headers.get('ETag')]).toEqual([response.body, '"1"']);
  });

  // An emoji is two code units of UTF-16 and four bytes of UTF-8.
  it.each(['👍', 'é', 'x'])(
    'finds a customer with an id of 255 characters %s, and applies its certificate',
    async (letter) => {
      const caller = await newCaller();
      const client = connectClient(caller);
      const id = letter.repeat(255);
      await made(client.create({ id, exemptions: [resale()] }));
      expect((await client.create({ id, name: 'other' })).status).toBe(409);
      expect((await client.update(id, { name: 'A' })).status).toBe(200);
      const order = sale({ customer: { id, address: michigan } });
      expect((await made(caller.call('POST', '/calculations', { body: order }))).tax_amount).toBe('0.00');
      expect((await client.create({ id: `${id}x` })).status).toBe(422);
      expect((await client.get(`${id}x`)).status).toBe(404);
    },
  );

  it('returns an existing customer with the same content, in any notation, and rejects different content', async () => {
    const client = await newClient();
    const first = await made(client.create({ id: 'a', exemptions: [resale({ states: ['MI'] })] }));
    const same = await client.create({ id: 'a', name: null, exemptions: [resale({ states: ['Michigan'] })] });
    expect([same.status, same.body]).toEqual([200, first]);
    for (const content of [{ name: 'A' }, { exemptions: [] }, { exemptions: [resale({ states: ['OH'] })] }]) {
      const refused = await client.create({ id: 'a', ...content });
      expect(getRefusal(refused)).toBe('409 | conflict_duplicate_customer_id /id');
      expect(getMeta(refused)).toEqual({ version: 1 });
    }
    expect((await client.get('a')).body).toEqual(first);
  });

  it('replays an Idempotency-Key byte for byte, before 404 and 412, and rejects it for a different body', async () => {
    const client = await newClient();
    const key = { 'Idempotency-Key': 'k' };
    const first = await client.create({ id: 'a' }, key);
    const headers = { ...key, 'If-Match': '"1"' };
    const changed = await client.update('a', { name: 'Changed' }, headers);
    await made(client.update('a', { name: 'Later' }));
    for (const [again, before] of [
      [await client.create({ id: 'a' }, key), first],
      [await client.update('a', { name: 'Changed' }, headers), changed],
    ] as const) {
      expect([again.status, again.text]).toEqual([before.status, before.text]);
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    }
    expect(getRefusal(await client.create({ id: 'b' }, key))).toBe('422 | idempotency_key_reused Idempotency-Key');
    expect((await client.get('b')).status).toBe(404);
    expect((await made(client.get('a'))).name).toBe('Later');
  });

  it('warns about unknown fields and suggests a similar field', async () => {
    const { warnings } = await made((await newClient()).create({ id: 'a', exemption: {}, zip: '1' }));
    expect(warnings.map(({ code, message, pointer }) => [code, message, pointer])).toEqual([
      ['unknown_field', 'Unknown field `exemption`, ignored. Did you mean `exemptions`?', '/exemption'],
      ['unknown_field', 'Unknown field `zip`, ignored.', '/zip'],
    ]);
  });

  it('stores the largest customer, and reads 100 of them at once', { timeout: 60_000 }, async () => {
    const client = await newClient();
    const states = stateJurisdictions.slice(0, 60).map((code) => code.slice(3));
    const terms = { reason: 'direct_pay', states, valid_from: '2026-01-01', valid_to: '2026-12-31' };
    const document_url = `https://a.example/${'x'.repeat(482)}`;
    const largest = { ...terms, certificate_number: '€'.repeat(255), document_url };
    const id = `${'€'.repeat(254)}1`;
    const created = await made(client.create({ id, name: '€'.repeat(255), exemptions: Array(100).fill(largest) }));
    expect((await client.get(id)).body).toEqual(created);
    expect((await made(client.list())).data).toEqual([created]);
  });
});

it.each(['a b', 'a/b', '#', '?', 'a#b', '100%', '%', 'ä€🧾', "o'neil&sons", '+', '...', 'C#acct_1', '{id}', '%2'])(
  'finds and changes the customer with the id %s in the path, and no other one',
  async (id) => {
    const client = await newClient();
    for (const other of ['other', `${id}#`, `${id}x`]) await made(client.create({ id: other }));
    const created = await made(client.create({ id }));
    expect((await client.get(id)).body).toEqual(created);
    expect((await made(client.update(id, { name: 'Changed' }))).id).toBe(id);
    expect((await made(client.list())).data.map(({ name }) => name).sort()).toEqual(['Changed', null, null, null]);
  },
);

describe('updates of customers', () => {
  it('changes only the sent fields, replaces certificates as a whole, and increments the version', async () => {
    const client = await newClient();
    const created = await made(client.create({ id: 'a', name: 'A', exemptions: [resale({ states: ['MI'] })] }));
    const renamed = await client.update('a', { name: null });
    expect(renamed.body).toMatchObject({ name: null, exemptions: created.exemptions, version: 2 });
    expect(renamed.headers.get('ETag')).toBe('"2"');
    const replaced = await made(client.update('a', { exemptions: [{ reason: 'other' }, { reason: 'nonprofit' }] }));
    expect(replaced.exemptions.map(({ reason }) => reason)).toEqual(['other', 'nonprofit']);
    expect((await made(client.update('a', { exemptions: [] }))).exemptions).toEqual([]);
    const unchanged = await made(client.update('a', { id: 'a', name: null, exemptions: [] }));
    expect(unchanged.version).toBe(4);
    expect((await client.get('a')).body).toEqual(unchanged);
  });

  it('rejects an unknown customer, a stale version, a different id, and null for certificates', async () => {
    const client = await newClient();
    await made(client.create({ id: 'a' }));
    expect(getRefusal(await client.update('b', { name: 'B' }))).toBe('404 | not_found');
    const stale = await client.update('a', { name: 'B' }, { 'If-Match': '"2"' });
    expect(getRefusal(stale)).toBe('412 | precondition_failed If-Match');
    expect(getMeta(stale)).toEqual({ version: 1 });
    expect(getRefusal(await client.update('a', { id: 'b' }))).toBe('409 | conflict_immutable_field /id');
    expect((await made(client.get('a'))).version).toBe(1);
    for (const tag of ['"1"', '*', '"7", "3"']) await made(client.update('a', { name: tag }, { 'If-Match': tag }));
  });

  it('applies one of two concurrent changes with the same If-Match, in each of 20 rounds', async () => {
    const client = await newClient();
    await made(client.create({ id: 'a' }));
    for (let version = 1; version <= 20; version++) {
      const headers = { 'If-Match': `"${version}"` };
      const names = [`left ${version}`, `right ${version}`];
      const responses = await Promise.all(names.map((name) => client.update('a', { name }, headers)));
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 412]);
      const winner = names[responses.findIndex(({ status }) => status === 200)];
      expect(await made(client.get('a'))).toMatchObject({ name: winner, version: version + 1 });
    }
  });

  it('loses none of ten concurrent changes without If-Match', async () => {
    const client = await newClient();
    await made(client.create({ id: 'a' }));
    const rename = async (_: unknown, at: number) => (await made(client.update('a', { name: `name ${at}` }))).version;
    const versions = await Promise.all(Array.from({ length: 10 }, rename));
    expect(versions.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('creates one customer for ten concurrent requests with the same id', async () => {
    const client = await newClient();
    vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    const responses = await Promise.all(Array.from({ length: 10 }, () => client.create({ id: 'a', name: 'A' })));
    vi.restoreAllMocks();
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });
});

describe('customers under faults', () => {
  afterEach(noFaults);
  const ofWrites = { of: ['TransactWriteItems'] };

  it.each([2, 3])('changes once if the responses of %i attempts are lost and the client retries', async (sends) => {
    const client = await newClient();
    const lose = () => failSends({ ...ofWrites, sends, error: lostResponse, where: 'on the way back' });
    const key = (name: string) => ({ 'Idempotency-Key': name });
    for (const [name, send] of Object.entries({
      create: () => client.create({ id: 'a', name: 'A' }, key('create')),
      update: () => client.update('a', { name: 'B' }, { ...key('update'), 'If-Match': '"1"' }),
    })) {
      lose();
      const first = await send();
      noFaults();
      expect([name, first.status]).toEqual([name, sends === 3 ? 503 : name === 'create' ? 201 : 200]);
      expect((await send()).status).toBe(name === 'create' ? 201 : 200);
    }
    expect(await made(client.get('a'))).toMatchObject({ name: 'B', version: 2 });
  });

  it('changes a customer once with If-Match if a retry finds an earlier attempt in progress', async () => {
    const client = await newClient();
    const inProgress = () => new TransactionInProgressException({ message: 'In progress.', $metadata: {} });
    const lose = () => failSends({ ...ofWrites, sends: 3, error: inProgress, where: 'on the way back' });
    lose();
    expect((await client.create({ id: 'a', name: 'A' })).status).toBe(201);
    lose();
    expect(await made(client.update('a', { name: 'B' }, { 'If-Match': '"1"' }))).toMatchObject({ version: 2 });
    expect(await made(client.get('a'))).toMatchObject({ name: 'B', version: 2 });
  });

  it('writes a customer once after contention', async () => {
    const client = await newClient();
    await made(client.create({ id: 'a' }));
    failSends({ ...ofWrites, sends: 2, error: () => cancelled('TransactionConflict'), where: 'on the way there' });
    expect(await made(client.update('a', { name: 'B' }))).toMatchObject({ name: 'B', version: 2 });
  });

  it('returns 503 for a calculation if customers cannot be read', async () => {
    const caller = await newCaller();
    await made(connectClient(caller).create({ id: 'a', exemptions: [resale()] }));
    const body = sale({ customer: { id: 'a', address: michigan } });
    const calculate = () => caller.call('POST', '/calculations', { body });
    expect((await calculate()).body).toMatchObject({ tax_amount: '0.00' });
    failSends({ of: ['BatchGetItem'], error: throttled, where: 'on the way there' });
    expect(getRefusal(await calculate())).toBe('503 | system_service_unavailable');
    noFaults();
    expect((await calculate()).body).toMatchObject({ tax_amount: '0.00' });
  });
});

describe('lists of customers', () => {
  const readIds = async (client: Awaited<ReturnType<typeof newClient>>, parameters: Record<string, string>) =>
    (await made(client.list(parameters))).data.map(({ id }) => id);
  const today = new Date(now()).toISOString().slice(0, 10);
  const inDays = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);

  it('lists customers in order of id, each once', async () => {
    const client = await newClient();
    const ids = ['b', 'a', 'ä', 'B', '10', '9', 'a#'];
    for (const id of ids) await made(client.create({ id }));
    const { ids: found } = await everyPage(client, { limit: '2' });
    expect(found).toEqual(['10', '9', 'B', 'a', 'a#', 'b', 'ä']);
  });

  it('finds certificates that end on or after today and before a day', async () => {
    const client = await newClient();
    const ends = { yesterday: -1, today: 0, tomorrow: 1, next_week: 7 };
    for (const [id, days] of Object.entries(ends))
      await made(client.create({ id, exemptions: [resale({ valid_to: inDays(days) })] }));
    await made(client.create({ id: 'endless', exemptions: [resale()] }));
    await made(client.create({ id: 'none' }));
    const idsBefore = (days: number) => readIds(client, { expiring_before: inDays(days) });
    expect(await idsBefore(0)).toEqual([]);
    expect(await idsBefore(1)).toEqual(['today']);
    expect(await idsBefore(7)).toEqual(['today', 'tomorrow']);
    expect(await idsBefore(8)).toEqual(['next_week', 'today', 'tomorrow']);
  });

  // These zones are 25 hours apart, so at least one of them has a different day than UTC.
  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])('takes today from the time zone %s', async (time_zone) => {
    const client = connectClient(await newCaller({ settings: { time_zone } }));
    const dayIn = (days: number) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: time_zone }).format(now() + days * 86_400_000);
    for (const days of [-1, 0])
      await made(client.create({ id: `${days}`, exemptions: [resale({ valid_to: dayIn(days) })] }));
    expect(await readIds(client, { expiring_before: dayIn(1) })).toEqual(['0']);
  });

  it('finds certificates by state, and with expiring_before only if one certificate matches both', async () => {
    const client = await newClient();
    const certificate = (states: string[] | null, days: number) => resale({ states, valid_to: inDays(days) });
    const customers = {
      ohio: [certificate(['OH'], 3)],
      all: [certificate(null, 3)],
      michigan: [certificate(['MI'], 3)],
      other: [certificate(['MI'], 3), certificate(['OH'], 90)],
      none: [],
    };
    for (const [id, exemptions] of Object.entries(customers)) await made(client.create({ id, exemptions }));
    for (const state of ['OH', 'US-OH', 'ohio'])
      expect(await readIds(client, { state })).toEqual(['all', 'ohio', 'other']);
    expect(await readIds(client, { state: 'OH', expiring_before: inDays(30) })).toEqual(['all', 'ohio']);
  });

  it('finds text in ids and names in upper or lower case, with other filters', async () => {
    const client = await newClient();
    for (const body of [{ id: 'Alpha-1' }, { id: '2', name: 'Łódź ALPHA' }, { id: '3', name: 'Beta' }])
      await made(client.create({ ...body, exemptions: [resale({ states: body.id === '2' ? ['OH'] : ['MI'] })] }));
    expect(await readIds(client, { search: 'aLPH' })).toEqual(['2', 'Alpha-1']);
    expect(await readIds(client, { search: 'łódź' })).toEqual(['2']);
    expect(await readIds(client, { search: 'alpha', state: 'OH' })).toEqual(['2']);
    expect(await readIds(client, { search: 'gamma' })).toEqual([]);
    expect(await readIds(await newClient(), { search: 'alpha' })).toEqual([]);
  });

  it('rejects unknown states and parameters, and cursors of other filters', async () => {
    const client = await newClient();
    for (const id of ['a', 'b']) await made(client.create({ id, exemptions: [resale()] }));
    const { next_cursor } = await made(client.list({ limit: '1' }));
    const starting_after = next_cursor ?? '';
    for (const [parameters, refused] of [
      [{ state: 'XX' }, 'invalid_format state'],
      [{ expiring_before: 'soon' }, 'invalid_format expiring_before'],
      [{ name: 'A' }, 'unknown_parameter name'],
      [{ starting_after, state: 'MI' }, 'invalid_cursor starting_after'],
      [{ starting_after: 'a' }, 'invalid_cursor starting_after'],
      [{ starting_after: `${starting_after}x` }, 'invalid_cursor starting_after'],
    ] as const)
      expect(getRefusal(await client.list(parameters))).toBe(`422 | validation_${refused}`);
    expect((await made(client.list({ limit: '1', starting_after }))).data.map(({ id }) => id)).toEqual(['b']);
  });

  it('stops a filtered list after four reads of 100 customers, and continues from there', async () => {
    const client = await newClient();
    for (let block = 0; block < 21; block++)
      await Promise.all(Array.from({ length: 20 }, (_, at) => client.create({ id: `a${block * 20 + at}` })));
    await made(client.create({ id: 'z', exemptions: [resale()] }));
    const first = await made(client.list({ state: 'MI' }));
    expect(first).toMatchObject({ data: [], has_more: true });
    const next = await made(client.list({ state: 'MI', starting_after: first.next_cursor ?? '' }));
    expect(next.data.map(({ id }) => id)).toEqual(['z']);
    expect(next).toMatchObject({ has_more: false, next_cursor: null });
  });
});

it('stores no attribute of the transaction indexes, so transaction lists never contain customers', async () => {
  const caller = await newCaller();
  await made(connectClient(caller).create({ id: 'a', name: 'A' }));
  const Key = customerKey(caller.account.id, 'a');
  const { Item } = await database.send(new GetCommand({ TableName: environment.tables.transactions, Key }));
  const attributes = ['created_at', 'exemptions', 'name', 'pk', 'sk', 'updated_at', 'version'];
  expect(Object.keys(Item ?? {}).sort()).toEqual(attributes);
  expect((await caller.call('GET', '/transactions')).body.data).toEqual([]);
});
