import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi } from '../support/api.ts';
import { made } from '../support/sales.ts';
import { openConsole, signIn, startBrowser } from './browser.ts';
import { lastMonth, newShop } from './month.ts';

let browser: Browser;
let url: string;
beforeAll(async () => {
  ({ url } = await startApi());
  browser = await startBrowser();
});
afterAll(() => browser?.close());

type Shop = Awaited<ReturnType<typeof newShop>>;

const signedIn = async (shop: Shop, view: string) => {
  const opened = await openConsole(browser, url, view);
  await signIn(opened.page, shop.key);
  return opened;
};
const ofState = (state: string): string => `#/filings/US-${state}/${lastMonth.last}`;
const openDialog = (page: Page) => page.getByRole('button', { name: 'Close the period …' }).click();

it('a period that is too large for a dry run can be closed', async () => {
  const shop = await newShop();
  await shop.sell('MI');
  const { page, close } = await openConsole(browser, url, '#/customers');
  await signIn(page, shop.key);
  const error = { status: '422', code: 'validation_too_many_entries', title: 'Too many entries', detail: 'Close it.' };
  await page.route('**/filings', (route) =>
    route.request().postDataJSON()?.dry_run
      ? route.fulfill({ status: 422, json: { errors: [error] } })
      : route.continue(),
  );
  await page.goto(`${url}/console${ofState('MI')}`);
  await openDialog(page);
  await page.getByText('Its figures are known when it is closed.').waitFor();
  await page.getByRole('button', { name: 'Close MI, ' }).click();
  await page.getByText('closed', { exact: true }).waitFor();
  await close();
});

it('shows that the figures of a closed filing differ from the dry run', async () => {
  const shop = await newShop();
  await shop.sell('FL');
  const { page, close } = await signedIn(shop, ofState('FL'));
  await openDialog(page);
  await shop.sell('FL', { line_items: [{ id: 'late', quantity: '1', unit_price: '9000.00' }] });
  await page.getByRole('button', { name: 'Close FL, ' }).click();
  await page.getByText('The figures changed since the dry run').waitFor();
  await close();
});

it('keeps the dialog of a running closing, and does not leave another view', async () => {
  const shop = await newShop();
  await shop.sell('OH');
  const { page, close } = await signedIn(shop, ofState('OH'));
  await openDialog(page);
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await page.route('**/filings', async (route) => {
    started.resolve();
    await finish.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Close OH, ' }).click();
  await started.promise;
  expect(await page.getByRole('button', { name: 'Keep it open' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.goto(`${url}/console#/customers`);
  finish.resolve();
  await expect.poll(async () => (await made(shop.filer.filings())).data.length, { timeout: 10_000 }).toBe(1);
  await page.waitForTimeout(300);
  expect(page.url()).toContain('#/customers');
  await close();
});

it('offers to close only the first period of a state, and only when it has ended', async () => {
  const shop = await newShop();
  await shop.sell('TX');
  const monthAfter = new Date(Date.UTC(Number(lastMonth.last.slice(0, 4)), Number(lastMonth.last.slice(5, 7)) + 1, 0));
  const running = monthAfter.toISOString().slice(0, 10);
  const { page, close } = await signedIn(shop, `#/filings/US-TX/${running}`);
  await page.getByText(`It can be closed after ${running}`).waitFor();
  expect(await page.getByRole('button', { name: 'Close the period …' }).count()).toBe(0);
  await close();
});

it('does not offer to close a period before the first one of the state', async () => {
  const { page, close } = await signedIn(await newShop(), ofState('NY'));
  await page.getByText('File earlier periods outside of Levy.').waitFor();
  expect(await page.getByRole('button', { name: 'Close the period …' }).count()).toBe(0);
  await close();
});

it('downloads the transactions of a filing as the API has them, page by page', async () => {
  const shop = await newShop();
  for (let count = 0; count < 7; count++) await shop.sell('CO', { reference_id: `=order-${count}` });
  const filing = await made(shop.filer.close({ state: 'CO', period_end: lastMonth.last }));
  const { page, close } = await signedIn(shop, `#/filings/${filing.id}`);
  await page.route('**/filings/*expand=entries*', (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=3') }),
  );
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download transactions as CSV' }).click(),
  ]);
  const text = Buffer.concat(await (await file.createReadStream()).toArray()).toString();
  const path = `/filings/${filing.id}?expand=entries&limit=100` as '/filings/{id}';
  expect(text).toBe((await shop.call('GET', path, { headers: { Accept: 'text/csv' } })).text);
  // A spreadsheet must not take a reference for a formula.
  expect(new Set(text.match(/'=order-\d/g)).size).toBe(7);
  await close();
});

it('a filing with many totals shows them page by page', async () => {
  const shop = await newShop();
  await shop.sell('OH');
  const { page, close } = await signedIn(shop, ofState('OH'));
  await openDialog(page);
  // A return with more than 4 MB of totals takes long to record, so the pages are made here.
  await page.route('**/filings/fil_*', async (route) => {
    const [url = '', query] = route.request().url().split('?');
    const filing = await (await route.fetch({ url })).json();
    const isSecond = query === 'totals_starting_after=c.d';
    const totals = filing.totals.slice(0, 1).map((total: object) => ({
      ...total,
      jurisdiction_name: isSecond ? 'Second jurisdiction' : 'First jurisdiction',
    }));
    return route.fulfill({ json: { ...filing, totals, totals_next_cursor: isSecond ? null : 'c.d' } });
  });
  await page.getByRole('button', { name: 'Close OH, ' }).click();
  await page.getByText('First jurisdiction').waitFor();
  await page.getByRole('button', { name: 'Next page of totals' }).click();
  await page.getByText('Second jurisdiction').waitFor();
  expect(await page.getByRole('button', { name: 'Next page of totals' }).count()).toBe(0);
  await page.getByRole('button', { name: 'First page of totals' }).click();
  await page.getByText('First jurisdiction').waitFor();
  await close();
});
