import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { exampleCustomer, exampleRatesQuery, sale } from '../../shared/api/openapi/sample-requests.ts';
import * as samples from '../../shared/api/openapi/samples.ts';
import { type Caller, newCaller } from '../support/api.ts';

const { calculation, customer, renewedCustomer, replay } = samples;
const exampleOf = (operation: Operation) => endpoints[operation].responses[0].example(samples);
const requestOf = (operation: Operation, name: string) =>
  endpoints[operation].requests?.[name]?.value as Readonly<Record<string, unknown>>;

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const create = async (body: object) => {
  const answer = await caller.call('POST', '/transactions', { body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};

const update = async (id: string, body: object) => {
  const answer = await caller.call('POST', `/transactions/${id}`, { body });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};

const calculate = async (body: object) => {
  const answer = await caller.call('POST', '/calculations', { body });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};

// Each of these answers is compared with the document (test/support/setup-api.ts).
describe('the workflows of the specification keep the contract', () => {
  it('1. draft invoice: create a draft, finalize it with the id of the invoice', async () => {
    const draft = await create({ ...sale, status: 'draft' });
    expect([draft.status, draft.tax_amount]).toEqual(['draft', '5.70']);
    const finalized = await update(draft.id, { status: 'finalized', reference_id: 'workflow_1' });
    expect([finalized.status, finalized.reference_id]).toEqual(['finalized', 'workflow_1']);
    const { status, body } = await caller.call('GET', `/transactions/${draft.id}`);
    expect([status, body]).toEqual([200, { ...finalized, history: null }]);
  });

  it('2. estimate: calculate, then record the answer itself, finalized', async () => {
    const estimate = await calculate(sale);
    const recorded = await create({ ...estimate, status: 'finalized', reference_id: 'workflow_2' });
    expect([recorded.tax_amount, recorded.tax_amount_source]).toEqual([estimate.tax_amount, 'provided']);
    expect(recorded.warnings).toEqual([]);
  });

  it('3. full refund: a credit without line items', async () => {
    const parent = await create({ ...sale, status: 'finalized' });
    const credit = await create({
      type: 'credit',
      parent_transaction_id: parent.id,
      status: 'finalized',
      tax_date: '2026-10-09T12:00:00Z',
    });
    expect([credit.type, credit.tax_amount, credit.total_amount]).toEqual(['credit', '5.70', parent.total_amount]);
    const { body } = await caller.call('GET', `/transactions/${parent.id}`);
    expect([body.refund_status, body.credited_tax_amount]).toEqual(['full', '5.70']);
  });

  it('4. partial refund: the calculation returns the tax that the credit records', async () => {
    const parent = await create({ ...sale, status: 'finalized' });
    const refund = {
      type: 'credit',
      parent_transaction_id: parent.id,
      line_items: [{ id: 'item_1', quantity: '1' }],
    };
    const estimate = await calculate(refund);
    const credit = await create({ ...refund, status: 'draft' });
    expect(credit.tax_amount).toBe(estimate.tax_amount);
    const finalized = await update(credit.id, { status: 'finalized' });
    expect(finalized.tax_amount).toBe(estimate.tax_amount);
  });

  it('lists with and without line items, page by page, and by each filter', async () => {
    const first = await caller.call('GET', '/transactions?limit=2');
    expect([first.status, first.body.data.length, first.body.has_more]).toEqual([200, 2, true]);
    const cursor = encodeURIComponent(first.body.next_cursor);
    expect((await caller.call('GET', `/transactions?limit=2&starting_after=${cursor}`)).status).toBe(200);
    const expanded = await caller.call('GET', '/transactions?limit=10&expand=line_items');
    expect(expanded.body.data[0]?.line_items).toHaveLength(1);
    for (const filter of [
      'status=finalized',
      'type=credit',
      'reference_id=workflow_1',
      `parent_transaction_id=${first.body.data[0]?.parent_transaction_id ?? 'txn_none'}`,
      'customer_id=cus_9',
      'tax_date[gte]=2026-10-01&tax_date[lt]=2026-11-01',
      'created_at[gt]=2026-01-01T00:00:00Z&created_at[lte]=2099-01-01',
    ])
      expect([filter, (await caller.call('GET', `/transactions?${filter}`)).status]).toEqual([filter, 200]);
  });

  it('replays a sale, a credit and a voided credit', async () => {
    const parent = await create({ ...sale, status: 'finalized' });
    const credit = await create({ type: 'credit', parent_transaction_id: parent.id, status: 'finalized' });
    await update(credit.id, { status: 'void' });
    for (const { id } of [parent, credit]) {
      const { status, body } = await caller.call('POST', `/transactions/${id}/replay`);
      expect([status, body.id, body.match, body.differences]).toEqual([200, id, true, []]);
    }
  });

  it('returns the history of a transaction and reconciles it with the invoices', async () => {
    const merchant = await newCaller();
    const { body: draft } = await merchant.call('POST', '/transactions', { body: sale });
    const finalize = { body: { status: 'finalized', reference_id: 'invoice_1002' } };
    await merchant.call('POST', `/transactions/${draft.id}`, finalize);
    const { body: whole } = await merchant.call('GET', `/transactions/${draft.id}?expand=history`);
    const { body: first } = await merchant.call('GET', `/transactions/${draft.id}/history?limit=1`);
    expect([whole.history?.length, first.data, first.next_cursor]).toEqual([2, [whole.history?.[0]], '2']);
    const { status, body } = await merchant.call('POST', '/reconciliations', {
      body: requestOf('create-reconciliation', 'month'),
    });
    expect(status).toBe(200);
    expect([body.matched_count, body.different.length, body.missing.length, body.extra]).toEqual([0, 1, 2, []]);
    expect(body.different[0]?.recorded).toEqual({ total_amount: '100.70', tax_amount: '5.70' });
  });
});

describe('the examples of the document work as they are', () => {
  it('answers the example sale with the example calculation', async () => {
    expect(await calculate(sale)).toEqual(calculation);
  });

  it('answers the coverage of the example, except the day', async () => {
    const { body } = await caller.call('GET', '/coverage?state=MI');
    expect({ ...body, tax_date: '2026-11-21' }).toEqual(await exampleOf('get-coverage'));
  });

  it('answers the address of the example with the rates of the example', async () => {
    expect((await caller.call('GET', `/rates?${new URLSearchParams(exampleRatesQuery)}`)).body).toEqual(
      await exampleOf('get-rates'),
    );
  });

  it('replays the sale of the example with the documented response', async () => {
    const { id } = await create({ ...sale, status: 'finalized' });
    const { body } = await caller.call('POST', `/transactions/${id}/replay`);
    expect(body).toEqual({ ...replay, id, version: 1 });
  });

  it('creates, changes and lists the customer of the examples with the documented responses', async () => {
    const { call } = await newCaller();
    const own = ({ created_at: _c, updated_at: _u, ...customer }: Record<string, unknown>) => customer;
    const resale = requestOf('create-customer', 'resale');
    const created = await call('POST', '/customers', { body: resale });
    expect([created.status, created.headers.get('Location')]).toEqual([201, `customers/${exampleCustomer.id}`]);
    expect(own(created.body)).toEqual(own(customer));
    expect((await call('GET', `/customers/${exampleCustomer.id}`)).body).toEqual(created.body);
    expect((await call('GET', '/customers')).body.data).toEqual([created.body]);
    const renew = requestOf('update-customer', 'renew');
    const remove = requestOf('update-customer', 'remove');
    const renewed = await call('POST', `/customers/${exampleCustomer.id}`, { body: renew });
    expect(own(renewed.body)).toEqual(own(renewedCustomer));
    const removed = await call('POST', `/customers/${exampleCustomer.id}`, { body: remove });
    expect(own(removed.body)).toEqual({ ...own(renewed.body), exemptions: [], version: 3 });
  });
});
