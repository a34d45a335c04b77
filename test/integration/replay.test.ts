import { afterEach, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { environment } from '../../shared/config/environment.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { headKey } from '../../shared/store/keys.ts';
import { transactionFrom } from '../../shared/store/ledger/transaction-item.ts';
import { type Caller, type Client, connectClient, newCaller, newClient } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { monthly } from '../support/filings.ts';
import { buildCreditRequest, dayMs, goods, later, made, sale, sold } from '../support/sales.ts';
import { alter, itemAt, ofTransaction, undoTampering } from '../support/tampering.ts';

const replay = (client: Client, id: string) => client.call('POST', `/transactions/${id}/replay`);
const replayed = (client: Client, id: string) => made(replay(client, id));

const TableName = environment.tables.transactions;
const readItem = (caller: Caller, id: string) => itemAt(headKey(caller.account.id, id));
// Transactions must be intact for the checks at the end of the file.
afterEach(undoTampering);

const setAt = <Value extends object>(value: Value, path: readonly string[], leaf: unknown): Value => {
  const copy = structuredClone(value);
  const parent = path.slice(0, -1).reduce<object>((inner, name) => Reflect.get(inner, name), copy);
  Reflect.set(parent, path.at(-1) ?? '', leaf);
  return copy;
};

const philadelphia = { city: 'Philadelphia', state: 'PA', postal_code: '19103', country: 'US' };
const pittsburgh = { ...philadelphia, postal_code: '15201', city: 'Pittsburgh' };
const boston = { city: 'Boston', state: 'MA', postal_code: '02108', country: 'US' };
const exemption = { type: 'resale', certificate_id: 'C-1', regions: ['PA', 'MI'], valid_from: '2026-01-01' };
const jackson = { city: 'Jackson', state: 'MS' };
const lines = [
  goods({ id: 'a', quantity: '3', unit_price: '33.33', discount_amount: '4.01', third_party_discount_amount: '2.50' }),
  goods({ id: 'b', product_tax_code: 'CLOTHING.APPAREL', customer: { address: boston, use: 'business' } }),
  goods({ id: 'c', product_tax_code: null, unit_price: '250.07', customer: { address: jackson } }),
];
const discounts = { discount_amount: '7.77', third_party_discount_amount: '1.01', shipping: { amount: '9.99' } };
const separate = { amount: '7.95', product_tax_code: 'SHIPPING.DELIVERY._SEPARATELY_STATED' };

/** Sales with each input that decides a tax. */
const inputs: readonly Record<string, unknown>[] = [
  { ...discounts, explain: true },
  { tax_included: true, discount_amount: '3.00', shipping: separate },
  { currency: 'JPY', line_items: [goods({ id: 'a', unit_price: '333' }), goods({ id: 'b', unit_price: '1000' })] },
  { ship_from: { address: philadelphia }, customer: { address: pittsburgh } },
  { customer: { address: philadelphia, exemption }, tax_date: '2026-03-01T23:59:59Z' },
  { collected_by: 'marketplace', tax_date: '2025-12-31' },
  { customer: { address: { city: 'Lyon', country: 'FR' } } },
];
const settings: readonly Partial<Settings>[] = [
  {},
  { rounding: 'invoice' },
  { registrations: [monthly('MI', '2020-01-01')] },
  { ambiguous_address: 'highest_rate', ship_from: philadelphia },
];

// test/support/setup-api.ts replays each transaction of the tests.
it.each(settings)('records sales, edits, supplied taxes and credits of all kinds, for a replay: %j', async (own) => {
  const client = await newClient({ settings: own });
  for (const input of inputs)
    for (const tax_amount of [undefined, '7']) {
      const body = { line_items: lines, ...input, tax_amount };
      await made(client.create(sale(body)));
      const edited = await made(client.create(sale({ ...body, line_items: [goods({ id: 'x' })], ...discounts })));
      await made(client.update(edited.id, { line_items: body.line_items, ...(tax_amount && { tax_amount: '9' }) }));
      const parent = await made(client.update(edited.id, { status: 'finalized' }));
      const part = { line_items: [{ id: 'a', quantity: '1' }] };
      await made(client.create(buildCreditRequest(parent, { ...part, status: 'draft' })));
      // The draft keeps the state of its sale before this change.
      if (tax_amount) await made(client.update(parent.id, { tax_amount: '8' }));
      const first = await made(client.create(buildCreditRequest(parent, part)));
      const taxOnly = { line_items: [{ id: 'b', quantity: '1', unit_price: '0' }], tax_amount: '0' };
      await made(client.create(buildCreditRequest(parent, { ...taxOnly, shipping: { amount: '1' } })));
      if (tax_amount) await made(client.update(first.id, { tax_amount: '0' }));
      else await made(client.update(first.id, { status: 'void' }));
      await made(client.create(buildCreditRequest(parent, { credit_remaining: true })));
    }
});

it('returns the releases that were used, and stores nothing', async () => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const { id, content_releases } = await sold(client);
  const before = await readItem(caller, id);
  const { status, body } = await replay(client, id);
  const versions = { version: 1, engine_version: '1.1.0', replayed_engine_version: '1.1.0', content_releases };
  const same = { match: true, reason: null, detail: null, difference_count: 0, differences: [] };
  expect([status, body]).toEqual([200, { object: 'replay', id, ...versions, ...same }]);
  expect(await readItem(caller, id)).toEqual(before);
});

