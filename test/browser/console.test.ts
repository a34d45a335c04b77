import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readContentSource, writeContentSource } from '../../shared/store/content/content-sources.ts';
import { startApi } from '../support/api.ts';
import { openConsole, rowsOf, screenshot, signIn, startBrowser } from './browser.ts';
import { addressIn, lastMonth, newShop, states } from './month.ts';

let browser: Browser;
let url: string;
let shop: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  ({ url } = await startApi());
  browser = await startBrowser();
  shop = await newShop();
});
afterAll(() => browser?.close());

/** A signed-in page at a view, which must not complain. */
const at = async (view: string, use: (page: Page) => Promise<void>, options: object = {}) => {
  const { page, complaints, close } = await openConsole(browser, url, view, options);
  await signIn(page, shop.key);
  await use(page);
  expect(complaints).toEqual([]);
  await close();
};

describe('a sale', () => {
  it('is found by its reference, explained, credited by the API, and seen again', async () => {
    const sale = await shop.sell('NY', { reference_id: 'order-1', explain: true });
    await at('#/transactions', async (page) => {
      await page.getByLabel('Reference or id').fill('order-1');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('link', { name: 'order-1' }).click();
      await page.getByRole('heading', { name: 'Sale order-1' }).waitFor();
      const summary = await rowsOf(page, 'Tax by jurisdiction');
      expect(summary.map(({ Tax }) => Tax)).toEqual(sale.tax_summary.map(({ tax_amount }) => tax_amount));
      const steps = await page.locator('.steps li').allInnerTexts();
      expect(steps).toHaveLength(sale.explanation?.length ?? -1);
      expect(steps.join()).toContain('New York');
      await page.getByText('The chain of hashes is intact, in 1 version').waitFor();
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByText('The same figures with the recorded content.').waitFor();
      await screenshot(page, 'transaction');
      await shop.sell('NY', { type: 'credit', parent_transaction_id: sale.id, reference_id: 'refund-1' });
      await page.reload();
      await signIn(page, shop.key);
      const credits = await rowsOf(page, 'Credits of this sale');
      expect(credits.map(({ Reference, Total }) => [Reference, Total])).toEqual([['refund-1', sale.total_amount]]);
      await page.getByText('left 0.00').waitFor();
    });
  });
});

