import { createHmac } from 'node:crypto';
import { CompactSign, exportSPKI, importJWK, SignJWT } from 'jose';
import { assembled, type LocalIssuer, secondsNow } from './issuer.ts';

// By hand: what cannot be stored, and what a terminal or an editor does not show as it is.
const unwritable = [
  ['a lone surrogate', 'acc_a\ud800'],
  ['half a pair', '\udc4d\ud83d'],
  ['a NUL', 'acc_a\0'],
  ['a new line', 'acc_a\nkey_1'],
  ['an escape', '\u001b[2Kacc_a'],
  ['a C1 control character', 'acc_a\u0085'],
  ['a change of direction', 'acc_a\u202e'],
  ['a line separator', 'acc_a\u2028'],
] as const;

type Make = () => Promise<string>;

const publicPem = async ({ keyOf }: LocalIssuer) =>
  exportSPKI((await importJWK(keyOf('rsa').jwk, 'RS256', { extractable: true })) as Parameters<typeof exportSPKI>[0]);
const keyedHash = (secret: string, header: unknown, payload: unknown) => {
  const unsigned = assembled(header, payload).slice(0, -1);
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
};
const flipped = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

/** Every way in which a token can be bad that a good issuer, or a stranger with its public keys, can make. */
export const badTokens = (issuer: LocalIssuer): readonly (readonly [string, Make])[] => {
  const { sign, claims, keyOf } = issuer;
  const signature = async () => (await sign()).split('.')[2] ?? '';
  const signText = (text: string) =>
    new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'RS256', kid: 'rsa' }).sign(keyOf('rsa').privateKey);
  const withHeader = async (header: unknown, payload: unknown = claims()) =>
    assembled(header, payload, await signature());
  // Signed with a key of their own, which the token brings along.
  const byStranger = async (header: Record<string, unknown>) => {
    const { privateKey, jwk } = keyOf('stranger');
    return new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: 'rsa', ...(header['jwk'] === true ? { jwk } : header) })
      .sign(privateKey);
  };
  return [
    ['expired', () => sign(claims({ exp: secondsNow() - 1 }))],
    ['expired in this second', () => sign(claims({ exp: secondsNow() }))],
    ['without an end', () => sign(claims({ exp: undefined }))],
    ['that ends at infinity', () => signText(JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999'))],
    ['not valid yet', () => sign(claims({ nbf: secondsNow() + 70 }))],
    ['issued in the future', () => sign(claims({ iat: secondsNow() + 70 }))],
    ['whose nbf is no number', () => sign(claims({ nbf: 'soon' as unknown as number }))],
    ['whose exp is no number', () => sign(claims({ exp: 'never' as unknown as number }))],
    ['for another audience', () => sign(claims({ aud: 'other' }))],
    ['for an audience that begins like ours', () => sign(claims({ aud: 'levy-' }))],
    ['for no audience', () => sign(claims({ aud: undefined }))],
    ['for an empty list of audiences', () => sign(claims({ aud: [], token_use: 'access', client_id: 'levy' }))],
    ['of Cognito for another client', () => sign(claims({ aud: undefined, token_use: 'access', client_id: 'other' }))],
    [
      'of Cognito, of our client but for identity',
      () => sign(claims({ aud: undefined, token_use: 'id', client_id: 'levy' })),
    ],
    ['of our client, and not of Cognito', () => sign(claims({ aud: undefined, client_id: 'levy' }))],
    [
      'of Cognito for another audience and our client',
      () => sign(claims({ aud: 'other', token_use: 'access', client_id: 'levy' })),
    ],
    ['from another issuer', () => sign(claims({ iss: 'https://issuer.example' }))],
    ['from an issuer that begins like ours', () => sign(claims({ iss: `${issuer.url}/` }))],
    ['from nobody', () => sign(claims({ iss: undefined }))],
    ['without an account', () => sign(claims({ levy_account: undefined }))],
    ['with an empty account', () => sign(claims({ levy_account: '' }))],
    ['with an account that is a list', () => sign(claims({ levy_account: ['acc_a'] }))],
    ['with an account that is a number', () => sign(claims({ levy_account: 1 }))],
    ['with an account of 65 characters', () => sign(claims({ levy_account: 'a'.repeat(65) }))],
    ...unwritable.flatMap(([name, text]): (readonly [string, Make])[] => [
      [`with an account with ${name}`, () => sign(claims({ levy_account: text }))],
      [`with a subject with ${name}`, () => sign(claims({ sub: text }))],
    ]),
    ['with a subject of 256 characters', () => sign(claims({ sub: 's'.repeat(256) }))],
    ['with a subject that is a list', () => sign(claims({ sub: ['shop'] as unknown as string }))],
    ['without a subject', () => sign(claims({ sub: undefined }))],
    ['with an empty subject', () => sign(claims({ sub: '' }))],
    ['whose account was exchanged', () => withHeader({ alg: 'RS256', kid: 'rsa' }, claims({ levy_account: 'acc_b' }))],
    [
      'whose signature was changed',
      async () => {
        const token = await sign();
        return flipped(token, token.lastIndexOf('.') + 9);
      },
    ],
    ['whose signature was cut', async () => (await sign()).slice(0, -4)],
    ['unsigned (alg none)', async () => assembled({ alg: 'none', kid: 'rsa' }, claims())],
    ['with a signature, but alg none', () => withHeader({ alg: 'none', kid: 'rsa' })],
    ['with a signature, but alg NONE', () => withHeader({ alg: 'NONE', kid: 'rsa' })],
    ['with a signature, but no alg', () => withHeader({ kid: 'rsa' })],
    [
      'signed with the public key as a secret (HS256)',
      async () => keyedHash(await publicPem(issuer), { alg: 'HS256', kid: 'rsa' }, claims()),
    ],
    [
      'signed with the modulus as a secret (HS256)',
      async () => keyedHash(String(keyOf('rsa').jwk.n), { alg: 'HS256', kid: 'rsa' }, claims()),
    ],
    ['of an algorithm that does not fit the key', () => withHeader({ alg: 'EdDSA', kid: 'rsa' })],
    ['of an algorithm that the library has not (PS256)', () => withHeader({ alg: 'PS256', kid: 'rsa' })],
    ['of a key that the issuer does not have', () => sign(claims(), { kid: 'unknown' }, 'rsa')],
    ['that names no key', () => sign(claims(), { kid: undefined as unknown as string }, 'rsa')],
    ['that names a key by a number', () => withHeader({ alg: 'RS256', kid: 1 })],
    [
      'signed by another key of the issuer under this name',
      () => sign(claims(), { kid: 'rsa', alg: 'ES256' }, 'elliptic'),
    ],
    ["signed by a stranger's key", () => byStranger({})],
    ['with its key in the header (jwk)', () => byStranger({ jwk: true })],
    ['with the address of its key in the header (jku)', () => byStranger({ jku: `${issuer.url}/strangers` })],
    ['with the address of its certificate in the header (x5u)', () => byStranger({ x5u: `${issuer.url}/strangers` })],
    ['with its certificate in the header (x5c)', () => byStranger({ x5c: ['AAAA'] })],
    ['with an extension that it calls critical', () => withHeader({ alg: 'RS256', kid: 'rsa', crit: ['exp'], exp: 1 })],
    [
      'that is signed, and calls an extension critical',
      async () => {
        const { privateKey } = keyOf('rsa');
        return new SignJWT(claims())
          .setProtectedHeader({ alg: 'RS256', kid: 'rsa', crit: ['levy'], levy: 1 })
          .sign(privateKey, { crit: { levy: true } });
      },
    ],
    ['that says who logged out', () => sign(claims(), { typ: 'logout+jwt' })],
    ['no JWT', async () => 'levy_abc'],
    ['not JSON', async () => 'a.b.c'],
    ['encrypted (five parts)', async () => `${await sign()}.a.b`],
    ['whose payload is a list', async () => assembled({ alg: 'RS256', kid: 'rsa' }, [], await signature())],
  ];
};
