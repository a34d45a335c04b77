import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bundle } from '../../infra/bundling.ts';

const credentials = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', token: 'session' };
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Signature version 4 as AWS documents it, step by step; no emulator looks at it. */
const signatureOf = (headers: IncomingHttpHeaders, body: Buffer, signed: string, scope: string): string => {
  const names = signed.split(';');
  const canonicalHeaders = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const request = ['POST', '/', '', canonicalHeaders, signed, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${credentials.secret}`);
  return hmac(key, text).toString('hex');
};

const event = {
  httpMethod: 'GET',
  path: '/transactions/txn_1',
  resource: '/transactions/{id}',
  pathParameters: { id: 'txn_1' },
  headers: { 'X-API-Key': 'any' },
  requestContext: { requestId: 'request_1' },
};
const script = `require(process.argv[1]).handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 9000 })`;

it('a bundle signs its database calls as AWS asks, with the credentials of its environment', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'levy-signature-'));
  bundle('get-transaction', folder);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = spawn(process.execPath, ['-e', script, join(folder, 'index.js')], {
    stdio: 'ignore',
    env: {
      DYNAMODB_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: credentials.id,
      AWS_SECRET_ACCESS_KEY: credentials.secret,
      AWS_SESSION_TOKEN: credentials.token,
    },
  });
  try {
    const [request, response] = await once(server, 'request');
    const body = await buffer(request);
    response.writeHead(400).end('{}');
    const authorization = /Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      request.headers.authorization,
    ) as RegExpExecArray;
    const [, id, scope, signed, signature] = authorization as unknown as [string, string, string, string, string];
    expect([id, scope.slice(9)]).toEqual([credentials.id, 'eu-central-1/dynamodb/aws4_request']);
    expect(request.headers['x-amz-security-token']).toBe(credentials.token);
    expect(signed.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token']));
    expect(body.length).toBeGreaterThan(2);
    expect(signature).toBe(signatureOf(request.headers, body, signed, scope));
  } finally {
    child.kill();
    server.close();
    server.closeAllConnections();
  }
});
