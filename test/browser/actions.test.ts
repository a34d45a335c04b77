import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { made } from '../support/sales.ts';
import { click, countButtons, readRows, seeHeading, seeStatus, seeText, useConsole } from './browser.ts';
import { lastMonth, newShop } from './shop.ts';

const { visit, go } = useConsole();

const lines = [
  { id: 'mug', description: 'Mug', product_tax_code: 'GENERAL', quantity: '3', unit_price: '10.00' },
  { id: 'cap', description: 'Cap', product_tax_code: 'GENERAL', quantity: '1', unit_price: '7.99' },
];

it('credits parts of a sale by keyboard, then the rest, with the amounts of the preview', async () => {
  const shop = await newShop();
  const sale = await shop.sell('MI', { reference_id: 'order-1', line_items: lines, shipping: { amount: '5.00' } });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    await seeHeading(page, 'Sale order-1');
    await page.getByRole('button', { name: 'Credit …' }).focus();
    await page.keyboard.press('Enter');
    await seeText(page, 'The credit is');
    await page.getByLabel('Parts of it').focus();
    await page.keyboard.press('Space');
    await page.getByLabel('Quantity').first().focus();
    await page.keyboard.type('2');
    await page.getByLabel('or amount before tax').nth(1).focus();
    await page.keyboard.type('0.99');
    // The credit is 20.99 with a tax of 6 %, 1.2594, from the recorded tax of each line.
    await page.getByText('The credit is 22.25 USD, with a tax of 1.26.').waitFor();
    await page.getByLabel('Reference of the credit').focus();
    await page.keyboard.type('refund-1');
    await page.keyboard.press('Enter');
    await seeText(page, 'Credits of this sale');
    expect(await readRows(page, 'Credits of this sale')).toMatchObject([
      { Reference: 'refund-1', Tax: '1.26', Total: '22.25' },
    ]);
    await click(page, 'Credit …');
    await click(page, 'Record the credit');
    await page.getByRole('row').filter({ hasText: '23.02' }).first().waitFor();
    expect(await countButtons(page, 'Credit …')).toBe(0);
  });
  const credits = await made(shop.call('GET', `/transactions?parent_transaction_id=${sale.id}` as '/transactions'));
  // A sale of 42.99 with 2.28 of tax, since shipping is exempt in Michigan, credited twice.
  expect(credits.data.map(({ total_amount, tax_amount }) => [total_amount, tax_amount])).toEqual([
    ['23.02', '1.02'],
    ['22.25', '1.26'],
  ]);
});

it('credits a tax-inclusive amount, and keeps the entered amount while the whole sale is selected', async () => {
  const shop = await newShop();
  const sale = await shop.sell('MI', { tax_included: true, line_items: lines });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    await click(page, 'Credit …');
    await page.getByLabel('Parts of it').check();
    await page.getByLabel('or amount with tax').first().fill('10.60');
    // The tax is 6 / 106 of 10.60.
    await seeText(page, 'The credit is 10.60 USD, with a tax of 0.60.');
    await page.getByLabel('The whole remaining amount').check();
    // The tax is 6 / 106 of 37.99.
    await seeText(page, 'The credit is 37.99 USD, with a tax of 2.15.');
    expect(await page.getByLabel('or amount with tax').first().isVisible()).toBe(false);
    await page.getByLabel('Parts of it').check();
    expect(await page.getByLabel('or amount with tax').first().inputValue()).toBe('10.60');
    await seeText(page, 'The credit is 10.60 USD, with a tax of 0.60.');
  });
});