describe('a sale with two shipping charges and a line that is picked up', () => {
  const charges = [
    { id: 'parcel', amount: '10.00', line_item_ids: ['mug'] },
    { id: 'courier', amount: '15.00', discount_amount: '5.00', line_item_ids: ['print'] },
  ];
  const line = (id: string, more: object = {}) => ({
    ...{ id, description: `The ${id}`, product_tax_code: 'GENERAL', quantity: '1', unit_price: '20.00' },
    ...more,
  });
  const pickedUp = line('bowl', { fulfillment: 'pickup', ship_from: { address: addressIn('MI') } });

  it.each([true, false])('shows the lines, discounts and places, with a recorded explanation: %s', async (explain) => {
    const sale = await shop.sell('NY', {
      ...{ reference_id: `charges-${explain}`, explain, shipping: charges },
      line_items: [line('mug'), line('print'), pickedUp],
    });
    await at(`#/transactions/${sale.id}`, async (page) => {
      const lines = page.getByRole('region', { name: 'Lines' }).locator('details');
      await lines.first().waitFor();
      const texts = (await lines.locator('summary').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
      expect(texts).toEqual([
        expect.stringContaining('The mug · GENERAL · 1 × 20.00 · net 20.00'),
        expect.stringContaining('The print · GENERAL · 1 × 20.00 · net 20.00'),
        expect.stringMatching(/The bowl .* fulfillment: pickup · from 1 Woodward Avenue, Detroit, MI, .* tax 1\.20/),
        expect.stringContaining('Shipping parcel · for The mug · 10.00 · net 10.00'),
        expect.stringContaining('Shipping courier · for The print · 15.00 · discount 5.00 · net 10.00'),
      ]);
      await expect.poll(() => lines.nth(2).innerText()).toContain('Michigan');
      if (!explain) await page.getByRole('button', { name: 'Explain the tax' }).click();
      const steps = page.locator('.steps li');
      await steps.first().waitFor();
      const about = (await steps.locator('code').allInnerTexts()).filter((text) => !text.startsWith('/'));
      expect(about).toEqual(
        expect.arrayContaining(['The mug', 'The print', 'The bowl', 'Shipping parcel', 'Shipping courier']),
      );
      await screenshot(page, `charges-${explain}`);
    });
  });
});

it('shows what a negative line reduces, and a fee without a rate', async () => {
  const line = (id: string, more: object) => ({ id, description: `The ${id}`, quantity: '1', ...more });
  const sale = await shop.sell('CO', {
    line_items: [
      line('mug', { product_tax_code: 'GENERAL', unit_price: '20.00' }),
      line('deposit', { unit_price: '-5.00', parent_line_item_id: 'mug' }),
      line('fee', { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0.00' }),
    ],
  });
  await at(`#/transactions/${sale.id}`, async (page) => {
    const lines = page.getByRole('region', { name: 'Lines' }).locator('details');
    await lines.first().waitFor();
    const texts = (await lines.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(texts).toEqual([
      expect.stringContaining('The mug · GENERAL · 1 × 20.00 · discount 5.00 · net 15.00'),
      expect.stringContaining('The deposit · 1 × -5.00 · discount of The mug · net 0.00'),
      // C.R.S. 43-4-218: 0.28 in the fiscal year 2026-2027.
      expect.stringMatching(/The fee .* tax 0\.28 .*Colorado retail delivery fee: 0\.28 \(fee\)/),
    ]);
    const row = page.getByRole('row').filter({ hasText: 'US-CO-RDF' });
    expect((await row.locator('td').allInnerTexts()).slice(-4)).toEqual(['fee', '0.00', '0.00', '0.28']);
    await screenshot(page, 'fee');
  });
});

it('finds transactions by id, customer, state, status, type and date', async () => {
  const own = await newShop();
  const day = (number: number) => `${lastMonth.first.slice(0, 8)}${number}`;
  const places = { MI: addressIn('MI'), WA: addressIn('WA') };
  const first = await own.sell('MI', { reference_id: 'first', tax_date: day(11) });
  await own.sell('MI', { reference_id: 'second', tax_date: day(12), customer: { id: 'buyer', address: places.MI } });
  await own.sell('WA', { reference_id: 'third', tax_date: day(13) });
  await own.sell('MI', { reference_id: 'fourth', tax_date: day(14), status: 'draft' });
  const rest = { credit_remaining: true, line_items: null, customer: null, tax_date: day(15) };
  await own.sell('MI', { ...rest, type: 'credit', parent_transaction_id: first.id, reference_id: 'fifth' });
  const { page, complaints, close } = await openConsole(browser, url, '#/transactions');
  await signIn(page, own.key);
  const found = async (fields: Record<string, string>, choices: Record<string, string> = {}) => {
    await page.goto(`${url}/console#/transactions`);
    await page.getByRole('link', { name: 'Clear all filters' }).waitFor({ state: 'detached' });
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
    for (const [label, text] of Object.entries(choices))
      await page.getByLabel(label, { exact: true }).selectOption(text);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: 'Clear all filters' }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    return (await rowsOf(page, 'Transactions, newest first')).map(({ Reference }) => Reference);
  };
  expect(await found({ 'Reference or id': 'second' })).toEqual(['second']);
  expect(await found({ 'Customer id': 'buyer' })).toEqual(['second']);
  expect(await found({ State: 'WA' })).toEqual(['third']);
  expect(await found({}, { Status: 'draft' })).toEqual(['fourth']);
  expect(await found({}, { Type: 'credit' })).toEqual(['fifth']);
  expect(await found({ From: day(12), To: day(13) })).toEqual(['third', 'second']);
  await page.getByLabel('Reference or id').fill(first.id);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('heading', { name: 'Sale first' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

it('searches until it finds something, shows its progress, and downloads the result', async () => {
  const own = await newShop();
  await own.sell('MI', { reference_id: 'rare' });
  const { page, complaints, close } = await openConsole(browser, url, '#/overview');
  await signIn(page, own.key);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  // As in a large ledger, three requests find nothing. The last one waits, so that the test can inspect the page.
  let requests = 0;
  const waiting = Promise.withResolvers<void>();
  const emptyPage = { object: 'list', url: '/transactions', has_more: true, next_cursor: 'a.b', data: [] };
  await page.route('**/transactions?*', async (route) => {
    requests += 1;
    if (requests === 3) await waiting.promise;
    if (requests > 3) return route.continue({ url: route.request().url().replace('starting_after=a.b&', '') });
    const headers = { 'Searched-Back-To': `2026-0${9 - requests}-15T12:00:00.000Z` };
    return route.fulfill({ json: emptyPage, headers });
  });
  await page.goto(`${url}/console#/transactions?state=MI`);
  const progress = page.getByText('0 transactions found so far');
  // The second answer, in the account's time zone.
  await progress.locator('time[datetime^="2026-07-15"]').waitFor();
  expect(await page.getByText('No transaction matches').count()).toBe(0);
  await screenshot(page, 'search');
  waiting.resolve();
  expect((await rowsOf(page, 'Transactions, newest first')).map(({ Reference }) => Reference)).toEqual(['rare']);
  expect(await page.getByText('Searched back to').count()).toBe(0);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download this page as CSV' }).click(),
  ]);
  expect((await Array.fromAsync(await download.createReadStream())).join('').match(/rare/g)).toHaveLength(1);
  expect(complaints).toEqual([]);
  await close();
});

it('keeps an API key in memory only', async () => {
  const { page, close } = await openConsole(browser, url);
  await signIn(page, shop.key);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  const stored = 'JSON.stringify([localStorage, sessionStorage, document.cookie, history.state, location.href])';
  expect(await page.evaluate(stored)).not.toContain(shop.key);
  await page.reload();
  await page.getByLabel('API key').waitFor();
  await close();
});

describe('a month', () => {
  it('is closed for eight states, with exceptions acknowledged', async () => {
    for (const state of states) await shop.sell(state, { reference_id: `sale-${state}` });
    await shop.sell('MI', { reference_id: 'sale-over', tax_amount: '9.00' });
    await at('#/filings', async (page) => {
      const periods = await rowsOf(page, 'Periods without a filing');
      expect(periods.filter((row) => row['Status'] === 'ended')).toHaveLength(states.length);
      await screenshot(page, 'filings');
      for (const state of states) {
        await page.goto(`${url}/console#/filings/US-${state}/${lastMonth.last}`);
        // To be checked before the period is closed.
        if (state === 'MI') await page.getByRole('link', { name: 'sale-over' }).waitFor();
        await page.getByRole('button', { name: 'Close the period …' }).click();
        const close = page.getByRole('button', { name: `Close ${state}, ` });
        await screenshot(page, `close-${state}`);
        // A second click changes nothing.
        await close.dblclick();
        await page.getByText('closed', { exact: true }).waitFor();
        const id = page.url().split('/').at(-1) as string;
        const [csv] = await Promise.all([
          page.waitForEvent('download').then(async (file) => (await file.createReadStream()).toArray()),
          page.getByRole('button', { name: 'Download totals as CSV' }).click(),
        ]);
        const expected = await shop.call('GET', `/filings/${id}` as '/filings/{id}', {
          headers: { Accept: 'text/csv' },
        });
        expect(Buffer.concat(csv).toString()).toBe(expected.text);
        await page.getByRole('button', { name: 'Mark as filed …' }).click();
        await page.getByLabel('Confirmation number').fill(`c-${state}`);
        const check = page.getByRole('checkbox');
        if (state === 'MI') {
          expect(await page.getByRole('button', { name: 'Mark as filed', exact: true }).isDisabled()).toBe(true);
          await check.check();
        }
        await page.getByRole('button', { name: 'Mark as filed', exact: true }).click();
        await page.getByText('filed', { exact: true }).waitFor();
      }
    });
    const { data } = (await shop.call('GET', '/filings', {})).body;
    expect(data.map(({ status }) => status)).toEqual(states.map(() => 'filed'));
  });
});

it('shows the coverage of the states, and the rates of an address', async () => {
  await at('#/coverage', async (page) => {
    await page.getByLabel('City').fill('New York');
    await page.getByLabel('State', { exact: true }).fill('NY');
    await page.getByLabel('ZIP code').fill('10001');
    await page.getByRole('button', { name: 'Show rates' }).click();
    await page.getByText('8.875%').waitFor();
    await screenshot(page, 'coverage');
    await page.getByRole('link', { name: /^MI, Michigan/ }).click();
    await page.getByRole('heading', { name: 'Michigan' }).waitFor();
    const releases = await rowsOf(page, 'Releases, the newest first');
    expect(releases.map(({ Status }) => Status)).toEqual(['active', ...releases.slice(1).map(() => 'not active')]);
    await screenshot(page, 'michigan');
  });
});

it('finds the code of a product, with what a state does and what to append', async () => {
  await at('#/product-codes', async (page) => {
    await page.getByLabel('Product, or a code').fill('ibuprofen tablets');
    await page.getByLabel('State', { exact: true }).selectOption('TX');
    await page.getByRole('button', { name: 'Find codes' }).click();
    const [drugs] = await rowsOf(page, 'Codes for “ibuprofen tablets”');
    expect(drugs?.['Code']).toContain('HEALTH.DRUGS');
    // Tex. Tax Code 151.313.
    expect(drugs?.['Treatment in TX']).toContain('exempt');
    expect(drugs?.['Source']).toContain('151.313');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy HEALTH.DRUGS._ANIMAL_USE' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('HEALTH.DRUGS._ANIMAL_USE');
    await screenshot(page, 'product-codes');
    await page.getByLabel('Product, or a code').fill('qqqq');
    await page.getByRole('button', { name: 'Find codes' }).click();
    await page.getByText('No code matches.').waitFor();
  });
});

it('shows the gates and the changes of a proposed release', async () => {
  const changed = { jurisdiction: 'US-VT', name: 'Vermont', kind: 'general', from: '2027-01-01', to: null };
  const gate = {
    name: 'changed',
    describe: 'ZIPs and cities whose combined rate changes',
    most: 25,
    unit: '%',
  } as const;
  const source = await readContentSource('VT');
  const record = {
    ...source,
    release: 'US-VT@2026-12-01.101',
    checked_at: '2026-12-01T00:00:00.000Z',
    proposal: {
      gates: [{ ...gate, figure: 30, passed: false }],
      held: 'Gates failed: changed.',
      changes: { against: 'US-VT@2026-11-22.1', count: 1, rates: [{ ...changed, before: '0.06', after: '0.0625' }] },
    },
  };
  expect((await writeContentSource(record)).ok).toBe(true);
  await at('#/coverage/VT', async (page) => {
    expect(await rowsOf(page, 'Gates')).toMatchObject([{ Figure: '30 %', 'At most': '25 %', Result: 'failed' }]);
    expect(await rowsOf(page, '1 rate that changes')).toMatchObject([{ Before: '6%', After: '6.25%' }]);
    await screenshot(page, 'proposal');
  });
});

it('shows what is due, and sums by state', async () => {
  await at('', async (page) => {
    await page.getByRole('heading', { name: 'Returns to file' }).waitFor();
    await rowsOf(page, 'By state');
    await screenshot(page, 'overview');
  });
  await at(
    '',
    async (page) => {
      await rowsOf(page, 'By state');
      await screenshot(page, 'overview-dark-phone');
    },
    { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  );
});
