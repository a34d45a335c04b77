import { describe, expect, it } from 'vitest';
import { createTransaction } from '../../shared/ledger/create-transaction.ts';
import type { TransactionRequest } from '../../shared/ledger/request.ts';
import type { Transaction } from '../../shared/ledger/transaction.ts';
import { updateTransaction } from '../../shared/ledger/update-transaction.ts';
import { newTransactionId } from '../../shared/store/ledger/new-id.ts';
import { openEntryFrom } from '../../shared/store/ledger/open-entry-item.ts';
import { transactionPorts } from '../../shared/store/ledger/transaction-ports.ts';
import { newCaller } from '../support/api.ts';
import {
  type Client,
  clientOf,
  creditOf,
  dayMs,
  goods,
  later,
  made,
  metaOf,
  michigan,
  refusalOf,
  sale,
  sold,
} from '../support/sales.ts';
import { itemsOf } from '../support/transactions.ts';

const newClient = async () => clientOf(await newCaller());
const warningsOf = ({ warnings }: Transaction): string[] => warnings.map(({ code }) => code);

const states = {
  draft: (client: Client, others: object = {}) => made(client.create(sale({ ...others }))),
  finalized: (client: Client, others: object = {}) => sold(client, { ...others }),
  void: async (client: Client, others: object = {}) =>
    made(client.update((await sold(client, { ...others })).id, { status: 'void' })),
};
type State = keyof typeof states;

