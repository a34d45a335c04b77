// @isolated: replaces the service's database.
import type { IncomingMessage } from 'node:http';
import type { Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { notFound } from '../../infra/gateway-problems.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { matchResource, parseTarget, refusal, toProxyEvent } from '../../infra/local/proxy-event.ts';
import { verifyAccount } from '../../shared/cli/ledger/verify-account.ts';
import { environment } from '../../shared/config/environment.ts';
import { newCaller } from '../support/api.ts';
import { answerFrom, type Command, MemoryDatabase } from '../support/memory-database.ts';
import { createRandom, isLong } from '../support/seeded.ts';
import { answerProblems, type Body, newReplayCheck, type WireAnswer } from './http-bad-input/checks.ts';
import { buildRequest, Known, type Operation, operations, type WireRequest } from './http-bad-input/requests.ts';

const isWrite = ({ constructor: { name }, input }: Command): boolean =>
  /^(Put|Update|Delete|TransactWrite)Command$/.test(name) &&
  JSON.stringify(input).includes(`"${environment.tables.transactions}"`);

const database = new MemoryDatabase();
let writes = 0;
let sent = 0;

/** Calls a function as API Gateway does. Returns the response and the operation for the path and method. */
const send = async ({ method, target: text, headers, body }: WireRequest) => {
  const before = writes;
  const requestId = `req_${++sent}`;
  const target = parseTarget(text);
  const resource = matchResource(method, target.path);
  const socket = { remoteAddress: '127.0.0.1' };
  const message = { method, rawHeaders: headers.flat(), headers: {}, httpVersion: '1.1', socket } as unknown;
  const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => 10_000 } as Context;
  const result = resource
    ? await handlers.endpoints[resource.operation ?? 'method-not-allowed'](
        toProxyEvent({ message: message as IncomingMessage, requestId, target, resource, body }),
        context,
      )
    : refusal(notFound, requestId);
  const answered = new Headers(Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)]));
  const isJson = answered.get('Content-Type')?.startsWith('application/json') === true;
  const answer: WireAnswer = {
    status: result.statusCode,
    headers: answered,
    text: result.body,
    writes: writes - before,
    body: result.body === '' ? null : isJson ? JSON.parse(result.body) : result.body,
    path: resource ? target.path : '/',
  };
  return { answer, operation: operations.find(({ name }) => name === resource?.operation) ?? null };
};

// A request without a body has fewer ways to be invalid, and the last four have large responses.
const weighted = operations.flatMap((operation): Operation[] =>
  Array(operation.body ? 40 : /^get-(coverage|openapi|docs|console)$/.test(operation.name) ? 1 : 10).fill(operation),
);

const inherited = () =>
  [Object.prototype, Array.prototype, String.prototype].flatMap((one) => Object.getOwnPropertyNames(one)).join();

// `BAD_INPUT=7` sets the seed; `BAD_INPUT=7:3:120` repeats the failing request that a message lists.
const [seed = 1, only, last = 499] = (process.env['BAD_INPUT'] || '1').split(':').map(Number);

const shown = ({ method, target, headers, body }: WireRequest): string => {
  const lines = headers.map(([name, value]) => (/^x-api-key$/i.test(name) ? name : `${name}: ${value.slice(0, 300)}`));
  return [`${method} ${target.slice(0, 500)}`, ...lines, JSON.stringify(body.toString().slice(0, 3000))].join('\n');
};

/** Sends the requests of a batch to a new account. Returns a report of each problem and counts the responses by code. */
const runBatch = async (batch: number, codes: Map<string, number>): Promise<string[]> => {
  database.clear();
  const { account, key } = await newCaller({ settings: { rate_limit: 1_000_000 } });
  const random = createRandom(seed, batch);
  const [known, replayProblems] = [new Known(), newReplayCheck()];
  const reports: string[] = [];
  const before = inherited();
  for (let at = 0; at <= last; at++) {
    const request = buildRequest(random.pick(weighted), known, key, random);
    const { answer, operation } = await send(request).catch((error: unknown) => {
      throw new Error(`BAD_INPUT=${seed}:${batch}:${at}\n${shown(request)}`, { cause: error });
    });
    const found = [...answerProblems(request, answer, operation), ...replayProblems(request, answer, operation)];
    if (answer.text.includes(key)) found.push('it quotes the key');
    if (inherited() !== before) found.push('a prototype was changed');
    if (found.length > 0)
      reports.push(
        [`BAD_INPUT=${seed}:${batch}:${at}`, ...found, shown(request), answer.text.slice(0, 1500)].join('\n'),
      );
    if (answer.status < 300) known.note(answer);
    const code = (answer.body as Body)?.errors?.[0]?.code ?? 'accepted';
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  await verifyAccount({
    account: account.id,
    pauseMs: 0,
    onFinding: (finding) => void reports.push(`BAD_INPUT=${seed}:${batch}: the ledger: ${JSON.stringify(finding)}`),
    onProgress: () => undefined,
  });
  return reports;
};

// Runs 2,000 of 12,000; `npm run test:long` runs the rest.
const [first, count] = isLong ? [4, 20] : [0, 4];
const batches = only === undefined ? Array.from({ length: count }, (_, at) => first + at) : [only];

it(`${batches.length * (last + 1)} invalid requests each get a response that the OpenAPI document describes`, {
  timeout: 600_000,
}, async () => {
  const stop = answerFrom(async (command) => {
    const answer = await database.send(command);
    if (isWrite(command)) writes++;
    return answer;
  });
  const codes = new Map<string, number>();
  const reports: string[] = [];
  try {
    for (const batch of batches) if (reports.length < 12) reports.push(...(await runBatch(batch, codes)));
  } finally {
    stop();
  }
  expect(reports.slice(0, 12).join('\n\n')).toBe('');
  // The requests get past the first check.
  if (only === undefined) expect(codes.size).toBeGreaterThan(20);
  if (process.env['BAD_INPUT_COUNTS']) console.log([...codes].sort().join('\n'));
});
