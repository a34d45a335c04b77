import readExcelFile from 'read-excel-file/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawFrom } from '../support/random-orders.ts';
import { everyRow, hourMs, later, made } from '../support/sales.ts';
import {
  click,
  downloaded,
  downloadedFile,
  forward,
  getColumn,
  oneRowAPage,
  readRows,
  seeHeading,
  seeText,
  useConsole,
} from './browser.ts';
import { addressIn, getDay, lastMonth, newShop, type Shop, states } from './shop.ts';

const { visit, go } = useConsole();
let shop: Shop;
beforeAll(async () => {
  shop = await newShop();
});

const spaced = (texts: readonly string[]) => texts.map((text) => text.replace(/\s+/g, ' '));

it('lists the drafts that expire first on the overview, regardless of the number of newer drafts', async () => {
  const own = await newShop();
  // Ids are increasing, so these drafts come before the drafts of other tests. A draft lasts 24 hours by default.
  for (const hours of [0.5, 10, 12, 23])
    await later((hours - 24) * hourMs, () =>
      own.sell('MI', { status: 'draft', tax_date: null, reference_id: `${hours} h` }),
    );
  await visit('#/overview', { key: own.key }, async (page) => {
    const shown = () => getColumn(page, 'Drafts that expire within', 'Reference');
    expect(await shown()).toEqual(['0.5 h', '10 h', '12 h', '23 h']);
    await go(page, '#/customers');
    await page.route('**/transactions?*', oneRowAPage);
    await go(page, '#/overview');
    expect(await shown()).toEqual(['0.5 h']);
  });
});

it('finds a sale by reference, explains it, and shows a credit recorded by the API', async () => {
  const sale = await shop.sell('NY', { reference_id: 'order-1', explain: true });
  await visit('#/transactions', { key: shop.key }, async (page) => {
    await page.getByLabel('Search').fill('order-1');
    await click(page, 'Find');
    await page.getByRole('link', { name: 'order-1' }).first().click();
    await seeHeading(page, 'Sale order-1');
    expect(await getColumn(page, 'Tax by jurisdiction', 'Tax')).toEqual(
      sale.tax_summary.map(({ tax_amount }) => tax_amount),
    );
    const steps = await page.locator('.steps li').allInnerTexts();
    expect(steps).toHaveLength(sale.explanation?.length ?? -1);
    expect(steps.join()).toContain('New York');
    await seeText(page, 'The chain of hashes is intact, in 1 version');
    await click(page, 'Replay');
    const outcome = page.getByText('The same amounts with the recorded content.');
    await outcome.waitFor();
    expect(await outcome.getAttribute('class')).toBe('notice good');
    await shop.refund('NY', sale, { reference_id: 'refund-1' });
    await page.reload();
    const credits = await readRows(page, 'Credits of this sale');
    expect(credits.map(({ Reference, Total }) => [Reference, Total])).toEqual([['refund-1', sale.total_amount]]);
  });
});

const line = (id: string, more: object = {}) => ({
  id,
  description: `The ${id}`,
  product_tax_code: 'GENERAL',
  quantity: '1',
  unit_price: '20.00',
  ...more,
});

it.each([true, false])(
  'shows lines, discounts, charges and places, with a recorded explanation: %s',
  async (explain) => {
    const sale = await shop.sell('NY', {
      explain,
      shipping: [
        { id: 'parcel', amount: '10.00', line_item_ids: ['mug'] },
        { id: 'courier', amount: '15.00', discount_amount: '5.00', line_item_ids: ['print'] },
      ],
      line_items: [
        line('mug'),
        line('print'),
        line('bowl', { fulfillment: 'pickup', ship_from: { address: addressIn('MI') } }),
      ],
    });
    await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
      const lines = page.getByRole('region', { name: 'Lines' }).locator('details');
      await lines.first().waitFor();
      expect(spaced(await lines.locator('summary').allInnerTexts())).toEqual([
        expect.stringContaining('The mug · GENERAL · 1 × 20.00 · net 20.00'),
        expect.stringContaining('The print · GENERAL · 1 × 20.00 · net 20.00'),
        expect.stringMatching(/The bowl .* fulfillment: pickup · from 1 Woodward Avenue, Detroit, MI, .* tax 1\.20/),
        expect.stringContaining('Shipping parcel · for The mug · 10.00 · net 10.00'),
        expect.stringContaining('Shipping courier · for The print · 15.00 · discount 5.00 · net 10.00'),
      ]);
      await expect.poll(() => lines.nth(2).innerText()).toContain('Michigan');
      if (!explain) await click(page, 'Explain the tax');
      await page.locator('.steps li').first().waitFor();
      const about = await page.getByRole('region', { name: 'Explanation' }).locator('summary').allInnerTexts();
      for (const title of ['The mug', 'The print', 'The bowl', 'Shipping parcel', 'Shipping courier'])
        expect(about).toContain(title);
    });
  },
);

