/** Console sessions: exchange, use, extension, end, and the content of the cookie and the stored item. */
import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { provisionKey, revokeKey } from '../../shared/store/accounts/api-key-store.ts';
import { newCaller } from '../support/api.ts';
import { failSends, lostResponse, noFaults } from '../support/faults.ts';
import { getRefusal, hourMs, later, made, minuteMs } from '../support/sales.ts';

const ended = '401 | auth_error Console-Session';
type Caller = Awaited<ReturnType<typeof newCaller>>;

/** Signs in with the caller's key. Returns the requests that a browser then sends with the cookie. */
const signedIn = async ({ call }: Pick<Caller, 'call'>) => {
  const started = await call('POST', '/session', { body: { action: 'start' } });
  const set = started.headers.get('set-cookie') ?? '';
  const [cookie = ''] = set.split(';');
  const headers = { 'X-API-Key': null, 'Console-Session': '1', 'Sec-Fetch-Site': 'same-origin', Cookie: cookie };
  const act = (action: string) => call('POST', '/session', { body: { action }, headers });
  return {
    started: await made(Promise.resolve(started)),
    set,
    cookie,
    headers,
    act,
    read: () => call('GET', '/account', { headers }),
  };
};

it('exchanges a key for a cookie that scripts and other sites cannot use, and reads the same account', async () => {
  const caller = await newCaller({ scopes: ['read'] });
  const { set, read, started, headers } = await signedIn(caller);
  expect(set).toMatch(/^levy_session=levy_[0-9A-Za-z]{39}; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(JSON.stringify(started)).not.toContain(set.slice(13, 40));
  expect(set).not.toContain(caller.key);
  expect(await made(read())).toEqual(await made(caller.call('GET', '/account')));
  // The session has the scopes of its key.
  const sale = { line_items: [] };
  expect(getRefusal(await caller.call('POST', '/transactions', { body: sale, headers }))).toBe('403 | auth_forbidden');
});

it('sets a cookie that is Secure and bound to the host, except on loopback addresses', async () => {
  const { call } = await newCaller();
  const response = await call('POST', '/session', { body: { action: 'start' }, headers: { Host: 'levy.example' } });
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-levy_session=\w+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
});

it('starts although the response of the database is lost', async () => {
  const caller = await newCaller();
  await made(caller.call('GET', '/account'));
  const failed = failSends({ sends: 1, error: lostResponse, where: 'on the way back', of: ['PutItem'] });
  try {
    const { read } = await signedIn(caller);
    expect(failed.sends).toBe(2);
    expect((await read()).status).toBe(200);
  } finally {
    noFaults();
  }
});

describe('the end of a session', () => {
  it('ends a session after an hour without use, and extends it up to 12 hours', async () => {
    const { act, read } = await signedIn(await newCaller());
    await later(hourMs - minuteMs, async () => expect((await read()).status).toBe(200));
    await later(hourMs, async () => expect(getRefusal(await read())).toBe(ended));
    for (let at = 50 * minuteMs; at < 12 * hourMs; at += 50 * minuteMs)
      await later(at, async () => expect((await act('extend')).status).toBe(200));
    await later(12 * hourMs - minuteMs, async () => expect((await read()).status).toBe(200));
    await later(12 * hourMs, async () => expect(getRefusal(await act('extend'))).toBe(ended));
  });

  it('does not end a session within the minute after an extension in its last minute', async () => {
    const { act, read } = await signedIn(await newCaller());
    // The request that extends the session has read it with its old end, and the instance caches that copy.
    await later(hourMs - minuteMs / 2, async () => expect((await act('extend')).status).toBe(200));
    await later(hourMs + minuteMs / 4, async () => expect((await read()).status).toBe(200));
    await later(2 * hourMs - minuteMs, async () => expect((await read()).status).toBe(200));
    await later(2 * hourMs, async () => expect(getRefusal(await read())).toBe(ended));
  });

  it('ends a session on sign-out, in every tab, and removes the cookie', async () => {
    const { act, read } = await signedIn(await newCaller());
    expect((await read()).status).toBe(200);
    const signedOut = await act('end');
    expect(signedOut.headers.get('set-cookie')).toMatch(/^levy_session=; .*Max-Age=0$/);
    expect(signedOut.body).toEqual({ object: 'session', expires_at: null, ends_at: null });
    // An extension reads the item, so it is refused at once. A cached session ends within a minute.
    expect(getRefusal(await act('extend'))).toBe(ended);
    await later(minuteMs, async () => expect(getRefusal(await read())).toBe(ended));
  });

  it('ends a session within a minute after its key is revoked', async () => {
    const caller = await newCaller();
    const secret = newApiKey();
    const terms = { scopes: ['read' as const], expires_at: null };
    const { id } = await provisionKey({ account: caller.account.id, secret, ...terms });
    const { read, headers } = await signedIn({
      ...caller,
      call: (method, path, request) =>
        caller.call(method, path, { ...request, headers: { 'X-API-Key': secret, ...request?.headers } }),
    });
    expect((await read()).status).toBe(200);
    await revokeKey(caller.account.id, id);
    await later(minuteMs, async () => expect(getRefusal(await read())).toBe('401 | auth_api_key_not_found X-API-Key'));
    expect(headers.Cookie).not.toContain(secret);
  });
});

it('refuses requests from other sites, and a session as the credential for a new session', async () => {
  const caller = await newCaller();
  const { headers, act } = await signedIn(caller);
  const post = (others: Record<string, string | null>, action = 'end') =>
    caller.call('POST', '/session', { body: { action }, headers: { ...headers, ...others } });
  expect(getRefusal(await post({ 'Sec-Fetch-Site': 'cross-site' }))).toBe(ended);
  expect(getRefusal(await act('start'))).toBe('422 | validation_invalid_format /action');
  for (const action of ['extend', 'end'])
    expect(getRefusal(await caller.call('POST', '/session', { body: { action } }))).toBe(
      '422 | validation_invalid_format /action',
    );
  // None of these requests ended the session.
  expect((await act('extend')).status).toBe(200);
});
