import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newCaller, startApi } from '../support/api.ts';
import { made } from '../support/sales.ts';
import { openConsole, signIn, startBrowser } from './browser.ts';
import { lastMonth, newShop } from './month.ts';

let browser: Browser;
let url: string;
let shop: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  ({ url } = await startApi());
  browser = await startBrowser();
  shop = await newShop();
});
afterAll(() => browser?.close());

const at = async (view: string, use: (page: Page) => Promise<void>) => {
  const { page, complaints, close } = await openConsole(browser, url, view);
  await signIn(page, shop.key);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await use(page);
  expect(complaints).toEqual([]);
  await close();
};

it('going back shows the address whose rates the page shows', async () => {
  await at('#/coverage?city=Detroit&state=MI&postal_code=48226', async (page) => {
    await page.getByText('6%').first().waitFor();
    for (const [label, text] of [
      ['City', 'New York'],
      ['State', 'NY'],
      ['ZIP code', '10001'],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Show rates' }).click();
    await page.getByText('8.875%').waitFor();
    await page.goBack();
    await page.getByText('8.875%').waitFor({ state: 'detached' });
    expect(await page.getByLabel('ZIP code').inputValue()).toBe('48226');
  });
});

it('a period with a filing leads to the filing, and does not offer to close it', async () => {
  await shop.sell('WA');
  await at('#/filings', async (page) => {
    await shop.filer.close({ state: 'WA', period_end: lastMonth.last });
    await page.goto(`${url}/console#/filings/US-WA/${lastMonth.last}`);
    await page.getByText('This period has a filing').waitFor();
    expect(await page.getByRole('button', { name: 'Close the period …' }).count()).toBe(0);
    expect(await page.getByText('A dry run').count()).toBe(0);
    await page.getByRole('link', { name: 'Open the filing' }).click();
    await page.getByRole('button', { name: 'Mark as filed …' }).waitFor();
  });
});

it('does not show that nothing matches on an empty page with a next one', async () => {
  await at('#/transactions', async (page) => {
    const json = { object: 'list', has_more: true, next_cursor: 'next', data: [] };
    await page.route('**/*?*', (route) => route.fulfill({ json }));
    for (const list of ['customers', 'filings']) {
      await page.goto(`${url}/console#/${list}?state=MI`);
      await page.getByText('matches on this page.').waitFor();
      await page.getByRole('link', { name: 'Next page' }).waitFor();
    }
    await page.goto(`${url}/console#/transactions?state=MI`);
    await page.getByText('0 transactions found so far.').waitFor();
  });
});

it('refuses a key with other characters', async () => {
  const { page, close } = await openConsole(browser, url);
  await signIn(page, 'levy_ключ');
  await page.getByText('There is no such API key').waitFor();
  await close();
});

it('moves the focus into a new view, and back from a dialog', async () => {
  await shop.sell('HI');
  const focused = (page: Page) =>
    page.evaluate<string>('document.activeElement.id || document.activeElement.innerText');
  await at('#/customers', async (page) => {
    await page.getByRole('link', { name: 'Coverage' }).click();
    await page.getByRole('heading', { name: 'Coverage' }).waitFor();
    await expect.poll(() => focused(page)).toBe('main');
    await page.goto(`${url}/console#/filings/US-HI/${lastMonth.last}`);
    await page.getByRole('button', { name: 'Close the period …' }).click();
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Close the period …');
  });
});

it('a customer that somebody else changed can be loaded again', async () => {
  const body = { id: 'gamma', name: 'Gamma', exemptions: [] };
  await made(shop.filer.call('POST', '/customers', { body }));
  await at('#/customers/gamma', async (page) => {
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Review the change' }).click();
    await made(shop.filer.call('POST', '/customers/gamma' as '/customers/{id}', { body: { name: 'Theirs' } }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else changed this').waitFor();
    await page.getByRole('button', { name: 'Load it again' }).click();
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Theirs');
  });
});

it('shows no period for registrations that begin later, without claiming that none are set', async () => {
  const registrations = [{ state: 'MI', from: '2999-01-01', to: null, frequency: 'month' as const }];
  const { key } = await newCaller({ settings: { registrations } });
  const { page, close } = await openConsole(browser, url, '#/filings');
  await signIn(page, key);
  await page.getByText('No registered state has an open period.').waitFor();
  expect(await page.getByText('no list of registrations').count()).toBe(0);
  await close();
});
