import { createSign, generateKeyPairSync, KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bearerVerifier } from '../../shared/api/bearer.ts';
import { badTokens } from '../support/bad-tokens.ts';
import { advance, fresh, good, issuer, refused, sign, verify } from '../support/checked-tokens.ts';
import { assembled, secondsNow } from '../support/issuer.ts';
import { metricLines } from '../support/log-watch.ts';

const outage = { name: 'ServiceUnavailable' };

const description = '/realms/shop/.well-known/openid-configuration';
const keys = '/realms/shop/keys';

describe('the issuer', () => {
  it('is called twice for the first token, and not for later ones', async () => {
    await Promise.all([verify(await sign()), verify(await sign('elliptic'))]);
    await verify(await sign());
    expect(issuer.state.fetched).toEqual([description, keys]);
  });

  it('is not called for tokens that it cannot have signed, nor at an address from a token', async () => {
    const cannot =
      /^(from|unsigned|that names|no JWT|not JSON|enc)|payload is a list|HS256|PS256|alg NONE|no alg|but alg|critical|logged out/;
    const nonsense = badTokens(issuer).filter(([name]) => cannot.test(name));
    expect(nonsense.length).toBeGreaterThan(15);
    for (const [, make] of nonsense) await verify(await make());
    expect(issuer.state.fetched).toEqual([]);
    for (const [, make] of badTokens(issuer)) await verify(await make());
    expect(new Set(issuer.state.fetched)).toEqual(new Set([description, keys]));
  });

  it('may rotate: a new key works at once, read once, and the old one until it is withdrawn', async () => {
    await verify(await sign());
    issuer.state.fetched = [];
    await issuer.publish('next', 'ES256');
    const token = await sign('next');
    expect(await Promise.all([verify(token), verify(token), verify(token)])).toEqual([good, good, good]);
    expect(await verify(await sign())).toEqual(good);
    expect(issuer.state.fetched).toEqual([keys]);
    issuer.withdraw('next');
  });

  it('may withdraw a key: it works for at most ten minutes', async () => {
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

  it('may put another key under an old name: it counts within ten minutes', async () => {
    await issuer.publish('reused', 'RS256');
    const old = await sign('reused');
    expect(await verify(old)).toEqual(good);
    issuer.withdraw('reused');
    await issuer.publish('reused', 'RS256');
    advance(600_000);
    expect(await verify(await sign('reused'))).toEqual(good);
    expect(await verify(await issuer.sign(issuer.claims()))).toMatchObject(refused);
    issuer.withdraw('reused');
  });

  it('is called once in ten seconds for unknown keys, and known keys work meanwhile', async () => {
    await verify(await sign());
    issuer.state.fetched = [];
    const invent = (kid: string) => issuer.sign(issuer.claims(), { kid }, 'rsa');
    for (let tried = 0; tried < 30; tried++) {
      expect(await verify(await invent(`invented-${tried}`))).toMatchObject(refused);
      expect(await verify(await sign())).toEqual(good);
    }
    expect(issuer.state.fetched).toEqual([keys]);
    // A key that is new meanwhile waits for the rest of the ten seconds, even while the stranger goes on.
    await issuer.publish('new', 'RS256');
    expect(await verify(await sign('new'))).toMatchObject(refused);
    advance(10_000);
    expect(await verify(await invent('one-more'))).toMatchObject(refused);
    expect(await verify(await sign('new'))).toEqual(good);
    expect(issuer.state.fetched).toEqual([keys, keys]);
    issuer.withdraw('new');
  });

  it('may publish unusable keys, and two with one name: the first counts', async () => {
    const { published } = issuer.state;
    const first = issuer.keyOf('rsa').jwk;
    const second = { ...issuer.keyOf('stranger').jwk, kid: 'rsa' };
    const encrypting = { ...issuer.keyOf('stranger').jwk, kid: 'rsa', use: 'enc' };
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
    // A key that is published for another algorithm than the token's.
    issuer.state.published = [{ ...first, alg: 'RS512' }];
    expect(await fresh()(await sign())).toMatchObject(refused);
    // A key that is too short to be one (RFC 7518, 3.3).
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
      .sign(KeyObject.from(issuer.keyOf('rsa').privateKey), 'base64url');
    expect(await fresh()(`${misnamed}.${rsa}`)).toMatchObject(refused);
    issuer.state.published = [];
    expect(await fresh()(await sign())).toMatchObject(refused);
    issuer.state.published = published;
  });
});

describe('an unreachable issuer is an outage, not an invalid token', () => {
  // Otherwise it would not be read during the next test.
  const expectRecovery = async () => {
    issuer.state.broken = null;
    advance(5000);
    expect(await fresh()(await sign())).toEqual(good);
  };
  const failures = [
    { path: /openid-configuration$/ },
    { path: /keys$/ },
    { path: /keys$/, status: 404 },
    { path: /keys$/, status: 302 },
    { path: /keys$/, status: 200, body: '<html>' },
    { path: /keys$/, status: 200, body: '' },
    { path: /keys$/, status: 200, body: 'null' },
    { path: /keys$/, status: 200, body: '{"keys":{}}' },
    { path: /keys$/, status: 200, body: '[]' },
    { path: /openid-configuration$/, status: 200, body: '{}' },
    {
      path: /openid-configuration$/,
      status: 200,
      body: '{"issuer":"https://issuer.example","jwks_uri":"https://a.b"}',
    },
  ];
  it.each(failures)('an issuer with %o is an outage', async (broken) => {
    issuer.state.broken = broken;
    const token = await sign();
    await expect(verify(token)).rejects.toMatchObject(outage);
    // For five seconds it is left alone.
    const asked = issuer.state.fetched.length;
    issuer.state.broken = null;
    await expect(verify(token)).rejects.toMatchObject(outage);
    expect(issuer.state.fetched).toHaveLength(asked);
    advance(5000);
    expect(await verify(await sign())).toEqual(good);
  });

  it('an issuer that omits the address of its keys, describes another one or redirects to plain HTTP is an outage', async () => {
    // The same server, under an address that is not loopback by its name.
    const elsewhere = issuer.url.replace('127.0.0.1', '0.0.0.0');
    for (const described of [
      { issuer: issuer.url },
      { issuer: 'https://issuer.example', jwks_uri: `${issuer.url}/keys` },
      { issuer: issuer.url, jwks_uri: `${elsewhere}/keys` },
    ]) {
      issuer.state.broken = { path: /openid/, status: 200, body: JSON.stringify(described) };
      await expect(verify(await sign())).rejects.toMatchObject(outage);
      advance(5000);
    }
    expect(issuer.state.fetched).not.toContain(keys);
  });

  it('accepts tokens for an hour with the last keys', async () => {
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

  it('is called once a minute while the cached keys are valid, because each call delays a request', async () => {
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

  it('no more than 1 MiB of an answer of the issuer is read', async () => {
    const answerOf = (bytes: number) => {
      const body = JSON.stringify({ keys: issuer.state.published, x: '' });
      return { path: /keys$/, status: 200, body: body.replace('""', `"${'x'.repeat(bytes - body.length)}"`) };
    };
    issuer.state.broken = answerOf(1024 * 1024);
    expect(await fresh()(await sign())).toEqual(good);
    issuer.state.broken = answerOf(1024 * 1024 + 1);
    await expect(fresh()(await sign())).rejects.toMatchObject(outage);
    await expectRecovery();
  });

  it.each([
    [{ path: /keys$/, status: 404 }, 'IssuerStatus404'],
    [{ path: /keys$/, status: 302 }, 'TypeError'],
    [{ path: /keys$/, status: 200, body: '<html>' }, 'SyntaxError'],
    [{ path: /keys$/, status: 200, body: '{}' }, 'IssuerWithoutKeys'],
    [{ path: /openid/, status: 200, body: '{"issuer":"https://issuer.example"}' }, 'IssuerOther'],
    [{ path: /keys$/, status: 200, body: 'x'.repeat(1024 * 1024 + 1) }, 'IssuerTooLarge'],
  ])('an outage of the issuer counts a metric with the cause only: %o is %s', async (broken, error) => {
    const before = metricLines().length;
    issuer.state.broken = broken;
    await expect(fresh()(await sign())).rejects.toMatchObject(outage);
    const lines = metricLines().slice(before);
    expect(lines).toEqual([{ _aws: expect.anything(), IssuerUnavailable: 1, error }]);
    await expectRecovery();
  });

  it('a token that names an unknown key, which may be new, is an outage; known keys work', async () => {
    expect(await verify(await sign())).toEqual(good);
    issuer.state.broken = { path: /keys$/ };
    await expect(verify(await issuer.sign(issuer.claims(), { kid: 'unknown' }, 'rsa'))).rejects.toMatchObject(outage);
    expect(await verify(await sign())).toEqual(good);
    advance(5000);
  });

  it('an issuer with plain HTTP on another machine, or with a closed port, is an outage', async () => {
    const named = (url: string) => ({ ...issuer.configured, issuer: url });
    const signed = (url: string) => issuer.sign(issuer.claims({ iss: url }));
    for (const url of ['http://issuer.example', 'http://127.0.0.1:1', 'no address'])
      await expect(bearerVerifier(named(url))(await signed(url))).rejects.toMatchObject(outage);
  });
});
