/** The function `update-content` with local servers that simulate the publishers and the event bus. */
// @isolated: uses separate tables and publishers.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/emulator.ts';
import { metricLines } from '../support/log-watch.ts';
import { openPublisherServer, type Play, smallFiles } from '../support/publisher-server.ts';
import { openEventBus } from '../support/stand-in-aws.ts';
import { createFolder } from '../support/temporary-files.ts';
import { testDay } from '../support/test-day.ts';

const [bus, server] = [await openEventBus(), await openPublisherServer(['MI', 'MN', 'UT', 'OH', 'IA', 'KS'])];
const folder = createFolder();
Object.assign(process.env, {
  TABLE_CONTENT: `content_${randomUUID()}`,
  LEVY_CONTENT_MIRROR: server.url,
  LEVY_TEST_LOOPBACK_MIRROR: 'on',
  EVENT_BUS: 'Levy',
  LOG: 'requests',
  AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url,
  TMPDIR: folder,
});
/** The function and the store of a deployment with this setting. */
const deployed = async (setting: 'propose' | 'activate') => {
  process.env['CONTENT_UPDATES'] = setting;
  vi.resetModules();
  return {
    ...(await import('../../functions/update-content.ts')),
    ...(await import('../../shared/store/content/content-store.ts')),
    ...(await import('../../shared/store/content/content-sources.ts')),
    ...(await import('../../shared/config/clock.ts')),
    ...(await import('../../shared/importers/releases/activate.ts')),
  };
};
type Deployed = Awaited<ReturnType<typeof deployed>>;

const [proposing, activating] = [await deployed('propose'), await deployed('activate')];
for (const { advanceClock, now } of [proposing, activating]) advanceClock(Date.parse(testDay) - now());

beforeAll(() => createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string })));
afterAll(async () => void (await Promise.all([bus.close(), server.close()])));

const silent = { print: () => {} };
const ajv = new Ajv2020({ allErrors: true });
const validators = Object.fromEntries(
  ['content.proposed', 'content.activated'].map((type) => {
    const schema = readFileSync(new URL(`../../shared/events/schemas/${type}.json`, import.meta.url), 'utf8');
    return [type, ajv.compile(JSON.parse(schema))];
  }),
);
/** Returns the details of the events since the last call. Each must match its published schema. */
const newEvents = () =>
  bus.entries.splice(0).map(({ EventBusName, Source, DetailType, Detail }) => {
    expect([EventBusName, Source]).toEqual(['Levy', 'levy']);
    const detail = JSON.parse(Detail);
    expect([validators[DetailType]?.(detail), validators[DetailType]?.errors ?? null]).toEqual([true, null]);
    expect(detail.event_type).toBe(DetailType);
    return detail;
  });

/** Runs the function for a state. Returns its metrics and the published events. */
const run = async ({ handler }: Deployed, state: string) => {
  const log = vi.spyOn(console, 'info').mockImplementation(() => {});
  try {
    return { figures: await handler({ state }, {} as Context), events: newEvents() };
  } finally {
    log.mockRestore();
  }
};
const readReleases = async ({ listHeads }: Deployed, state: string) =>
  (await Array.fromAsync(listHeads(`US-${state}`))).map(({ id }) => id);
const readActive = async ({ readActiveReleases }: Deployed, state: string) =>
  (await readActiveReleases()).states[`US-${state}`]?.release ?? null;

const quiet = { waiting: false, activated: false, failed: false, stale: false };

