import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { now } from '../../shared/config/clock.ts';
import { changeSettings } from '../../shared/store/accounts/account-store.ts';
import { newCaller } from '../support/api.ts';
import { type Filer, filerOf, settled } from '../support/filings.ts';
import { later, made, sale } from '../support/sales.ts';

const monthsFrom = (day: string, to: string): number => {
  const [a, b] = [day, to].map((text) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)));
  return (b ?? 0) - (a ?? 0) + 1;
};
const lastDayBefore = (day: string): string =>
  new Date(Date.parse(`${day.slice(0, 7)}-01`) - 1).toISOString().slice(0, 10);

const dates = fc.constantFrom(
  '0000-01-31',
  '0001-01-31',
  '0202-10-08',
  '1969-12-31',
  '2019-12-31',
  '2021-06-30',
  '2024-01-31',
  '2026-09-30',
);
const steps = fc.array(
  fc.oneof(
    dates.map((date) => ({ kind: 'sale', date }) as const),
    dates.map((date) => ({ kind: 'draft', date }) as const),
    dates.map((date) => ({ kind: 'close', date: lastDayBefore(`${date.slice(0, 7)}-01`) }) as const),
    dates.map((date) => ({ kind: 'close', date }) as const),
    fc.constant({ kind: 'cancel', date: '' } as const),
  ),
  { minLength: 1, maxLength: 8 },
);

/** Apply a step. It may be refused; nothing may fail. */
const take = async (filer: Filer, kind: string, date: string): Promise<void> => {
  if (kind === 'close') return refusedOr(await filer.close({ state: 'MI', period_end: date }));
  if (kind === 'sale') return refusedOr(await filer.create(sale({ tax_date: date, status: 'finalized' })));
  if (kind === 'draft') {
    const { body } = await filer.create(sale({ tax_date: '2026-10-08' }));
    return refusedOr(await filer.update(body.id, { tax_date: date, status: 'finalized' }));
  }
  const [newest] = (await filer.filings({ state: 'MI' })).body.data;
  if (newest) refusedOr(await filer.change((await settled(filer, newest.id)).id, { status: 'canceled' }));
};
const refusedOr = ({ status }: { readonly status: number }): void => expect(status).toBeLessThan(500);

describe('a day before the books open', () => {
  const refusal = {
    status: 422,
    body: { errors: [{ code: 'validation_date_out_of_range', meta: { earliest: '2025-01-01' } }] },
  };

  it('is refused for transactions and filings, with the first day', async () => {
    const filer = filerOf(await newCaller({ settings: { books_open_from: '2025-01-01' } }));
    const draft = await made(filer.create(sale({ tax_date: '2025-01-01' })));
    for (const tax_date of ['2024-12-31', '2024-12-31T23:59:59.999Z', '0202-10-08'])
      for (const answer of [
        await filer.create(sale({ tax_date })),
        await filer.create({ type: 'credit', parent_transaction_id: draft.id, tax_date }),
        await filer.update(draft.id, { tax_date }),
        await filer.close({ state: 'MI', period_end: tax_date.slice(0, 10) }),
      ])
        expect(answer).toMatchObject(refusal);
    expect((await filer.get(draft.id)).body.version).toBe(1);
    expect((await filer.calculate(sale({ tax_date: '2024-12-31' }))).status).toBe(200);
    expect((await filer.close({ state: 'MI', period_end: '2025-01-31' })).status).toBe(202);
  });

  it('a stored tax date before the books open can be sent again', async () => {
    const account = await newCaller();
    const filer = filerOf(account);
    const stored = await made(filer.create(sale({ tax_date: '2024-12-31' })));
    await changeSettings(account.account, { books_open_from: '2025-01-01' });
    await later(120_000, async () => {
      expect(await filer.create(sale({ tax_date: '2024-12-31' }))).toMatchObject(refusal);
      expect((await filer.update(stored.id, { tax_date: '2024-12-31', metadata: { a: 'b' } })).status).toBe(200);
    });
  });
});

it('lets every period up to the present be closed with one call each, after any accepted requests', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const filer = filerOf(await newCaller());
      await filer.create(sale({ tax_date: '2026-08-31', status: 'finalized' }));
      for (const { kind, date } of taken) await take(filer, kind, date);
      const today = new Date(now()).toISOString().slice(0, 10);
      const last = lastDayBefore(today);
      // Books open four years before the account was created, which is today.
      const periodsMax = monthsFrom(today, last) + 4 * 12 + 1;
      let calls = 0;
      for (let period_end = last; ; ) {
        const answer = await filer.close({ state: 'MI', period_end });
        if (answer.status === 200 || (answer.status === 202 && period_end === last)) break;
        if (answer.status === 202) {
          await settled(filer, answer.body.id);
          calls += 1;
          period_end = last;
        } else period_end = String(answer.body.errors[0].meta?.['period_end']);
        expect(calls).toBeLessThanOrEqual(periodsMax);
      }
    }),
    { numRuns: 20 },
  );
});
