import { createSign, generateKeyPairSync, KeyObject, sign as nodeSign } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerVerifier, type VerifyToken } from '../../shared/api/bearer.ts';
import { advanceClock } from '../../shared/config/clock.ts';
import { badTokens } from '../support/bad-tokens.ts';
import { assembled, type LocalIssuer, secondsNow, startIssuer } from '../support/issuer.ts';
import { metricLines } from '../support/log-watch.ts';

let issuer: LocalIssuer;
let verify: VerifyToken;
let advancedMs = 0;

const advance = (byMs: number) => {
  advancedMs += byMs;
  advanceClock(byMs);
};
const fresh = (others: Partial<LocalIssuer['configured']> = {}) => bearerVerifier({ ...issuer.configured, ...others });
/** Returns a valid token, dated by the service's clock. */
const sign = (kid = 'rsa') => issuer.sign(issuer.claims(), { kid });
const good = {
  ok: true,
  value: { account: 'acc_a', subject: 'shop', scopes: ['read', 'write'], endsMs: expect.any(Number) },
};
const refused = { ok: false, problems: [{ code: 'auth_token_invalid', source: { header: 'Authorization' } }] };

beforeAll(async () => {
  issuer = await startIssuer({
    rsa: 'RS256',
    'rsa-384': 'RS384',
    'rsa-512': 'RS512',
    elliptic: 'ES256',
    'elliptic-384': 'ES384',
    'elliptic-512': 'ES512',
    edwards: 'EdDSA',
    stranger: 'RS256',
  });
  issuer.withdraw('stranger');
});
beforeEach(() => {
  issuer.state.broken = null;
  issuer.state.fetched = [];
  verify = fresh();
});
afterEach(() => {
  advanceClock(-advancedMs);
  advancedMs = 0;
});
afterAll(() => issuer.close());

describe('bearer tokens', () => {
  it.each([
    ['rsa', 'RS256', 'sha256'],
    ['rsa-384', 'RS384', 'sha384'],
    ['rsa-512', 'RS512', 'sha512'],
    ['elliptic', 'ES256', 'sha256'],
    ['elliptic-384', 'ES384', 'sha384'],
    ['elliptic-512', 'ES512', 'sha512'],
    ['edwards', 'EdDSA', null],
  ])('reads the account, the subject and the scopes of a token signed with the key %s', async (kid, alg, hash) => {
    const signed = assembled({ alg, kid }, issuer.claims()).slice(0, -1);
    const key = KeyObject.from(issuer.getKey(kid).privateKey as Parameters<typeof KeyObject.from>[0]);
    // RFC 7518, 3.4: an ES signature is both numbers concatenated.
    const signature = nodeSign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    expect(await verify(`${signed}.${signature.toString('base64url')}`)).toEqual(good);
  });

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('accepts the token type %s', async (typ) => {
    const header = typ === undefined ? {} : { typ };
    expect(await verify(await issuer.sign(issuer.claims(), header))).toEqual(good);
  });

  it.each([
    { aud: 'levy-batch' },
    { aud: ['other', 'levy'] },
    { aud: undefined, client_id: 'levy', token_use: 'access' },
  ])('accepts a token for this service with %o', async (named) => {
    expect(await verify(await issuer.sign(issuer.claims(named)))).toEqual(good);
  });

  it.each([
    [{ scope: undefined }, []],
    [{ scope: '' }, []],
    [{ scope: 'levy/readers xlevy/read LEVY/READ' }, []],
    [{ scope: 'levy/write' }, ['write']],
    [{ scope: ['openid', 'levy/write', 'levy/read'] }, ['read', 'write']],
    [{ scope: ['levy/read', 7, null] }, ['read']],
    [{ scope: ['levy/read levy/write'] }, []],
    [{ scope: [] }, []],
    [{ scope: { 'levy/read': true } }, []],
  ])('grants a token with %o the scopes %o', async (claims, scopes) => {
    expect(await verify(await issuer.sign(issuer.claims(claims)))).toMatchObject({ ok: true, value: { scopes } });
  });

  it.each([
    [['tax:read', 'other'], ['read']],
    ['tax:read tax:write', ['read', 'write']],
    [['tax:write', 7, null], ['write']],
    [{ 'tax:read': true }, []],
    [7, []],
    [['tax:read tax:write'], []],
  ])('reads the account and the scopes (%o) from configured claims', async (permissions, scopes) => {
    const accountClaim = 'https://example.com/levy_account';
    const own = {
      accountClaim,
      scopesClaim: 'permissions',
      scopes: { read: 'tax:read', write: 'tax:write', settings: 'levy/settings' },
    };
    const claims = { levy_account: undefined, scope: 'tax:write levy/read', [accountClaim]: 'acc_c', permissions };
    const token = await issuer.sign(issuer.claims(claims));
    expect(await fresh(own)(token)).toMatchObject({ ok: true, value: { account: 'acc_c', subject: 'shop', scopes } });
    expect(await verify(token)).toMatchObject(refused);
  });

  it('rejects a token whose account claim names an inherited property', async () => {
    for (const accountClaim of ['constructor', 'toString', '__proto__'])
      expect(await fresh({ accountClaim })(await sign())).toMatchObject(refused);
  });

  it('accepts a token up to 60 s before its start, and rejects it as soon as it expires', async () => {
    const ahead = { nbf: secondsNow() + 55, iat: secondsNow() + 55 };
    expect(await verify(await issuer.sign(issuer.claims(ahead)))).toEqual(good);
  });

  it("compares the start and the end of a token with the service's clock", async () => {
    const start = secondsNow();
    const token = await issuer.sign(issuer.claims({ nbf: start + 1000, exp: start + 2000 }));
    expect(await verify(token)).toMatchObject(refused);
    advance(1_000_000);
    expect(await verify(token)).toEqual(good);
    advance(1_001_000);
    expect(await verify(token)).toMatchObject(refused);
    // The clock is set back, so an old token is valid again.
    advance(-1_000_000 - 1_001_000 - 3_600_000);
    expect(await verify(await issuer.sign(issuer.claims({ exp: start - 3000 })))).toEqual(good);
  });

  it('rejects each bad token', async () => {
    const responses: unknown[] = [];
    for (const [name, make] of badTokens(issuer)) {
      const response = await verify(await make());
      if (response.ok || response.problems[0].code !== 'auth_token_invalid') responses.push([name, response]);
    }
    expect(responses).toEqual([]);
  });

  it('rejects every token if no issuer is configured', async () => {
    expect(await bearerVerifier(null)(await sign())).toMatchObject(refused);
  });
});

