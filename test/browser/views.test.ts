import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { readContentSource, writeContentSource } from '../../shared/store/content/content-sources.ts';
import { newCaller } from '../support/api.ts';
import { createFiler } from '../support/filings.ts';
import { everyPage, made } from '../support/sales.ts';
import { click, countButtons, getColumn, readRows, seeHeading, seeText, signIn, useConsole } from './browser.ts';
import { lastMonth, newShop, periodView, type Shop } from './shop.ts';

const { visit, go, address } = useConsole();
let shop: Shop;
beforeAll(async () => {
  shop = await newShop();
});
const at = (view: string, use: (page: Page) => Promise<void>, options = {}) =>
  visit(view, { key: shop.key, options }, use);
const fill = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);

it.each(['transactions', 'filings', 'customers'])(
  'explains a link to %s with an unknown id without endpoints',
  (list) =>
    at(`#/${list}/unknown`, async (page) => {
      await seeText(page, 'Check the link, and that you are signed in to the right account.');
      expect(await page.getByRole('alert').innerText()).not.toMatch(/GET|send/);
    }),
);

it('shows the coverage of the states, and the rates of the address in the URL', () =>
  at('#/coverage?city=Detroit&state=MI&postal_code=48226', async (page) => {
    await seeText(page, '6%');
    await fill(page, 'City', 'New York');
    await fill(page, 'State', 'NY');
    await fill(page, 'ZIP code', '10001');
    await click(page, 'Show rates');
    await seeText(page, '8.875%');
    await page.goBack();
    await page.getByText('8.875%').waitFor({ state: 'detached' });
    expect(await page.getByLabel('ZIP code').inputValue()).toBe('48226');
    await page.getByRole('link', { name: /^MI, Michigan/ }).click();
    await seeHeading(page, 'Michigan');
    const [active, ...others] = await getColumn(page, 'Releases, newest first', 'Status');
    expect([active, ...new Set(others)]).toEqual(['active', ...new Set(others.map(() => 'not active'))]);
  }));

it('finds the code of a product, with its treatment in a state and its attributes', () =>
  at('#/product-codes', async (page) => {
    await page.getByLabel('Product, or a code').fill('ibuprofen tablets');
    await page.getByLabel('State', { exact: true }).selectOption('TX');
    await click(page, 'Find codes');
    const [drugs] = await readRows(page, 'Codes for “ibuprofen tablets”');
    // Tex. Tax Code 151.313.
    const found = { Code: /HEALTH\.DRUGS/, 'Treatment in TX': /exempt/, Source: /151\.313/ };
    for (const [column, text] of Object.entries(found)) expect(drugs?.[column]).toMatch(text);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await click(page, 'Copy HEALTH.DRUGS._ANIMAL_USE');
    await seeText(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('HEALTH.DRUGS._ANIMAL_USE');
    await page.getByLabel('Product, or a code').fill('qqqq');
    await click(page, 'Find codes');
    await seeText(page, 'No code matches.');
  }));

it('shows the gates and the changes of a proposed release', async () => {
  const changed = { jurisdiction: 'US-VT', name: 'Vermont', kind: 'general', from: '2027-01-01', to: null };
  const gate = { name: 'changed', describe: 'ZIPs whose combined rate changes', most: 25, unit: '%' } as const;
  const record = {
    ...(await readContentSource('VT')),
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
    expect(await readRows(page, 'Gates')).toMatchObject([{ Figure: '30 %', 'At most': '25 %', Result: 'failed' }]);
    expect(await readRows(page, '1 rate that changes')).toMatchObject([{ Before: '6%', After: '6.25%' }]);
  });
});

it('does not report an empty list if an empty page has a next page', () =>
  at('#/transactions', async (page) => {
    const json = { object: 'list', has_more: true, next_cursor: 'next', data: [] };
    await page.route('**/filings?*', async (route) => {
      // More than the 20 s after which the page stops a search without a result.
      await page.clock.setSystemTime(Date.now() + 21_000);
      await route.fulfill({ json });
    });
    await go(page, '#/filings?state=MI');
    await seeText(page, 'No filing found so far.');
    await page.getByRole('link', { name: 'Continue' }).waitFor();
  }));

it('keeps the entered months of the report if they are refused', () =>
  at('#/overview?from=2020-01&to=2026-01', async (page) => {
    await seeText(page, 'Send a month from');
    await fill(page, 'From', '2025-12');
    await page.getByText('Send a month from').waitFor({ state: 'detached' });
    expect(page.url()).toContain('from=2025-12&to=2026-01');
  }));

it('moves the focus into a new view, and restores it after a dialog', async () => {
  await shop.sell('HI');
  await at('#/customers', async (page) => {
    const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.innerText');
    await page.getByRole('link', { name: 'Coverage' }).click();
    await seeHeading(page, 'Coverage');
    await expect.poll(focused).toBe('main');
    await go(page, periodView('HI'));
    await click(page, 'Close the period …');
    await click(page, 'Keep it open');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Close the period …');
  });
});