it('treats the amounts entered for a credit as amounts after discounts', async () => {
  const shop = await newShop({ registrations: 'all' });
  const line_items = [
    { id: 'mug', quantity: '2', unit_price: '55.00', discount_amount: '10.00' },
    // In Connecticut, a manufacturer's coupon reduces the price.
    { id: 'tea', quantity: '1', unit_price: '220.00', third_party_discount_amount: '20.00' },
  ];
  const customer = { address: { state: 'CT', postal_code: '06103', country: 'US' } };
  const shipping = { amount: '24.00', discount_amount: '4.00' };
  const sale = await shop.sell('MI', { customer, line_items, shipping });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    await click(page, 'Credit …');
    await page.getByLabel('Parts of it').check();
    await page.getByLabel('Amount before tax', { exact: true }).fill('20.00');
    // Shipping alone, with 6.35 %.
    await seeText(page, 'The credit is 21.27 USD, with a tax of 1.27.');
    for (const [at, amount] of ['100.00', '200.00'].entries())
      await page.getByLabel('or amount before tax').nth(at).fill(amount);
    // The whole sale is 320.00 with 6.35 %.
    await seeText(page, 'The credit is 340.32 USD, with a tax of 20.32.');
    await click(page, 'Record the credit');
    await seeText(page, 'Credits of this sale');
    expect(await countButtons(page, 'Credit …')).toBe(0);
  });
});

it('does not offer to void a sale whose tax was credited', async () => {
  const shop = await newShop();
  const sale = await shop.sell('MI');
  const line_items = [{ id: 'one', quantity: '1', unit_price: '0' }];
  await shop.refund('MI', sale, { credit_remaining: null, line_items, tax_amount: '1.00' });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    await page.getByRole('button', { name: 'Credit …' }).waitFor();
    expect(await countButtons(page, 'Void …')).toBe(0);
  });
});

it('records a note and voids a sale, and refuses a change of a version that is no longer current', async () => {
  const shop = await newShop();
  const sale = await shop.sell('MI', { reference_id: 'order-2' });
  await visit(`#/transactions/${sale.id}`, { key: shop.key }, async (page) => {
    await click(page, 'Add a note …');
    await page.getByLabel('Note', { exact: true }).fill('Customer called on Monday.');
    await click(page, 'Save the note');
    await page.getByText('Customer called on Monday.', { exact: true }).waitFor();
    expect(await readRows(page, 'Changes')).toMatchObject([{ Fields: 'metadata' }, { Status: 'new → finalized' }]);
    await made(shop.filer.update(sale.id, { metadata: { other: 'x' } }));
    await click(page, 'Void …');
    await page.getByLabel('Reason').fill('Entered twice');
    await click(page, 'Void the sale');
    await seeText(page, 'Somebody else changed this in the meantime');
    await click(page, 'Keep the sale');
    await go(page, '#/customers');
    await seeHeading(page, 'Customers');
    await go(page, `#/transactions/${sale.id}`);
    await seeHeading(page, 'Sale order-2');
    await click(page, 'Void …');
    await page.getByLabel('Reason').fill('Entered twice');
    await click(page, 'Void the sale');
    await seeStatus(page, 'Entered twice');
    expect(await countButtons(page, /Void|Credit|note/)).toBe(0);
  });
  expect(await made(shop.filer.get(sale.id))).toMatchObject({ status: 'void', void_reason: 'Entered twice' });
});

it('creates a customer with a certificate by keyboard, and marks the certificate as expired', async () => {
  const shop = await newShop();
  const existing = { id: 'acme', name: 'Acme', exemptions: [] };
  await made(shop.filer.call('POST', '/customers', { body: existing }));
  await visit('#/customers', { key: shop.key }, async (page) => {
    await page.getByRole('link', { name: 'New customer' }).focus();
    await page.keyboard.press('Enter');
    await seeHeading(page, 'New customer');
    const type = async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).focus();
      await page.keyboard.type(text);
    };
    await type('Id of the customer in your system', 'acme');
    await type('Number', 'C-1');
    await page.getByLabel('Reason').selectOption('resale');
    await type('States, such as MI, OH; empty for all', 'MI');
    await page.getByLabel('Valid to').fill('2026-01-31');
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Enter');
    await seeText(page, 'acme gets the name');
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await made(shop.call('GET', '/customers/acme' as '/customers/{id}'))).toMatchObject(existing);
    await page.getByLabel('Id of the customer in your system').fill('beta');
    await click(page, 'Review the customer');
    await click(page, 'Save');
    await seeHeading(page, 'beta');
    expect(await readRows(page, 'Certificates')).toMatchObject([{ Number: 'C-1', To: '2026-01-31 expired' }]);
    await go(page, '#/customers');
    expect(await readRows(page, 'Customers with certificates')).toMatchObject([
      { Id: 'acme', 'First to expire': '' },
      { Id: 'beta', 'First to expire': '2026-01-31 expired' },
    ]);
  });
  const created = await made(shop.call('GET', '/customers/beta' as '/customers/{id}'));
  expect(created.exemptions).toMatchObject([{ reason: 'resale', certificate_number: 'C-1', valid_to: '2026-01-31' }]);
});