it('shows the lines that a negative line reduces, and a fee without a rate', async () => {
  const line_items = [
    line('mug'),
    line('deposit', { product_tax_code: null, unit_price: '-5.00', parent_line_item_id: 'mug' }),
    line('fee', { product_tax_code: 'FEES.RETAIL_DELIVERY_FEE', unit_price: '0.00' }),
  ];
  const sale = await shop.sell('CO', { line_items });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    const lines = page.getByRole('region', { name: 'Lines' }).locator('details');
    await lines.first().waitFor();
    expect(spaced(await lines.allInnerTexts())).toEqual([
      expect.stringContaining('The mug · GENERAL · 1 × 20.00 · discount 5.00 · net 15.00'),
      expect.stringContaining('The deposit · 1 × -5.00 · discount of The mug · net 0.00'),
      // C.R.S. 43-4-218: 0.28 in the fiscal year 2026-2027.
      expect.stringMatching(/The fee .* tax 0\.28 .*Colorado retail delivery fee: 0\.28 \(fee\)/),
    ]);
    const row = page.getByRole('row').filter({ hasText: 'US-CO-RDF' });
    expect((await row.locator('td').allInnerTexts()).slice(-4)).toEqual(['fee', '0.00', '0.00', '0.28']);
  });
});

it('shows what exempted a line, with the certificate of its customer', async () => {
  const terms = { states: ['MI'], certificate_number: 'R-1', valid_from: '2020-01-01', valid_to: '2099-12-31' };
  const exemptions = [{ reason: 'direct_pay', ...terms }];
  await made(shop.call('POST', '/customers', { body: { id: 'certified', exemptions } }));
  const line_items = [
    line('mug', { customer: { id: 'certified', address: addressIn('MI') } }),
    line('print', { customer: { exemption: { type: 'government' } } }),
    line('bowl'),
  ];
  const sale = await shop.sell('MI', { line_items, shipping: null });
  const marketed = await shop.sell('MI', { collected_by: 'marketplace' });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    const lines = page.getByRole('region', { name: 'Lines' }).locator('summary');
    await lines.first().waitFor();
    expect(spaced(await lines.allInnerTexts())).toEqual([
      expect.stringMatching(
        /customer certified · to .* · exempt: direct pay, certificate R-1, from 2020-01-01, to 2099-12-31 · 1 × .* tax 0\.00/,
      ),
      expect.stringMatching(/The print · GENERAL · exempt: government · 1 × .* tax 0\.00/),
      expect.stringMatching(/The bowl · GENERAL · 1 × .* tax 1\.20/),
    ]);
    const getFact = (name: string) =>
      page.locator('dt', { hasText: name }).locator('xpath=following::dd[1]').innerText();
    expect([await getFact('Taxable'), await getFact('Exempt')]).toEqual(['20.00', '40.00']);
    await go(page, `#/transactions/${marketed.id}`);
    await seeText(page, 'Collected by');
    expect([await getFact('Exempt'), await getFact('Collected by')]).toEqual(['100.00', 'marketplace']);
  });
});

it('shows fifty lines of a large document, and escapes customer text', async () => {
  const hostile = `<img src=x onerror="document.title='owned'"><b>=HYPERLINK("x")</b>`;
  const one = { quantity: '1', unit_price: '1.00', description: hostile };
  const line_items = Array.from({ length: 1000 }, (_, at) => ({ id: `l${at}`, ...one }));
  const sale = await shop.sell('MI', { reference_id: hostile, line_items, explain: true });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    await seeHeading(page, hostile);
    await click(page, 'Show 50 more of 950 lines');
    await page.getByRole('button', { name: 'Show 50 more of 900 lines' }).waitFor();
    expect(await page.getByRole('region', { name: 'Lines' }).locator('details').count()).toBe(100);
    const explained = page.getByRole('region', { name: 'Explanation' }).locator('details');
    expect(await explained.count()).toBeLessThanOrEqual(50);
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await page.title()).toContain('Levy');
  });
});

