import { beforeAll, describe, expect, it } from 'vitest';
import { documentation as creation } from '../../functions/create-filing.ts';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { documentation as change } from '../../functions/update-filing.ts';
import { exampleCustomer, exampleRatesQuery, sale } from '../../shared/api/openapi/sample-requests.ts';
import * as samples from '../../shared/api/openapi/samples.ts';
import { now } from '../../shared/config/clock.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { createFiler, settled } from '../support/filings.ts';
import { later, made } from '../support/sales.ts';

const { calculation, customer, filings, renewedCustomer, replay } = samples;
const getExample = (operation: Operation) => endpoints[operation].response.example(samples);
const buildRequest = (operation: Operation, name: string) =>
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

const calculate = async (body: object) => {
  const answer = await caller.call('POST', '/calculations', { body });
  expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  return answer.body;
};

// docs-examples.test.ts runs the specification's other workflows.
it('records a calculation directly as finalized, without warnings', async () => {
  const estimate = await calculate(sale);
  const recorded = await create({ ...estimate, status: 'finalized', reference_id: 'workflow_2' });
  expect([recorded.tax_amount, recorded.tax_amount_source]).toEqual([estimate.tax_amount, 'provided']);
  expect(recorded.warnings).toEqual([]);
});

describe("the document's examples work unchanged", () => {
  it('returns the example calculation for the example sale', async () => {
    expect(await calculate(sale)).toEqual(calculation);
  });

  it('returns the example coverage, except the date', async () => {
    const { body } = await caller.call('GET', '/coverage?state=MI');
    expect({ ...body, tax_date: '2026-11-21' }).toEqual(await getExample('get-coverage'));
  });

  it('returns the example rates for the example address', async () => {
    expect((await caller.call('GET', `/rates?${new URLSearchParams(exampleRatesQuery)}`)).body).toEqual(
      await getExample('get-rates'),
    );
  });

  it('replays the example sale with the documented response', async () => {
    const { id } = await create({ ...sale, status: 'finalized' });
    const { body } = await caller.call('POST', `/transactions/${id}/replay`);
    expect(body).toEqual({ ...replay, id, version: 1 });
  });

  it('creates, changes and lists the example customer with the documented responses', async () => {
    const { call } = await newCaller();
    const own = ({ created_at: _c, updated_at: _u, ...customer }: Record<string, unknown>) => customer;
    const resale = buildRequest('create-customer', 'resale');
    const created = await call('POST', '/customers', { body: resale });
    expect([created.status, created.headers.get('Location')]).toEqual([201, `customers/${exampleCustomer.id}`]);
    expect(own(created.body)).toEqual(own(customer));
    expect((await call('GET', `/customers/${exampleCustomer.id}`)).body).toEqual(created.body);
    expect((await call('GET', '/customers')).body.data).toEqual([created.body]);
    const renew = buildRequest('update-customer', 'renew');
    const remove = buildRequest('update-customer', 'remove');
    const renewed = await call('POST', `/customers/${exampleCustomer.id}`, { body: renew });
    expect(own(renewed.body)).toEqual(own(renewedCustomer));
    const removed = await call('POST', `/customers/${exampleCustomer.id}`, { body: remove });
    expect(own(removed.body)).toEqual({ ...own(renewed.body), exemptions: [], version: 3 });
  });
});

describe('the filing examples work unchanged', () => {
  const same = ({ id, asked_by, filed_by, created_at, closed_at, filed_at, ...figures }: Record<string, unknown>) => ({
    ...figures,
    known: [id, asked_by, filed_by, created_at, closed_at, filed_at].map((value) => typeof value),
  });

  it('closes and files the month of the example sale with the documented responses', async () => {
    // The due date is 18 days later.
    await later(Date.parse('2026-11-02T12:00:00Z') - now(), async () => {
      const filer = createFiler(await newCaller());
      await made(filer.create({ ...sale, status: 'finalized' }));
      const dry = await filer.close(creation().requests.dryRun.value);
      expect(same(dry.body)).toEqual(same(filings.dryRun));
      const { body } = await filer.close(creation().requests.close.value);
      expect(same(body)).toEqual(same(filings.closing));
      expect(same(await settled(filer, body.id))).toEqual(same(filings.closed));
      const answer = await filer.change(body.id, change().requests.file.value);
      expect(same(answer.body)).toEqual(same(filings.marking));
      expect(same(await settled(filer, body.id))).toEqual(same(filings.filed));
    });
  });
});
