import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advanceClock } from '../../shared/config/clock.ts';
import { bearerVerifier, type VerifyToken } from '../../shared/http/bearer.ts';

const audience = 'levy';
let server: Server;
let issuer: string;
let fetched: string[] = [];
let down: RegExp | null = null;
let verify: VerifyToken;
let rsa: CryptoKey;
let elliptic: CryptoKey;

// A real issuer, as far as a verifier can tell: its description and its keys, over HTTP.
beforeAll(async () => {
  const [rsaPair, ellipticPair] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('ES256')]);
  rsa = rsaPair.privateKey;
  elliptic = ellipticPair.privateKey;
  const keys = [
    { ...(await exportJWK(rsaPair.publicKey)), kid: 'rsa', use: 'sig', alg: 'RS256' },
    { ...(await exportJWK(rsaPair.publicKey)), kid: 'rsa-without-alg' },
    { ...(await exportJWK(ellipticPair.publicKey)), kid: 'elliptic', use: 'sig', alg: 'ES256' },
  ];
  server = createServer(({ url = '' }, response) => {
    fetched.push(url);
    response.statusCode = down?.test(url) ? 500 : 200;
    response.end(JSON.stringify(url.endsWith('/keys') ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/shop`;
  verify = bearerVerifier({ issuer, audience });
});
afterAll(() => server.close());

const claims = (): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: 'shop',
  exp: Math.floor(Date.now() / 1000) + 300,
  levy_account: 'acc_a',
  scope: 'openid levy/read levy/write levy/admin',
});
const sign = (payload: JWTPayload, kid = 'rsa', key = rsa, alg = 'RS256') =>
  new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
const without = (claim: string) => {
  const { [claim]: _, ...rest } = claims();
  return rest;
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const withHeader = async (header: unknown, payload: unknown = claims()) =>
  `${encode(header)}.${encode(payload)}.${(await sign(claims())).split('.')[2]}`;

describe('a bearer token', () => {
  it('names the account, the subject and the scopes', async () => {
    expect(await verify(await sign(claims()))).toEqual({
      ok: true,
      value: { account: 'acc_a', subject: 'shop', scopes: ['read', 'write'] },
    });
  });

  it('may be signed with an elliptic curve, be for several audiences and have no scope', async () => {
    const token = await sign({ ...without('scope'), aud: ['other', audience] }, 'elliptic', elliptic, 'ES256');
    expect(await verify(token)).toMatchObject({ ok: true, value: { scopes: [] } });
  });

  it('costs two requests to the issuer, and the next ones none', async () => {
    const fresh = bearerVerifier({ issuer, audience });
    fetched = [];
    await Promise.all([fresh(await sign(claims())), fresh(await sign(claims()))]);
    await fresh(await sign(claims()));
    expect(fetched).toEqual(['/realms/shop/.well-known/openid-configuration', '/realms/shop/keys']);
  });

  const seconds = () => Math.floor(Date.now() / 1000);
  const refused: readonly [string, () => Promise<string>][] = [
    ['expired', () => sign({ ...claims(), exp: seconds() - 1 })],
    ['not valid yet', () => sign({ ...claims(), nbf: seconds() + 60 })],
    ['without an end', () => sign(without('exp'))],
    ['for another audience', () => sign({ ...claims(), aud: 'other' })],
    ['for no audience', () => sign(without('aud'))],
    ['from another issuer', () => sign({ ...claims(), iss: 'https://issuer.example' })],
    ['without an account', () => sign(without('levy_account'))],
    ['with an account that is not text', () => sign({ ...claims(), levy_account: ['acc_a'] })],
    ['without a subject', () => sign(without('sub'))],
    ['tampered with', async () => withHeader({ alg: 'RS256', kid: 'rsa' }, { ...claims(), levy_account: 'acc_b' })],
    ['unsigned (alg none)', async () => `${encode({ alg: 'none', kid: 'rsa' })}.${encode(claims())}.`],
    ['with a signature, but alg none', () => withHeader({ alg: 'none', kid: 'rsa' })],
    ['signed with the public key as a secret (HS256)', () => withHeader({ alg: 'HS256', kid: 'rsa' })],
    ['of an algorithm that does not fit the key', () => withHeader({ alg: 'EdDSA', kid: 'rsa-without-alg' })],
    ['of a key that the issuer does not have', () => sign(claims(), 'unknown')],
    ['signed by another key under a known name', () => sign(claims(), 'rsa', elliptic, 'ES256')],
    ['no JWT', async () => 'levy_abc'],
    ['not JSON', async () => 'a.b.c'],
  ];
  it.each(refused)('is refused: %s', async (_case, token) => {
    expect(await verify(await token())).toMatchObject({ ok: false, problems: [{ code: 'auth_token_invalid' }] });
  });

  it('ends by the clock of the service, which can be ahead', async () => {
    advanceClock(301_000);
    const answer = await verify(await sign(claims()));
    advanceClock(-301_000);
    expect(answer).toMatchObject({ ok: false });
  });

  it('of unknown keys makes the issuer read once in ten seconds only', async () => {
    const fresh = bearerVerifier({ issuer, audience });
    fetched = [];
    for (const kid of ['one', 'two', 'three']) await fresh(await sign(claims(), kid));
    expect(fetched).toHaveLength(2);
    // A known key still works meanwhile.
    expect(await fresh(await sign(claims()))).toMatchObject({ ok: true });
  });

  it('is refused where none is configured', async () => {
    expect(await bearerVerifier(null)(await sign(claims()))).toMatchObject({ ok: false });
  });
});

describe('an issuer that', () => {
  it.each([/openid-configuration$/, /keys$/])('does not answer (%s) is an outage, and is asked again', async (path) => {
    const fresh = bearerVerifier({ issuer, audience });
    down = path;
    await expect(fresh(await sign(claims()))).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    down = null;
    expect(await fresh(await sign(claims()))).toMatchObject({ ok: true });
  });

  it('is spoken to in plain HTTP on another machine is not trusted', async () => {
    const plain = bearerVerifier({ issuer: 'http://issuer.example', audience });
    await expect(plain(await sign(claims()))).rejects.toMatchObject({ name: 'ServiceUnavailable' });
  });

  it('describes another one is not trusted', async () => {
    const other = bearerVerifier({ issuer: issuer.replace('127.0.0.1', 'localhost'), audience });
    await expect(other(await sign(claims()))).rejects.toMatchObject({ name: 'ServiceUnavailable' });
  });
});
