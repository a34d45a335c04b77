import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { environment } from '../../shared/config/environment.ts';
import type { Replay } from '../../shared/ledger/response.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { database } from '../../shared/store/client/client.ts';
import { headKey } from '../../shared/store/keys.ts';
import { transactionFrom, transactionItem } from '../../shared/store/ledger/transaction-item.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { isLong } from '../support/mode.ts';
import {
  type Client,
  connectClient,
  creditOf,
  dayMs,
  goods,
  later,
  made,
  michigan,
  sale,
  sold,
} from '../support/sales.ts';
import { onlyShipping } from '../support/shipping.ts';

const replay = (client: Client, id: string) => client.call('POST', `/transactions/${id}/replay`);
const replayed = (client: Client, id: string) => made(replay(client, id));

const TableName = environment.tables.transactions;
const getKey = ({ account }: Caller, id: string) => headKey(account.id, id);
const readItem = async (caller: Caller, id: string) =>
  (await database.send(new GetCommand({ TableName, Key: getKey(caller, id), ConsistentRead: true }))).Item;

/** Writes a transaction directly to the table, as an attacker would. */
const tamper = async (caller: Caller, id: string, change: (stored: StoredTransaction) => StoredTransaction) => {
  const stored = transactionFrom(await readItem(caller, id));
  await database.send(new PutCommand({ TableName, Item: transactionItem(caller.account.id, change(stored)) }));
};

const setAt = <Value extends object>(value: Value, path: readonly string[], leaf: unknown): Value => {
  const copy = structuredClone(value);
  const parent = path.slice(0, -1).reduce<object>((inner, name) => Reflect.get(inner, name), copy);
  Reflect.set(parent, path.at(-1) ?? '', leaf);
  return copy;
};

// The same sequence in every run, so a failure can be reproduced.
const createRandom = (seed: number) => {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    upTo: (most: number) => Math.floor(next() * (most + 1)),
    chance: (share: number) => next() < share,
    of: <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)] as Value,
  };
};
type Random = ReturnType<typeof createRandom>;

const addresses = [
  michigan,
  { city: 'Pittsburgh', state: 'PA', postal_code: '15201' },
  { city: 'Philadelphia', state: 'PA', postal_code: '19103' },
  { city: 'Boston', state: 'MA', postal_code: '02108' },
  { city: 'New York', state: 'NY', postal_code: '10001' },
  { city: 'Jackson', state: 'MS', postal_code: '39201' },
  { city: 'Baltimore', state: 'MD', postal_code: '21201' },
  { city: 'Portland', state: 'OR', postal_code: '97201' },
  { city: 'Providence', state: 'RI', postal_code: '02903' },
  { city: 'Hartford', state: 'CT', postal_code: '06103' },
  { city: 'Lyon', country: 'FR' },
];
const products = [
  'GENERAL',
  'CLOTHING.APPAREL',
  'CLOTHING.APPAREL._ATHLETIC',
  'FOOD.GROCERY',
  'SOFTWARE.SAAS',
  'JEWELRY.FINE_JEWELRY',
  null,
];

const getAmount = (random: Random, most: number) => `${random.upTo(most)}.${String(random.upTo(99)).padStart(2, '0')}`;

const buildLine = (random: Random, index: number) => ({
  id: `item_${index}`,
  product_tax_code: random.of(products),
  quantity: String(1 + random.upTo(4)),
  unit_price: `${20 + random.upTo(300)}.${String(random.upTo(99)).padStart(2, '0')}`,
  ...(random.chance(0.3) && { discount_amount: getAmount(random, 8) }),
  ...(random.chance(0.2) && { third_party_discount_amount: getAmount(random, 5) }),
  ...(random.chance(0.3) && { customer: { address: random.of(addresses), use: random.of(['business', null]) } }),
});

const exemption = { type: 'resale', certificate_id: 'C-1', regions: ['PA', 'MI'], valid_from: '2026-01-01' };