it('finds transactions by id, customer, state, status, type and date', async () => {
  const own = await newShop();
  const first = await own.sell('MI', { reference_id: 'first', tax_date: getDay(11) });
  const customer = { id: 'buyer', address: addressIn('MI') };
  await own.sell('MI', { reference_id: 'second', tax_date: getDay(12), customer });
  await own.sell('WA', { reference_id: 'third', tax_date: getDay(13) });
  await own.sell('MI', { reference_id: 'fourth', tax_date: getDay(14), status: 'draft' });
  await own.refund('MI', first, { reference_id: 'fifth' });
  await visit('#/transactions', { key: own.key }, async (page) => {
    const clear = page.getByRole('link', { name: 'Clear all filters' });
    for (const [fields, choices, found] of [
      [{ Search: 'ECO' }, {}, ['second']],
      [{ Search: 'BUYER' }, {}, ['second']],
      [{ 'Customer id': 'buyer' }, {}, ['second']],
      [{ State: 'WA' }, {}, ['third']],
      [{}, { Status: 'draft' }, ['fourth']],
      [{}, { Type: 'credit' }, ['fifth']],
      [{ From: getDay(12), To: getDay(13) }, {}, ['third', 'second']],
    ] as const) {
      await go(page, '#/transactions');
      await clear.waitFor({ state: 'detached' });
      for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
      for (const [label, text] of Object.entries(choices))
        await page.getByLabel(label, { exact: true }).selectOption(text);
      await click(page, 'Find');
      await clear.waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      expect(await getColumn(page, 'Transactions, newest first', 'Reference')).toEqual(found);
    }
    // A customer's name leads to its transactions.
    await made(own.filer.call('POST', '/customers', { body: { id: 'buyer', name: 'Müller & Söhne' } }));
    await go(page, '#/transactions');
    await page.getByLabel('Search').fill('MÜLLER');
    await click(page, 'Find');
    await page.getByRole('link', { name: 'Müller & Söhne' }).click();
    await page.getByRole('link', { name: 'second' }).waitFor();
    await page.getByLabel('Search').fill(first.id);
    await click(page, 'Find');
    await seeHeading(page, 'Sale first');
  });
});

it('searches until it finds something, shows its progress, and downloads the result', async () => {
  const own = await newShop();
  await own.sell('MI', { reference_id: 'rare' });
  await visit('#/customers', { key: own.key }, async (page) => {
    // As in a large ledger, three requests find nothing. The last request is delayed, so the test can inspect the page.
    let requests = 0;
    const waiting = Promise.withResolvers<void>();
    const json = { object: 'list', url: '/transactions', has_more: true, next_cursor: 'a.b', data: [] };
    await page.route('**/transactions?*', async (route) => {
      requests += 1;
      if (requests === 3) await waiting.promise;
      if (requests > 3) return route.continue({ url: route.request().url().replace('starting_after=a.b&', '') });
      return route.fulfill({ json, headers: { 'Searched-Back-To': `2026-0${9 - requests}-15T12:00:00.000Z` } });
    });
    await go(page, '#/transactions?state=MI');
    // The page shows the day to which the second request searched, in the account's time zone.
    await page.getByText('0 transactions found so far').locator('time[datetime^="2026-07-15"]').waitFor();
    expect(await page.getByText('No transaction matches').count()).toBe(0);
    waiting.resolve();
    expect(await getColumn(page, 'Transactions, newest first', 'Reference')).toEqual(['rare']);
    expect(await page.getByText('Searched back to').count()).toBe(0);
    expect((await downloaded(page, 'Download all that match as CSV')).match(/rare/g)).toHaveLength(1);
  });
});

