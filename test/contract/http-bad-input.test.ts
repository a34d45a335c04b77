import { request as startRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCaller, startApi } from '../support/api.ts';
import { type Batch, type Counts, runBatch } from './http-bad-input/run.ts';
import { Service } from './http-bad-input/service.ts';

const service = new Service();
let stop: () => void;
beforeAll(() => {
  stop = service.start();
});
afterAll(() => stop());

// `BAD_INPUT=7` asks with another seed; `BAD_INPUT=7:3:120` asks only what a failure names.
const [seed = 1, only, last] = (process.env['BAD_INPUT'] || '1').split(':').map(Number);
const [batchCount, batchSize] = [100, 500];
const batches: readonly Batch[] =
  only === undefined
    ? Array.from({ length: batchCount }, (_, batch) => ({ seed, batch, requests: batchSize }))
    : [{ seed, batch: only, requests: (last ?? batchSize - 1) + 1 }];

it(`${batches.length * (batches[0]?.requests ?? 0)} requests that are wrong in all ways are each answered as the document says`, {
  timeout: 600_000,
}, async () => {
  const counts: Counts = new Map();
  const wrong: string[] = [];
  for (const batch of batches) {
    wrong.push(...(await runBatch(batch, service, counts)));
    if (wrong.length > 20) break;
  }
  expect(
    wrong
      .filter((w) => !w.includes('not in the order'))
      .slice(0, 12)
      .join('\n\n'),
  ).toBe('');
  if (process.env['BAD_INPUT_COUNTS'])
    console.log(
      [...counts]
        .toSorted()
        .map((one) => one.join(' '))
        .join('\n'),
    );
});

it('a body may arrive in two parts, wherever it is cut', async () => {
  const [{ url }, { key }] = [await startApi(), await newCaller()];
  const body = { metadata: { 税: 'é👍' }, line_items: [{ quantity: '1', unit_price: 'é' }], 'x/~税': 1 };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', Prefer: 'handling=strict' };
  const pointersOf = async (cut: number): Promise<string[]> => {
    const answer = Promise.withResolvers<string>();
    const outgoing = startRequest(`${url}/calculations`, { method: 'POST', headers }, (incoming) =>
      readText(incoming).then(answer.resolve, answer.reject),
    );
    outgoing.on('error', answer.reject);
    outgoing.write(bytes.subarray(0, cut), () => outgoing.end(bytes.subarray(cut)));
    return JSON.parse(await answer.promise).errors.map(({ source }: any) => source.pointer);
  };
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  const told = await Promise.all(cuts.map(pointersOf));
  expect(new Set(told.map((pointers) => pointers.join(' ')))).toEqual(
    new Set(['/line_items/0/unit_price /x~1~0税 /customer/address']),
  );
});
