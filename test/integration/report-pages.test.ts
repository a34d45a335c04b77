import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { batchesOf } from '../../shared/base/collections.ts';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { rowItem } from '../../shared/store/report-store.ts';
import { newCaller } from '../support/api.ts';
import { filerOf } from '../support/filings.ts';
import type { Schema } from '../support/http.ts';
import { made, refusalOf } from '../support/sales.ts';

const months = ['2026-01', '2026-02', '2026-03'];
const states = Array.from({ length: 26 }, (_, at) => `US-${String.fromCharCode(65 + at)}A`);
const currencies =
  'AUD CAD CHF CLP CNY CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW KWD MXN MYR NOK NZD PEN PHP PLN RON RSD SEK SGD THB TRY TWD UAH USD UYU VND XAF XOF ZAR'.split(
    ' ',
  );

/** The sums that `count-transactions` would keep of sales in many currencies. Every seventh one is of voided sales. */
const rows = months.flatMap((month) =>
  states.flatMap((state) =>
    currencies.map((currency, at) => {
      const sum = { taxable: 10n ** 26n + BigInt(at), exempt: 0n, tax: 7n, count: at % 7 === 0 ? 0 : 1 };
      return { month, state, currency, sales: sum, credits: { ...sum, count: 0 }, seen: 0 };
    }),
  ),
);

it('a report in many currencies comes in pages, each row once', async () => {
  const caller = await newCaller();
  const client = filerOf(caller);
  const TableName = environment.tables.transactions;
  for await (const some of batchesOf(rows))
    await Promise.all(
      some.map((row) =>
        database.send(new PutCommand({ TableName, Item: rowItem(caller.account.id, row, '2026-04-01T00:00:00.000Z') })),
      ),
    );
  const path = '/reports/by-state?from=2026-01&to=2026-03';
  const pageOf = async (query: string) => {
    const { text, body } = await client.call('GET', path + query);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(6_200_000);
    return body as unknown as Schema<'ReportByState'>;
  };
  const seen: string[] = [];
  let pages = 0;
  for (let query: string | null = ''; query !== null; pages++) {
    const { data, has_more, next_cursor } = await pageOf(query);
    seen.push(...data.map(({ month, state, currency }) => `${month} ${state} ${currency}`));
    expect(has_more).toBe(next_cursor !== null);
    query = next_cursor && `&starting_after=${next_cursor}`;
  }
  expect(pages).toBe(2);
  const shown = rows.filter(({ sales }) => sales.count > 0);
  expect(seen).toEqual(shown.map(({ month, state, currency }) => `${month} ${state} ${currency}`));
  const { next_cursor } = await pageOf('');
  const other = `/reports/by-state?from=2026-02&to=2026-03&starting_after=${next_cursor}`;
  expect(refusalOf(await client.call('GET', other))).toBe('422 | validation_invalid_cursor starting_after');
  const stranger = filerOf(await newCaller());
  expect(refusalOf(await stranger.call('GET', `${path}&starting_after=${next_cursor}`))).toBe(
    '422 | validation_invalid_cursor starting_after',
  );
  await made(client.call('GET', '/registrations/advice'));
});
