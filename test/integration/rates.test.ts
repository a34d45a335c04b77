import { describe, expect, it } from 'vitest';
import type { Settings } from '../../shared/accounts/account.ts';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { Rates } from '../../shared/rates/response.ts';
import { newCaller } from '../support/api.ts';
import { recordCalls } from '../support/count-calls.ts';
import { dayMs, getRefusal, later, made } from '../support/sales.ts';
import { testDay } from '../support/test-day.ts';

const clientWith = async (settings: Partial<Settings> = {}) => {
  const { call } = await newCaller({ scopes: ['read'], settings });
  return (query: Record<string, string>) => call('GET', `/rates?${new URLSearchParams(query)}`);
};
const listCodes = (body: Rates): string[] => body.warnings.map(({ code }) => code);
const minneapolis = { postal_code: '55401', city: 'Minneapolis', state: 'MN' };

describe('the built-in content', () => {
  it("returns today's rates of a ZIP, with the parts that add up to them", async () => {
    const get = await clientWith();
    const { status, body } = await get({ postal_code: '55401' });
    expect([status, body.object, body.combined_rate]).toEqual([200, 'rates', '0.09025']);
    expect(body.date).toBe(testDay.slice(0, 10));
    expect(body.address).toMatchObject({ postal_code: '55401', city: null, country: null });
    expect(body.content_releases).toEqual({ 'US-MN': builtInRelease('MN')?.id });
    expect(listCodes(body)).toEqual(['local_rates_by_place']);
  });

  // Maine has no local sales tax: 36 M.R.S. 1811 sets the general rate of 5.5 percent.
  it('finds a state that follows the city', async () => {
    const get = await clientWith();
    expect((await made(get({ city: 'Portland, ME' }))).combined_rate).toBe('0.055');
    expect(getRefusal(await get({ city: 'Portland, Oregano' }))).toBe('422 | validation_required_field state');
  });

  it("returns the rates of any day, by default of the clock's day", async () => {
    const get = await clientWith();
    const { body } = await get({ ...minneapolis, date: '1999-05-01' });
    expect([body.date, body.combined_rate, listCodes(body)]).toEqual(['1999-05-01', null, ['not_covered']]);
    const ahead = await later(400 * dayMs, () => get(minneapolis));
    expect(Date.parse(ahead.body.date)).toBeGreaterThan(Date.parse(testDay) + 398 * dayMs);
  });

  it('makes no database call in a warm instance', async () => {
    const get = await clientWith();
    await get(minneapolis);
    expect(await recordCalls(() => made(get(minneapolis)))).toEqual([]);
    expect(await recordCalls(() => made(get({ postal_code: '78701', city: 'Austin', state: 'TX' })))).toEqual([]);
  });
});

describe("the account's policies", () => {
  // Hastings is in Dakota (1.25 percent), Goodhue (0.5 percent) and Washington County (1.5 percent).
  const hastings = { postal_code: '55033', date: '2026-11-22' };

  it('rejects the same addresses as a calculation', async () => {
    const ambiguous = await clientWith({ ambiguous_address: 'reject' });
    expect(getRefusal(await ambiguous(hastings))).toBe('422 | validation_address_unresolvable postal_code');
    const incomplete = await clientWith({ incomplete_coverage: 'reject' });
    expect(getRefusal(await incomplete({ city: 'Alba', state: 'TX' }))).toBe('422 | validation_not_covered city');
    expect((await incomplete(minneapolis)).status).toBe(200);
  });
});
