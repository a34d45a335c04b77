import { describe, expect, it } from 'vitest';
import type { ReleaseFor } from '../../shared/catalog/content.ts';
import type { TaxAddress } from '../../shared/catalog/location/address.ts';
import { readAddress } from '../../shared/catalog/location/address.ts';
import { locate } from '../../shared/catalog/location/place.ts';
import { placeRate } from '../../shared/catalog/rates.ts';
import { contentProgram } from '../../shared/cli/content.ts';
import { accepted } from '../../shared/cli/terminal/run-command.ts';
import { importers } from '../../shared/importers/importers.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { loadContent } from '../../shared/store/content/load-content.ts';
import { withFiles } from '../fixtures/imports/harness.ts';
import { boundaryRow, rateRows, sstFiles } from '../fixtures/imports/sst.ts';
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
import { later } from '../support/sales.ts';

const content = async (...args: readonly string[]) => {
  const { code, out, err } = await runInProcess(contentProgram(), args);
  if (code !== 0) throw new Error(err);
  return out;
};

/** Run at noon of a day by the service's clock. */
const on = <Value>(day: string, run: () => Promise<Value>): Promise<Value> =>
  later(Date.parse(`${day}T12:00:00Z`) - Date.now(), run);

// The gates compare each file with the one before, and random files change most of their places.
const activated = ['--activate', '--override', 'vanished,changed,largest,past,cap,built-in,cases'];

