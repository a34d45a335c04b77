import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { filerOf } from '../support/filings.ts';
import { everyPage, made } from '../support/sales.ts';
import { click, columnOf, countButtons, lastMonth, screenshot, seeText, useConsole } from './browser.ts';

const { visit } = useConsole();

const button = 'Load a sample month';
const statusOf = (page: Page, step: string) =>
  page.getByRole('listitem').filter({ hasText: step }).locator('.status').innerText();

it('lists what an empty account lacks, and offers no sample in a deployment', async () => {
  const { key } = await newCaller({ scopes: ['read', 'write', 'settings'], settings: { registrations: null } });
  await visit('', { options: {} }, async (page) => {
    await page.route('**/_local/**', (route) => route.fulfill({ status: 403, json: { message: 'Forbidden' } }));
    await page.getByLabel('API key').fill(key);
    await click(page, 'Sign in');
    await seeText(page, 'First finalized transaction');
    const steps = [
      'Registrations',
      'Ship-from address',
      'API key for your shop',
      'First calculation',
      'Identity on returns',
    ];
    expect(await Promise.all(steps.map((step) => statusOf(page, step)))).toEqual([
      'open',
      'open',
      'done',
      'open',
      'open',
    ]);
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    expect(await countButtons(page, button)).toBe(0);
    expect(await page.evaluate('scrollY')).toBe(0);
    await screenshot(page, 'getting-started');
  });
});

it('records a sample month once, after a failure and a double click, and shows the returns to close', async () => {
  const caller = await newCaller({ scopes: ['read', 'write', 'settings'] });
  const filer = filerOf(caller);
  await visit('', { key: caller.key }, async (page) => {
    expect(await statusOf(page, 'Registrations')).toBe('open');
    let left = 20;
    await page.route('**/transactions', (route) => {
      left -= Number(route.request().method() === 'POST');
      // The reply of the last one is lost after it was recorded.
      return left === 0 ? route.fetch().then(() => route.abort('connectionreset')) : route.continue();
    });
    await click(page, button);
    await seeText(page, 'No connection to Levy');
    await seeText(page, '19 of 66 transactions');
    await screenshot(page, 'sample-month');
    await page.getByRole('button', { name: button }).dblclick();
    await expect.poll(() => columnOf(page, 'Periods that are over', 'Amount due'), { timeout: 30_000 }).toHaveLength(8);
    expect(await page.getByText('Getting started').count()).toBe(0);
    await screenshot(page, 'sample-month-loaded');
  });
  const { ids } = await everyPage(filer, { limit: '100' });
  expect(ids).toHaveLength(66);
  const { data } = await made(caller.call('GET', '/transactions?type=credit'));
  expect(data.map((credit) => credit.parent_transaction_id !== null)).toEqual([true, true, true, true]);
  // 10 lamps at 49.00 are exempt by a resale certificate in MI.
  const michigan = await made(
    filer.call('POST', '/filings', { body: { state: 'MI', period_end: lastMonth.last, dry_run: true } }),
  );
  expect(michigan.exceptions).toMatchObject({ count: 1, by_reason: [{ reason: 'over_collected' }] });
  expect(michigan.summary).toMatchObject([{ over_collected_amount: '2.00', exempt_by_reason: { resale: '490.00' } }]);
  expect(michigan.review?.by_code?.map(({ code }) => code)).toContain('exemption_expired');
});