const outage = { name: 'ServiceUnavailable' };

const description = '/realms/shop/.well-known/openid-configuration';
const keys = '/realms/shop/keys';

describe('calls of the issuer', () => {
  it('calls the issuer twice for the first token, and not for later tokens', async () => {
    await Promise.all([verify(await sign()), verify(await sign('elliptic'))]);
    await verify(await sign());
    expect(issuer.state.fetched).toEqual([description, keys]);
  });

  it('does not call the issuer for a token that it cannot have signed, and never calls an address in a token', async () => {
    const cannot =
      /^(from|unsigned|that names|no JWT|not JSON|enc)|payload is a list|HS256|PS256|alg NONE|no alg|but alg|critical|logged out/;
    const nonsense = badTokens(issuer).filter(([name]) => cannot.test(name));
    expect(nonsense.length).toBeGreaterThan(15);
    for (const [, make] of nonsense) await verify(await make());
    expect(issuer.state.fetched).toEqual([]);
    for (const [, make] of badTokens(issuer)) await verify(await make());
    expect(new Set(issuer.state.fetched)).toEqual(new Set([description, keys]));
  });

  it('accepts a new key immediately after one read, and the old key until it is withdrawn', async () => {
    await verify(await sign());
    issuer.state.fetched = [];
    await issuer.publish('next', 'ES256');
    const token = await sign('next');
    expect(await Promise.all([verify(token), verify(token), verify(token)])).toEqual([good, good, good]);
    expect(await verify(await sign())).toEqual(good);
    expect(issuer.state.fetched).toEqual([keys]);
    issuer.withdraw('next');
  });

  it('rejects a withdrawn key after at most ten minutes', async () => {
    await issuer.publish('leaked', 'RS256');
    expect(await verify(await sign('leaked'))).toEqual(good);
    issuer.withdraw('leaked');
    expect(await verify(await sign('leaked'))).toEqual(good);
    advance(599_000);
    expect(await verify(await sign('leaked'))).toEqual(good);
    advance(1000);
    expect(await verify(await sign('leaked'))).toMatchObject(refused);
    expect(await verify(await sign())).toEqual(good);
  });

  it('applies a new key under the same id within ten minutes', async () => {
    await issuer.publish('reused', 'RS256');
    const old = await issuer.sign(issuer.claims({ exp: secondsNow() + 3600 }), { kid: 'reused' });
    expect(await verify(old)).toEqual(good);
    issuer.withdraw('reused');
    await issuer.publish('reused', 'RS256');
    advance(600_000);
    expect(await verify(await sign('reused'))).toEqual(good);
    expect(await verify(old)).toMatchObject(refused);
    issuer.withdraw('reused');
  });

  it('reads the keys once in ten seconds for unknown keys, and still accepts known keys', async () => {
    await verify(await sign());
    issuer.state.fetched = [];
    const invent = (kid: string) => issuer.sign(issuer.claims(), { kid }, 'rsa');
    for (let tried = 0; tried < 30; tried++) {
      expect(await verify(await invent(`invented-${tried}`))).toMatchObject(refused);
      expect(await verify(await sign())).toEqual(good);
    }
    expect(issuer.state.fetched).toEqual([keys]);
    // A key published in the meantime is not loaded until the ten seconds are over, even if unknown keys keep coming.
    await issuer.publish('new', 'RS256');
    expect(await verify(await sign('new'))).toMatchObject(refused);
    advance(10_000);
    expect(await verify(await invent('one-more'))).toMatchObject(refused);
    expect(await verify(await sign('new'))).toEqual(good);
    expect(issuer.state.fetched).toEqual([keys, keys]);
    issuer.withdraw('new');
  });

  it('uses the first usable key of a set with unusable keys and duplicate ids', async () => {
    const { published } = issuer.state;
    const first = issuer.getKey('rsa').jwk;
    const second = { ...issuer.getKey('stranger').jwk, kid: 'rsa' };
    const encrypting = { ...issuer.getKey('stranger').jwk, kid: 'rsa', use: 'enc' };
    const nonsense = [
      null,
      7,
      {},
      { kty: 'oct', kid: 'rsa', k: 'AAAA' },
      { kty: 'RSA', kid: 'rsa' },
      { ...first, kid: 1 },
    ];
    issuer.state.published = [...nonsense, encrypting, first, second];
    expect(await fresh()(await sign())).toEqual(good);
    issuer.state.published = [second, first];
    expect(await fresh()(await sign())).toMatchObject(refused);
    // A key published for an algorithm other than the token's.
    issuer.state.published = [{ ...first, alg: 'RS512' }];
    expect(await fresh()(await sign())).toMatchObject(refused);
    // A key shorter than the minimum (RFC 7518, 3.3).
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    issuer.state.published = [{ ...publicKey.export({ format: 'jwk' }), kid: 'rsa', alg: 'RS256' }];
    const unsigned = (await sign()).replace(/\.[^.]*$/, '');
    const short = createSign('RSA-SHA256').update(unsigned).sign(privateKey, 'base64url');
    expect(await fresh()(`${unsigned}.${short}`)).toMatchObject(refused);
    // A key without an algorithm: the token's algorithm applies, if it fits the key.
    const { alg: _, ...forAny } = first;
    issuer.state.published = [forAny];
    expect(await fresh()(await sign())).toEqual(good);
    // An RSA signature is not an elliptic curve signature, even if the token header claims it.
    const misnamed = assembled({ alg: 'ES256', kid: 'rsa' }, issuer.claims()).slice(0, -1);
    const rsa = createSign('RSA-SHA256')
      .update(misnamed)
      .sign(KeyObject.from(issuer.getKey('rsa').privateKey), 'base64url');
    expect(await fresh()(`${misnamed}.${rsa}`)).toMatchObject(refused);
    issuer.state.published = [];
    expect(await fresh()(await sign())).toMatchObject(refused);
    issuer.state.published = published;
  });
});

