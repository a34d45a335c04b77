import { describe, expect, it } from 'vitest';
import { createTransaction } from '../../shared/ledger/create-transaction.ts';
import type { TransactionRequest } from '../../shared/ledger/request.ts';
import { updateTransaction } from '../../shared/ledger/update-transaction.ts';
import { newTransactionId } from '../../shared/store/ledger/new-id.ts';
import { transactionPorts } from '../../shared/store/ledger/transaction-ports.ts';
import { newCaller } from '../support/api.ts';
import {
  type Client,
  connectClient,
  getMeta,
  getRefusal,
  goods,
  made,
  michigan,
  sale,
  sold,
} from '../support/sales.ts';

const newClient = async () => connectClient(await newCaller());

const states = {
  draft: (client: Client, others: object = {}) => made(client.create(sale({ ...others }))),
  finalized: (client: Client, others: object = {}) => sold(client, { ...others }),
  void: async (client: Client, others: object = {}) =>
    made(client.update((await sold(client, { ...others })).id, { status: 'void' })),
};
type State = keyof typeof states;

/** Returns a client with a transaction in this state. */
const start = async (state: State, others: object = {}) => {
  const client = await newClient();
  const before = await states[state](client, others);
  return {
    client,
    before,
    update: (body: unknown, headers?: Record<string, string>) => client.update(before.id, body, headers),
  };
};

/** Each input with a value different from the sale's. */
const inputs: Record<string, unknown> = {
  line_items: [goods({ id: 'other' })],
  tax_date: '2026-10-09',
  currency: 'EUR',
  customer: { id: 'cus_2', address: michigan },
  ship_from: { address: michigan },
  discount_amount: '1.00',
  third_party_discount_amount: '1.00',
  shipping: { amount: '4.00' },
  tax_included: true,
  collected_by: 'marketplace',
  explain: true,
};

describe('the changes that each status allows', () => {
  it.each(Object.entries(inputs))('%s can be edited in a draft, and is fixed afterwards', async (field, value) => {
    const { before, update } = await start('draft');
    const edited = await made(update({ [field]: value }));
    expect(edited).toMatchObject({ version: 2, [field]: value, expires_at: before.expires_at });
    for (const state of ['finalized', 'void'] as const) {
      const fixed = await start(state);
      const refused = await fixed.update({ [field]: value });
      expect(getRefusal(refused)).toBe(`409 | conflict_immutable_field /${field}`);
      expect(getMeta(refused)).toEqual({ status: state });
      expect(await made(fixed.client.get(fixed.before.id))).toMatchObject({ version: fixed.before.version });
    }
  });

  it('a fixed field fails the whole request, and the errors list all fixed fields in request order', async () => {
    const { client, before, update } = await start('finalized', { reference_id: 'a' });
    const body = { metadata: { a: 'b' }, currency: 'EUR', reference_id: 'b', status: 'draft', type: 'credit' };
    expect(getRefusal(await update(body)).split(' | ')).toEqual([
      '409',
      'conflict_immutable_field /currency',
      'conflict_immutable_field /reference_id',
      'conflict_invalid_status_transition /status',
      'conflict_immutable_field /type',
    ]);
    expect(await made(client.get(before.id))).toMatchObject({ metadata: {}, version: 1 });
  });
});

describe('a draft in a different currency', () => {
  it.each([
    ['JPY', '0'],
    ['KWD', '0.000'],
  ])('has credited amounts with the decimals of the currency: %s', async (currency, zero) => {
    const { update } = await start('draft');
    const changed = await made(update({ currency }));
    expect([changed.credited_amount, changed.credited_tax_amount]).toEqual([zero, zero]);
  });

  it('compares a sent tax in the new currency: 570 yen is not 5.70 dollars', async () => {
    const { client, before, update } = await start('draft', { currency: 'JPY', tax_amount: '570' });
    await made(update({ currency: 'USD', tax_amount: '5.70' }));
    const history = await made(client.call('GET', `/transactions/${before.id}/history`));
    expect(history.data[0]?.fields).toEqual(['currency', 'tax_amount']);
  });
});

describe('a field sent with its stored value', () => {
  it.each(Object.keys(states) as State[])(
    'is unchanged, even all fields of a %s transaction at once',
    async (state) => {
      const same = { currency: 'USD', collected_by: 'seller', reference_id: 'r', metadata: { a: '1' } };
      const { before, update } = await start(state, { ...inputs, ...same });
      const answer = await update(before, { Prefer: 'handling=strict' });
      expect([answer.status, answer.body]).toEqual([200, before]);
      expect(answer.headers.get('etag')).toBe(`"${before.version}"`);
    },
  );
});

describe('null', () => {
  it.each(['ship_from', 'discount_amount', 'third_party_discount_amount', 'shipping', 'customer', 'reference_id'])(
    'clears %s',
    async (field) => {
      const line_items = [goods({ customer: { address: michigan } })];
      const { update } = await start('draft', { line_items, reference_id: 'r', [field]: inputs[field] ?? 'r' });
      expect(await made(update({ [field]: null }))).toMatchObject({ [field]: null, version: 2 });
      expect((await made(update({ [field]: null }))).version).toBe(2);
    },
  );
});

