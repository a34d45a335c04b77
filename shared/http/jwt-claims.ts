import type { Issuer, Token } from './bearer.ts';
import type { Scope } from './exchange.ts';

type Payload = Readonly<Record<string, unknown>>;

// A token is used the moment that it is made, by an issuer whose clock may be ahead of ours. Its end has no such excuse.
const skewSeconds = 60;

const isText = (value: unknown, length: number): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= length;

// Cognito's access tokens name the client alone (`client_id`), its identity tokens the audience. Any other token has one.
const isForUs = ({ aud, token_use, client_id }: Payload, audience: readonly string[]): boolean => {
  const named = aud !== undefined ? [aud].flat() : token_use === 'access' ? [client_id] : [];
  return named.some((name) => audience.includes(name as string));
};

const scopeNames = (value: unknown): readonly unknown[] =>
  typeof value === 'string' ? value.split(' ') : [value].flat();

const allScopes = ['read', 'write'] as const satisfies readonly Scope[];

/**
 * Read the claims of a token with a valid signature, or the reason for refusing it; `nowMs` is the service's time.
 *
 * `exp` and `sub` are required, because a token without expiry could not be revoked. The clock skew allowed is 60 s for
 * `nbf` and `iat`, and none for `exp`. Unknown scopes, and scopes that are not strings, grant nothing.
 */
export const tokenOf = (payload: Payload, configured: Issuer, nowMs: number): Token | string => {
  const { audience, accountClaim, scopesClaim, scopes } = configured;
  const { exp, nbf, iat, sub, [accountClaim]: account, [scopesClaim]: granted } = payload;
  if (!isForUs(payload, audience)) return 'The token is for another audience.';
  if (!isText(sub, 255) || !isText(account, 64) || typeof exp !== 'number')
    return `The token must carry the claims exp, sub and ${accountClaim} (the account it is for).`;
  if (exp * 1000 <= nowMs) return 'The token has expired. Ask its issuer for a new one.';
  const isAhead = [nbf, iat].some((time) => typeof time === 'number' && (time - skewSeconds) * 1000 > nowMs);
  if (isAhead) return 'The token is from the future: it is not valid yet.';
  const names = scopeNames(granted);
  return { account, subject: sub, scopes: allScopes.filter((scope) => names.includes(scopes[scope])) };
};
