/** The loader with test ports: what it reads, when, and what it caches. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../shared/accounts/account.ts';
import { calculate } from '../../shared/calculations/calculate.ts';
import { listAddresses } from '../../shared/calculations/locate-lines.ts';
import { builtInRelease, builtInReleaseFor } from '../../shared/catalog/built-in.ts';
import {
  type ActiveReleases,
  previousMax,
  type ReleaseHead,
  type ReleasePart,
  withActive,
  withPrevious,
} from '../../shared/catalog/content.ts';
import { ReleaseNotFound } from '../../shared/catalog/loading/content-errors.ts';
import {
  type ContentPorts,
  contentCache,
  contentLoader,
  viewedMax,
} from '../../shared/catalog/loading/content-loader.ts';
import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import type { Location } from '../../shared/catalog/release.ts';
import { pinnedContext } from '../../shared/ledger/context.ts';
import type { StoredTransaction } from '../../shared/ledger/transaction.ts';
import { buildRequest, getRelease, testNow } from '../support/builders.ts';
import { buildHead, buildPart } from '../support/local-content.ts';

const known = { country: 'US', plus4: null, county: null, isStateGuessed: false };
const at = (zip5: string | null, city: string | null = null, state = 'MN'): TaxAddress =>
  ({ ...known, state, zip5, city, isZipKnown: zip5 !== null }) as const;

const minnesota = 'US-MN@2026-11-21.1';
const parts = [
  buildPart('55401', { 'US-MN-MPLS': '0.005' }),
  buildPart('55402', { 'US-MN-MPLS': '0.005' }),
  buildPart('MINNEAPOLIS', { 'US-MN-MPLS': '0.005', 'US-MN-OTHER': '0.01' }),
];

type Options = {
  readonly active?: Readonly<Record<string, string>>;
  readonly stored?: Readonly<Record<string, readonly ReleasePart[]>>;
  readonly charactersMax?: number;
};

/** A database, a clock and a loader; `reads` lists the database reads, with one entry per round trip. */
const world = ({ active = { 'US-MN': minnesota }, stored = { [minnesota]: parts }, charactersMax }: Options = {}) => {
  const reads: string[] = [];
  const state = { nowMs: 0, isDown: false, active };
  const directory = (): ActiveReleases => {
    const listed = (release: string) => ({ release, activated_at: '', previous: [] });
    const states = Object.entries(state.active).map(([code, release]) => [code, listed(release)]);
    return { version: 1, states: Object.fromEntries(states) };
  };
  const measured = <Value extends ReleaseHead | ReleasePart>(value: Value | undefined) =>
    value && { value, characters: JSON.stringify(value).length };
  const findPart = (release: string, key: string) => stored[release]?.find((part) => part.key === key);
  const ports: ContentPorts = {
    readActive: async () => {
      reads.push('directory');
      // The active release is determined when the database responds, not when the read is sent.
      await Promise.resolve();
      if (state.isDown) throw new Error('down');
      return directory();
    },
    readContent: async (heads, names) => {
      reads.push([...heads, ...names.map(({ key }) => key)].join(' '));
      await Promise.resolve();
      return {
        // Returns a new copy on each read, like a database.
        heads: heads.map((id) => measured(id in stored ? structuredClone(buildHead(id)) : undefined)),
        parts: names.map(({ release, key }) => measured(structuredClone(findPart(release, key)))),
      };
    },
    builtIn: (code) => builtIn[code],
    builtInById: (id) => Object.values(builtIn).find((release) => release.id === id),
    now: () => state.nowMs,
  };
  const builtIn: Readonly<Record<string, ReturnType<typeof getRelease>>> = {
    MN: getRelease({ of: [{ code: 'US-MN', type: 'state', rate: '0.06875' }] }),
    OH: getRelease({ of: [{ code: 'US-OH', type: 'state', rate: '0.0575' }] }),
  };
  const read = () => reads.splice(0);
  return { ...contentLoader(ports, charactersMax), state, read, builtIn };
};