/** Generates a sale with any combination of features. */
const toSale = (random: Random) => ({
  tax_date: random.of(['2026-10-08', '2026-09-30', '2026-03-01T23:59:59Z', '2025-12-31']),
  customer: { address: random.of(addresses), ...(random.chance(0.15) && { exemption }) },
  line_items: Array.from({ length: 1 + random.upTo(4) }, (_, index) => buildLine(random, index)),
  ...(random.chance(0.3) && { discount_amount: getAmount(random, 9) }),
  ...(random.chance(0.2) && { third_party_discount_amount: getAmount(random, 4) }),
  ...(random.chance(0.5) && {
    shipping: { amount: getAmount(random, 20), product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' },
  }),
  ...(random.chance(0.2) && { tax_included: true }),
  ...(random.chance(0.1) && { collected_by: 'marketplace' }),
  ...(random.chance(0.15) && { currency: random.of(['JPY', 'KWD', 'EUR']) }),
  ...(random.chance(0.3) && { ship_from: { address: random.of(addresses) } }),
  ...(random.chance(0.2) && { explain: true }),
});

const settings = [
  {},
  { rounding: 'invoice' },
  { registrations: [{ state: 'MI', from: '2020-01-01', to: null, frequency: 'month' }] },
  { ambiguous_address: 'highest_rate', ship_from: addresses[1] },
] as const;

/** Returns an amount of the transaction's currency that is slightly less than a given amount. */
const lessThan = (random: Random, amount: string) => {
  const [, decimals = ''] = amount.split('.');
  return (Number(amount) * random.of([0.25, 0.5, 0.9])).toFixed(decimals.length);
};

const buildPart = (random: Random, transaction: Transaction) => ({
  line_items: transaction.line_items
    .filter(() => random.chance(0.6))
    .map(({ id, unit_price }) => ({ id, quantity: '1', unit_price: lessThan(random, unit_price) })),
});

/** Creates every kind of credit; a credit that its sale does not allow is rejected and not replayed. */
const readCredits = async (random: Random, client: Client, parent: Transaction): Promise<string[]> => {
  const part = buildPart(random, parent);
  const shipped = onlyShipping(parent.shipping);
  const kinds = [
    {},
    { credit_remaining: true },
    part,
    part,
    { ...part, ...(shipped && { shipping: { amount: lessThan(random, shipped.amount) } }) },
    { ...part, tax_amount: lessThan(random, parent.tax_amount) },
    {
      line_items: [...part.line_items, { id: 'other', quantity: '1', unit_price: '1.00', product_tax_code: 'GENERAL' }],
    },
    { line_items: [{ id: 'item_0', quantity: '1', unit_price: '0' }], tax_amount: lessThan(random, parent.tax_amount) },
  ];
  const ids: string[] = [];
  for (let count = 1 + random.upTo(3); count > 0; count -= 1) {
    const isDraft = random.chance(0.4);
    const { status, body } = await client.create(
      creditOf(parent, { ...random.of(kinds), status: isDraft ? 'draft' : 'finalized', tax_date: '2026-10-20' }),
    );
    if (status !== 201) continue;
    ids.push(body.id);
    if (!isDraft && random.chance(0.3)) await client.update(body.id, { tax_amount: lessThan(random, body.tax_amount) });
    if (!isDraft && random.chance(0.1)) await client.update(body.id, { tax_amount: null });
    if (isDraft && random.chance(0.5)) await client.update(body.id, { status: 'finalized' });
    if (random.chance(0.25)) await client.update(body.id, { status: 'void' });
  }
  return ids;
};

const story = async (random: Random, client: Client): Promise<string[]> => {
  const asked = toSale(random);
  const answer = await client.create({
    ...asked,
    ...(random.chance(0.25) && { tax_amount: asked.currency === 'JPY' ? '7' : '7.50' }),
  });
  if (answer.status !== 201) return [];
  const { id } = answer.body;
  if (random.chance(0.3)) await client.update(id, { line_items: toSale(random).line_items });
  if (random.chance(0.2)) await client.update(id, { tax_amount: asked.currency === 'JPY' ? '9' : '3.33' });
  if (random.chance(0.2)) await client.update(id, { metadata: { note: 'seen' } });
  if (random.chance(0.15)) return [id];
  const { status, body: parent } = await client.update(id, { status: 'finalized' });
  if (status !== 200) return [id];
  const credits = await readCredits(random, client, parent);
  // Rejected while a credit is in force; otherwise the sale would differ from the one that its credits used.
  if (random.chance(0.3)) await client.update(id, { tax_amount: lessThan(random, parent.tax_amount) });
  if (random.chance(0.2)) await client.update(id, { status: 'void' });
  return [id, ...credits];
};

// `npm run test:long` replays more.
const stories = isLong ? 40 : 16;
const mixMsMax = 240_000;

it('replays sales, edits, supplied taxes and credits of all kinds as recorded', {
  timeout: mixMsMax,
}, async () => {
  const replays: Replay[] = [];
  const kinds = new Set<string>();
  const tell = async (own: object, seed: number) => {
    const client = connectClient(await newCaller({ settings: { ...own, rate_limit: 100_000 } }));
    const random = createRandom(seed + 1);
    for (let count = 0; count < stories; count += 1)
      for (const id of await story(random, client)) {
        replays.push(await replayed(client, id));
        const { type, status, tax_amount_source } = await made(client.get(id));
        kinds.add(`${type} ${status} ${tax_amount_source}`);
      }
  };
  await Promise.all(settings.map(tell));
  expect(replays.filter(({ match }) => match !== true).slice(0, 3)).toEqual([]);
  expect(replays.length).toBeGreaterThan(7 * stories);
  // Every kind is included: a sample without one would not test it.
  const expected = ['sale', 'credit'].flatMap((type) =>
    ['draft', 'finalized', 'void'].flatMap((status) =>
      ['calculated', 'provided'].map((source) => `${type} ${status} ${source}`),
    ),
  );
  expect([...kinds].sort()).toEqual(expected.sort());
});

it('returns the releases that were used, and stores nothing', async () => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const { id, content_releases } = await sold(client);
  const before = await readItem(caller, id);
  const { status, body } = await replay(client, id);
  expect([status, body]).toEqual([
    200,
    {
      object: 'replay',
      id,
      version: 1,
      match: true,
      reason: null,
      detail: null,
      engine_version: '1.1.0',
      replayed_engine_version: '1.1.0',
      content_releases,
      difference_count: 0,
      differences: [],
    },
  ]);
  expect(await readItem(caller, id)).toEqual(before);
});

