/**
 * What checks signed tokens, and the library behind it. Only bearer.ts reaches this file, by `import()`: in a bundle it is
 * a file of its own, together with the two that it alone imports, and waits for the first token.
 */
import { decomposeUnverifiedJwt } from 'aws-jwt-verify/jwt';
import { supportedSignatureAlgorithms, verifyJwtSync } from 'aws-jwt-verify/jwt-verifier';
import type { Issuer, Token } from './bearer.ts';
import { tokenOf } from './jwt-claims.ts';
import { type Asked, findKeysUri, readKeys, type SigningKey } from './jwt-keys.ts';

/** Answers what a token says that names this key, or why it is refused; throws where the issuer cannot be asked. */
export type CheckToken = (token: string, keyName: string) => Promise<Token | string>;

/** Why most tokens are refused. */
export const notOurs = 'The token is not one that our issuer has signed for this service.';

const keyTypes: Readonly<Record<string, string>> = { RS: 'RSA', ES: 'EC', Ed: 'OKP' };

type Header = { readonly alg?: unknown; readonly kid?: unknown; readonly typ?: unknown; readonly crit?: unknown };

// RFC 8725, 3.11: an issuer signs other things with the same keys, such as logout tokens.
const isForAccess = (typ: unknown) => typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(String(typ));

/**
 * The name of the key that a token is to be checked with, and `null` for one that can be refused without asking anybody.
 *
 * Keys in the token's own header (`jwk`, `jku`, `x5u`, `x5c`) are never looked at. `crit` demands that every extension
 * that it names is understood (RFC 7515, 4.1.11), and none is.
 */
export const keyNameOf = (token: string, issuer: string): string | null => {
  try {
    const { header, payload } = decomposeUnverifiedJwt(token);
    const { alg, kid, typ, crit }: Header = header;
    const isSupported = (supportedSignatureAlgorithms as readonly unknown[]).includes(alg);
    const isOurs = isSupported && isForAccess(typ) && crit === undefined && payload.iss === issuer;
    return isOurs && typeof kid === 'string' ? kid : null;
  } catch {
    return null;
  }
};

// All that the signature covers; audience and times, by our clock, are for jwt-claims.ts.
const payloadOf = (
  token: string,
  issuer: string,
  { jwk, native }: SigningKey,
): Readonly<Record<string, unknown>> | null => {
  try {
    const options = {
      issuer,
      audience: null,
      graceSeconds: Number.POSITIVE_INFINITY,
      customJwtCheck: ({ header }: { header: Header }) => {
        if (jwk.kty !== keyTypes[String(header.alg).slice(0, 2)]) throw new Error('The key is for another algorithm.');
      },
    };
    return verifyJwtSync(token, jwk, options, () => native);
  } catch {
    // The token is invalid. Node's crypto also throws if the signature does not match the key type.
    return null;
  }
};

/** Read the issuer's keys and make what checks tokens against them. It throws where the issuer cannot be asked. */
export const createCheck = async (configured: Issuer, around: Omit<Asked, 'issuer'>): Promise<CheckToken> => {
  const { issuer } = configured;
  const { now } = around;
  const asked = { issuer, ...around };
  const keyNamed = await readKeys(asked, await findKeysUri(asked));
  return async (token, keyName) => {
    const key = await keyNamed(keyName);
    const payload = key && payloadOf(token, issuer, key);
    return payload ? tokenOf(payload, configured, now()) : notOurs;
  };
};
