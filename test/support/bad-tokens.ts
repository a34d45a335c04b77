import { createHmac } from 'node:crypto';
import { CompactSign, exportSPKI, importJWK, SignJWT } from 'jose';
import { assembled, type LocalIssuer, secondsNow } from './issuer.ts';

// Characters listed independently of the service: they cannot be stored, or a terminal or editor does not show them.
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

const rs256 = { alg: 'RS256', kid: 'rsa' } as const;

type Make = () => Promise<string>;

/** Claims that a trusted issuer can sign but the service must refuse. `undefined` claims are omitted. */
const badClaims = (issuer: string): Readonly<Record<string, Record<string, unknown>>> => ({
  expired: { exp: secondsNow() - 1 },
  'expired in this second': { exp: secondsNow() },
  'without an end': { exp: undefined },
  'not valid yet': { nbf: secondsNow() + 70 },
  'issued in the future': { iat: secondsNow() + 70 },
  'whose nbf is no number': { nbf: 'soon' },
  'whose exp is no number': { exp: 'never' },
  'for another audience': { aud: 'other' },
  'for an audience that begins like ours': { aud: 'levy-' },
  'for no audience': { aud: undefined },
  'for an empty list of audiences': { aud: [], token_use: 'access', client_id: 'levy' },
  'of Cognito for another client': { aud: undefined, token_use: 'access', client_id: 'other' },
  'of Cognito, of our client but for identity': { aud: undefined, token_use: 'id', client_id: 'levy' },
  'of our client, and not of Cognito': { aud: undefined, client_id: 'levy' },
  'of Cognito for another audience and our client': { aud: 'other', token_use: 'access', client_id: 'levy' },
  'from another issuer': { iss: 'https://issuer.example' },
  'from an issuer that begins like ours': { iss: `${issuer}/` },
  'from nobody': { iss: undefined },
  'without an account': { levy_account: undefined },
  'with an empty account': { levy_account: '' },
  'with an account that is a list': { levy_account: ['acc_a'] },
  'with an account that is a number': { levy_account: 1 },
  'with an account of 65 characters': { levy_account: 'a'.repeat(65) },
  'with a subject of 256 characters': { sub: 's'.repeat(256) },
  'with a subject that is a list': { sub: ['shop'] },
  'without a subject': { sub: undefined },
  'with an empty subject': { sub: '' },
  ...Object.fromEntries(
    unwritable.flatMap(([name, text]) => [
      [`with an account with ${name}`, { levy_account: text }],
      [`with a subject with ${name}`, { sub: text }],
    ]),
  ),
});

const publicPem = async ({ getKey }: LocalIssuer) =>
  exportSPKI((await importJWK(getKey('rsa').jwk, 'RS256', { extractable: true })) as Parameters<typeof exportSPKI>[0]);
const keyedHash = (secret: string, payload: unknown) => {
  const unsigned = assembled({ alg: 'HS256', kid: 'rsa' }, payload).slice(0, -1);
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
};
const changed = (character: string) => (character === 'A' ? 'B' : 'A');

/** Invalid tokens that a trusted issuer, or an attacker with its public keys, can create. */
export const badTokens = (issuer: LocalIssuer): readonly (readonly [string, Make])[] => {
  const { sign, claims, getKey } = issuer;
  const signature = async () => (await sign()).split('.')[2] ?? '';
  const signText = (text: string) =>
    new CompactSign(Buffer.from(text)).setProtectedHeader(rs256).sign(getKey('rsa').privateKey);
  const withHeader = async (header: unknown, payload: unknown = claims()) =>
    assembled(header, payload, await signature());
  // Signed with the attacker's key, which is embedded in the token.
  const byStranger = (header: Record<string, unknown>) =>
    new SignJWT(claims()).setProtectedHeader({ ...rs256, ...header }).sign(getKey('stranger').privateKey);
  return [
    ...Object.entries(badClaims(issuer.url)).map(([name, bad]) => [name, () => sign(claims(bad))] as const),
    ['that ends at infinity', () => signText(JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999'))],
    ['whose account was exchanged', () => withHeader(rs256, claims({ levy_account: 'acc_b' }))],
    ['whose signature was changed', async () => (await sign()).replace(/(?<=\.[^.]{8})[^.](?=[^.]*$)/, changed)],
    ['whose signature was cut', async () => (await sign()).slice(0, -4)],
    ['unsigned (alg none)', async () => assembled({ alg: 'none', kid: 'rsa' }, claims())],
    ['with a signature, but alg none', () => withHeader({ alg: 'none', kid: 'rsa' })],
    ['with a signature, but alg NONE', () => withHeader({ alg: 'NONE', kid: 'rsa' })],
    ['with a signature, but no alg', () => withHeader({ kid: 'rsa' })],
    ['signed with the public key as a secret (HS256)', async () => keyedHash(await publicPem(issuer), claims())],
    ['signed with the modulus as a secret (HS256)', async () => keyedHash(String(getKey('rsa').jwk.n), claims())],
    ['of an algorithm that does not fit the key', () => withHeader({ alg: 'EdDSA', kid: 'rsa' })],
    ['of an algorithm that the library has not (PS256)', () => withHeader({ alg: 'PS256', kid: 'rsa' })],
    ['of a key that the issuer does not have', () => sign(claims(), { kid: 'unknown' }, 'rsa')],
    ['that names no key', () => sign(claims(), { kid: undefined as unknown as string }, 'rsa')],
    ['that names a key by a number', () => withHeader({ alg: 'RS256', kid: 1 })],
    ['signed by another key under this name', () => sign(claims(), { kid: 'rsa', alg: 'ES256' }, 'elliptic')],
    ["signed by a stranger's key", () => byStranger({})],
    ['with its key in the header (jwk)', () => byStranger({ jwk: getKey('stranger').jwk })],
    ['with the address of its key in the header (jku)', () => byStranger({ jku: `${issuer.url}/strangers` })],
    ['with the address of its certificate in the header (x5u)', () => byStranger({ x5u: `${issuer.url}/strangers` })],
    ['with its certificate in the header (x5c)', () => byStranger({ x5c: ['AAAA'] })],
    ['with an extension that it calls critical', () => withHeader({ ...rs256, crit: ['exp'], exp: 1 })],
    [
      'that is signed, and calls an extension critical',
      () => {
        const signed = new SignJWT(claims()).setProtectedHeader({ ...rs256, crit: ['levy'], levy: 1 });
        return signed.sign(getKey('rsa').privateKey, { crit: { levy: true } });
      },
    ],
    ['that says who logged out', () => sign(claims(), { typ: 'logout+jwt' })],
    ['no JWT', async () => 'levy_abc'],
    ['not JSON', async () => 'a.b.c'],
    ['encrypted (five parts)', async () => `${await sign()}.a.b`],
    ['whose payload is a list', async () => assembled(rs256, [], await signature())],
  ];
};