describe('contentUpdates=propose', () => {
  it('stores new files as a release and proposes it once, with its files and the gate measurements', async () => {
    server.publish(smallFiles('MI', { rate: '0' }));
    const { figures, events } = await run(proposing, 'MI');
    const [release] = await readReleases(proposing, 'MI');
    expect([figures, await readActive(proposing, 'MI')]).toEqual([{ ...quiet, waiting: true }, null]);
    expect(events).toEqual([
      {
        event_id: `${release}.content.proposed`,
        event_type: 'content.proposed',
        occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        content: {
          state: 'US-MI',
          release,
          publisher: 'Streamlined Sales Tax Governing Board',
          files: ['Rates/MIR', 'Boundary/MIB'].map((name) => ({
            name: `${name.split('/')[1]}2026Q4AUG28.csv`,
            url: `https://www.streamlinedsalestax.org/ratesandboundry/${name}2026Q4AUG28.csv`,
            sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          })),
          gates: expect.arrayContaining([
            expect.objectContaining({ name: 'changed', figure: 0, threshold: 25, unit: '%', passed: true }),
          ]),
          held: null,
        },
      },
    ]);
  });

  it('changes nothing and publishes nothing in the second run', async () => {
    const before = await readReleases(proposing, 'MI');
    server.requests.length = 0;
    const { figures, events } = await run(proposing, 'MI');
    expect([figures, events, await readReleases(proposing, 'MI')]).toEqual([{ ...quiet, waiting: true }, [], before]);
    const downloads = server.requests.filter((line) => line.includes('.csv'));
    expect(downloads.map((line) => line.slice(-4))).toEqual([' 304', ' 304']);
  });

  it('reports why an update would not activate the release', async () => {
    server.publish(smallFiles('MN', { rate: '0.06', quarter: '2027Q1' }));
    const { events } = await run(proposing, 'MN');
    expect(events).toMatchObject([
      { content: { held: 'These gates failed: vanished, changed, largest, past, built-in.' } },
    ]);
    const largest = events[0].content.gates.find(({ name }: { name: string }) => name === 'largest');
    expect(largest).toMatchObject({
      figure: 5,
      threshold: 3,
      passed: false,
      text: 'largest change of a combined rate',
    });
  });

  it('publishes an event again in the next run, with the same id, if the bus did not accept it', async () => {
    bus.refuse(1);
    const failing = vi.spyOn(console, 'error').mockImplementation(() => {});
    await expect(run(proposing, 'OH')).rejects.toThrow('The schedule update-content failed');
    failing.mockRestore();
    const [release] = await readReleases(proposing, 'OH');
    expect((await run(proposing, 'OH')).events).toMatchObject([{ event_id: `${release}.content.proposed` }]);
    expect((await run(proposing, 'OH')).events).toEqual([]);
  });

  it('publishes the activation by an operator', async () => {
    const [release = ''] = await readReleases(proposing, 'OH');
    await proposing.activate(release, silent);
    const { figures, events } = await run(proposing, 'OH');
    const at = (await proposing.readActiveReleases()).states['US-OH']?.activated_at;
    expect([figures, await run(proposing, 'OH')]).toEqual([quiet, { figures: quiet, events: [] }]);
    expect(events).toMatchObject([{ event_type: 'content.activated', occurred_at: at, content: { release } }]);
  });

  it("publishes an operator's activation even if a new file is posted before the next run", async () => {
    await run(proposing, 'KS');
    const [first = ''] = await readReleases(proposing, 'KS');
    await proposing.activate(first, silent);
    server.publish(smallFiles('KS', { rate: '0.01', quarter: '2027Q1' }));
    const { events } = await run(proposing, 'KS');
    expect(events).toMatchObject([
      { event_type: 'content.activated', content: { release: first } },
      { event_type: 'content.proposed' },
    ]);
  });

  it('rejects a state without a file, and removes its files after each run', async () => {
    const failing = vi.spyOn(console, 'error').mockImplementation(() => {});
    for (const state of ['NY', 'OR', '']) await expect(run(proposing, state)).rejects.toThrow('failed with Error');
    failing.mockRestore();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('failing publishers', () => {
  const gone: Play = (_request, response) => {
    response.writeHead(404).end();
    return true;
  };
  const dayMs = 86_400_000;

  it('changes nothing, and marks the state as stale after seven days', async () => {
    await run(proposing, 'UT');
    const before = await readReleases(proposing, 'UT');
    server.play('/UTR', gone);
    const failed = { ...quiet, failed: true };
    expect(await run(proposing, 'UT')).toEqual({ figures: failed, events: [] });
    const { advanceClock } = proposing;
    try {
      advanceClock(6 * dayMs);
      expect((await run(proposing, 'UT')).figures).toEqual(failed);
      advanceClock(dayMs);
      expect((await run(proposing, 'UT')).figures).toEqual({ ...failed, stale: true });
      expect(metricLines().at(-1)).toMatchObject({ schedule: 'update-content', Failed: 1, Stale: 1, Activated: 0 });
      server.play('/UTR', null);
      expect((await run(proposing, 'UT')).figures).toEqual({ ...quiet, waiting: true });
    } finally {
      advanceClock(-7 * dayMs);
    }
    expect(await readReleases(proposing, 'UT')).toEqual(before);
  });
});

describe('contentUpdates=activate', () => {
  it('activates a release that passes the gates, and publishes the activation', async () => {
    const { figures, events } = await run(activating, 'MI');
    const [release] = await readReleases(activating, 'MI');
    const { states } = await activating.readActiveReleases();
    expect([figures, states['US-MI']?.release]).toEqual([{ ...quiet, activated: true }, release]);
    expect(events).toMatchObject([
      { event_id: `${release}.content.activated`, occurred_at: states['US-MI']?.activated_at, content: { held: null } },
    ]);
    expect(await run(activating, 'MI')).toEqual({ figures: quiet, events: [] });
  });

  it('does not activate a release whose gates fail or whose layout is not verified, and proposes it once', async () => {
    expect(await run(activating, 'MN')).toEqual({ figures: { ...quiet, waiting: true }, events: [] });
    const { events } = await run(activating, 'AK');
    expect(events).toMatchObject([
      { event_type: 'content.proposed', content: { held: expect.stringContaining('is not verified') } },
    ]);
    expect(await run(activating, 'AK')).toEqual({ figures: { ...quiet, waiting: true }, events: [] });
    expect([await readActive(activating, 'MN'), await readActive(activating, 'AK')]).toEqual([null, null]);
  });

  it('does not activate a release again after an operator rolled it back, and publishes no event', async () => {
    await activating.rollBack('MI', silent);
    expect(await run(activating, 'MI')).toEqual({ figures: { ...quiet, waiting: true }, events: [] });
    expect(await readActive(activating, 'MI')).toBe(null);
  });

  it('publishes the same event in the next run if a run ends before it publishes its activation', async () => {
    server.publish(smallFiles('IA', { rate: '0.005' }));
    await run(proposing, 'IA');
    const [release = ''] = await readReleases(activating, 'IA');
    const source = await activating.readContentSource('IA');
    // The file's first day differs from the built-in release, and it has a county tax that Iowa does not have there.
    const county = { jurisdiction: 'US-IA-00-001', kind: 'general', to: null, before: null, after: '0.005' };
    expect(source.proposal?.changes).toMatchObject({
      against: expect.stringMatching(/^US-IA@/),
      count: 2,
      rates: [{ jurisdiction: 'US-IA' }, county],
    });
    // The built-in rates of Iowa differ from the small file, so an operator activates it.
    await activating.activate(release, silent, { replace: true });
    bus.refuse(1);
    const failing = vi.spyOn(console, 'error').mockImplementation(() => {});
    await expect(run(activating, 'IA')).rejects.toThrow('The schedule update-content failed');
    failing.mockRestore();
    const { figures, events } = await run(activating, 'IA');
    expect(figures).toEqual(quiet);
    expect(events).toMatchObject([
      {
        event_id: `${release}.content.activated`,
        content: { gates: source.proposal?.gates.map(({ name, figure, passed }) => ({ name, figure, passed })) },
      },
    ]);
  });
});