it('does not store the API key, keeps the session across a reload, and refuses a wrong or invalid key', async () => {
  await at('', async (page) => {
    const stored = 'JSON.stringify([localStorage, sessionStorage, document.cookie, history.state, location.href])';
    expect(await page.evaluate(stored)).not.toContain(shop.key);
    // The cookie of the session is not visible to scripts, and is not the key.
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'levy_session', httpOnly: true, sameSite: 'Strict', expires: -1 });
    expect(cookie?.value).not.toBe(shop.key);
    await go(page, '#/customers');
    await page.reload();
    await seeHeading(page, 'Customers');
    // A sign-out in one tab ends the session in all tabs.
    const other = await page.context().newPage();
    await other.goto(address('#/filings'));
    await seeHeading(other, 'Filings');
    await click(other, 'Sign out');
    await other.getByLabel('API key').waitFor();
    await other.close();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    // The sign-in returns to the view.
    await signIn(page, shop.key);
    await seeHeading(page, 'Customers');
  });
  for (const key of ['levy_wrong', 'levy_ключ'])
    await visit('', {}, async (page) => {
      await signIn(page, key);
      await seeText(page, 'There is no such API key');
    });
});

const problem = (status: number, code: string) => (route: Route) =>
  route.fulfill({
    status,
    headers: { 'Retry-After': status === 429 ? '7' : '0' },
    json: { errors: [{ status: String(status), code, title: code, detail: `Simulated ${code}.` }] },
  });

it.each([
  [429, 'rate_limited', 'Wait 7 seconds'],
  [503, 'unavailable', 'Try again in a minute'],
  [401, 'auth_api_key_expired', 'Simulated auth_api_key_expired. After you sign in'],
  [403, 'auth_forbidden', 'Simulated auth_forbidden'],
])('shows the required action for status %i, and the list after a retry', (status, code, advice) =>
  at('#/customers', async (page) => {
    await page.route('**/transactions?*', problem(status, code));
    await go(page, '#/transactions');
    await seeText(page, advice);
    await page.unroute('**/transactions?*');
    await click(page, status === 401 ? 'Sign in again' : 'Try again');
    await page.getByText('No transaction matches').or(page.getByText('newest first')).waitFor();
  }),
);

it('reports a missing connection', () =>
  at('#/customers', async (page) => {
    await page.context().setOffline(true);
    await go(page, '#/filings');
    await seeText(page, 'No connection to Levy');
  }));

describe('the customer view', () => {
  const path = (id: string) => `/customers/${id}` as '/customers/{id}';
  const create = (body: object) => made(shop.filer.call('POST', '/customers', { body }));
  const rename = (id: string, name: string) => made(shop.filer.call('POST', path(id), { body: { name } }));
  const save = async (page: Page) => {
    await click(page, 'Review the change');
    await click(page, 'Save');
  };

  it('edits a customer, reports a concurrent change, and reloads', async () => {
    await create({ id: 'acme', name: 'Acme', exemptions: [{ reason: 'resale', certificate_number: 'C-1' }] });
    await at('#/customers/acme', async (page) => {
      const first = page.getByRole('group', { name: 'Certificate 1' });
      await first.getByLabel('Number').fill('C-2');
      await first.getByLabel('Link to the document').fill('https://files.example.com/C-2.pdf');
      await save(page);
      const stored = page.getByRole('region', { name: 'Certificates', exact: true });
      await stored.getByRole('cell', { name: 'C-2' }).waitFor();
      const link = stored.getByRole('link', { name: 'Open the document' });
      expect(await link.getAttribute('href')).toBe('https://files.example.com/C-2.pdf');
      expect(await link.getAttribute('rel')).toContain('noopener');
      await rename('acme', 'Acme Inc');
      await first.getByLabel('Number').fill('C-3');
      await save(page);
      await seeText(page, 'Somebody else changed this');
      const customer = await made(shop.call('GET', path('acme')));
      expect(customer).toMatchObject({ name: 'Acme Inc', exemptions: [{ certificate_number: 'C-2' }] });
      await click(page, 'Load the page again');
      await seeHeading(page, 'Acme Inc');
      expect(await page.getByLabel('Name').inputValue()).toBe('Acme Inc');
    });
  });

  it('sends different content with a new idempotency key, even after a lost response', async () => {
    await create({ id: 'beta', name: 'Beta', exemptions: [] });
    await at('#/customers/beta', async (page) => {
      const keys = new Map<string, Set<string | undefined>>();
      await page.route('**/customers/beta', async (route) => {
        const request = route.request();
        if (request.method() !== 'POST') return route.continue();
        const { name } = request.postDataJSON();
        keys.set(name, (keys.get(name) ?? new Set()).add(request.headers()['idempotency-key']));
        return name === 'Beta One' ? route.abort('connectionreset') : route.continue();
      });
      await page.getByLabel('Name').fill('Beta One');
      await save(page);
      await seeText(page, 'It is safe to repeat a write');
      await page.getByLabel('Name').fill('Beta Two');
      await save(page);
      await seeHeading(page, 'Beta Two');
      expect([keys.get('Beta One')?.size, keys.get('Beta Two')?.size]).toEqual([1, 1]);
      expect(keys.get('Beta One')).not.toEqual(keys.get('Beta Two'));
    });
  });
});

