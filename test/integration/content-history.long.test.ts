/** Two years of files, imported and activated one after another: every past day keeps the answer that it had. */
import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createTables } from '../../infra/local/create-tables.ts';
import { importers } from '../../shared/content/imports/importers.ts';
import { withFiles } from '../fixtures/imports/harness.ts';
import {
  addDays,
  alabama,
  arizona,
  type History,
  type Issue,
  streamlined,
  undated,
} from '../support/published-history.ts';
import { runInProcess } from '../support/run-command.ts';

process.env['TABLE_CONTENT'] = `content_${randomUUID()}`;
vi.resetModules();
const { contentProgram } = await import('../../shared/cli/content.ts');
const store = await import('../../shared/store/content/content-store.ts');
const { loadContent } = await import('../../shared/store/content/load-content.ts');
const { locate } = await import('../../shared/content/location/place.ts');
const { placeRate } = await import('../../shared/content/location/combined-rate.ts');
const { readAddress } = await import('../../shared/content/location/address.ts');
const { accepted } = await import('../../shared/cli/terminal/errors.ts');
const { later } = await import('../support/sales.ts');

beforeAll(async () => {
  await createTables(new DynamoDBClient({ endpoint: process.env['DYNAMODB_ENDPOINT'] as string }));
});

const content = async (...args: readonly string[]) => {
  const { code, out, err } = await runInProcess(contentProgram(), args);
  if (code !== 0) throw new Error(err);
  return out;
};

/** Run at noon of a day by the service's clock. */
const on = <Value>(day: string, run: () => Promise<Value>): Promise<Value> =>
  later(Date.parse(`${day}T12:00:00Z`) - Date.now(), run);

const importing = ({ state, format }: History, { files, posted }: Issue) =>
  on(posted, () =>
    withFiles(files, (paths) => {
      const options = importers[format].files.map(({ option }, index) => [`--${option}`, paths[index] ?? '']);
      return content('import', '--format', format, '--state', state, ...options.flat(), '--activate');
    }),
  );

const sampleDays: readonly string[] = Array.from({ length: 52 }, (_, index) => addDays('2026-10-08', index * 16));

type Answers = ReadonlyMap<string, readonly [rate: number | null, ...resolution: unknown[]]>;

/** The answers of all places on all sample days. */
const answersOf = async ({ state, byZip, places }: History, posted: string): Promise<Answers> =>
  on(posted, async () => {
    const addresses = places.map((place) =>
      accepted(readAddress({ state, ...(byZip ? { postal_code: place } : { city: place }) }, '')),
    );
    const releaseFor = await loadContent(addresses);
    return new Map(
      sampleDays.flatMap((day) =>
        addresses.map((address, index) => {
          const { place, resolution } = locate(address, releaseFor, day, false);
          const rate =
            place.release && resolution.coverage !== 'none' && placeRate(place.release, place.jurisdictions, day);
          return [
            `${places[index]} on ${day}`,
            [rate ? Number(rate) / 100 : null, ...Object.values(resolution)],
          ] as const;
        }),
      ),
    );
  });

const dayIn = (key: string): string => key.slice(-10);
const before = (answers: Answers, day: string) => Object.fromEntries([...answers].filter(([key]) => dayIn(key) < day));

/** Import and activate all files of a history, and check the answers after each. Returns the releases in the last chain. */
const live = async (history: History): Promise<number> => {
  // The first file replaces the built-in tables from the first days of its own rates on.
  let known: Answers = history.isDated ? new Map() : await answersOf(history, '2026-12-01');
  for (const issue of history.issues) {
    const { firstDay, posted, rateOf } = issue;
    await importing(history, issue);
    const answers = await answersOf(history, posted);
    if (known.size > 0)
      expect(before(answers, firstDay), `${history.name}, ${firstDay}`).toEqual(before(known, firstDay));
    for (const [key, [rate]] of answers) {
      const expected = rateOf(key.slice(0, -14));
      if (dayIn(key) >= firstDay && expected !== null) expect([firstDay, key, rate]).toEqual([firstDay, key, expected]);
    }
    known = answers;
  }
  const { release } = (await store.readActiveReleases()).states[`US-${history.state}`] ?? {};
  const chain = (await store.findHead(release ?? ''))?.chain ?? [];
  await content('activate', (await builtInOf(history.state)) ?? '');
  return chain.length;
};

const builtInOf = async (state: string) => (await import('../../shared/content/built-in.ts')).builtInRelease(state)?.id;

describe('two years of files', () => {
  it.each([
    streamlined(1, { rates: true, boundaries: true }),
    streamlined(2, { rates: false, boundaries: false }),
    streamlined(3, { rates: true, boundaries: false }),
    alabama(4),
    arizona(5),
    undated(6, 'zip-rates'),
    undated(7, 'woocommerce'),
  ])('of $name leave every past day its answer', async (history) => {
    const start = performance.now();
    console.error(history.name, await live(history), performance.now() - start);
  });
});