it('cancels a download between pages', async () => {
  const own = await newShop();
  await own.sell('MI');
  await visit('#/transactions', { key: own.key }, async (page) => {
    let downloads = 0;
    page.on('download', () => {
      downloads += 1;
    });
    // Each page refers to a next page, so the download does not end.
    await page.route('**/transactions?*', async (route) => {
      const url = route.request().url().replace('starting_after=a.b&', '');
      const response = await forward(route, own.key, url);
      await route.fulfill({ response, headers: { ...response.headers(), link: '<?starting_after=a.b>; rel="next"' } });
    });
    await click(page, 'Download all transactions as CSV');
    await page.getByText('5 rows read').waitFor();
    await click(page, 'Cancel the download');
    await page.getByRole('button', { name: 'Download all transactions as CSV' }).waitFor();
    expect(downloads).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describe('credited sales', () => {
  it.each([
    ['taxes on top', {}],
    ['taxes in its prices', { tax_included: true }],
    ['a discount of a third party', { third_party_discount_amount: '10.00' }],
  ])('shows no remainder of a sale with %s, and explains the tax of its credit', async (_, document) => {
    const sale = await shop.sell('NY', document);
    const credit = await shop.refund('NY', sale);
    await visit(`#/transactions/${credit.id}`, { key: shop.key }, async (page) => {
      await page.getByRole('region', { name: 'Explanation' }).getByRole('link', { name: 'the sale' }).click();
      await page.getByText(/^Credited 10\d\.\d\d USD, left 0\.00 USD\./).waitFor();
    });
  });

  it('lists all credits of a sale', async () => {
    const sale = await shop.sell('NY');
    const line_items = [{ id: 'one', quantity: '0.1', unit_price: '100.00' }];
    for (const reference_id of ['part-1', 'part-2', 'part-3'])
      await shop.sell('NY', { type: 'credit', parent_transaction_id: sale.id, reference_id, line_items });
    await visit('#/customers', { key: shop.key }, async (page) => {
      await page.route('**/transactions?*parent_transaction_id*', oneRowAPage);
      await go(page, `#/transactions/${sale.id}`);
      expect(await getColumn(page, 'Credits of this sale', 'Reference')).toEqual(['part-3', 'part-2', 'part-1']);
    });
  });
});

it('compares a month with the month before and the same month of last year, on the page and in a file', async () => {
  const own = await newShop();
  const [year, month] = lastMonth.month.split('-').map(Number) as [number, number];
  const getMonth = (ago: number) => new Date(Date.UTC(year, month - 1 - ago, 1)).toISOString().slice(0, 7);
  const counts = { 0: 3, 1: 2, 12: 4 };
  for (const [ago, count] of Object.entries(counts))
    for (let at = 0; at < count; at++) await own.sell('MI', { tax_date: `${getMonth(Number(ago))}-15` });
  await own.sell('OH');
  const view = `#/overview?from=${getMonth(0)}&to=${getMonth(0)}&measure=sales`;
  await visit(view, { key: own.key }, async (page) => {
    const [now, before, lastYear] = [getMonth(0), getMonth(1), getMonth(12)] as const;
    const row = (state: string, amounts: readonly string[]) => {
      const names = [now, before, `Change from ${before}`, `Change in % of ${before}`];
      const all = [...names, lastYear, `Change from ${lastYear}`, `Change in % of ${lastYear}`];
      return { State: state, ...Object.fromEntries(all.map((name, at) => [name, amounts[at]])) };
    };
    const expected = [
      row('MI', ['300.00', '200.00', '100.00', '50.0', '400.00', '-100.00', '-25.0']),
      row('OH', ['100.00', '0.00', '100.00', '', '0.00', '100.00', '']),
    ];
    const caption = 'Gross sales compared with earlier months';
    // The report is updated within a second.
    const readReport = async () => {
      await page.reload();
      await page.getByText(caption).or(page.getByText('No sales in these months')).first().waitFor();
      return (await page.getByText(caption).count()) > 0 ? readRows(page, caption) : null;
    };
    await expect.poll(readReport).toEqual(expected);
    const file = (await downloaded(page, 'Download the comparison as CSV')).split('\r\n');
    for (const state of ['all', 'US-MI'])
      expect(file.filter((line) => line.startsWith(`${state},sales,`))).toEqual([
        `${state},sales,USD,${now},${now},${state === 'all' ? '400.00' : '300.00'},${before},${before},200.00,${state === 'all' ? '200.00,100.0' : '100.00,50.0'}`,
        `${state},sales,USD,${now},${now},${state === 'all' ? '400.00' : '300.00'},${lastYear},${lastYear},400.00,${state === 'all' ? '0.00,0.0' : '-100.00,-25.0'}`,
      ]);
    const report = await downloaded(page, 'Download the report by state as CSV');
    expect(report).toContain(`US-MI,${now},USD,300.00,`);
  });
});

describe('500 random documents', () => {
  const cents = (text = ''): number => Math.round(Number(text.replaceAll(',', '')) * 100);
  const columns = ['Tax collected', 'Taxable sales', 'Gross sales', 'Credits'];
  let own: Shop;

  beforeAll(async () => {
    own = await newShop();
    const { below, of, oneIn } = drawFrom(20_261_124);
    const sold: { id: string; state: (typeof states)[number] }[] = [];
    for (let count = 0; count < 500; count++) {
      const parent = oneIn(8) ? sold.pop() : undefined;
      if (parent) {
        await own.refund(parent.state, parent);
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
  }, 180_000);

  /** The sums of the listed transactions by state, in the order of the columns. */
  const summed = async () => {
    const sums: Record<string, number[]> = {};
    const { rows } = await everyRow((after) => own.filer.list({ limit: '100', ...after }));
    for (const { status, type, tax_amount, taxable_amount, subtotal_amount, tax_summary } of rows) {
      if (status !== 'finalized') continue;
      const state = tax_summary[0]?.jurisdiction_code.slice(3, 5) as string;
      const sign = type === 'sale' ? 1 : -1;
      const amounts = [tax_amount, taxable_amount, subtotal_amount].map((amount) => sign * cents(amount));
      const all = [...amounts, type === 'credit' ? -cents(subtotal_amount) : 0];
      sums[state] = all.map((amount, at) => amount + (sums[state]?.[at] ?? 0));
    }
    return sums;
  };

  it('shows sums that match the ledger, and lists the documents page by page', async () => {
    const expected = await summed();
    await visit('#/overview', { key: own.key }, async (page) => {
      const readReport = async () => {
        await page.reload();
        const rows = await readRows(page, 'By state');
        return Object.fromEntries(rows.map((row) => [row['State'], columns.map((column) => cents(row[column]))]));
      };
      // The report is updated within a second.
      await expect.poll(readReport).toEqual(expected);
      const months = await readRows(page, 'Tax collected by month');
      const month = months.find(({ Month }) => Month === lastMonth.month);
      expect(cents(month?.['Tax collected'])).toBe(Object.values(expected).reduce((sum, [tax = 0]) => sum + tax, 0));
      await go(page, '#/transactions');
      let count = 0;
      for (let isLast = false; !isLast; ) {
        count += (await readRows(page, 'Transactions, newest first')).length;
        const next = page.getByRole('link', { name: 'Next page' });
        isLast = (await next.count()) === 0;
        if (isLast) break;
        const [before = ''] = await page.locator('tbody a').allInnerTexts();
        await next.click();
        await page.getByRole('link', { name: before, exact: true }).waitFor({ state: 'detached' });
      }
      expect(count).toBe(500);
    });
  }, 180_000);

  it('downloads all documents in a workbook, and sorts and sums them on the page', async () => {
    await visit('#/transactions', { key: own.key }, async (page) => {
      const file = await downloadedFile(page, 'Download all transactions as XLSX');
      const [sheet] = await readExcelFile(file);
      const [names = [], ...rows] = sheet?.data ?? [];
      expect(rows).toHaveLength(500);
      expect(names).toContain('tax_amount');
      await seeText(page, 'In a download, amounts of credits are positive');
      // The page has the API's pages of 50 rows: the total and the order include only the rows shown.
      const listed = await readRows(page, 'Transactions, newest first');
      const taxes = listed.map(({ Tax }) => cents(Tax));
      const total = page.locator('tfoot td[data-label="Tax"]');
      expect(cents(await total.innerText())).toBe(taxes.reduce((sum, tax) => sum + tax, 0));
      await click(page, 'Tax');
      const sorted = async () => (await getColumn(page, 'Transactions, newest first', 'Tax')).map(cents);
      expect(await sorted()).toEqual(taxes.toSorted((a, b) => a - b));
      await click(page, 'Tax');
      expect(await sorted()).toEqual(taxes.toSorted((a, b) => b - a));
    });
  }, 180_000);
});
