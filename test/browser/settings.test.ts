import { expect, it } from 'vitest';
import { newCaller } from '../support/api.ts';
import { made } from '../support/sales.ts';
import { click, rowsOf, seeText, useConsole } from './browser.ts';

const { visit } = useConsole();
const scopes = ['read', 'write', 'settings'] as const;

it('sets registrations and the calendar, and shows who changed them', async () => {
  const caller = await newCaller({ scopes, settings: { registrations: null } });
  await visit('#/settings', { key: caller.key }, async (page) => {
    await page.getByLabel('State, such as MI').first().fill('mi');
    await page.getByLabel('First day').first().fill('2026-01-01');
    await page.getByLabel('Levy calculates tax').selectOption('registered_states');
    await click(page, 'Review the change of registrations');
    await click(page, 'Save registrations');
    await page.getByLabel('State; empty removes it').waitFor();
    await page.getByLabel('Time zone').fill('Mars');
    await click(page, 'Review the change of sales and calendar');
    await click(page, 'Save sales and calendar');
    await seeText(page, 'Send an IANA time zone');
    await page.getByLabel('Time zone').fill('America/Detroit');
    await page.getByLabel('Days before the due date').fill('10, 3');
    await page.getByLabel('State', { exact: true }).fill('MI');
    await page.getByLabel('ZIP code').fill('48226');
    await click(page, 'Review the change of sales and calendar');
    await click(page, 'Save sales and calendar');
    await seeText(page, 'America/Detroit');
    const changes = await rowsOf(page, 'Changes of settings, newest first');
    expect(changes.at(-1)).toMatchObject({ Before: 'none', After: 'state MI, from 2026-01-01, frequency month' });
    const changed = changes.map((row) => row['Setting']);
    expect(changed.sort()).toEqual(['filing reminder days', 'registrations', 'ship from', 'time zone']);
    // Somebody else changes a setting after the page was loaded.
    await made(caller.call('POST', '/account', { body: { review_days: 9 } }));
    await page.getByLabel('Legal name').fill('A shop');
    await page.getByLabel('Taxpayer number, nine digits').fill('12-3456789');
    await click(page, 'Review the change of identity on returns');
    await click(page, 'Save identity on returns');
    await click(page, 'Load the page again');
    await page.getByLabel('Legal name').fill('A shop');
    await page.getByLabel('Taxpayer number, nine digits').fill('12-3456789');
    await page.getByLabel('Account number, such as').fill('1234567');
    await page.getByLabel('State, such as MN').fill('mn');
    await click(page, 'Review the change of identity on returns');
    await click(page, 'Save identity on returns');
    await seeText(page, 'return identity');
    await page.getByLabel('First day of the books').fill('2025-01-01');
    await click(page, 'Review the change of sales and calendar');
    await click(page, 'Save sales and calendar');
    await seeText(page, 'books open from');
  });
  const account = await made(caller.call('GET', '/account'));
  expect(account).toMatchObject({
    registrations: [{ state: 'US-MI', from: '2026-01-01', to: null, frequency: 'month' }],
    ...{ time_zone: 'America/Detroit', filing_reminder_days: [10, 3], review_days: 9, books_open_from: '2025-01-01' },
    ship_from: { state: 'MI', postal_code: '48226' },
    return_identity: {
      ...{ legal_name: 'A shop', tin: { type: 'FEIN', number: '123456789' }, sst_id: null },
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
    ...{ ship_from, filing_reminder_days: [], books_open_from: '2025-01-01' },
    return_identity: {
      ...{ legal_name: 'A shop', tin: { type: 'FEIN', number: '123456789' }, sst_id: null },
      state_ids: { MN: '1234567', OH: '89-1' },
    },
  } as const;
  const caller = await newCaller({ scopes });
  await made(caller.call('POST', '/account', { body: before }));
  await visit('#/settings', { key: caller.key }, async (page) => {
    await click(page, 'Review the change of sales and calendar');
    await seeText(page, 'No setting has changed.');
    await page.getByLabel('Days after a period before it closes').fill('5 days');
    await click(page, 'Review the change of sales and calendar');
    await click(page, 'Save sales and calendar');
    await seeText(page, 'Send a whole number from 0 to 20, or null.');
    await page.getByLabel('Days after a period before it closes').fill('5');
    await click(page, 'Review the change of sales and calendar');
    await click(page, 'Save sales and calendar');
    await seeText(page, 'review days');
    await page.getByLabel('Account number, such as').last().fill('1234567');
    await click(page, 'Review the change of identity on returns');
    await click(page, 'Save identity on returns');
    await seeText(page, 'is not one');
    await page.getByLabel('Account number, such as').last().fill('');
    await page.getByLabel('State; empty removes it').last().fill('');
    await click(page, 'Review the change of identity on returns');
    await click(page, 'Save identity on returns');
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
    'return_identity',
    'return_identity',
    'review_days',
    'ship_from',
  ]);
});

it('shows settings to a credential that cannot change them', async () => {
  const caller = await newCaller();
  await visit('#/settings', { key: caller.key }, async (page) => {
    await seeText(page, 'Your credential cannot change settings.');
    expect(await page.getByRole('button', { name: /^(Save|Review)/ }).count()).toBe(0);
  });
});