it.each<[unknown, string]>([
  ...['line_items', 'currency', 'tax_date', 'tax_included', 'collected_by', 'explain', 'status', 'type'].map(
    (field): [object, string] => [{ [field]: null }, `required_field /${field}`],
  ),
  // The lines use the customer.
  [{ customer: null }, 'required_field /customer/address'],
  [{ line_items: [] }, 'invalid_format /line_items'],
  [{ line_items: [{ unit_price: '1' }] }, 'required_field /line_items/0/quantity'],
  [{ line_items: [{ quantity: '1' }] }, 'required_field /line_items/0/unit_price'],
  [{ discount_amount: '100.01' }, 'invalid_format /discount_amount'],
  [{ tax_amount: '1.001' }, 'invalid_format /tax_amount'],
  [{ currency: 'JPY', tax_amount: '1.5' }, 'invalid_format /tax_amount'],
  [{ tax_date: '2030-01-01' }, 'invalid_format /tax_date'],
  [{ void_reason: 'x' }, 'invalid_format /void_reason'],
  [{ status: 'finalized', void_reason: 'x' }, 'invalid_format /void_reason'],
  // Only the service uses this reason.
  [{ status: 'void', void_reason: 'draft_expired' }, 'invalid_format /void_reason'],
  [[], 'invalid_format'],
  [null, 'invalid_format'],
  [{ customer: { address: { state: 'XX' } } }, 'address_unresolvable /customer/address/state'],
])('rejects %j', async (body, refused) => {
  const { client, before, update } = await start('draft');
  expect(getRefusal(await update(body))).toBe(`422 | validation_${refused}`);
  expect((await made(client.get(before.id))).version).toBe(1);
});

describe('metadata', () => {
  it('has at most 50 keys of 40 characters with 500 characters, even after a merge', async () => {
    const keys = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
    const { update } = await start('draft', { metadata: keys(50, 'a') });
    expect(getRefusal(await update({ metadata: { more: 'x' } }))).toBe('422 | validation_invalid_format /metadata');
    expect((await update({ metadata: { a0: null, more: 'x' } })).status).toBe(200);
    for (const metadata of [{ ['k'.repeat(41)]: 'x' }, { k: 'x'.repeat(501) }, { k: 1 }, 'text', keys(51, 'b')])
      expect((await update({ metadata })).status).toBe(422);
  });
});

describe('versions', () => {
  it.each([
    ['"1"', 200],
    ['*', 200],
    ['"7", "1"', 200],
    ['"2"', 412],
    ['W/"1"', 412],
    ['1', 412],
    ['', 412],
  ])('If-Match %s of version 1 returns %i', async (header, status) => {
    const { client, before, update } = await start('draft');
    const answer = await update({ metadata: { a: '1' } }, { 'If-Match': header });
    expect(answer.status).toBe(status);
    if (status === 412) expect(getRefusal(answer)).toBe('412 | precondition_failed If-Match');
    expect((await made(client.get(before.id))).version).toBe(status === 200 ? 2 : 1);
  });
});

describe('the account settings that affect amounts', () => {
  it('are recorded: a recalculation of a finalized transaction returns the same', async () => {
    const { account } = await newCaller({ settings: { registrations: [], rounding: 'invoice' } });
    const now = { ...account, settings: { ...account.settings, registrations: null, incomplete_coverage: 'reject' } };
    const ports = { ...transactionPorts, newId: newTransactionId, remainingMs: () => 9000 };
    const asked = { idempotency: null, sent: [] };
    const request = sale({ status: 'finalized', tax_amount: '5.00' }) as unknown as TransactionRequest;
    const sold = await createTransaction({ ...asked, request }, { account, credential: 'key_test' }, ports);
    const { id, calculated_tax_amount } = JSON.parse((sold as Extract<typeof sold, { ok: true }>).value.answer.body);
    expect(calculated_tax_amount).toBe('0.00');
    const { settings } = account;
    const { service_version, rate_limit, draft_ttl_hours, books_open_from, review_days, time_zone, ...others } =
      settings;
    const { filing_reminder_days, retain_personal_data_days, return_identity, ...settingsSnapshot } = others;
    expect((await ports.ledger.find(account.id, id))?.settingsSnapshot).toEqual(settingsSnapshot);
    const update = { ...asked, id, update: { tax_amount: null }, ifMatch: null };
    const changed = await updateTransaction(update, { account: now as typeof account, credential: 'key_test' }, ports);
    expect(JSON.parse((changed as Extract<typeof changed, { ok: true }>).value.answer.body)).toMatchObject({
      tax_amount: '0.00',
      line_items: [{ taxes: [{ taxability_reason: 'not_collecting' }] }],
    });
  });
});
