import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { handlers } from '../../infra/local/handlers.ts';
import { type Account, defaultSettings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { windowMs } from '../../shared/accounts/rate-limiter.ts';
import type { Handler } from '../../shared/api/lambda-handler.ts';
import { currentVersion, supportedVersions } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { environment } from '../../shared/config/environment.ts';
import { createTransaction } from '../../shared/ledger/create-transaction.ts';
import type { TransactionRequest } from '../../shared/ledger/request.ts';
import { provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { takeRequests } from '../../shared/store/accounts/rate-window.ts';
import { database } from '../../shared/store/client/client.ts';
import { rateWindowKey } from '../../shared/store/keys.ts';
import { newTransactionId } from '../../shared/store/ledger/new-id.ts';
import { transactionPorts } from '../../shared/store/ledger/transaction-ports.ts';
import { newCaller, newClient } from '../support/api.ts';
import { failSends, lostResponse, noFaults } from '../support/faults.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { getRefusal, made, sale } from '../support/sales.ts';

const key = (value: string) => ({ 'Idempotency-Key': value });

describe('Idempotency-Key', () => {
  it('replays a creation that would now be too large', async () => {
    const { account } = await newCaller();
    const caller = { account, credential: 'key_test' };
    const ports = { ...transactionPorts(() => 9000), newId: newTransactionId };
    const idempotency = { digest: `digest ${account.id}`, fingerprint: 'same' };
    const request = sale() as TransactionRequest;
    const creation = { request, idempotency, sent: [] };
    const noRoom = { ...ports, fitsItemLimit: () => false };
    const first = await createTransaction(creation, caller, ports);
    const second = await createTransaction(creation, caller, noRoom);
    const { transaction: _, ...response } = first.ok ? first.value : { headers: {} };
    const headers = { ...response.headers, 'Idempotent-Replayed': 'true' };
    expect(second).toEqual({ ok: true, value: { ...response, headers } });
    const refused = await createTransaction({ ...creation, idempotency: null }, caller, noRoom);
    expect(refused).toMatchObject({ ok: false, problems: [{ code: 'validation_body_too_large' }] });
  });

  it('replays a response at every address of the service, because the key ignores a domain’s base path', async () => {
    const { call, key: apiKey } = await newCaller();
    // The API Gateway event for a domain with a base path.
    const under =
      (handler: Handler): Handler =>
      (event, context) =>
        handler({ ...event, path: `/v1${event.path}` }, context);
    const domain = await startGateway({
      'create-transaction': under(handlers.endpoints['create-transaction']),
      'update-transaction': under(handlers.endpoints['update-transaction']),
    });
    const headers = { 'X-API-Key': apiKey, ...key('k') };
    const first = await call('POST', '/transactions', { body: sale(), headers: key('k') });
    const again = await send(domain.url, 'POST', '/transactions', { body: sale(), headers });
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    const path = `/transactions/${first.body.id}` as const;
    const changed = await send(domain.url, 'POST', path, { body: { status: 'void' }, headers });
    const unchanged = await call('POST', path, { body: { status: 'void' }, headers: key('k') });
    domain.close();
    expect([changed.status, changed.body.version]).toEqual([200, 2]);
    expect([unchanged.status, unchanged.text]).toEqual([200, changed.text]);
  });

  it('compares the key exactly, including case', async () => {
    const client = await newClient();
    const keys = ['a', 'A', 'a!', '~', 'x'.repeat(255), `${'x'.repeat(254)}y`, 'a b', 'I#1'];
    const responses = await Promise.all(keys.map((each) => made(client.create(sale(), key(each)))));
    expect(new Set(responses.map(({ id }) => id)).size).toBe(keys.length);
  });

  it.each([
    ['', 'it is empty'],
    ['x'.repeat(256), 'it is too long'],
    ['schlüssel', 'it is not ASCII'],
    ['a\tb', 'a tab is not printable'],
    [['a', 'b'], 'there are two'],
  ])('requires 1 to 255 printable ASCII characters: %j is rejected, because %s', async (value, _because) => {
    const client = await newClient();
    const refused = await client.create(sale(), { 'Idempotency-Key': value });
    expect(getRefusal(refused)).toBe('422 | validation_invalid_format Idempotency-Key');
    expect((await made(client.list())).data).toEqual([]);
  });
});

const [current = ''] = supportedVersions;
const as = (version: string | readonly string[]) => ({ 'Service-Version': version });

it.each([['dogwood.2028-01-01'], ['aspen'], [''], [[current, current]]])(
  'rejects the version "%s" and lists the supported ones',
  async (sent) => {
    const { call } = await newCaller();
    const response = await call('POST', '/calculations', { body: sale(), headers: as(sent) });
    expect(getRefusal(response)).toBe('422 | validation_unknown_service_version Service-Version');
    const { errors } = response.body as unknown as { errors: { meta: object }[] };
    expect(errors[0]?.meta).toMatchObject({ supported_versions: supportedVersions });
    expect(response.headers.get('service-version')).toBe(current);
  },
);

it('replays the response to the same request with or without Service-Version', async () => {
  const { call } = await newCaller();
  const request = { body: sale(), headers: { 'Idempotency-Key': 'k' } };
  const first = await call('POST', '/transactions', request);
  const again = await call('POST', '/transactions', { ...request, headers: { ...request.headers, ...as(current) } });
  expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
});

describe('lost responses', () => {
  afterEach(noFaults);

  /** The SDK attempts a call three times. By default, each attempt is written, and its response is lost. */
  const allAttempts = 3;
  const loseResponses = (of: string | null, sends = allAttempts) =>
    failSends({ sends, error: lostResponse, where: 'on the way back', ...(of && { of: [of] }) });

  describe('provisioning', () => {
    const account = (): Account => ({
      id: `acct_${randomBytes(16).toString('hex')}`,
      name: 'Test',
      created_at: new Date(now()).toISOString(),
      cursor_secret: 'secret',
      settings: defaultSettings(currentVersion),
    });

    it('provisions an account once: the next attempt and the next operator find it', async () => {
      const asked = account();
      loseResponses(null, 2);
      await provisionAccount(asked);
      noFaults();
      const other = account();
      loseResponses(null);
      await expect(provisionAccount(other)).rejects.toMatchObject({ name: 'TimeoutError' });
      await provisionAccount(other);
    });

    it('creates one key per secret, with one id', async () => {
      const asked = account();
      await provisionAccount(asked);
      const key = { account: asked.id, secret: newApiKey(), scopes: ['read' as const], expires_at: null };
      loseResponses('TransactWriteItems', 2);
      const { id } = await provisionKey(key);
      noFaults();
      expect((await provisionKey(key)).id).toBe(id);
      const another = { ...key, secret: newApiKey() };
      loseResponses('TransactWriteItems');
      await expect(provisionKey(another)).rejects.toMatchObject({ name: 'TimeoutError' });
      const found = await provisionKey(another);
      expect(await provisionKey(another)).toEqual(found);
      loseResponses('UpdateItem', 2);
      expect(await revokeKey(asked.id, found.id)).toBe(true);
    });
  });

  it('never takes more requests than the limit, even if a response is lost and a count is added twice', async () => {
    const start = windowMs * 1000;
    const account = `acct_${randomBytes(16).toString('hex')}`;
    const counted = async () => {
      const Key = rateWindowKey(account, start);
      const { Item } = await database.send(
        new GetCommand({ TableName: environment.tables.accounts, Key, ConsistentRead: true }),
      );
      return Item?.['requests'];
    };
    loseResponses('UpdateItem', 1);
    // A repeated addition counts twice, so part of the limit is wasted, and the response shows it.
    expect(await takeRequests(account, start, 4, 10)).toEqual({ taken: true, used: 8 });
    noFaults();
    expect(await counted()).toBe(8);
    loseResponses('UpdateItem', 1);
    expect(await takeRequests(account, start, 2, 10)).toEqual({ taken: false, used: 10 });
    noFaults();
    expect(await counted()).toBe(10);
  });
});
