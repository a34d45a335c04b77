import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { provisionKey } from '../../shared/store/accounts/api-key-store.ts';
import { startApi } from '../support/api.ts';
import { drawFrom } from '../support/random-orders.ts';
import { made } from '../support/sales.ts';
import { openConsole, rowsOf, screenshot, signIn, startBrowser } from './browser.ts';
import { lastMonth, newShop, states } from './month.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let url: string;
let shop: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  ({ url } = await startApi());
  browser = await startBrowser();
  shop = await newShop();
});
afterAll(() => browser?.close());

const signedIn = async (view: string, key = shop.key) => {
  const opened = await openConsole(browser, url, view);
  await signIn(opened.page, key);
  await opened.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return opened;
};

const problem = (status: number, code: string) => (route: Route) =>
  route.fulfill({
    status,
    contentType: 'application/json',
    headers: { 'Retry-After': status === 429 ? '7' : '0' },
    body: JSON.stringify({ errors: [{ status: String(status), code, title: code, detail: `Simulated ${code}.` }] }),
  });

describe('trouble', () => {
  it('a wrong key is refused with what to do', async () => {
    const { page, close } = await openConsole(browser, url);
    await signIn(page, 'levy_wrong');
    await page.getByText('There is no such API key').waitFor();
    await close();
  });

  it.each([
    [429, 'rate_limited', 'Wait 7 seconds'],
    [503, 'unavailable', 'Try again in a minute'],
    [401, 'auth_api_key_expired', 'Simulated auth_api_key_expired. Sign in again'],
    [403, 'auth_forbidden', 'Simulated auth_forbidden'],
  ])('shows the remedy for status %i, and the list after the next try', async (status, code, advice) => {
    const { page, close } = await signedIn('#/customers');
    await page.route('**/transactions?*', problem(status, code));
    await page.goto(`${url}/console#/transactions`);
    await page.getByText(advice).first().waitFor();
    await page.unroute('**/transactions?*');
    if (status === 401) {
      await page.getByRole('button', { name: 'Sign in again' }).click();
      await signIn(page, shop.key);
    } else await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No transaction matches').or(page.getByText('newest first')).waitFor();
    await close();
  });

  it('shows that there is no connection', async () => {
    const { page, close } = await signedIn('#/customers');
    await page.context().setOffline(true);
    await page.goto(`${url}/console#/filings`);
    await page.getByText('No connection to Levy').first().waitFor();
    await close();
  });

  it('finds the filing after a lost reply, without a second one', async () => {
    const own = await newShop();
    await own.sell('MI');
    const { page, close } = await signedIn(`#/filings/US-MI/${lastMonth.last}`, own.key);
    await page.getByRole('button', { name: 'Close the period …' }).click();
    const keys: (string | undefined)[] = [];
    await page.route('**/filings', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Close MI, ' }).click();
    await page.getByText('Repeating a write is safe').waitFor();
    await page.unroute('**/filings');
    await page.getByRole('button', { name: 'Close MI, ' }).click();
    await page.getByText('closed', { exact: true }).waitFor();
    expect(new Set(keys).size).toBe(1);
    expect((await made(own.filer.filings())).data).toHaveLength(1);
    await close();
  });

  it('returns the same filing to two people who close a period, and shows a canceled one', async () => {
    const own = await newShop();
    await own.sell('OH');
    const view = `#/filings/US-OH/${lastMonth.last}`;
    const [first, second] = await Promise.all([signedIn(view, own.key), signedIn(view, own.key)]);
    for (const { page } of [first, second]) await page.getByRole('button', { name: 'Close the period …' }).click();
    const close = (page: Page) => page.getByRole('button', { name: 'Close OH, ' }).click();
    await Promise.all([close(first.page), close(second.page)]);
    for (const { page } of [first, second]) await page.getByText('closed', { exact: true }).waitFor();
    expect(first.page.url()).toBe(second.page.url());
    expect((await made(own.filer.filings())).data).toHaveLength(1);
    await first.page.getByRole('button', { name: 'Cancel the filing …' }).click();
    await first.page.getByRole('button', { name: 'Cancel the filing', exact: true }).click();
    await first.page.getByText('canceled', { exact: true }).waitFor();
    await second.page.getByRole('button', { name: 'Mark as filed …' }).click();
    await second.page.getByLabel('Confirmation number').fill('c-1');
    await second.page.getByRole('button', { name: 'Mark as filed', exact: true }).click();
    await second.page.getByRole('alert').getByText('canceled').waitFor();
    await Promise.all([first.close(), second.close()]);
  });
});

it('shows dry runs and no writes to a key with the scope read', async () => {
  const own = await newShop();
  await own.sell('MI');
  await made(own.filer.call('POST', '/customers', { body: { id: 'acme', exemptions: [] } }));
  const filing = await made(own.filer.close({ state: 'MI', period_end: lastMonth.last }));
  const reader = newApiKey();
  await provisionKey({ account: own.account.id, secret: reader, scopes: ['read'], expires_at: null });
  const { page, close } = await signedIn(`#/filings/US-NY/${lastMonth.last}`, reader);
  await page.getByText('Closing needs the scope write').waitFor();
  await page.goto(`${url}/console#/filings/${filing.id}`);
  await page.getByText('Filing needs the scope write').waitFor();
  await page.goto(`${url}/console#/customers/acme`);
  await page.getByRole('heading', { name: 'acme' }).waitFor();
  for (const name of [/^Close the period/, /^Mark as filed/, /^Cancel the filing/, /^Review the change/])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await close();
});

it('shows text of customers as text', async () => {
  const hostile = `<img src=x onerror="document.title='owned'"><b>=HYPERLINK("x")</b>`;
  const sold = await shop.sell('MI', {
    reference_id: hostile,
    line_items: [{ id: 'one', description: hostile, quantity: '1', unit_price: '1.00' }],
  });
  const { page, complaints, close } = await signedIn(`#/transactions/${sold.id}`);
  await page.getByRole('heading', { name: hostile }).waitFor();
  expect(await page.locator('main img, main b').count()).toBe(0);
  expect(await page.title()).toContain('Levy');
  expect(complaints).toEqual([]);
  await close();
});

it('a document of 1,000 lines shows fifty, and the others on request', async () => {
  const line_items = Array.from({ length: 1000 }, (_, at) => ({ id: `l${at}`, quantity: '1', unit_price: '1.00' }));
  const sold = await shop.sell('MI', { line_items });
  const { page, close } = await signedIn(`#/transactions/${sold.id}`);
  await page.getByRole('button', { name: 'Show 50 more of 950 lines' }).click();
  await page.getByRole('button', { name: 'Show 50 more of 900 lines' }).waitFor();
  expect(await page.locator('details').count()).toBe(100);
  await close();
});

describe('500 random documents', () => {
  type Sums = Record<string, { tax: number; taxable: number; gross: number; credits: number }>;
  const cents = (text: string): number => Math.round(Number(text.replaceAll(',', '')) * 100);
  let own: Awaited<ReturnType<typeof newShop>>;

  const create = async () => {
    const { below, of, oneIn } = drawFrom(20_261_124);
    const sold: { id: string; state: (typeof states)[number] }[] = [];
    for (let count = 0; count < 500; count++) {
      const parent = sold.at(-1);
      if (parent && oneIn(8)) {
        sold.pop();
        await own.sell(parent.state, {
          type: 'credit',
          parent_transaction_id: parent.id,
          credit_remaining: true,
          line_items: null,
          customer: null,
        });
        continue;
      }
      const state = of(states);
      const line_items = Array.from({ length: 1 + below(3) }, (_, at) => ({
        id: `l${at}`,
        quantity: String(1 + Math.floor(below(4))),
        unit_price: (below(20_000) / 100).toFixed(2),
      }));
      const status = oneIn(10) ? 'draft' : 'finalized';
      const { id } = await own.sell(state, { line_items, status });
      if (status === 'finalized') sold.push({ id, state });
    }
  };

  /** The sums of what the ledger lists. */
  const summed = async (): Promise<Sums> => {
    const sums: Sums = {};
    for (let cursor = ''; ; ) {
      const page = await made(own.filer.list({ limit: '100', ...(cursor && { starting_after: cursor }) }));
      for (const { status, type, tax_amount, taxable_amount, subtotal_amount, tax_summary } of page.data) {
        if (status !== 'finalized') continue;
        const state = tax_summary[0]?.jurisdiction_code.slice(3, 5) as string;
        sums[state] ??= { tax: 0, taxable: 0, gross: 0, credits: 0 };
        const sign = type === 'sale' ? 1 : -1;
        sums[state].tax += sign * cents(tax_amount);
        sums[state].taxable += sign * cents(taxable_amount);
        sums[state].gross += sign * cents(subtotal_amount);
        if (type === 'credit') sums[state].credits -= cents(subtotal_amount);
      }
      if (page.next_cursor === null) return sums;
      cursor = page.next_cursor;
    }
  };

  it('have the sums of the ledger on the page', async () => {
    own = await newShop();
    await create();
    const expected = await summed();
    const { page, complaints, close } = await signedIn('#/overview', own.key);
    let shown: Sums = {};
    for (let tries = 0; tries < 20; tries++) {
      const rows = await rowsOf(page, 'By state');
      shown = Object.fromEntries(
        rows.map((row) => [
          row['State'],
          {
            tax: cents(row['Tax collected'] as string),
            taxable: cents(row['Taxable sales'] as string),
            gross: cents(row['Gross sales'] as string),
            credits: cents(row['Credits'] as string),
          },
        ]),
      );
      if (JSON.stringify(Object.entries(shown).sort()) === JSON.stringify(Object.entries(expected).sort())) break;
      // The report counts within a second.
      await page.waitForTimeout(500);
      await page.reload();
      await signIn(page, own.key);
    }
    expect(shown).toEqual(expected);
    const months = await rowsOf(page, 'Tax collected by month');
    const all = Object.values(expected).reduce((sum, { tax }) => sum + tax, 0);
    expect(months.find(({ Month }) => Month === lastMonth.first.slice(0, 7))?.['Tax collected']).toBe(
      (all / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ','),
    );
    await screenshot(page, 'overview-500');
    expect(complaints).toEqual([]);
    await close();
  }, 180_000);

  it('are listed page by page', async () => {
    const { page, close } = await signedIn('#/transactions', own.key);
    let count = 0;
    for (let pages = 0; pages < 20; pages++) {
      count += (await rowsOf(page, 'Transactions, newest first')).length;
      const next = page.getByRole('link', { name: 'Next page' });
      if ((await next.count()) === 0) break;
      const [before] = await page.locator('tbody a').allInnerTexts();
      await next.click();
      await page.getByRole('link', { name: before as string, exact: true }).waitFor({ state: 'detached' });
    }
    expect(count).toBe(500);
    await close();
  });
});

describe('accessibility', () => {
  type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };
  const findings = async (page: Page): Promise<string[]> => {
    // Evaluated by the debugger: the policy of the page allows no other script.
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: Finding[] };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  };

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('has no serious findings of axe in the %s theme, at %i pixels', async (colorScheme, width) => {
    const sold = await shop.sell('HI', { explain: true });
    await made(
      shop.filer.call('POST', '/customers', { body: { id: `c-${colorScheme}`, exemptions: [{ reason: 'resale' }] } }),
    );
    const opened = await openConsole(browser, url, '', { colorScheme, viewport: { width, height: 844 } });
    expect(await findings(opened.page)).toEqual([]);
    await signIn(opened.page, shop.key);
    for (const [view, heading] of [
      ['overview', 'Overview'],
      ['transactions', 'Transactions'],
      [`transactions/${sold.id}`, 'History'],
      ['filings', 'Filings'],
      [`filings/US-HI/${lastMonth.last}`, 'HI, '],
      ['coverage', 'Coverage'],
      ['coverage/CO', 'Colorado'],
      ['product-codes', 'Product codes'],
      ['product-codes?q=protein+powder&state=TX', 'Product codes'],
      ['customers', 'Customers'],
      [`customers/c-${colorScheme}`, `c-${colorScheme}`],
    ] as const) {
      await opened.page.goto(`${url}/console#/${view}`);
      await opened.page.getByRole('heading', { name: heading }).first().waitFor();
      await opened.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      expect([view, await findings(opened.page)]).toEqual([view, []]);
      const isWide = 'document.documentElement.scrollWidth > innerWidth';
      expect([view, await opened.page.evaluate(isWide)]).toEqual([view, false]);
      await screenshot(opened.page, `${view.replaceAll(/\W/g, '-')}-${colorScheme}`);
    }
    await opened.close();
  });

  it('works by keyboard alone, from signing in to marking a closed period as filed', async () => {
    const own = await newShop();
    await own.sell('WA');
    const { page, close } = await openConsole(browser, url, `#/filings/US-WA/${lastMonth.last}`);
    await page.keyboard.press('Tab');
    await page.keyboard.type(own.key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Close the period …' }).waitFor();
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    const tabTo = async (text: string) => {
      for (let presses = 0; presses < 60 && !(await focused()).startsWith(text); presses++)
        await page.keyboard.press('Tab');
      expect((await focused()).slice(0, text.length)).toBe(text);
    };
    await tabTo('Close the period …');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The focus is back on the button that opened the dialog.
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo('Close WA, ');
    await page.keyboard.press('Enter');
    await page.getByText('closed', { exact: true }).waitFor();
    await tabTo('Mark as filed …');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('c-keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('filed', { exact: true }).waitFor();
    expect((await made(own.filer.filings())).data).toMatchObject([
      { status: 'filed', confirmation_number: 'c-keyboard' },
    ]);
    await close();
  });
});

it('sends another key with different content, even after a lost reply', async () => {
  await made(shop.filer.call('POST', '/customers', { body: { id: 'beta', name: 'Beta', exemptions: [] } }));
  const { page, close } = await signedIn('#/customers/beta');
  const save = async (name: string) => {
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Review the change' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
  };
  const keys: Record<string, Set<string | undefined>> = {};
  await page.route('**/customers/beta', async (route) => {
    const request = route.request();
    if (request.method() !== 'POST') return route.continue();
    const { name } = request.postDataJSON();
    keys[name] ??= new Set();
    keys[name].add(request.headers()['idempotency-key']);
    return name === 'Beta One' ? route.abort('connectionreset') : route.continue();
  });
  await save('Beta One');
  await page.getByText('Repeating a write is safe').waitFor();
  await save('Beta Two');
  await page.getByRole('heading', { name: 'Beta Two' }).waitFor();
  expect([keys['Beta One']?.size, keys['Beta Two']?.size]).toEqual([1, 1]);
  expect(keys['Beta One']).not.toEqual(keys['Beta Two']);
  await close();
});

it('edits a certificate, and reports that somebody else changed the customer', async () => {
  const body = { id: 'acme', name: 'Acme', exemptions: [{ reason: 'resale', certificate_number: 'C-1' }] };
  await made(shop.filer.call('POST', '/customers', { body }));
  const { page, close } = await signedIn('#/customers/acme');
  const first = page.getByRole('group', { name: 'Certificate 1' });
  await first.getByLabel('Number').fill('C-2');
  await page.getByRole('button', { name: 'Review the change' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  const stored = page.getByRole('region', { name: 'Certificates', exact: true });
  await stored.getByRole('cell', { name: 'C-2' }).waitFor();
  await made(shop.filer.call('POST', '/customers/acme' as '/customers/{id}', { body: { name: 'Acme Inc' } }));
  await first.getByLabel('Number').fill('C-3');
  await page.getByRole('button', { name: 'Review the change' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody else changed this').waitFor();
  const customer = await made(shop.call('GET', '/customers/acme' as '/customers/{id}'));
  expect(customer).toMatchObject({ name: 'Acme Inc', exemptions: [{ certificate_number: 'C-2' }] });
  await close();
});
