import { KeyObject, sign as nodeSign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bearerVerifier } from '../../shared/api/bearer.ts';
import { badTokens } from '../support/bad-tokens.ts';
import { advance, fresh, good, issuer, refused, sign, verify } from '../support/checked-tokens.ts';
import { assembled, secondsNow } from '../support/issuer.ts';

describe('a bearer token', () => {
  it.each(['rsa', 'rsa-384', 'rsa-512', 'elliptic', 'elliptic-384', 'elliptic-512', 'edwards'])(
    'names the account, the subject and the scopes, signed by the key %s',
    async (kid) => expect(await verify(await sign(kid))).toEqual(good),
  );

  it.each([
    ['rsa', 'RS256', 'sha256'],
    ['elliptic', 'ES256', 'sha256'],
    ['elliptic-384', 'ES384', 'sha384'],
    ['edwards', 'EdDSA', null],
  ])('signed by Node itself with the key %s is the same', async (kid, alg, hash) => {
    const signed = assembled({ alg, kid }, issuer.claims()).slice(0, -1);
    const key = KeyObject.from(issuer.keyOf(kid).privateKey as Parameters<typeof KeyObject.from>[0]);
    // RFC 7518, 3.4: both numbers of an ES signature, one after the other.
    const signature = nodeSign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    expect(await verify(`${signed}.${signature.toString('base64url')}`)).toEqual(good);
  });

  it.each([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('may call itself %s', async (typ) => {
    const header = typ === undefined ? {} : { typ };
    expect(await verify(await issuer.sign(issuer.claims(), header))).toEqual(good);
  });

  it.each([
    { aud: 'levy-batch' },
    { aud: ['other', 'levy'] },
    { aud: undefined, client_id: 'levy', token_use: 'access' },
  ])('is for this service with %o', async (named) => {
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
  ])('grants with %o the scopes %o', async (claims, scopes) => {
    expect(await verify(await issuer.sign(issuer.claims(claims)))).toMatchObject({ ok: true, value: { scopes } });
  });

  it.each([
    [['tax:read', 'other'], ['read']],
    ['tax:read tax:write', ['read', 'write']],
    [['tax:write', 7, null], ['write']],
    [{ 'tax:read': true }, []],
    [7, []],
    [['tax:read tax:write'], []],
  ])('has the account and the scopes (%o) in the configured claims', async (permissions, scopes) => {
    const accountClaim = 'https://example.com/levy_account';
    const own = { accountClaim, scopesClaim: 'permissions', scopes: { read: 'tax:read', write: 'tax:write' } };
    const claims = { levy_account: undefined, scope: 'tax:write levy/read', [accountClaim]: 'acc_c', permissions };
    const token = await issuer.sign(issuer.claims(claims));
    expect(await fresh(own)(token)).toEqual({ ok: true, value: { account: 'acc_c', subject: 'shop', scopes } });
    expect(await verify(token)).toMatchObject(refused);
  });

  it('cannot name an account by an inherited property', async () => {
    for (const accountClaim of ['constructor', 'toString', '__proto__'])
      expect(await fresh({ accountClaim })(await sign())).toMatchObject(refused);
  });

  it('may begin 60 s ahead of the clock, and ends without tolerance', async () => {
    const ahead = { nbf: secondsNow() + 55, iat: secondsNow() + 55 };
    expect(await verify(await issuer.sign(issuer.claims(ahead)))).toEqual(good);
  });

  it('begins and ends by the clock of the service', async () => {
    const token = await issuer.sign(issuer.claims({ nbf: secondsNow() + 1000, exp: secondsNow() + 2000 }));
    expect(await verify(token)).toMatchObject(refused);
    advance(1_000_000);
    expect(await verify(token)).toEqual(good);
    advance(1_001_000);
    expect(await verify(token)).toMatchObject(refused);
    // Back before the machine's own time, where a token of long ago is good again.
    advance(-1_000_000 - 1_001_000 - 3_600_000);
    expect(await verify(await issuer.sign(issuer.claims({ exp: secondsNow() - 3000 })))).toEqual(good);
  });

  it('is refused in every other case', async () => {
    const answers: unknown[] = [];
    for (const [name, make] of badTokens(issuer)) {
      const answer = await verify(await make());
      if (answer.ok || answer.problems[0].code !== 'auth_token_invalid') answers.push([name, answer]);
    }
    expect(answers).toEqual([]);
  });

  it('is refused where no issuer is configured', async () => {
    expect(await bearerVerifier(null)(await sign())).toMatchObject(refused);
  });
});
