import { expect, it } from 'vitest';
import { newCaller, startApi } from '../support/api.ts';
import { filerOf } from '../support/filings.ts';
import { made } from '../support/sales.ts';
import { openConsole, rowsOf, signIn, startBrowser } from './browser.ts';
import { addressIn } from './month.ts';

/** More than the pages that the test opens. `MANY=100000` takes some minutes. */
const many = Number(process.env['MANY'] ?? 2_100);

it(`lists ${many} transactions page by page`, async () => {
  const { url } = await startApi();
  const caller = await newCaller({ settings: { rate_limit: 10_000_000 } });
  const filer = filerOf(caller);
  let count = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (count < many) {
        const at = count++;
        await made(
          filer.create({
            status: 'finalized',
            reference_id: `order-${at}`,
            customer: { address: addressIn('MI') },
            line_items: [{ id: 'one', quantity: '1', unit_price: '1.00' }],
          }),
        );
      }
    }),
  );
  const browser = await startBrowser();
  const { page, complaints, close } = await openConsole(browser, url, '#/transactions');
  await signIn(page, caller.key);
  for (let pages = 0; pages < 40; pages++) {
    expect(await rowsOf(page, 'Transactions, newest first')).toHaveLength(50);
    const [before] = await page.locator('tbody a').allInnerTexts();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: before as string, exact: true }).waitFor({ state: 'detached' });
  }
  await page.goto(`${url}/console#/transactions?reference_id=order-7`);
  await page.getByRole('link', { name: 'order-7', exact: true }).waitFor();
  await page.goto(`${url}/console#/overview`);
  await page.getByText('Updated 20').or(page.getByText('No data yet')).waitFor();
  expect(complaints).toEqual([]);
  await close();
  await browser.close();
}, 1_500_000);
