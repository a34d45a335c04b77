import { verifyAccount } from '../../../shared/cli/ledger/verify-account.ts';
import { now } from '../../../shared/config/clock.ts';
import { newCaller } from '../../support/api.ts';
import { Chance } from './chance.ts';
import { judge } from './judge.ts';
import { Known } from './known.ts';
import { type DocumentedOperation, operations } from './operations.ts';
import { Repetitions } from './repetitions.ts';
import { requestOf, type WireRequest } from './requests.ts';
import { type Refusing, Service, type WireAnswer } from './service.ts';

/** A batch is a new account and a sequence of requests; the same seed gives the same requests. */
export type Batch = { readonly seed: number; readonly batch: number; readonly requests: number };
/** How many answers there were of each operation and status, and of each code. */
export type Counts = { readonly answers: Map<string, number>; readonly codes: Map<string, number> };

const shown = (bytes: Buffer): string => {
  const text = bytes.toString('utf8');
  return JSON.stringify(text.length > 3000 ? `${text.slice(0, 3000)}… (${bytes.length} bytes)` : text);
};

const story = (
  { seed, batch }: Batch,
  at: number,
  request: WireRequest,
  answer: WireAnswer | null,
  found: readonly string[],
) =>
  [
    `BAD_INPUT=${seed}:${batch}:${at} asks only what led to this:`,
    ...found.slice(0, 10).map((problem) => `  - ${problem}`),
    `${request.method} ${request.target.slice(0, 500)}`,
    ...request.headers.map(
      ([name, value]) => `${name}: ${name.toLowerCase() === 'x-api-key' ? '…' : value.slice(0, 300)}`,
    ),
    shown(request.body),
    answer ? `${answer.status} ${answer.text.slice(0, 1500)}` : 'no answer',
  ].join('\n');

const ask = async (service: Service, request: WireRequest): Promise<WireAnswer | Error> => {
  try {
    return await service.send(request);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

// Without a body there is less to get wrong; and the answers of these three are large.
const large = ['get-coverage', 'get-openapi', 'get-docs', 'get-console'];
const weight = ({ body, name }: DocumentedOperation): number => (body ? 4 : large.includes(name) ? 0.1 : 1);

/** The findings of `ledger verify` after the requests. */
const ledgerProblems = async (account: string): Promise<string[]> => {
  const found: string[] = [];
  await verifyAccount({
    account,
    nowMs: now,
    pauseMs: 0,
    onFinding: (finding) => void found.push(`the ledger: ${JSON.stringify(finding)}`),
    onProgress: () => undefined,
  });
  return found;
};

const inherited = () =>
  [Object.prototype, Array.prototype, String.prototype].flatMap((one) => Object.getOwnPropertyNames(one)).join();

const weighted = operations.map((operation) => [weight(operation), operation] as const);

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

/** Ask a batch. Answers everything that was wrong: nothing, where the contract is kept. */
export const runBatch = async (batch: Batch, service: Service, counts: Counts): Promise<string[]> => {
  service.database.clear();
  const { account, key } = await newCaller({ settings: { rate_limit: 1_000_000 } });
  const chance = new Chance(batch.seed * 1_000_003 + batch.batch);
  const [known, repetitions] = [new Known(), new Repetitions()];
  const wrong: string[] = [];
  const before = inherited();
  for (let at = 0; at < batch.requests; at++) {
    const operation = chance.weighted(weighted);
    const request = requestOf(operation, known, key, chance);
    const answer = await ask(service, request);
    if (answer instanceof Error) {
      wrong.push(story(batch, at, request, null, [`it threw ${answer.stack}`]));
      continue;
    }
    const found = [...judge(request, answer), ...repetitions.judge(request, answer)];
    if (answer.text.includes(key)) found.push('it quotes the key');
    if (inherited() !== before) found.push('a prototype was changed');
    if (found.length > 0) wrong.push(story(batch, at, request, answer, found));
    if (answer.status < 300) known.note(answer.body, answer.headers.get('ETag'));
    count(counts.answers, `${operation.name} ${answer.status}`);
    count(counts.codes, (answer.body as Refusing)?.errors?.[0]?.code ?? 'accepted');
  }
  const ledger = await ledgerProblems(account.id);
  if (ledger.length > 0)
    wrong.push(`BAD_INPUT=${batch.seed}:${batch.batch}:${batch.requests}\n${ledger.slice(0, 5).join('\n')}`);
  return wrong;
};

// `BAD_INPUT=7` uses another seed; `BAD_INPUT=7:3:120` repeats the request that a failure names.
const [seed = 1, only, last] = (process.env['BAD_INPUT'] || '1').split(':').map(Number);
const batchSize = 500;
/** More would tell nothing new. */
const wrongMax = 20;

/** The requested batches, from a number to below another. */
export const batchesFrom = (from: number, end: number): readonly Batch[] =>
  Array.from({ length: end - from }, (_, at) => from + at)
    .filter((batch) => only === undefined || batch === only)
    .map((batch) => ({ seed, batch, requests: only === undefined ? batchSize : (last ?? batchSize - 1) + 1 }));

export const requestsIn = (batches: readonly Batch[]): number =>
  batches.reduce((sum, { requests }) => sum + requests, 0);

/**
 * Ask all batches of a service of their own. Answers the story of everything that was wrong, and how often what was
 * answered.
 */
export const askBatches = async (batches: readonly Batch[]): Promise<{ wrong: string[]; answered: number }> => {
  const service = new Service();
  const counts: Counts = { answers: new Map(), codes: new Map() };
  const wrong: string[] = [];
  const stop = service.start();
  try {
    for (const batch of batches) {
      wrong.push(...(await runBatch(batch, service, counts)));
      if (wrong.length > wrongMax) break;
    }
  } finally {
    stop();
  }
  if (process.env['BAD_INPUT_COUNTS'])
    for (const of of [counts.answers, counts.codes])
      console.log(
        [...of]
          .toSorted()
          .map((one) => one.join(' '))
          .join('\n'),
      );
  return { wrong, answered: counts.answers.values().reduce((sum, count) => sum + count, 0) };
};