it.each([
  ['/tax_amount', '6.01'],
  ['/total_amount', '113.94'],
  ['/tax_summary/0/tax_amount', '5.99'],
  ['/line_items/0/net_amount', '99.99'],
  ['/line_items/0/taxes/0/tax_amount', '5.99'],
  ['/line_items/0/taxes/0/taxability_reason', 'reduced_rated'],
  ['/line_items/0/taxes/0/rule_id', null],
  ['/line_items/0/address_resolution/coverage', 'partial'],
  ['/shipping/taxes/0/taxability_reason', 'standard_rated'],
])('reports only %s if it was changed', async (pointer, leaf) => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const { id } = await sold(client, { shipping: separate });
  const path = pointer.slice(1).split('/');
  const { transaction } = transactionFrom(await readItem(caller, id));
  const right = path.reduce<object>((value, name) => Reflect.get(value, name), transaction);
  expect(right).not.toEqual(leaf);
  const owned = { account: caller.account.id, id };
  await alter(owned, (stored) => ({ ...stored, transaction: setAt(stored.transaction, path, leaf) }));
  const differences = [{ pointer, recorded: leaf, replayed: right }];
  expect(await replayed(client, id)).toMatchObject({ match: false, reason: null, difference_count: 1, differences });
});

/** Replays the transaction with a change. */
const replayedWith = async (caller: Caller, id: string, change: (stored: StoredTransaction) => StoredTransaction) => {
  await alter({ account: caller.account.id, id }, change);
  return replayed(connectClient(caller), id);
};
const gone = { 'US-MI': 'US-MI@2020-01-01.1' };
const [row, line] = ['/tax_summary/1/rate', '/line_items/0/taxes/0/taxability_reason'];
/** Replays a sale after a change of the stored transaction. */
const replayChanged = async (change: (transaction: Transaction) => Partial<Transaction>, body = {}) => {
  const caller = await newCaller();
  const { id } = await sold(connectClient(caller), body);
  return replayedWith(caller, id, ofTransaction(change));
};

it('lists at most a hundred differences, and their number', async () => {
  const line_items = Array.from({ length: 150 }, (_, index) => goods({ id: `item_${index}` }));
  const withoutTax = ({ line_items: all }: Transaction) => {
    return { line_items: all.map((one) => ({ ...one, tax_amount: '0.00' })) };
  };
  const response = await replayChanged(withoutTax, { line_items });
  expect(response).toMatchObject({ match: false, difference_count: 150, differences: { length: 100 } });
});

it('lists an additional row, field by field', async () => {
  const { differences } = await replayChanged(({ tax_summary }) => ({ tax_summary: [...tax_summary, ...tax_summary] }));
  expect(differences).toContainEqual({ pointer: row, recorded: '0.06', replayed: null });
});

it('returns match null if a release is missing', async () => {
  const response = await replayChanged(() => ({ content_releases: gone }));
  const missing = { match: null, reason: 'release_not_found', content_releases: gone };
  const detail = expect.stringContaining('US-MI@2020-01-01.1');
  expect(response).toMatchObject({ ...missing, detail, difference_count: 0, differences: [] });
});

it('replays a place without content as uncovered, even if content exists now', async () => {
  const { differences } = await replayChanged(() => ({ content_releases: {} }));
  expect(differences).toContainEqual({ pointer: line, recorded: 'standard_rated', replayed: 'not_supported' });
});
it('returns the same for a credit without the stored state of its sale', async () => {
  const caller = await newCaller();
  const client = connectClient(caller);
  const parent = await sold(client);
  const credit = await made(client.create(buildCreditRequest(parent)));
  const { creditBasis } = transactionFrom(await readItem(caller, credit.id));
  expect(creditBasis?.figures.tax_amount).toBe('6.00');
  const response = await replayedWith(caller, credit.id, ({ creditBasis: _, ...stored }) => stored);
  expect(response).toMatchObject({ match: null, reason: 'parent_not_known', differences: [] });
});

it("uses the stored settings of the transaction, not the account's current settings", async () => {
  const caller = await newCaller();
  const { id } = await sold(connectClient(caller));
  const settings = { registrations: [monthly('PA')] };
  const { differences } = await replayedWith(caller, id, (stored) => {
    return { ...stored, settingsSnapshot: { ...stored.settingsSnapshot, ...settings } };
  });
  expect(differences).toContainEqual({ pointer: line, recorded: 'standard_rated', replayed: 'not_collecting' });
});

it('replays an expired draft at the version that reads return', async () => {
  const client = await newClient();
  const { id } = await made(client.create(sale()));
  const response = await later(2 * dayMs, () => replayed(client, id));
  expect([response.match, response.version]).toEqual([true, 2]);
});

it('reads the ledger once, and a second time for the sale of a credit', async () => {
  const client = await newClient();
  const parent = await sold(client);
  const credit = await made(client.create(buildCreditRequest(parent)));
  const reads: string[] = [];
  intercept(({ command, input, pass }) => {
    if ((input as { TableName?: string }).TableName === TableName) reads.push(command);
    return pass();
  });
  try {
    await replayed(client, parent.id);
    await replayed(client, credit.id);
  } finally {
    noFaults();
  }
  expect(reads).toEqual(['GetItem', 'GetItem', 'GetItem']);
});