const importing = ({ state, format }: History, { files, posted }: Issue) =>
  on(posted, () =>
    withFiles(files, (paths) => {
      const options = importers[format].files.map(({ option }, index) => [`--${option}`, paths[index] ?? '']);
      return content('import', '--format', format, '--state', state, ...options.flat(), ...activated);
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
    const answers = new Map<string, readonly [number | null, ...unknown[]]>();
    for (const day of sampleDays) {
      const answerBy = (content: ReleaseFor, address: TaxAddress) => {
        const { place, resolution } = locate(address, content, day, false);
        const rate =
          place.release && resolution.coverage !== 'none' && placeRate(place.release, place.jurisdictions, day);
        return [rate ? Number(rate) / 100 : null, ...Object.values(resolution)] as const;
      };
      // Without the releases that answer on earlier days only.
      const recent = await loadContent(addresses, {}, addDays(day, -1));
      for (const [index, address] of addresses.entries()) {
        const answer = answerBy(releaseFor, address);
        expect(answerBy(recent, address), `${places[index]} on ${day}, posted ${posted}`).toEqual(answer);
        answers.set(`${places[index]} on ${day}`, answer);
      }
    }
    return answers;
  });

const dayIn = (key: string): string => key.slice(-10);
const before = (answers: Answers, day: string) => Object.fromEntries([...answers].filter(([key]) => dayIn(key) < day));

/**
 * Import and activate all files of a history, and check the answers after each. Returns the number of releases in the last
 * chain, and of those among them that answer on the last day.
 */
const live = async (history: History): Promise<{ readonly all: number; readonly recent: number }> => {
  // The first file replaces the built-in tables from the first days of its own rates on.
  let known: Answers = history.isDated ? new Map() : await answersOf(history, '2026-12-01');
  for (const issue of history.issues) {
    const { firstDay, posted, rateOf } = issue;
    await importing(history, issue);
    const answers = await answersOf(history, posted);
    if (known.size > 0)
      expect(before(answers, firstDay), `${history.name}, ${firstDay}`).toEqual(before(known, firstDay));
    for (const [key, answer] of answers) {
      if (dayIn(key) < firstDay) continue;
      const expected = rateOf(key.slice(0, -14));
      // A place that vanished keeps what the last file with it said.
      if (expected !== null) expect([firstDay, key, answer[0]]).toEqual([firstDay, key, expected]);
      else if (known.size > 0) expect([firstDay, key, answer]).toEqual([firstDay, key, known.get(key)]);
    }
    known = answers;
  }
  const { release } = (await store.readActiveReleases()).states[`US-${history.state}`] ?? {};
  const { chain = [], chain_until: until = [] } = (await store.findHead(release ?? '')) ?? {};
  const lastDay = history.issues.at(-1)?.firstDay ?? '';
  const recent = chain.filter((_, at) => (until[at] ?? lastDay) >= lastDay).length;
  await content('activate', (await builtInOf(history.state)) ?? '');
  return { all: chain.length, recent };
};

const builtInOf = async (state: string) => (await import('../../shared/catalog/built-in.ts')).builtInRelease(state)?.id;

describe('two years of files', () => {
  it.each([
    streamlined(1, { rates: true, boundaries: true }),
    streamlined(2, { rates: false, boundaries: false }),
    streamlined(3, { rates: true, boundaries: false }),
    alabama(4),
    arizona(5),
    undated(6, 'zip-rates'),
    undated(7, 'woocommerce'),
  ])('of $name keep the answer of every past day', async (history) => {
    const { all, recent } = await live(history);
    expect(all).toBeGreaterThan(3);
    // Besides the newest release, today's answers need at most one.
    expect(recent).toBeLessThanOrEqual(1);
  });
});

it('applies a correction of the same quarter from its first day, with a note in the report and diff', async () => {
  const post = (posted: string, rate: string): Issue => ({
    ...{ posted, firstDay: '2027-01-01', rateOf: () => null },
    files: sstFiles(
      'MN',
      rateRows('27', '45 27 0.06875', '00 053 0.004 20200101 20261231', `00 053 ${rate} 20270101`),
      [boundaryRow({ zips: ['55401', '', '55401', ''], state: '27', county: '053' })],
      '2027Q1',
    ),
  });
  const history = { ...streamlined(1, { rates: true, boundaries: true }), places: ['55401'] };
  const said =
    'Answers of days before 2027-02-10 change, too: at 1 ZIP or city, from 2027-01-01 on, by at most 0.25 percentage points (55401 from 7.375% to 7.625% on 2027-01-01).';
  await importing(history, post('2026-12-20', '0.005'));
  const known = await answersOf(history, '2027-02-10');
  expect(known.get('55401 on 2027-01-12')?.[0]).toBe(73_750);
  const out = await importing(history, post('2027-02-10', '0.0075'));
  const corrected = await answersOf(history, '2027-02-11');
  expect(before(corrected, '2027-01-01')).toEqual(before(known, '2027-01-01'));
  expect(corrected.get('55401 on 2027-01-12')?.[0]).toBe(76_250);
  expect(out).toContain(said);
  const { release = '', previous = [] } = (await store.readActiveReleases()).states['US-MN'] ?? {};
  const diff = await on('2027-02-10', () => content('diff', previous[0]?.release ?? '', release ?? ''));
  expect(diff).toContain(said);
});

it('a release that answers before and after the days of a newer one is read for both', async () => {
  const post = (posted: string, rate: string, days: { readonly from?: string; readonly to?: string }): Issue => ({
    ...{ posted, firstDay: '2027-01-01', rateOf: () => null },
    files: sstFiles(
      'MN',
      rateRows('27', '45 27 0.06875', `00 053 ${rate} 20200101`),
      [boundaryRow({ ...days, zips: ['55401', '', '55401', ''], state: '27', county: '053' })],
      '2027Q1',
    ),
  });
  const history = { ...streamlined(1, { rates: true, boundaries: true }), places: ['55401'] };
  await importing(history, post('2026-12-20', '0.005', {}));
  await importing(history, post('2027-01-10', '0.0075', { from: '20270201', to: '20270430' }));
  // It compares the content of each day with the whole content.
  const answers = await answersOf(history, '2027-01-11');
  const rates = ['2027-01-12', '2027-02-13', '2027-06-21'].map((day) => answers.get(`55401 on ${day}`)?.[0]);
  expect(rates).toEqual([73_750, 76_250, 73_750]);
  const { release = '' } = (await store.readActiveReleases()).states['US-MN'] ?? {};
  expect((await store.findHead(release ?? ''))?.chain_until?.at(0) ?? null).toBeNull();
});
