import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi } from '../support/api.ts';
import { closedFiling } from '../support/filings.ts';
import { hourMs, later } from '../support/sales.ts';
import { openConsole, rowsOf, signIn, startBrowser } from './browser.ts';
import { lastMonth, newShop } from './month.ts';

let browser: Browser;
let url: string;
beforeAll(async () => {
  ({ url } = await startApi());
  browser = await startBrowser();
});
afterAll(() => browser?.close());

type Shop = Awaited<ReturnType<typeof newShop>>;

const signedIn = async (view: string, { key }: Shop) => {
  const opened = await openConsole(browser, url, view);
  await signIn(opened.page, key);
  await opened.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return opened;
};

/** Each page of a list has one row, so that the console has to read the next ones. */
const oneRowAPage = (route: Route) =>
  route.continue({
    url: route
      .request()
      .url()
      .replace(/limit=\d+/, 'limit=1'),
  });

const rest = { type: 'credit', credit_remaining: true, line_items: null, customer: null };

describe('the overview', () => {
  it('has the drafts that expire first, with any number of newer ones', async () => {
    const shop = await newShop();
    const draft = { status: 'draft', tax_date: null };
    // Ids grow, so that the oldest come first. A draft lives for 24 hours by default.
    for (const hours of [0.5, 10, 12, 23])
      await later((hours - 24) * hourMs, () => shop.sell('MI', { ...draft, reference_id: `${hours} h` }));
    const { page, close } = await signedIn('#/overview', shop);
    const shown = async () => (await rowsOf(page, 'Drafts that expire within')).map(({ Reference }) => Reference);
    expect(await shown()).toEqual(['0.5 h', '10 h', '12 h', '23 h']);
    await page.goto(`${url}/console#/customers`);
    await page.route('**/transactions?*', oneRowAPage);
    await page.goto(`${url}/console#/overview`);
    expect(await shown()).toEqual(['0.5 h']);
    await close();
  });

  it('has all filings that are not filed, including closing ones', async () => {
    const shop = await newShop();
    for (const state of ['MI', 'NY', 'OH'] as const) {
      await shop.sell(state, { tax_amount: state === 'MI' ? '9.00' : null });
      await closedFiling(shop.filer, state, lastMonth.last);
    }
    const { page, close } = await signedIn('#/customers', shop);
    await page.route('**/filings?*', oneRowAPage);
    await page.route('**/filings?*status=closing*', async (route) => {
      const [filing] = (await shop.filer.filings({ state: 'OH' })).body.data;
      const data = [{ ...filing, state: 'US-AZ', status: 'closing', exceptions: null }];
      await route.fulfill({ json: { object: 'list', has_more: false, next_cursor: null, data } });
    });
    await page.goto(`${url}/console#/overview`);
    const rows = await rowsOf(page, 'Periods that are over and not filed');
    const ofFilings = rows.filter(({ Status }) => Status !== 'open');
    const texts = ofFilings.map(({ Period, Status, Exceptions }) => `${Period?.slice(0, 2)} ${Status} ${Exceptions}`);
    expect(texts.sort()).toEqual(['AZ closing open to check', 'MI closed 1', 'NY closed 0', 'OH closed 0']);
    await close();
  });
});

describe('a credited sale', () => {
  it.each([
    ['taxes on top', {}],
    ['taxes in its prices', { tax_included: true }],
    ['a discount of a third party', { third_party_discount_amount: '10.00' }],
  ])('with %s has no remainder', async (_, document) => {
    const shop = await newShop();
    const sale = await shop.sell('NY', document);
    await shop.sell('NY', { ...rest, parent_transaction_id: sale.id });
    const { page, close } = await signedIn(`#/transactions/${sale.id}`, shop);
    await page.getByText(/^Credited 10\d\.\d\d USD, left 0\.00 USD\./).waitFor();
    await close();
  });

  it('lists all of its credits', async () => {
    const shop = await newShop();
    const sale = await shop.sell('NY');
    const line_items = [{ id: 'one', quantity: '0.1', unit_price: '100.00' }];
    for (const reference_id of ['refund-1', 'refund-2', 'refund-3'])
      await shop.sell('NY', { type: 'credit', parent_transaction_id: sale.id, reference_id, line_items });
    const { page, close } = await signedIn('#/customers', shop);
    await page.route('**/transactions?*parent_transaction_id*', oneRowAPage);
    await page.goto(`${url}/console#/transactions/${sale.id}`);
    expect((await rowsOf(page, 'Credits of this sale')).map(({ Reference }) => Reference)).toEqual([
      'refund-3',
      'refund-2',
      'refund-1',
    ]);
    await close();
  });

  it('explains the tax of a credit by its sale, even when nothing is left to credit', async () => {
    const shop = await newShop();
    const sale = await shop.sell('NY', { reference_id: 'sale' });
    const credit = await shop.sell('NY', { ...rest, parent_transaction_id: sale.id });
    const { page, close } = await signedIn(`#/transactions/${credit.id}`, shop);
    const explanation = page.getByRole('region', { name: 'Explanation' });
    await explanation.getByRole('link', { name: 'the sale' }).click();
    await page.getByRole('heading', { name: 'Sale sale' }).waitFor();
    await close();
  });
});

it('totals by jurisdiction name their currency', async () => {
  const shop = await newShop();
  for (const currency of ['USD', 'CAD']) await shop.sell('MI', { currency });
  const { page, close } = await signedIn(`#/filings/US-MI/${lastMonth.last}`, shop);
  const rows = await rowsOf(page, 'Totals by jurisdiction');
  expect(rows.map(({ Currency }) => Currency).sort()).toEqual(['CAD', 'USD']);
  await close();
});
