import { describe, expect, it } from 'vitest';
import { builtInReleases } from '../../shared/catalog/built-in.ts';
import { now } from '../../shared/config/clock.ts';
import { coverageOfAll } from '../../shared/coverage/coverage.ts';
import type { Coverage } from '../../shared/coverage/response.ts';
import {
  type ContentSource,
  readContentSource,
  writeContentSource,
} from '../../shared/store/content/content-sources.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { newCaller } from '../support/api.ts';
import { importRelease } from '../support/content.ts';
import { buildHead } from '../support/local-content.ts';
import { dayMs, later } from '../support/sales.ts';

const release = 'US-MN@2026-09-01.101';
const files = (['rates', 'boundaries'] as const).map((option) => ({
  option,
  url: `https://www.streamlinedsalestax.org/ratesandboundry/${option}`,
  name: option === 'rates' ? 'MNR2026Q4AUG18.zip' : 'MNB2026Q4AUG18.zip',
  etag: null,
  last_modified: null,
  sha256: '00',
  bytes: 1,
}));

const caller = await newCaller({ scopes: ['read'] });
const get = (query = '', headers = {}) => caller.call('GET', `/coverage?${query}`, { headers });
/** Returns the response on a day (`YYYY-MM-DD`): a row for each state. */
const rowsOn = (day: string, query = ''): Promise<Coverage['states']> =>
  later(Date.parse(`${day}T12:00:00Z`) - now(), async () => (await get(query)).body.states);
const sourceOn = async (day: string) => (await rowsOn(day, 'state=MN'))[0]?.source;
const record = async (change: Partial<ContentSource>) => {
  const written = await writeContentSource({ ...(await readContentSource('MN')), ...change });
  expect(written.ok).toBe(true);
};

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
});

it('returns no row for a place without content', async () => {
  expect((await get('state=GU')).body.states).toEqual([]);
});

it("returns the rate in force on the day of the service's clock", async () => {
  const { body } = await later(400 * dayMs, () => get('state=MI'));
  expect(Date.parse(body.tax_date)).toBeGreaterThan(now() + 398 * dayMs);
});

// These tests depend on each other: each adds to the content of Minnesota.
describe('content sources', () => {
  it('returns the built-in content before the first update, and the same in the list of all states', async () => {
    const source = await sourceOn('2026-11-23');
    expect(source).toMatchObject({ origin: 'built_in', release: null, in_use: false, as_of: '2026-10-01' });
    const all = await rowsOn('2026-11-23');
    expect(all.find(({ state }) => state === 'MN')?.source).toEqual(source);
  });

  it('returns a release as proposed, and as active after its activation, with a new ETag each time', async () => {
    const readTag = async () => (await get('state=MN')).headers.get('ETag') ?? '';
    const before = await readTag();
    await importRelease(buildHead(release, { format: 'sst', bottom: 'US-MN@2026-11-22.1' }), []);
    await record({ files, release, imported_at: '2026-09-01T08:00:00.000Z', checked_at: '2026-09-01T08:00:00.000Z' });
    const proposed = { origin: 'built_in', release, in_use: false, as_of: '2026-08-18', next_expected: '2027-01-08' };
    expect(await sourceOn('2026-11-23')).toMatchObject(proposed);
    const between = await get('state=MN', { 'If-None-Match': before });
    expect(between.status).toBe(200);
    const imported = async () => (await get('state=MN&expand=releases')).body.states[0]?.releases?.at(-1);
    expect(await imported()).toMatchObject({ id: release, active: false, origin: 'sst', activated_at: null });

    const active = await store.readActiveReleases();
    expect((await store.activateRelease('US-MN', release, active, '2026-11-23T00:00:00.000Z')).ok).toBe(true);
    expect(await sourceOn('2026-11-23')).toMatchObject({ ...proposed, origin: 'sst', in_use: true });
    expect(await readTag()).not.toBe(between.headers.get('ETag'));
    expect(await imported()).toMatchObject({ id: release, active: true, activated_at: '2026-11-23T00:00:00.000Z' });
  });

  it('reports stale content if updates have failed for a week, and omits the failure message', async () => {
    const message = 'https://example.com/private failed 4 times.';
    await record({ failure: { since: '2026-11-20T23:00:00.000Z', message } });
    expect(await sourceOn('2026-11-26')).toMatchObject({ stale: false });
    expect(await sourceOn('2026-11-27')).toMatchObject({
      stale: true,
      stale_reason: expect.stringMatching(/^(?!.*example).*2026-11-20/),
    });
  });
});