/** Each input with another value than the sale has. */
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
  it.each(Object.keys(inputs))(
    '%s can be edited in a draft, which recalculates, and is fixed afterwards',
    async (field) => {
      const client = await newClient();
      const draft = await states.draft(client);
      const edited = await made(client.update(draft.id, { [field]: inputs[field] }));
      expect(edited).toMatchObject({ version: 2, [field]: field === 'explain' ? true : inputs[field] });
      expect(edited.expires_at).toBe(draft.expires_at);
      for (const state of ['finalized', 'void'] as const) {
        const { id, version } = await states[state](client);
        const refused = await client.update(id, { [field]: inputs[field] });
        expect(refusalOf(refused)).toBe(`409 | conflict_immutable_field /${field}`);
        expect(metaOf(refused)).toEqual({ status: state });
        expect((await made(client.get(id))).version).toBe(version);
      }
    },
  );

  it.each<{ field: string; value: unknown }>([
    { field: 'type', value: 'credit' },
    { field: 'parent_transaction_id', value: 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV' },
  ])('$field is fixed in every state', async ({ field, value }) => {
    const client = await newClient();
    for (const state of ['draft', 'finalized', 'void'] as const) {
      const { id } = await states[state](client);
      expect(refusalOf(await client.update(id, { [field]: value }))).toBe(`409 | conflict_immutable_field /${field}`);
    }
  });

  it('reference_id can be changed and cleared in a draft, and set once afterwards', async () => {
    const client = await newClient();
    const draft = await states.draft(client, { reference_id: 'a' });
    expect((await made(client.update(draft.id, { reference_id: 'b' }))).reference_id).toBe('b');
    expect((await client.create(sale({ reference_id: 'a' }))).status).toBe(201);
    expect((await made(client.update(draft.id, { reference_id: null }))).reference_id).toBeNull();
    expect((await client.create(sale({ reference_id: 'b' }))).status).toBe(201);

    const { id } = await states.finalized(client);
    const taken = await client.update(id, { reference_id: 'a' });
    expect(refusalOf(taken)).toBe('409 | conflict_duplicate_reference_id /reference_id');
    expect((await made(client.update(id, { reference_id: 'c' }))).version).toBe(2);
    const refused = '409 | conflict_immutable_field /reference_id';
    expect(refusalOf(await client.update(id, { reference_id: 'd' }))).toBe(refused);
    expect(refusalOf(await client.update(id, { reference_id: null }))).toBe(refused);
    const voided = await states.void(client);
    expect(refusalOf(await client.update(voided.id, { reference_id: 'e' }))).toBe(refused);
  });

  it('tax_amount can be changed in a draft and a finalized sale, and taken back', async () => {
    const client = await newClient();
    for (const state of ['draft', 'finalized'] as const) {
      const { id } = await states[state](client);
      expect(await made(client.update(id, { tax_amount: '5.00' }))).toMatchObject({
        status: state,
        tax_amount: '5.00',
        calculated_tax_amount: '6.00',
        tax_amount_source: 'provided',
        total_amount: '105.00',
        tax_summary: [{ tax_amount: '5.00' }],
        version: 2,
      });
      const back = await made(client.update(id, { tax_amount: null }));
      expect(back).toMatchObject({ tax_amount: '6.00', tax_amount_source: 'calculated', total_amount: '106.00' });
      expect(warningsOf(back)).toEqual([]);
    }
    const { id } = await states.void(client);
    expect(refusalOf(await client.update(id, { tax_amount: '5.00' }))).toBe(
      '409 | conflict_immutable_field /tax_amount',
    );
  });

  it('keeps what is owed in step with the tax of a finalized sale, until it is void', async () => {
    const caller = await newCaller();
    const client = clientOf(caller);
    const owed = async () =>
      Object.entries(await itemsOf(caller.account.id))
        .filter(([key]) => key.startsWith('O#'))
        .map(([, item]) => openEntryFrom(item).amounts.map(({ tax }) => tax));
    const { id } = await states.finalized(client);
    expect(await owed()).toEqual([[600n]]);
    await made(client.update(id, { tax_amount: '5.00' }));
    expect(await owed()).toEqual([[500n]]);
    await made(client.update(id, { status: 'void', tax_amount: '4.00' }));
    expect(await owed()).toEqual([]);
  });

  it('drops a supplied tax when an edit recalculates, and warns; with a new one it does not', async () => {
    const client = await newClient();
    const { id } = await states.draft(client, { tax_amount: '5.00' });
    const dropped = await made(client.update(id, { discount_amount: '50.00' }));
    expect(dropped).toMatchObject({ tax_amount: '3.00', tax_amount_source: 'calculated' });
    expect(warningsOf(dropped)).toEqual(['tax_amount_dropped']);
    const both = await made(client.update(id, { discount_amount: null, tax_amount: '5.50' }));
    expect(both).toMatchObject({ tax_amount: '5.50', tax_amount_source: 'provided', discount_amount: null });
    expect(warningsOf(both)).toEqual(['tax_amount_differs']);
    const kept = await made(client.update(id, { metadata: { a: '1' }, status: 'finalized' }));
    expect(kept).toMatchObject({ tax_amount: '5.50', status: 'finalized' });
  });

  it('refuses the whole request where one field is fixed, and names all that are, in the order of the request', async () => {
    const client = await newClient();
    const { id } = await states.finalized(client, { reference_id: 'a' });
    const body = { metadata: { a: 'b' }, currency: 'EUR', reference_id: 'b', status: 'draft', type: 'credit' };
    expect(refusalOf(await client.update(id, body)).split(' | ')).toEqual([
      '409',
      'conflict_immutable_field /currency',
      'conflict_immutable_field /reference_id',
      'conflict_invalid_status_transition /status',
      'conflict_immutable_field /type',
    ]);
    expect(await made(client.get(id))).toMatchObject({ metadata: {}, version: 1 });
  });
});

describe('another currency of a draft', () => {
  it('sets the decimals of every amount, including credited ones', async () => {
    const client = await newClient();
    const { id } = await states.draft(client);
    const yen = await made(client.update(id, { currency: 'JPY' }));
    expect([yen.credited_amount, yen.credited_tax_amount]).toEqual(['0', '0']);
    const dinar = await made(client.update(id, { currency: 'KWD' }));
    expect([dinar.credited_amount, dinar.credited_tax_amount]).toEqual(['0.000', '0.000']);
  });

  it('compares a sent tax in the new currency: 570 yen are not 5.70 dollars', async () => {
    const client = await newClient();
    const { id } = await states.draft(client, { currency: 'JPY', tax_amount: '570' });
    await made(client.update(id, { currency: 'USD', tax_amount: '5.70' }));
    const history = await made(client.call('GET', `/transactions/${id}/history`));
    expect(history.data[0]?.fields).toEqual(['currency', 'tax_amount']);
  });
});

