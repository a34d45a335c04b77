import { describe, expect, it } from 'vitest';
import { foreignIds, strayPaths } from '../support/foreign-ids.ts';
import { type Answer, type Request, send } from '../support/http.ts';
import { bytesOf, two, url } from '../support/isolation.ts';
import { refusalOf, sale } from '../support/sales.ts';
import { seeded } from '../support/seeded.ts';
import type { RequestArgs } from '../support/two-accounts.ts';

const as = (headers: Request['headers'], [method, path, request = {}]: RequestArgs): Promise<Answer> =>
  send(url, method, path, { ...request, headers: { ...request.headers, ...headers } });
const asStranger = (asked: RequestArgs) => as({ 'X-API-Key': two.stranger.key }, asked);

const transactionWays: readonly ((id: string) => RequestArgs)[] = [
  (id) => ['GET', `/transactions/${id}`],
  (id) => ['GET', `/transactions/${id}?expand=history`],
  (id) => ['GET', `/transactions/${id}/history`],
  (id) => ['POST', `/transactions/${id}`, { body: { metadata: { by: 'stranger' } } }],
  (id) => ['POST', `/transactions/${id}`, { body: { status: 'void' } }],
  (id) => ['POST', `/transactions/${id}/replay`],
];
const filingWays: readonly ((id: string) => RequestArgs)[] = [
  (id) => ['GET', `/filings/${id}`],
  (id) => ['GET', `/filings/${id}?expand=entries`, { headers: { Accept: 'text/csv' } }],
  (id) => ['POST', `/filings/${id}`, { body: { status: 'canceled' } }],
];
const customerWays: readonly ((id: string) => RequestArgs)[] = [
  (id) => ['GET', `/customers/${id}`],
  (id) => ['POST', `/customers/${id}`, { body: { name: 'stranger' } }],
];
/** The ones that carry an id elsewhere than in the path. */
const otherWays: readonly (readonly [(id: string) => RequestArgs, string])[] = [
  [
    (id) => ['POST', '/calculations', { body: { type: 'credit', parent_transaction_id: id } }],
    '422 | validation_parent_not_found /parent_transaction_id',
  ],
  [
    (id) => ['POST', '/transactions', { body: { type: 'credit', status: 'finalized', parent_transaction_id: id } }],
    '422 | validation_parent_not_found /parent_transaction_id',
  ],
  [
    (id) => ['GET', `/transactions?starting_after=${encodeURIComponent(id)}`],
    '422 | validation_invalid_cursor starting_after',
  ],
  [
    (id) => ['GET', `/filings?starting_after=${encodeURIComponent(id)}`],
    '422 | validation_invalid_cursor starting_after',
  ],
];

const ownersIds = () => {
  const { sale: sold, credit, voided, draft, filing, earlier } = two.owner;
  return { transactions: [sold, credit, voided, draft], filings: [filing, earlier] };
};
const accounts = () => [two.owner.account.id, two.stranger.account.id];
const nobodys = (collection: string) => `${collection === 'filings' ? 'fil' : 'txn'}_01KAAAAAAAAAAAAAAAAAAAAAAA`;

/** Ask for each, eight at a time; answers what was not expected. */
const unexpected = async <Each>(all: readonly Each[], isExpected: (one: Each) => Promise<boolean>): Promise<Each[]> => {
  const others: Each[] = [];
  const waiting = all.values();
  const next = async () => {
    for (const one of waiting) if (!(await isExpected(one))) others.push(one);
  };
  await Promise.all(Array.from({ length: 8 }, next));
  return others;
};
const textOf = (answer: Answer) => JSON.stringify(bytesOf(answer));

describe.each([
  { collection: 'transactions', ways: transactionWays, count: 3500, seed: 1 },
  { collection: 'filings', ways: filingWays, count: 1500, seed: 2 },
  { collection: 'customers', ways: customerWays, count: 1000, seed: 4 },
] as const)('$count different ids made from those of another account', ({ collection, ways, count, seed }) => {
  it(`are the same 404, to the byte, in every path of /${collection}`, { timeout: 180_000 }, async () => {
    const references = await Promise.all(ways.map(async (way) => textOf(await asStranger(way(nobodys(collection))))));
    for (const text of references) expect(text).toMatch(/^\{"status":404,.*not_found/);
    const owned = [...ownersIds().transactions, ...ownersIds().filings, two.owner.customer];
    const ids = foreignIds(owned, accounts(), count, seeded(seed));
    expect(new Set(ids).size).toBe(count);
    const asked = ids.map((id, index) => ({ id, way: Math.floor(index / 30) % ways.length }));
    const others = await unexpected(asked, async ({ id, way }) => {
      const answer = await asStranger((ways[way] as (id: string) => RequestArgs)(encodeURIComponent(id)));
      return textOf(answer) === references[way];
    });
    expect(others).toEqual([]);
  });
});

it('return the same refusal, to the byte, as a parent and as a cursor', async () => {
  const references = await Promise.all(otherWays.map(([way]) => asStranger(way(nobodys('transactions')))));
  expect(references.map(refusalOf)).toEqual(otherWays.map(([, expected]) => expected));
  const texts = references.map(textOf);
  const all = foreignIds([...ownersIds().transactions, ...ownersIds().filings], accounts(), 2000, seeded(3));
  // Others are refused for their shape, before anything is looked up.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const ids = all.filter((id) => id.length <= 64 && !/[\u0000-\u001f\u007f]/.test(id)).slice(0, 500);
  expect(ids).toHaveLength(500);
  const asked = ids.flatMap((id, index) => ({ id, way: index % otherWays.length }));
  const others = await unexpected(asked, async ({ id, way }) => {
    const [ask] = otherWays[way] as (typeof otherWays)[number];
    return textOf(await asStranger(ask(id))) === texts[way];
  });
  expect(others).toEqual([]);
});

it('malformed paths to an id return the same 404 as an id that does not exist', async () => {
  const answers: [string, string][] = [];
  for (const [collection, ids] of Object.entries(ownersIds())) {
    for (const id of ids) {
      const nobody = nobodys(collection);
      for (const [index, path] of strayPaths(collection, id).entries()) {
        const foreign = await asStranger(['GET', path]);
        const absent = await asStranger(['GET', strayPaths(collection, nobody)[index] as string]);
        if (refusalOf(foreign) !== '404 | not_found' || textOf(foreign) !== textOf(absent))
          answers.push([path, foreign.text.slice(0, 200)]);
      }
    }
  }
  expect(answers).toEqual([]);
});

it('each of these requests succeeds with the own id', async () => {
  const own = { 'X-API-Key': two.stranger.key };
  const sold = (await two.stranger.call('POST', '/transactions', { body: sale() })).body.id;
  for (const way of transactionWays) expect((await as(own, way(sold))).status).toBe(200);
  for (const way of customerWays) expect((await as(own, way(two.stranger.customer))).status).toBe(200);
  for (const way of filingWays) expect([200, 202]).toContain((await as(own, way(two.stranger.filing))).status);
  const parent = (await two.stranger.call('POST', '/transactions', { body: sale({ status: 'finalized' }) })).body.id;
  const ids = [parent, parent, parent, two.stranger.filing];
  const statuses: number[] = [];
  for (const [index, [way]] of otherWays.entries()) statuses.push((await as(own, way(ids[index] as string))).status);
  expect(statuses).toEqual([200, 201, 200, 200]);
});