const figures: readonly { readonly pointer: string; readonly leaf: string | null }[] = [
  { pointer: '/tax_amount', leaf: '6.01' },
  { pointer: '/total_amount', leaf: '113.94' },
  { pointer: '/tax_summary/0/tax_amount', leaf: '5.99' },
  { pointer: '/line_items/0/net_amount', leaf: '99.99' },
  { pointer: '/line_items/0/taxes/0/tax_amount', leaf: '5.99' },
  { pointer: '/line_items/0/taxes/0/taxability_reason', leaf: 'reduced_rated' },
  { pointer: '/line_items/0/taxes/0/rule_id', leaf: null },
  { pointer: '/line_items/0/address_resolution/coverage', leaf: 'partial' },
  { pointer: '/shipping/taxes/0/taxability_reason', leaf: 'standard_rated' },
];

it.each(figures)('reports only $pointer if it was changed', async ({ pointer, leaf }) => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const shipping = { amount: '7.95', product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' };
  const { id } = await sold(client, { shipping });
  const path = pointer.slice(1).split('/');
  const { transaction } = transactionFrom(await readItem(caller, id));
  const right = path.reduce<object>((value, name) => Reflect.get(value, name), transaction);
  expect(right).not.toEqual(leaf);
  await tamper(caller, id, (stored) => ({ ...stored, transaction: setAt(stored.transaction, path, leaf) }));
  expect(await replayed(client, id)).toMatchObject({
    match: false,
    reason: null,
    difference_count: 1,
    differences: [{ pointer, recorded: leaf, replayed: right }],
  });
  // Restores the item, so this transaction passes the checks at the end of the file.
  await tamper(caller, id, (stored) => ({ ...stored, transaction: setAt(stored.transaction, path, right) }));
});

