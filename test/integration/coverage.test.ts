import { beforeAll, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { now } from '../../shared/config/clock.ts';
import { coverageOfAll } from '../../shared/coverage/coverage.ts';
import { type Caller, newCaller } from '../support/api.ts';
import { dayMs, getRefusal, later } from '../support/sales.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller({ scopes: ['read'] });
});
const get = (query = '', headers = {}) => caller.call('GET', `/coverage?${query}`, { headers });

const today = () => new Date(now()).toISOString().slice(0, 10);

it('returns the coverage of every state from the active releases', async () => {
  const { status, body } = await get();
  const { attribution, ...known } = body;
  expect([status, known]).toEqual([
    200,
    { object: 'coverage', tax_date: today(), states: coverageOfAll(builtInReleases(), today()) },
  ]);
  expect(attribution).toContainEqual(
    expect.objectContaining({ name: 'GeoNames', license_url: 'https://creativecommons.org/licenses/by/4.0/' }),
  );
  expect(body.states).toHaveLength(55);
});

it.each(['MI', 'mi', 'US-MI', 'Michigan'])('returns a single state: %s', async (state) => {
  const { body } = await get(`state=${state}`);
  expect(body.states.map((covered) => covered.state)).toEqual(['MI']);
  expect(body.states[0]).toMatchObject({
    name: 'Michigan',
    general_rate: { rate: '0.06' },
    local_rates: 'complete',
    groceries: { treatment: 'exempt' },
  });
});

it('lists the releases of one state on request', async () => {
  const [michigan] = (await get('state=MI&expand=releases')).body.states;
  expect(michigan?.releases).toMatchObject([{ id: 'US-MI@2026-11-22.1', active: true, origin: 'built_in' }]);
  expect(getRefusal(await get('expand=releases'))).toBe('422 | validation_invalid_format expand');
});

it('has no row for a place without content, and rejects an unknown place', async () => {
  expect((await get('state=GU')).body.states).toEqual([]);
  expect(getRefusal(await get('state=ZZ'))).toBe('422 | validation_invalid_format state');
  expect(getRefusal(await get('state='))).toBe('422 | validation_invalid_format state');
  expect(getRefusal(await get('state=MI&state=PA'))).toBe('422 | validation_invalid_format state');
  expect(getRefusal(await get('city=Lansing'))).toBe('422 | validation_unknown_parameter city');
});

it("has the rate in force on the day of the service's clock", async () => {
  const { body } = await later(400 * dayMs, () => get('state=MI'));
  expect(Date.parse(body.tax_date)).toBeGreaterThan(now() + 398 * dayMs);
});

it('returns 304 for its ETag, which depends on the bytes and the filter', async () => {
  const { headers, text } = await get('state=MI');
  const tag = headers.get('ETag') ?? '';
  const again = await get('state=MI', { 'If-None-Match': tag });
  expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', tag]);
  const other = await get('state=PA', { 'If-None-Match': tag });
  expect(other.status).toBe(200);
  expect((await get('state=MI', { 'If-None-Match': '"other"' })).text).toBe(text);
});

it('is the same for every account, and requires a key', async () => {
  const other = await newCaller();
  expect((await other.call('GET', '/coverage')).text).toBe((await get()).text);
  expect((await caller.call('GET', '/coverage', { headers: { 'X-API-Key': null } })).status).toBe(401);
});