describe('the reads of a calculation', () => {
  it('reads the directory, then everything else in parallel on a cold instance, and nothing on a warm one', async () => {
    const { loadContent, read } = world();
    await loadContent([at('55401'), at('55402', 'MINNEAPOLIS')]);
    expect(read()).toEqual(['directory', `${minnesota} 55401 55402 MINNEAPOLIS`]);
    await loadContent([at('55401', 'MINNEAPOLIS'), at('55402')]);
    expect(read()).toEqual([]);
    await loadContent([at('55401'), at('55403')]);
    expect(read()).toEqual(['55403']);
  });

  it('reads only the directory if the states of the addresses have no import', async () => {
    const { loadContent, read, builtIn } = world();
    const releaseFor = await loadContent([at('43215', null, 'OH')]);
    expect(releaseFor(at('43215', null, 'OH'))).toBe(builtIn['OH']);
    expect(read()).toEqual(['directory']);
  });

  it('reads nothing if everything is pinned to built-in releases', async () => {
    const { loadContent, read, builtIn } = world();
    const settingsSnapshot = { 'US-MN': builtIn['MN']?.id ?? '', 'US-OH': builtIn['OH']?.id ?? '' };
    const releaseFor = await loadContent([at('55401'), at(null, null, 'OH')], settingsSnapshot);
    expect([releaseFor(at('55401')), read()]).toEqual([builtIn['MN'], []]);
  });

  it('reads absent parts once, because their absence is also cached', async () => {
    const { loadContent, read } = world();
    const releaseFor = await loadContent([at('55999')]);
    expect(releaseFor(at('55999'))).toMatchObject({ id: minnesota, locations: [] });
    read();
    await loadContent([at('55999', 'NOWHERE')]);
    await loadContent([at('55999', 'NOWHERE')]);
    expect(read()).toEqual(['NOWHERE']);
  });
});

describe('the release of an address', () => {
  it('returns the active release, with its parts for the ZIP and the city, and each jurisdiction and rate once', async () => {
    const { loadContent } = world();
    const releaseFor = await loadContent([at('55401', 'MINNEAPOLIS')]);
    const release = releaseFor(at('55401', 'MINNEAPOLIS'));
    expect(release?.jurisdictions.map(({ code }) => code)).toEqual(['US-MN', 'US-MN-MPLS', 'US-MN-OTHER']);
    const rates = release?.rates.map(({ jurisdiction, rate }) => `${jurisdiction} ${rate}`);
    expect(rates).toEqual(['US-MN 0.06875', 'US-MN-MPLS 0.005', 'US-MN-OTHER 0.01']);
    expect(release?.locations).toEqual([...(parts[0]?.locations ?? []), ...(parts[2]?.locations ?? [])]);
  });

  it('returns the same object for the same ZIP and city, in every request', async () => {
    const { loadContent } = world();
    const [first, second] = await Promise.all([loadContent([at('55401')]), loadContent([at('55401'), at('55402')])]);
    const third = await loadContent([at('55401', 'NOWHERE')]);
    expect(second(at('55401'))).toBe(first(at('55401')));
    expect(third(at('55401', 'NOWHERE'))).toBe(first(at('55401')));
    expect(second(at('55402'))).not.toBe(first(at('55401')));
  });

  it('returns the pinned release, even an imported one, or the active one in states without a pin', async () => {
    const older = 'US-MN@2026-11-20.1';
    const ohio = 'US-OH@2026-11-21.1';
    const { loadContent, builtIn } = world({
      active: { 'US-MN': minnesota, 'US-OH': ohio },
      stored: { [minnesota]: parts, [older]: [buildPart('55401', { 'US-MN-OLD': '0.02' })], [ohio]: [] },
    });
    const releaseFor = await loadContent([at('55401'), at(null, null, 'OH')], { 'US-MN': older });
    expect(releaseFor(at('55401'))?.jurisdictions.map(({ code }) => code)).toEqual(['US-MN', 'US-MN-OLD']);
    expect(releaseFor(at(null, null, 'OH'))?.id).toBe(ohio);
    const before = await loadContent([at('55401')], { 'US-MN': builtIn['MN']?.id ?? '' });
    expect(before(at('55401'))).toBe(builtIn['MN']);
  });

  it('returns undefined outside the United States', async () => {
    const { loadContent, read } = world();
    const abroad = { ...at(null), country: 'CA', state: null };
    const releaseFor = await loadContent([abroad]);
    expect([releaseFor(abroad), read()]).toEqual([undefined, []]);
  });

  it('throws if the release was not loaded or no longer exists', async () => {
    const { loadContent } = world({ active: { 'US-MN': minnesota, 'US-OH': 'US-OH@2026-11-21.9' } });
    const releaseFor = await loadContent([at('55401')]);
    expect(() => releaseFor(at('55402'))).toThrow('not loaded for');
    await expect(loadContent([at(null, null, 'OH')])).rejects.toThrow(ReleaseNotFound);
    await expect(loadContent([at('55401')], { 'US-MN': 'US-MN@2026-01-01.1' })).rejects.toThrow('US-MN@2026-01-01.1');
  });
});