/** Replays the transaction with a change, and restores it. */
const replayedWith = async (caller: Caller, id: string, change: (stored: StoredTransaction) => StoredTransaction) => {
  const right = transactionFrom(await readItem(caller, id));
  await tamper(caller, id, change);
  const answer = await replayed(connectClient(caller), id);
  await tamper(caller, id, () => right);
  return answer;
};
const gone = { 'US-MI': 'US-MI@2020-01-01.1' };
const [row, line] = ['/tax_summary/1/rate', '/line_items/0/taxes/0/taxability_reason'];
const missing = { match: null, reason: 'release_not_found', content_releases: gone };

it.each<[string, Record<string, unknown>, (transaction: Transaction) => Partial<Transaction>, object]>([
  [
    'lists at most a hundred differences, and their number',
    { line_items: Array.from({ length: 150 }, (_, index) => goods({ id: `item_${index}` })) },
    ({ line_items }) => ({ line_items: line_items.map((one) => ({ ...one, tax_amount: '0.00' })) }),
    { match: false, difference_count: 150, differences: { length: 100 } },
  ],
  [
    'lists an additional row, field by field',
    {},
    ({ tax_summary }) => ({ tax_summary: [...tax_summary, ...tax_summary] }),
    { differences: expect.arrayContaining([{ pointer: row, recorded: '0.06', replayed: null }]) },
  ],
  [
    'returns match null if a release is missing',
    {},
    () => ({ content_releases: gone }),
    { ...missing, detail: expect.stringContaining('US-MI@2020-01-01.1'), difference_count: 0, differences: [] },
  ],
  [
    'replays a place without content as uncovered, even if content exists now',
    {},
    () => ({ content_releases: {} }),
    { differences: expect.arrayContaining([{ pointer: line, recorded: 'standard_rated', replayed: 'not_supported' }]) },
  ],
])('%s', async (_, body, change, expected) => {
  const caller = await newCaller();
  const { id } = await sold(connectClient(caller), body);
  const answer = await replayedWith(caller, id, (stored) => ({
    ...stored,
    transaction: { ...stored.transaction, ...change(stored.transaction) },
  }));
  expect(answer).toMatchObject(expected);
});

it('returns the same for a credit without the stored state of its sale', async () => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const parent = await sold(client);
  const credit = await made(client.create(creditOf(parent)));
  const { creditBasis } = transactionFrom(await readItem(caller, credit.id));
  expect(creditBasis?.figures.tax_amount).toBe('6.00');
  const answer = await replayedWith(caller, credit.id, ({ creditBasis: _, ...stored }) => stored);
  expect(answer).toMatchObject({ match: null, reason: 'parent_not_known', differences: [] });
});

it("uses the stored settings of the transaction, not the account's current settings", async () => {
  const caller = await newCaller();
  const { id } = await sold(connectClient(caller));
  const registrations = [{ state: 'PA', from: '2020-01-01', to: null, frequency: 'month' as const }];
  const answer = await replayedWith(caller, id, (stored) => ({
    ...stored,
    settingsSnapshot: { ...stored.settingsSnapshot, registrations },
  }));
  expect(answer.differences).toContainEqual({
    pointer: '/line_items/0/taxes/0/taxability_reason',
    recorded: 'standard_rated',
    replayed: 'not_collecting',
  });
});

it('replays an expired draft at the version that reads return', async () => {
  const client = connectClient(await newCaller());
  const { id } = await made(client.create(sale()));
  const answer = await later(2 * dayMs, () => replayed(client, id));
  expect([answer.match, answer.version]).toEqual([true, 2]);
});

it('reads the ledger once, and a second time for the sale of a credit', async () => {
  const client = connectClient(await newCaller());
  const parent = await sold(client);
  const credit = await made(client.create(creditOf(parent)));
  const reads: string[] = [];
  database.middlewareStack.add(
    (next, context) => (sent) => {
      if ((sent.input as { TableName?: string }).TableName === TableName) reads.push(String(context.commandName));
      return next(sent);
    },
    { step: 'initialize', name: 'reads' },
  );
  try {
    await replayed(client, parent.id);
    await replayed(client, credit.id);
  } finally {
    database.middlewareStack.remove('reads');
  }
  expect(reads).toEqual(['GetItemCommand', 'GetItemCommand', 'GetItemCommand']);
});