it('corrects the confirmation number of a filing, and shows who did it', async () => {
  const shop = await newShop();
  await shop.sell('MI');
  const { id } = await made(shop.filer.close({ state: 'MI', period_end: lastMonth.last }));
  await made(shop.filer.change(`${id}`, { status: 'filed', confirmation_number: 'MI-1' }));
  await visit(`#/filings/${id}`, { key: shop.key }, async (page) => {
    await page.getByRole('button', { name: 'Correct the confirmation number …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Confirmation number of the state').fill('MI-2');
    await page.keyboard.press('Enter');
    await seeText(page, 'Corrections of the confirmation number');
    expect(await readRows(page, 'Corrections of the confirmation number')).toMatchObject([
      { From: 'MI-1', To: 'MI-2' },
    ]);
  });
});

const scopes = ['read', 'write', 'settings'] as const;
const save = async (page: Page, section: string) => {
  await click(page, `Review the change of ${section}`);
  await click(page, `Save ${section}`);
};

/** Saves a valid change, and waits until the page is loaded again. */
const saveAndReload = async (page: Page, section: string) => {
  await click(page, `Review the change of ${section}`);
  const loaded = page.waitForEvent('load');
  await click(page, `Save ${section}`);
  await loaded;
};

it('sets registrations and the calendar, and shows who changed them', async () => {
  const caller = await newCaller({ scopes, settings: { registrations: null } });
  await visit('#/settings', { key: caller.key }, async (page) => {
    await page.getByLabel('State, such as MI').first().fill('mi');
    await page.getByLabel('First day').first().fill('2026-01-01');
    await page.getByLabel('Levy calculates tax').selectOption('registered_states');
    await saveAndReload(page, 'registrations');
    await page.getByLabel('State; empty removes it').waitFor();
    await page.getByLabel('Time zone').fill('Mars');
    await save(page, 'sales and calendar');
    await seeText(page, 'Send an IANA time zone');
    await page.getByLabel('Time zone').fill('America/Detroit');
    await page.getByLabel('Days before the due date').fill('10, 3');
    await page.getByLabel('State', { exact: true }).fill('MI');
    await page.getByLabel('ZIP code').fill('48226');
    await saveAndReload(page, 'sales and calendar');
    const changes = await readRows(page, 'Changes of settings, newest first');
    expect(changes.at(-1)).toMatchObject({ Before: 'none', After: 'state MI, from 2026-01-01, frequency month' });
    const changed = changes.map((row) => row['Setting']);
    expect(changed.sort()).toEqual(['filing reminder days', 'registrations', 'ship from', 'time zone']);
    // The review and the history show only the registrations that change.
    await page.getByLabel('State, such as MI').first().fill('oh');
    await page.getByLabel('First day').nth(1).fill('2026-02-01');
    await click(page, 'Review the change of registrations');
    const ohio = { Setting: 'registrations', Before: '', After: 'state OH, from 2026-02-01, frequency month' };
    expect(await readRows(page, 'Changes of registrations')).toEqual([ohio]);
    const loaded = page.waitForEvent('load');
    await click(page, 'Save registrations');
    await loaded;
    expect(await readRows(page, 'Changes of settings, newest first')).toContainEqual(expect.objectContaining(ohio));
    await page.getByLabel('Levy calculates tax').selectOption('every_state');
    await click(page, 'Review the change of registrations');
    const michigan = 'state MI, from 2026-01-01, frequency month';
    expect(await readRows(page, 'Changes of registrations')).toEqual([
      { Setting: 'collects in', Before: 'registered_states', After: 'every_state' },
      { Setting: 'registrations', Before: expect.stringContaining(michigan), After: 'none' },
    ]);
    // Somebody else changes a setting after the page was loaded.
    await made(caller.call('POST', '/account', { body: { review_days: 9 } }));
    await page.getByLabel('Legal name').fill('A shop');
    await page.getByLabel('Taxpayer number, nine digits').fill('12-3456789');
    await save(page, 'identity on returns');
    await click(page, 'Load the page again');
    await page.getByLabel('Legal name').fill('A shop');
    await page.getByLabel('Taxpayer number, nine digits').fill('12-3456789');
    await page.getByLabel('Account number, such as').fill('1234567');
    await page.getByLabel('State, such as MN').fill('mn');
    await saveAndReload(page, 'identity on returns');
    await seeText(page, 'return identity');
    await page.getByLabel('First day of the books').fill('2025-01-01');
    await saveAndReload(page, 'sales and calendar');
    await seeText(page, 'books open from');
  });
  const account = await made(caller.call('GET', '/account'));
  expect(account).toMatchObject({
    registrations: [
      { state: 'US-MI', from: '2026-01-01', to: null, frequency: 'month' },
      { state: 'US-OH', from: '2026-02-01', to: null, frequency: 'month' },
    ],
    time_zone: 'America/Detroit',
    filing_reminder_days: [10, 3],
    review_days: 9,
    books_open_from: '2025-01-01',
    ship_from: { state: 'MI', postal_code: '48226' },
    return_identity: {
      legal_name: 'A shop',
      tin: { type: 'FEIN', number: '123456789' },
      sst_id: null,
      state_ids: { MN: '1234567' },
    },
  });
});

it('changes only the settings that were edited, and refuses an account number without a state', async () => {
  const ship_from = {
    line1: '1 Main St',
    city: 'Toronto',
    county: 'York',
    state: null,
    postal_code: null,
    country: 'CA',
  };
  const before = {
    ship_from,
    filing_reminder_days: [],
    books_open_from: '2025-01-01',
    registrations: [{ state: 'US-CA', from: '2025-01-01', to: '2026-06-30', frequency: 'quarter' }],
    return_identity: {
      legal_name: 'A shop',
      tin: { type: 'FEIN', number: '123456789' },
      sst_id: null,
      state_ids: { MN: '1234567', OH: '89-1' },
    },
  } as const;
  const caller = await newCaller({ scopes });
  await made(caller.call('POST', '/account', { body: before }));
  await visit('#/settings', { key: caller.key }, async (page) => {
    await click(page, 'Review the change of sales and calendar');
    await seeText(page, 'No setting has changed.');
    await save(page, 'registrations');
    await page.getByText('No setting has changed.').waitFor({ state: 'detached' });
    await page.getByLabel('Days until the schedule closes an ended period').fill('5 days');
    await save(page, 'sales and calendar');
    await seeText(page, 'Send a whole number from 0 to 20, or null.');
    await page.getByLabel('Days until the schedule closes an ended period').fill('5');
    await saveAndReload(page, 'sales and calendar');
    await seeText(page, 'review days');
    await page.getByLabel('Account number, such as').last().fill('1234567');
    await save(page, 'identity on returns');
    await seeText(page, 'is not a state code');
    await page.getByLabel('Account number, such as').last().fill('');
    await page.getByLabel('State; empty removes it').last().fill('');
    await saveAndReload(page, 'identity on returns');
    await page.getByText('Account number in OH').waitFor({ state: 'detached' });
  });
  const after = await made(caller.call('GET', '/account'));
  const { return_identity, ...others } = before;
  expect(after).toMatchObject({ ...others, review_days: 5 });
  expect(after.return_identity).toEqual({ ...return_identity, state_ids: { MN: '1234567' } });
  const settings = after.changes?.map(({ setting }) => setting).sort();
  expect(settings).toEqual([
    'books_open_from',
    'filing_reminder_days',
    'registrations',
    'return_identity',
    'return_identity',
    'review_days',
    'ship_from',
  ]);
});