describe('the directory of releases', () => {
  const newer = 'US-MN@2026-11-22.1';
  const worldOfTwo = () => world({ stored: { [minnesota]: parts, [newer]: [] } });
  const activeAt = async ({ loadContent }: ReturnType<typeof world>) =>
    (await loadContent([at('55401')]))(at('55401'))?.id;

  it('reads the directory again after 60 seconds, and so detects an activation', async () => {
    const two = worldOfTwo();
    expect(await activeAt(two)).toBe(minnesota);
    two.state.active = { 'US-MN': newer };
    two.state.nowMs = 59_999;
    expect(await activeAt(two)).toBe(minnesota);
    two.state.nowMs = 60_000;
    expect(await activeAt(two)).toBe(newer);
    // The directory is also read again after the clock is set back.
    two.state.active = { 'US-MN': minnesota };
    two.state.nowMs = 1;
    expect(await activeAt(two)).toBe(minnesota);
  });

  it('reads the directory once for concurrent requests', async () => {
    const { loadContent, read } = world();
    await Promise.all([loadContent([at(null, null, 'OH')]), loadContent([at(null, null, 'OH')])]);
    expect(read()).toEqual(['directory']);
  });

  it('fails if the directory cannot be read again, instead of using a stale one, and retries in the next request', async () => {
    const two = worldOfTwo();
    await activeAt(two);
    two.state.isDown = true;
    two.state.nowMs = 59_999;
    expect(await activeAt(two)).toBe(minnesota);
    two.state.nowMs = 60_000;
    await expect(activeAt(two)).rejects.toThrow('down');
    two.state.isDown = false;
    expect(await activeAt(two)).toBe(minnesota);
  });
});

describe('the cache of an instance', () => {
  const zips = Array.from({ length: 400 }, (_, index) => String(55001 + index));
  const many = zips.map((zip) => buildPart(zip, { [`US-MN-${zip}`]: '0.01' }));
  const charactersMax = 20_000;
  const bounded = () => world({ stored: { [minnesota]: many }, charactersMax });

  it('limits the size of the cache, for present and absent parts', async () => {
    const { loadContent, size } = bounded();
    let most = 0;
    for (const [index, zip] of zips.entries()) {
      await loadContent([at(zip, `CITY ${index}`)]);
      most = Math.max(most, size().characters);
    }
    await loadContent(zips.map((zip) => at(zip)));
    most = Math.max(most, size().characters);
    expect(most).toBeLessThanOrEqual(charactersMax);
    expect(most).toBeGreaterThan(charactersMax / 2);
    expect(size().entries).toBeLessThan(100);
  });

  it('counts a release once, evicts the least recently used, and does not cache entries above the size limit', () => {
    let drops = 0;
    const cache = contentCache(10_000, () => drops++);
    const name = (index: number) => ({ release: minnesota, key: `5540${index}` });
    const value = buildPart('55401', {});
    const keep = (index: number, characters = 976) => cache.keepPart(name(index), { value, characters });
    // With a 24-character name, each entry counts as 1,200 characters: four entries use half of the capacity.
    for (const index of [1, 2, 3, 4, 5]) keep(index);
    expect(cache.size()).toEqual({ entries: 5, characters: 6000 });
    expect(cache.part(name(1))).toBe(value);
    expect([cache.size(), drops]).toEqual([{ entries: 5, characters: 6000 }, 1]);
    for (const index of [6, 7, 8]) keep(index);
    expect([1, 2, 3, 4, 5, 6, 7, 8].filter((index) => cache.part(name(index)))).toEqual([1, 5, 6, 7, 8]);
    keep(9, 6000);
    expect(cache.part(name(9))).toBeUndefined();
  });

  it('limits the size if a few parts are combined in many ways, each once', async () => {
    const [location] = buildPart('55401', {}).locations;
    const long = {
      ...buildPart('55401', {}),
      locations: Array.from({ length: 4000 }, () => ({ ...(location as Location) })),
    };
    const cities = Array.from({ length: 400 }, (_, index) => buildPart(`CITY ${index}`, {}));
    const { loadContent, size } = world({ stored: { [minnesota]: [long, ...cities] } });
    let most = 0;
    for (const { key } of cities) {
      const [first, second] = [await loadContent([at('55401', key)]), await loadContent([at('55401', key)])];
      expect(second(at('55401', key))).toBe(first(at('55401', key)));
      most = Math.max(most, size().viewed);
    }
    expect(viewedMax).toBe(1_000_000);
    expect(most).toBeLessThanOrEqual(viewedMax);
    expect(most).toBeGreaterThan(viewedMax - 5000);
  });

  it('returns correct results even if a request needs more than the cache can hold', async () => {
    const { loadContent, size } = bounded();
    for (const _ of [1, 2]) {
      const releaseFor = await loadContent(zips.map((zip) => at(zip)));
      for (const zip of zips) expect(releaseFor(at(zip))?.jurisdictions[1]?.code).toBe(`US-MN-${zip}`);
      // Two jurisdictions, two rates and a location per entry: views of evicted entries are dropped.
      expect(size().viewed).toBeLessThanOrEqual(5 * size().entries);
    }
  });

  it('keeps an entry in use while many other keys are read', async () => {
    const { loadContent, read } = bounded();
    for (const zip of zips) {
      await loadContent([at('55001')]);
      await loadContent([at(zip)]);
    }
    expect(read().filter((trip) => trip.includes('55001'))).toHaveLength(1);
  });

  it('evicts a release together with its parts', async () => {
    const { loadContent } = bounded();
    const before = (await loadContent([at('55001')]))(at('55001'));
    for (const zip of zips.slice(1)) await loadContent([at(zip)]);
    const after = (await loadContent([at('55001')]))(at('55001'));
    expect(after).toEqual(before);
    expect(after).not.toBe(before);
  });
});

