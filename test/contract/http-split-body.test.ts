import { request as startRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { newCaller, startApi } from '../support/api.ts';
import type { Refused } from '../support/http.ts';

it('accepts a body in two parts, cut anywhere', async () => {
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
    return JSON.parse(await answer.promise).errors.map(({ source }: Refused) => source.pointer);
  };
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  const results = await Promise.all(cuts.map(pointersOf));
  expect(new Set(results.map((pointers) => pointers.join(' ')))).toEqual(
    new Set(['/line_items/0/unit_price /x~1~0税 /customer/address']),
  );
});