const button = 'Load a sample month';
const getStatus = (page: Page, step: string) =>
  page.getByRole('listitem').filter({ hasText: step }).locator('.status').innerText();

it('lists the missing settings of an empty account, and offers no sample in a deployment', async () => {
  const { key } = await newCaller({ scopes: ['read', 'write', 'settings'], settings: { registrations: null } });
  await visit('', { options: {} }, async (page) => {
    await page.route('**/_local/**', (route) => route.fulfill({ status: 403, json: { message: 'Forbidden' } }));
    await page.getByLabel('API key').fill(key);
    await click(page, 'Sign in');
    await seeText(page, 'First finalized transaction');
    const steps = { 'Ship-from address': 'open', 'API key for your shop': 'done', 'First calculation': 'open' };
    for (const [step, status] of Object.entries({ Registrations: 'open', ...steps, 'Identity on returns': 'open' }))
      expect([step, await getStatus(page, step)]).toEqual([step, status]);
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    expect(await countButtons(page, button)).toBe(0);
    expect(await page.evaluate('scrollY')).toBe(0);
  });
});

it('records a sample month once, after a failure and a double click, and shows the returns to close', async () => {
  const caller = await newCaller({ scopes: ['read', 'write', 'settings'] });
  const filer = createFiler(caller);
  await visit('', { key: caller.key }, async (page) => {
    expect(await getStatus(page, 'Registrations')).toBe('open');
    let left = 20;
    await page.route('**/transactions', (route) => {
      left -= Number(route.request().method() === 'POST');
      // The response to the last transaction is lost after it was recorded.
      return left === 0 ? route.fetch().then(() => route.abort('connectionreset')) : route.continue();
    });
    await click(page, button);
    await seeText(page, 'No connection to Levy');
    await seeText(page, '19 of 66 transactions');
    await page.getByRole('button', { name: button }).dblclick();
    await expect.poll(() => getColumn(page, 'Periods that are over', 'Amount due')).toHaveLength(8);
    expect(await page.getByText('Getting started').count()).toBe(0);
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

describe('accessibility', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };
  const findings = async (page: Page): Promise<string[]> => {
    // Runs in the debugger, because the page's policy allows no other script.
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: Finding[] };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  };

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('has no serious axe findings in the %s theme, at %i pixels', async (colorScheme, width) => {
    const sold = await shop.sell('HI', { explain: true });
    const body = { id: `c-${colorScheme}`, exemptions: [{ reason: 'resale' }] };
    await made(shop.filer.call('POST', '/customers', { body }));
    const options = { colorScheme, viewport: { width, height: 844 } };
    const empty = await newCaller({ scopes: ['read', 'write', 'settings'] });
    await visit('', { options, key: empty.key }, async (page) => {
      await seeHeading(page, 'Getting started');
      await page.getByRole('button', { name: 'Load a sample month' }).waitFor();
      expect(await findings(page)).toEqual([]);
    });
    await visit('', { options }, async (page) => {
      expect(await findings(page)).toEqual([]);
      await signIn(page, shop.key);
      for (const [view, heading] of [
        ['#/overview', 'Overview'],
        ['#/transactions', 'Transactions'],
        [`#/transactions/${sold.id}`, 'History'],
        ['#/filings', 'Filings'],
        [`${periodView('FL')}/worksheet/FL-DR-15`, 'FL, '],
        [periodView('HI'), 'HI, '],
        ['#/coverage', 'Coverage'],
        ['#/coverage/CO', 'Colorado'],
        ['#/product-codes', 'Product codes'],
        ['#/product-codes?q=protein+powder&state=TX', 'Product codes'],
        ['#/customers', 'Customers'],
        ['#/settings', 'Settings'],
        [`#/customers/c-${colorScheme}`, `c-${colorScheme}`],
      ] as const) {
        await go(page, view);
        await seeHeading(page, heading);
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
        expect([view, await findings(page)]).toEqual([view, []]);
        const scrolls = `[document.documentElement, ...document.querySelectorAll('.scroll')]
          .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.ariaLabel)`;
        expect([view, await page.evaluate(scrolls)]).toEqual([view, []]);
      }
    });
  });
});
