import { expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { invalidOrder, reconcile } from '../reconcile.ts';
import { recordOrder } from '../sales.ts';
import { checkShopName, type Ledger } from '../transactions.ts';
import { apiKey, startFaults, startLevy } from './levy.ts';
import { buildCart, buildOrder, buildRefund, listStates, mugs, newReference } from './orders.ts';

const service = await startLevy();
const faults = await startFaults(service.url);
const ledger: Ledger = { levy: createClient({ url: faults.url, apiKey }), shop: 'test' };

const buildRange = (day: string) => ({ from: day, to: day });

it('finds swapped products with equal amounts, and a changed city', async () => {
  const placedAt = '2026-10-09T12:00:00.000Z';
  const changed = { placedAt, changedAt: '2026-10-09T12:05:00.000Z' };
  const cup = buildCart([{ id: 'cup', quantity: 1, unitPrice: '26.67' }]);
  const hilo = { ...mugs, address: { city: 'Hilo', province: 'HI', postalCode: '96813', country: 'US' } };
  for (const reference of ['swapped', 'moved'])
    await recordOrder(ledger, buildOrder(mugs, reference, '1.20', { placedAt }));
  const orders = [buildOrder(cup, 'swapped', '1.20', changed), buildOrder(hilo, 'moved', '1.20', changed)];
  const report = await reconcile(ledger, orders, buildRange('2026-10-09'));
  expect(report).toMatchObject({ recorded: ['swapped', 'moved'], problems: [], extra: [] });
  expect(await reconcile(ledger, orders, buildRange('2026-10-09'))).toMatchObject({ recorded: [], problems: [] });
});

it('ignores transactions of a different shop of the account', async () => {
  const more = { placedAt: '2026-10-05T12:00:00.000Z' };
  await recordOrder({ ...ledger, shop: 'other' }, buildOrder(mugs, 'other-1', '1.20', more));
  await recordOrder(ledger, buildOrder(mugs, 'own-1', '1.20', more));
  const { extra } = await reconcile(ledger, [], buildRange('2026-10-05'));
  expect(extra.map(({ reference_id }) => reference_id)).toEqual(['own-1']);
});

it('does not report a credit as extra if its refund was made after the orders were read', async () => {
  const placedAt = '2026-10-04T12:00:00.000Z';
  const refund = { ...buildRefund('late', '9.29'), at: '2026-10-04T13:00:00.000Z' };
  const before = buildOrder(mugs, 'late-1', '1.20', { placedAt, changedAt: '2026-10-04T12:30:00.000Z' });
  await recordOrder(ledger, { ...before, changedAt: '2026-10-04T13:00:00.000Z', refunds: [refund] });
  expect(await reconcile(ledger, [before], buildRange('2026-10-04'))).toMatchObject({ problems: [], extra: [] });
  // A credit whose refund no longer exists in the shop is reported as extra.
  const after = { ...before, changedAt: '2026-10-04T14:00:00.000Z' };
  const { extra } = await reconcile(ledger, [after], buildRange('2026-10-04'));
  expect(extra.map(({ reference_id }) => reference_id)).toEqual(['late-1-refund-late']);
});

it.each(['draft', 'finalized'] as const)('continues after an invalid %s order', async (wanted) => {
  const placedAt = '2026-10-06T12:00:00.000Z';
  const odd = buildOrder(mugs, `odd-${wanted}`, '1.20', { placedAt, wanted, total: '27.875' });
  const good = buildOrder(mugs, `good-${wanted}`, '1.20', { placedAt });
  const unbuilt = invalidOrder(`unbuilt-${wanted}`, new RangeError('Prices include tax.'));
  await recordOrder(ledger, buildOrder(mugs, unbuilt.reference, '1.20', { placedAt }));
  const report = await reconcile(ledger, [odd, good], buildRange('2026-10-06'), [unbuilt]);
  expect(report.recorded).toContain(good.reference);
  const { sale } = await recordOrder(ledger, good);
  expect(sale).toMatchObject({ total_amount: '27.87', status: 'finalized' });
  expect(report.problems).toEqual([
    { reference: unbuilt.reference, code: 'invalid_order', detail: 'Prices include tax.', isFinal: true },
    { reference: odd.reference, code: 'invalid_order', detail: expect.stringContaining('27.875'), isFinal: true },
  ]);
  expect(report.extra.map(({ reference_id }) => reference_id)).not.toContain(unbuilt.reference);
});

it('throws without a valid key', async () => {
  const refused = { ...ledger, levy: createClient({ url: service.url, apiKey: 'levy_wrong' }) };
  await expect(reconcile(refused, [], buildRange('2026-10-07'))).rejects.toThrow('auth_api_key_not_found');
});

it.each(['müller', '店', 'my shop', '', 'x'.repeat(51)])('rejects the shop name "%s" at startup', (shop) => {
  expect(() => checkShopName(shop)).toThrow(RangeError);
  expect(() => checkShopName('my-shop')).not.toThrow();
});

it('records missing orders, replaces different sales, and lists extra transactions', async () => {
  const at = '2026-09-15T12:00:00.000Z';
  const more = { placedAt: at };
  const kept = buildOrder(mugs, newReference(), '1.20', more);
  const missing = buildOrder(mugs, newReference(), '1.20', more);
  const different = buildOrder(mugs, newReference(), '1.20', more);
  const refunded = buildOrder(mugs, newReference(), '1.20', { ...more, refunds: [buildRefund('1', '9.29', { at })] });
  const cancelled = buildOrder(mugs, newReference(), '1.20', { ...more, wanted: 'draft' });
  const unknown = buildOrder(mugs, newReference(), '1.20', more);
  for (const order of [kept, { ...different, tax: '1.10' }, { ...refunded, refunds: [] }, cancelled, unknown])
    await recordOrder(ledger, order);
  const orders = [kept, missing, different, refunded, { ...cancelled, wanted: 'void' as const }];
  const range = { from: '2026-09-15', to: '2026-09-15' };
  const report = await reconcile(ledger, orders, range);
  expect(report.recorded.toSorted()).toEqual(
    [missing, different, refunded, cancelled].map(({ reference }) => reference).toSorted(),
  );
  expect(report.problems).toEqual([]);
  expect(report.extra.map(({ reference_id }) => reference_id)).toEqual([unknown.reference]);
  expect((await reconcile(ledger, orders, range)).recorded).toEqual([]);
  for (const order of [kept, missing, different])
    expect((await listStates(service, order.reference)).at(-1)).toBe('sale finalized 27.87');
});

it("interprets the range in UTC, like the shop's orders, with any account time zone", async () => {
  const ranges: unknown[] = [];
  const applies = ({ sent }: { sent: Record<string, unknown> | null }) =>
    ranges.push([sent?.['from'], sent?.['to']]) < 0;
  Object.assign(faults.state, { fault: 503, applies });
  const at = (time: string) => buildOrder(mugs, newReference(), '1.20', { placedAt: `2026-09-20T${time}Z` });
  const orders = [at('00:00:00.000'), at('23:59:59.999')];
  for (const order of [...orders, at('00:00:00.000')]) await recordOrder(ledger, order);
  const { extra } = await reconcile(ledger, orders, { from: '2026-09-20', to: '2026-09-20' });
  expect(extra).toHaveLength(1);
  expect(ranges).toContainEqual(['2026-09-20T00:00:00.000Z', '2026-09-20T23:59:59.999Z']);
});