describe('a field sent with its stored value', () => {
  it.each(Object.keys(states) as State[])(
    'is unchanged in every state: all of a %s transaction at once',
    async (state) => {
      const client = await newClient();
      const before = await states[state](client, {
        ...inputs,
        currency: 'USD',
        collected_by: 'seller',
        reference_id: 'r',
        metadata: { a: '1' },
      });
      const answer = await client.update(before.id, before, { Prefer: 'handling=strict' });
      expect([answer.status, answer.body]).toEqual([200, before]);
      expect(answer.headers.get('etag')).toBe(`"${before.version}"`);
    },
  );

  it('makes a retried finalize a 200', async () => {
    const client = await newClient();
    const { id } = await states.draft(client);
    const body = { status: 'finalized', reference_id: 'in_1', line_items: [goods()], metadata: { a: '1' } };
    const first = await client.update(id, body);
    const second = await client.update(id, body);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
  });
});

describe('null', () => {
  it.each(['ship_from', 'discount_amount', 'third_party_discount_amount', 'shipping', 'customer', 'reference_id'])(
    'clears %s',
    async (field) => {
      const client = await newClient();
      const own = { line_items: [goods({ customer: { address: michigan } })] };
      const { id } = await states.draft(client, { ...own, reference_id: 'r', [field]: inputs[field] ?? 'r' });
      expect(await made(client.update(id, { [field]: null }))).toMatchObject({ [field]: null, version: 2 });
      expect((await made(client.update(id, { [field]: null }))).version).toBe(2);
    },
  );

  it.each(['line_items', 'currency', 'tax_date', 'tax_included', 'collected_by', 'explain', 'status', 'type'])(
    'is 422 on %s, which always has a value',
    async (field) => {
      const client = await newClient();
      const { id } = await states.draft(client);
      const refused = await client.update(id, { [field]: null });
      expect(refusalOf(refused)).toBe(`422 | validation_required_field /${field}`);
      expect(refused.body.errors[0].title).toContain(field);
    },
  );

  it('is not a new parent, and cannot remove an existing one', async () => {
    const client = await newClient();
    const parent = await sold(client);
    expect((await client.update(parent.id, { parent_transaction_id: null })).status).toBe(200);
    const credit = await made(client.create(creditOf(parent)));
    expect(refusalOf(await client.update(credit.id, { parent_transaction_id: null }))).toBe(
      '409 | conflict_immutable_field /parent_transaction_id',
    );
  });

  it('cannot be removed if the lines use the customer: 422', async () => {
    const client = await newClient();
    const { id } = await states.draft(client);
    expect(refusalOf(await client.update(id, { customer: null }))).toBe(
      '422 | validation_required_field /customer/address',
    );
  });
});

it('refuses in an update the same as in a creation', async () => {
  const client = await newClient();
  const { id } = await states.draft(client);
  const refusals: [unknown, string][] = [
    [{ line_items: [] }, '422 | validation_invalid_format /line_items'],
    [{ line_items: [{ unit_price: '1' }] }, '422 | validation_required_field /line_items/0/quantity'],
    [{ line_items: [{ quantity: '1' }] }, '422 | validation_required_field /line_items/0/unit_price'],
    [{ discount_amount: '100.01' }, '422 | validation_invalid_format /discount_amount'],
    [{ tax_amount: '1.001' }, '422 | validation_invalid_format /tax_amount'],
    [{ currency: 'JPY', tax_amount: '1.5' }, '422 | validation_invalid_format /tax_amount'],
    [{ tax_date: '2030-01-01' }, '422 | validation_invalid_format /tax_date'],
    [{ void_reason: 'x' }, '422 | validation_invalid_format /void_reason'],
    [{ status: 'finalized', void_reason: 'x' }, '422 | validation_invalid_format /void_reason'],
    [[], '422 | validation_invalid_format'],
    [null, '422 | validation_invalid_format'],
    [{ customer: { address: { state: 'XX' } } }, '422 | validation_address_unresolvable /customer/address/state'],
  ];
  for (const [body, refused] of refusals)
    expect([body, refusalOf(await client.update(id, body))]).toEqual([body, refused]);
  expect((await made(client.get(id))).version).toBe(1);
});

