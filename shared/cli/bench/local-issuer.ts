import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Issuer } from '../../http/bearer.ts';

const audience = 'bench';
const algorithms = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
} as const;

export type Algorithm = keyof typeof algorithms;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const tokenOf = (algorithm: Algorithm, key: KeyObject, claims: object): string => {
  const text = `${encoded({ alg: algorithm, typ: 'JWT', kid: algorithm })}.${encoded(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

/** An OIDC issuer on this machine, with a token for an account signed in each way. */
export const startLocalIssuer = async (account: string) => {
  const pairs = Object.entries(algorithms).map(([name, make]) => ({ name: name as Algorithm, pair: make() }));
  const keys = pairs.map(({ name, pair }) => ({
    ...pair.publicKey.export({ format: 'jwk' }),
    ...{ kid: name, alg: name, use: 'sig' },
  }));
  const server = createServer(({ url }, response) =>
    response.end(JSON.stringify(url === '/keys' ? { keys } : { issuer, jwks_uri: `${issuer}/keys` })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claims = {
    iss: issuer,
    aud: audience,
    sub: 'bench',
    exp: Math.floor(Date.now() / 1000) + 86_400,
    levy_account: account,
    scope: 'levy/read levy/write',
  };
  const configured: Issuer = {
    issuer,
    audience: [audience],
    accountClaim: 'levy_account',
    scopesClaim: 'scope',
    scopes: { read: 'levy/read', write: 'levy/write' },
  };
  return {
    configured,
    tokens: pairs.map(({ name, pair }) => ({ algorithm: name, token: tokenOf(name, pair.privateKey, claims) })),
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