const settings = defaultSettings('aspen.2026-10-01');
const listZips = (input: Parameters<typeof listAddresses>[0], ship_from: Settings['ship_from'] = null) =>
  listAddresses(input, { ship_from }).map(({ zip5 }) => zip5);
const placed = (postal_code: string | null, others: object = {}) => ({ address: { postal_code, ...others } });

describe('addresses of a calculation', () => {
  it('includes the addresses of the lines, or of the document if a line has none, and the origins', () => {
    const input = {
      customer: placed('55401'),
      ship_from: placed('48226'),
      line_items: [{}, { customer: placed('90001') }, { ship_from: placed('10001') }],
    };
    expect(listZips(input, { postal_code: '60601' })).toEqual(['55401', '48226', '90001', '10001', '60601']);
    expect(listZips({ ...input, line_items: [{ customer: placed('90001'), ship_from: placed('10001') }] })).toEqual([
      '90001',
      '10001',
    ]);
  });

  it('lists each address once, for any number of lines', () => {
    const lines = Array.from({ length: 1000 }, (_, index) => ({
      customer: placed('55401', { line1: `${index} Main` }),
    }));
    expect(listZips({ line_items: lines })).toEqual(['55401']);
  });

  it('includes every state of a ZIP in several states if no state was sent', () => {
    const listStates = (address: object) =>
      listAddresses({ customer: { address }, line_items: [{}] }, { ship_from: null }).map(({ state }) => state);
    expect(listStates({ postal_code: '57717' })).toEqual(['MT', 'SD', 'WY']);
    expect(listStates({ postal_code: '57717', state: 'SD' })).toEqual(['SD']);
    expect(listStates({ postal_code: '55401' })).toEqual(['MN']);
  });

  it('uses the state that a recorded sale resolved to, when it is calculated again', async () => {
    const settingsSnapshot = { ambiguous_address: 'highest_rate' } as StoredTransaction['settingsSnapshot'];
    const again = async (states: readonly string[]) => {
      const content_releases = Object.fromEntries(
        states.map((state) => [`US-${state}`, builtInRelease(state)?.id ?? '']),
      );
      const request = buildRequest({ customer: placed('42223') });
      const around = { settings, now: testNow };
      const load = async () => builtInReleaseFor;
      const context = await pinnedContext(
        request,
        { transaction: { content_releases }, settingsSnapshot },
        around,
        load,
      );
      const outcome = calculate(request, context, []);
      return outcome.ok ? Object.keys(outcome.value.content_releases) : outcome.problems;
    };
    expect(await again(['KY'])).toEqual(['US-KY']);
    expect(await again(['TN'])).toEqual(['US-TN']);
    expect(await again(['KY', 'TN'])).toEqual(['US-TN']);
    expect(await again(['MI'])).toEqual(['US-TN']);
  });

  it('excludes invalid addresses, and is empty without lines', () => {
    const unreadable = [placed('1'), placed(null), placed('55401', { state: 'MI' }), { address: null }];
    expect(listZips({ line_items: unreadable.map((customer) => ({ customer })) })).toEqual([]);
    expect(listZips({ customer: placed('55401'), line_items: [] }, { postal_code: '60601' })).toEqual([]);
    expect(listZips({ customer: placed('55401'), line_items: null })).toEqual([]);
  });

  it('includes every address that a calculation loads content for', () => {
    const text = (...values: string[]) => fc.option(fc.constantFrom('', ...values), { nil: undefined });
    const address = fc.record({
      state: text('CA', 'MN', 'TX', 'nowhere'),
      postal_code: text('55401', '55401-1234', '90001', '75001', '42223', '57717', '00001', 'x'),
      city: text('Minneapolis', 'Los Angeles'),
      country: text('US', 'CA'),
    });
    const holder = fc.option(fc.record({ address: fc.option(address) }));
    const line = fc.record({ customer: holder, ship_from: holder });
    const asked = fc.record({
      customer: holder,
      ship_from: holder,
      line_items: fc.array(line, { minLength: 1, maxLength: 4 }),
    });
    let looked = 0;
    fc.assert(
      fc.property(asked, fc.option(address), (input, ship_from) => {
        const around = { ...settings, ship_from: ship_from as Settings['ship_from'] };
        const request = buildRequest(input as Parameters<typeof buildRequest>[0]);
        const loaded = new Set(listAddresses(request, around).map((one) => JSON.stringify(one)));
        const releaseFor = (one: Parameters<typeof builtInReleaseFor>[0]) => {
          looked++;
          expect(loaded).toContain(JSON.stringify(one));
          return builtInReleaseFor(one);
        };
        calculate(request, { settings: around, releaseFor, now: testNow }, []);
      }),
      { numRuns: 1000 },
    );
    expect(looked).toBeGreaterThan(200);
  });
});

