import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen } from '../support/http.ts';

/**
 * An issuer over HTTP on loopback, with its token endpoint at another origin, that signs everybody in by authorization code with PKCE (RFC 7636),
 * as `claims` says.
 */
export const startSignInIssuer = async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  /** The code challenges by code. */
  const challenges = new Map<string, string | null>();
  const state = { claims: {} as Record<string, unknown>, exchanges: [] as URLSearchParams[] };

  const authorize = (query: URLSearchParams): string => {
    const code = crypto.randomUUID();
    challenges.set(code, query.get('code_challenge'));
    return `${query.get('redirect_uri')}?${new URLSearchParams({ code, state: query.get('state') ?? '' })}`;
  };
  /** A code works once, and only for whoever has the verifier. */
  const exchange = async (body: URLSearchParams, issuer: string): Promise<object | null> => {
    state.exchanges.push(body);
    const code = body.get('code') ?? '';
    const digest = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = challenges.get(code) === digest;
    challenges.delete(code);
    if (!isGood) return null;
    const token = new SignJWT({ sub: 'person', aud: 'levy', ...state.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setExpirationTime('5m');
    return { access_token: await token.sign(privateKey), token_type: 'Bearer' };
  };
  const tokens = await listen(
    createServer(async (request, response) => {
      const token = await exchange(new URLSearchParams(await text(request)), url);
      response.writeHead(token ? 200 : 400, { 'Access-Control-Allow-Origin': '*' });
      response.end(JSON.stringify(token ?? { error: 'invalid_grant' }));
    }),
  );
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (pathname === '/authorize') return response.writeHead(302, { Location: authorize(searchParams) }).end();
    if (pathname === '/keys') return response.end(JSON.stringify({ keys: [jwk] }));
    const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${tokens.url}/token` };
    return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, ...endpoints }));
  });
  const { url, close } = await listen(server);
  return { url, tokenUrl: tokens.url, state, close: () => Promise.all([close(), tokens.close()]) };
};
