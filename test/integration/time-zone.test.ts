import { expect, it } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { newCaller } from '../support/api.ts';
import { connectClient, getRefusal, later, made, sale, sold } from '../support/sales.ts';

const evening = '2026-11-01T00:30:00Z';
const local = '2026-10-31T20:30:00-04:00';

const newClient = async (settings: object) => connectClient(await newCaller({ settings }));

it('dates an evening in New York to that day, in responses, lists and updates', async () => {
  const client = await newClient({ time_zone: 'America/New_York' });
  expect((await made(client.calculate(sale({ tax_date: evening })))).tax_date).toBe(local);
  const draft = await made(client.create(sale({ tax_date: evening })));
  expect(draft.tax_date).toBe(local);
  const again = await made(client.update(draft.id, { tax_date: '2026-11-01T01:30:00+01:00' }));
  expect([again.version, again.tax_date]).toEqual([1, local]);
  const idsWith = async (filters: Record<string, string>) =>
    (await made(client.list(filters))).data.map(({ id }) => id);
  expect(await idsWith({ 'tax_date[lte]': '2026-10-31' })).toEqual([draft.id]);
  expect(await idsWith({ 'tax_date[gte]': '2026-11-01' })).toEqual([]);
  expect(await idsWith({ 'tax_date[gte]': evening })).toEqual([draft.id]);
  expect(await idsWith({ 'tax_date[gt]': evening })).toEqual([]);
});

it('changes nothing if a stored tax date is sent again, even after the time zone has changed', async () => {
  const caller = await newCaller({ settings: { time_zone: 'America/New_York' } });
  const client = connectClient(caller);
  const { id, tax_date } = await sold(client, { tax_date: evening });
  await changeSettings(caller.account, { time_zone: 'America/Chicago' });
  await later(61_000, async () => {
    const again = await made(client.update(id, { tax_date, status: 'finalized' }));
    expect([again.version, again.tax_date]).toEqual([1, local]);
  });
});

it('a reconciliation uses the time zone for its range', async () => {
  const { call } = await newCaller({ settings: { time_zone: 'America/New_York' } });
  const transactions = [{ reference_id: 'a', total_amount: '106.00', tax_amount: '6.00' }];
  const asked = (from: string, to: string) => call('POST', '/reconciliations', { body: { from, to, transactions } });
  expect((await asked('2026-11-01T02:00:00Z', '2026-10-31')).status).toBe(200);
  expect(getRefusal(await asked('2026-11-01', '2026-11-01T02:00:00Z'))).toBe('422 | validation_invalid_format /to');
});

it('an evening with an offset is a sale of the UTC day by default', async () => {
  const client = await newClient({});
  expect((await sold(client, { tax_date: '2026-10-31T20:30:00-04:00' })).tax_date).toBe('2026-11-01T00:30:00Z');
  expect((await sold(client, { tax_date: evening })).tax_date).toBe(evening);
  const refused = await client.create(sale({ tax_date: '2026-10-31T20:30:00-0400' }));
  expect(getRefusal(refused)).toBe('422 | validation_invalid_format /tax_date');
});

it('a transaction without a tax date has the time of the request, in the time zone', async () => {
  const client = await newClient({ time_zone: 'Pacific/Honolulu' });
  const { tax_date, created_at } = await sold(client, { tax_date: null });
  expect(tax_date).toMatch(/-10:00$/);
  expect(Math.abs(Date.parse(tax_date) - Date.parse(created_at))).toBeLessThan(60_000);
});

it('the day in the time zone determines whether the period is closed', async () => {
  const client = await newClient({ time_zone: 'America/New_York', books_open_from: '2026-11-01' });
  const refused = await client.create(sale({ tax_date: evening }));
  expect(getRefusal(refused)).toBe('422 | validation_date_out_of_range /tax_date');
  expect((await client.create(sale({ tax_date: '2026-11-01T04:00:00Z' }))).status).toBe(201);
});

it('a period can be closed from the day after its end in the time zone', async () => {
  const client = await newClient({ time_zone: 'Pacific/Honolulu' });
  await sold(client, { tax_date: '2026-10-20' });
  const closed = (at: string) =>
    later(Date.parse(at) - now(), () =>
      client.call('POST', '/filings', { body: { state: 'MI', period_end: '2026-10-31' } }),
    );
  expect(getRefusal(await closed('2026-11-01T09:59:59Z'))).toBe('409 | conflict_period_not_over /period_end');
  expect((await closed('2026-11-01T10:00:00Z')).status).toBeLessThan(300);
});