const none: ActiveReleases = { version: 0, states: {} };
const id = (counter: number) => `US-MN@2026-11-21.${counter}`;
const activated = (...counters: readonly (number | null)[]): ActiveReleases =>
  counters.reduce<ActiveReleases>(
    (active, counter, index) => withActive(active, 'US-MN', counter === null ? null : id(counter), `at ${index}`),
    none,
  );
const history = ({ states }: ActiveReleases) =>
  states['US-MN'] && [states['US-MN'].release, ...states['US-MN'].previous.map(({ release }) => release)];

describe('the active releases', () => {
  it('counts every change, and lists the previous releases, newest first', () => {
    expect(activated(1, 2)).toEqual({
      version: 2,
      states: {
        'US-MN': {
          release: id(2),
          activated_at: 'at 1',
          previous: [{ release: id(1), activated_at: 'at 0' }],
        },
      },
    });
  });

  it('records what was active before the built-in release (null), and when', () => {
    expect(history(activated(1, 2, null))).toEqual([null, id(2), id(1)]);
    expect(history(activated(1, null, 2))).toEqual([id(2), null, id(1)]);
    expect(history(activated(1, null, 2, null))).toEqual([null, id(1)]);
    expect(activated(null)).toEqual({ version: 1, states: {} });
  });

  it('rolls back one by one to the built-in release, and then not further', () => {
    const back = (active: ActiveReleases) => withPrevious(active, 'US-MN', 'back');
    const one = back(back(activated(1, null, 2)));
    expect(one).toEqual({ version: 5, states: { 'US-MN': { release: id(1), activated_at: 'back', previous: [] } } });
    expect(history(back(activated(1, null, 2)))).toEqual([null, id(1)]);
    expect(back(one)).toEqual({ version: 6, states: {} });
    expect(back(back(one))).toEqual({ version: 7, states: {} });
  });

  it('keeps the time of a release that is activated again, but increments the version', () => {
    expect(activated(1, 1)).toEqual({
      version: 2,
      states: { 'US-MN': { release: id(1), activated_at: 'at 0', previous: [] } },
    });
  });

  it('keeps at most ten previous releases', () => {
    const many = Array.from({ length: 30 }, (_, index) => index + 1);
    expect(previousMax).toBe(10);
    expect(history(activated(...many))).toEqual(many.slice(-11).reverse().map(id));
  });

  it('leaves other states unchanged', () => {
    const both = withActive(activated(1), 'US-OH', 'US-OH@2026-11-21.1', 'later');
    const { 'US-OH': ohio, 'US-MN': minnesota } = both.states;
    expect(minnesota).toEqual(activated(1).states['US-MN']);
    expect(withActive(both, 'US-MN', null, 'now').states['US-OH']).toEqual(ohio);
    expect(withPrevious(both, 'US-MN', 'now').states).toEqual({ 'US-OH': ohio });
  });
});
