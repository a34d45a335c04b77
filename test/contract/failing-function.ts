import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Answer } from '../support/http.ts';

const call = promisify(execFile);

const event = {
  httpMethod: 'GET',
  resource: '/product-attributes',
  path: '/product-attributes',
  requestContext: { requestId: 'request_1' },
  multiValueHeaders: { 'X-API-Key': ['unknown'] },
  multiValueQueryStringParameters: null,
  body: null,
};

const script = `
  const { handler } = await import(${JSON.stringify(new URL('../../functions/list-product-attributes.ts', import.meta.url).href)});
  const context = { getRemainingTimeInMillis: () => 10_000 };
  console.log(JSON.stringify(await handler(${JSON.stringify(event)}, context)));
`;

/**
 * Runs a function with an invalid environment, such as a wrong database address, and returns its response. Uses a
 * separate process because a function reads its environment once.
 */
export const answerWith = async (environment: Readonly<Record<string, string>>): Promise<Answer> => {
  const { stdout } = await call(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
  // The metrics collected so far are printed before the response.
  const { statusCode, headers, body } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return { status: statusCode, headers: new Headers(headers), text: body, body: JSON.parse(body) };
};