describe('metadata', () => {
  it('has at most 50 keys of 40 characters with 500 characters, even after a merge', async () => {
    const client = await newClient();
    const keys = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
    const { id } = await states.draft(client, { metadata: keys(50, 'a') });
    expect(refusalOf(await client.update(id, { metadata: { more: 'x' } }))).toBe(
      '422 | validation_invalid_format /metadata',
    );
    expect((await client.update(id, { metadata: { a0: null, more: 'x' } })).status).toBe(200);
    for (const metadata of [{ ['k'.repeat(41)]: 'x' }, { k: 'x'.repeat(501) }, { k: 1 }, 'text', keys(51, 'b')])
      expect((await client.update(id, { metadata })).status).toBe(422);
  });
});

describe('versions', () => {
  it.each([
    { header: '"1"', status: 200 },
    { header: '*', status: 200 },
    { header: '"7", "1"', status: 200 },
    { header: '"2"', status: 412 },
    { header: 'W/"1"', status: 412 },
    { header: '1', status: 412 },
    { header: '', status: 412 },
  ])('If-Match $header of version 1 is $status', async ({ header, status }) => {
    const client = await newClient();
    const { id } = await states.draft(client);
    const answer = await client.update(id, { metadata: { a: '1' } }, { 'If-Match': header });
    expect(answer.status).toBe(status);
    if (status === 412) expect(refusalOf(answer)).toBe('412 | precondition_failed If-Match');
    expect((await made(client.get(id))).version).toBe(status === 200 ? 2 : 1);
  });

  it('If-Match accepts one of several concurrent changes', async () => {
    const client = await newClient();
    const { id } = await states.draft(client);
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((key) => client.update(id, { metadata: { [key]: '1' } }, { 'If-Match': '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });
});

describe('an expired draft', () => {
  it('cannot be finalized or edited: 409 conflict_draft_expired', async () => {
    const client = await newClient();
    const { id } = await states.draft(client);
    await later(dayMs, async () => {
      for (const body of [{ status: 'finalized' }, { tax_amount: '1.00' }, inputs])
        expect(refusalOf(await client.update(id, body as object))).toMatch(/^409 \| conflict_draft_expired /);
    });
    expect((await client.update(id, { status: 'finalized' })).status).toBe(200);
  });

  it("accepts metadata in addition to the sweep's changes", async () => {
    const client = await newClient();
    const { id, expires_at } = await states.draft(client);
    await later(dayMs, async () => {
      const answer = await client.update(id, { metadata: { a: '1' } }, { 'If-Match': '"2"' });
      expect(answer.body).toMatchObject({
        status: 'void',
        void_reason: 'draft_expired',
        voided_at: expires_at,
        metadata: { a: '1' },
        version: 3,
      });
    });
    // Set back, the clock brings no draft back.
    expect((await made(client.get(id))).status).toBe('void');
  });
});

describe('void_reason', () => {
  it('cannot be the reason that only the service uses: 422', async () => {
    const client = await newClient();
    const { id } = await states.finalized(client);
    expect(refusalOf(await client.update(id, { status: 'void', void_reason: 'draft_expired' }))).toBe(
      '422 | validation_invalid_format /void_reason',
    );
  });
});

describe('the account settings that figures rest on', () => {
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
    const { retain_personal_data_days, ...settingsSnapshot } = others;
    expect((await ports.ledger.find(account.id, id))?.settingsSnapshot).toEqual(settingsSnapshot);
    const update = { ...asked, id, update: { tax_amount: null }, ifMatch: null };
    const changed = await updateTransaction(update, { account: now as typeof account, credential: 'key_test' }, ports);
    expect(JSON.parse((changed as Extract<typeof changed, { ok: true }>).value.answer.body)).toMatchObject({
      tax_amount: '0.00',
      line_items: [{ taxes: [{ taxability_reason: 'not_collecting' }] }],
    });
  });
});