describe('outages of the issuer', () => {
  const keysAre = (body: string, status = 200) => ({ path: /keys$/, status, body });
  const described = (others: () => object) => () => ({
    path: /openid/,
    status: 200,
    body: JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...others() }),
  });
  it.each<[() => LocalIssuer['state']['broken'], string]>([
    [() => ({ path: /openid-configuration$/ }), 'IssuerStatus500'],
    [() => ({ path: /keys$/ }), 'IssuerStatus500'],
    [() => keysAre('', 404), 'IssuerStatus404'],
    [() => keysAre('', 302), 'TypeError'],
    [() => keysAre('<html>'), 'SyntaxError'],
    [() => keysAre(''), 'SyntaxError'],
    [() => keysAre('null'), 'TypeError'],
    [() => keysAre('{"keys":{}}'), 'IssuerWithoutKeys'],
    [() => keysAre('[]'), 'IssuerWithoutKeys'],
    [() => keysAre('x'.repeat(1024 * 1024 + 1)), 'IssuerTooLarge'],
    [() => ({ path: /openid/, status: 200, body: '{}' }), 'IssuerOther'],
    [described(() => ({ issuer: 'https://issuer.example' })), 'IssuerOther'],
    [described(() => ({ jwks_uri: undefined })), 'IssuerIncomplete'],
    // The same server under a host name that is not recognized as loopback.
    [described(() => ({ jwks_uri: `${issuer.url.replace('127.0.0.1', '0.0.0.0')}/keys` })), 'IssuerUnsafe'],
  ])('reports case %# as an outage, with a metric that has only the cause', async (broken, error) => {
    const before = metricLines().length;
    issuer.state.broken = broken();
    const token = await sign();
    await expect(verify(token)).rejects.toMatchObject(outage);
    expect(metricLines().slice(before)).toEqual([{ _aws: expect.anything(), IssuerUnavailable: 1, error }]);
    // After an unacceptable description, the verifier does not read the keys.
    if (/Other|Incomplete|Unsafe/.test(error)) expect(issuer.state.fetched).toEqual([description]);
    // The issuer is not called again for five seconds.
    const asked = issuer.state.fetched.length;
    issuer.state.broken = null;
    await expect(verify(token)).rejects.toMatchObject(outage);
    expect(issuer.state.fetched).toHaveLength(asked);
    advance(5000);
    expect(await verify(await sign())).toEqual(good);
  });

  it('accepts a key set of 1 MiB', async () => {
    const body = JSON.stringify({ keys: issuer.state.published, x: '' });
    issuer.state.broken = keysAre(body.replace('""', `"${'x'.repeat(1024 * 1024 - body.length)}"`));
    expect(await verify(await sign())).toEqual(good);
  });

  it('accepts tokens with the cached keys for an hour', async () => {
    expect(await verify(await sign())).toEqual(good);
    issuer.state.broken = { path: /./ };
    advance(3_599_000);
    expect(await verify(await sign())).toEqual(good);
    advance(1000);
    await expect(verify(await sign())).rejects.toMatchObject(outage);
    issuer.state.broken = null;
    advance(5000);
    expect(await verify(await sign())).toEqual(good);
  });

  it('calls the issuer once a minute while the cached keys are valid, because each call delays a request', async () => {
    const token = await issuer.sign(issuer.claims({ exp: secondsNow() + 3600 }));
    expect(await verify(token)).toEqual(good);
    issuer.state.broken = { path: /./ };
    advance(600_000);
    issuer.state.fetched = [];
    for (let second = 0; second < 120; second++) {
      expect(await verify(token)).toEqual(good);
      advance(1000);
    }
    expect(issuer.state.fetched).toEqual([description, description]);
    issuer.state.broken = null;
    issuer.state.fetched = [];
    for (let tried = 0; tried < 3; tried++) expect(await verify(token)).toEqual(good);
    expect(issuer.state.fetched).toEqual([description, keys]);
  });

  it("reads the issuer's description once a minute, even if tokens with unknown keys read its keys in between", async () => {
    await verify(await sign());
    issuer.state.broken = { path: /openid-configuration/, status: 500 };
    advance(600_000);
    issuer.state.fetched = [];
    const unknown = assembled({ alg: 'RS256', kid: 'unknown' }, issuer.claims());
    for (let at = 0; at < 5; at++) {
      expect(await verify(await sign())).toEqual(good);
      await verify(unknown).catch(() => {});
      advance(10_000);
    }
    expect(issuer.state.fetched.filter((path) => path === description)).toEqual([description]);
    expect(issuer.state.fetched).toContain(keys);
  });

  it('reports an outage for a token with an unknown key, because the key could be new, and accepts known keys', async () => {
    expect(await verify(await sign())).toEqual(good);
    issuer.state.broken = { path: /keys$/ };
    await expect(verify(await issuer.sign(issuer.claims(), { kid: 'unknown' }, 'rsa'))).rejects.toMatchObject(outage);
    expect(await verify(await sign())).toEqual(good);
    advance(5000);
  });

  it('reports an outage if the issuer uses plain HTTP on another host or its port is closed', async () => {
    const named = (url: string) => ({ ...issuer.configured, issuer: url });
    const signed = (url: string) => issuer.sign(issuer.claims({ iss: url }));
    for (const url of ['http://issuer.example', 'http://127.0.0.1:1', 'no address'])
      await expect(bearerVerifier(named(url))(await signed(url))).rejects.toMatchObject(outage);
  });
});
