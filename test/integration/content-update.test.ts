// @isolated: modules cache an activated release, which changes the responses of every account.
/** Runs `npm run content -- update` against a local server that simulates the publishers. */

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import type { ReleaseHead } from '../../shared/catalog/content.ts';
import type { Release } from '../../shared/catalog/release.ts';
import { now } from '../../shared/config/clock.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import { headItem } from '../../shared/store/content/content-item.ts';
import { readContentSource, writeContentSource } from '../../shared/store/content/content-sources.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { tableFile } from '../fixtures/imports/harness.ts';
import { content, findActive, put } from '../support/content.ts';
import { buildPart } from '../support/local-content.ts';
import {
  isPage,
  openPublisherServer,
  type Play,
  type PublisherServer,
  smallFiles,
} from '../support/publisher-server.ts';
import { expectSuccess } from '../support/run-command.ts';
import { saveFile } from '../support/temporary-files.ts';

const hourMs = 3_600_000;
const importable = publishers.filter(({ format }) => format !== null).map(({ state }) => state);
const streamlined = publishers.filter(({ format }) => format === 'sst').map(({ state }) => state);

let server: PublisherServer;
beforeAll(async () => {
  server = await openPublisherServer(streamlined);
});
afterAll(() => server.close());

const update = (...words: readonly string[]) => content('update', '--mirror', server.url, ...words);
const readReleases = async (state: string) =>
  (await Array.fromAsync(store.listHeads(`US-${state}`))).map(({ id }) => id);

/** Cuts the connection halfway through the file this many times. */
const cut = (times: number): Play => {
  let left = times;
  return (request, response, content) => {
    if (request.method !== 'GET' || left === 0) return false;
    left -= 1;
    response.writeHead(200, { 'Content-Length': content.length });
    response.write(content.subarray(0, content.length / 2), () => setTimeout(() => response.destroy(), 50));
    return true;
  };
};
const status =
  (code: number): Play =>
  (_request, response) => {
    response.writeHead(code).end();
    return true;
  };
const send =
  (change: (content: Buffer) => Buffer | string): Play =>
  (_request, response, content) => {
    response.writeHead(200).end(change(content));
    return true;
  };

describe('update', () => {
  it('imports every state with a supported file, and changes nothing the second time', async () => {
    const first = await update('--all');
    expect(first.out).toContain(`${importable.length} imported, 0 current, 0 failed.`);
    expect(first.code).toBe(0);
    for (const state of importable) expect(await readReleases(state), state).toHaveLength(1);
    server.requests.length = 0;
    const second = await update('--all');
    expect(second.code).toBe(0);
    for (const state of importable) expect(await readReleases(state), state).toHaveLength(1);
    const files = server.requests.filter((line) => !isPage(line));
    expect(files.every((line) => line.startsWith('GET') && line.endsWith(' 304'))).toBe(true);
  });

  it('activates a release that passes the gates, and uses it in responses', async () => {
    // Michigan has no local taxes, so nothing changes.
    server.publish(smallFiles('MI', { rate: '0' }));
    await update('--state', 'MI');
    expect(await findActive('MI')).toBe(null);
    const { out, code } = await update('--state', 'MI', '--activate');
    expect({ code, active: await findActive('MI') }).toEqual({ code: 0, active: (await readReleases('MI')).at(-1) });
    expect(out).toContain('passed the gates');
    expect((await update('--state', 'mi')).out).toContain('has the current files');
  });

  it('imports the files of the active release again after the built-in release has changed', async () => {
    // Kentucky has no local taxes.
    server.publish(smallFiles('KY', { rate: '0' }));
    await update('--state', 'KY', '--activate');
    const before = (await findActive('KY')) ?? '';
    const head = (await store.findHead(before)) as ReleaseHead;
    const { rules } = builtInRelease('KY') as Release;
    expect(head.rules).toEqual(rules);
    expect((await update('--state', 'KY', '--check')).out).toContain('KY: is current');
    // An import of an earlier version of Levy, whose built-in release had one rule less.
    await put(headItem({ ...head, rules: rules.slice(1) }, await store.readPartKeys(before)));
    expect((await update('--state', 'KY', '--check')).out).toContain('KY: has a different active release');
    expect((await update('--state', 'KY', '--activate')).out).toContain('passed the gates');
    const after = (await findActive('KY')) ?? '';
    expect(after).not.toBe(before);
    expect((await store.findHead(after))?.rules).toEqual(rules);
    expect((await update('--state', 'KY', '--activate')).out).toContain(`${after} is active and has the current files`);
    expect((await readReleases('KY')).at(-1)).toBe(after);
  });

  it('keeps another import above the files after the built-in release has changed', async () => {
    server.publish(smallFiles('IN', { rate: '0' }));
    await update('--state', 'IN', '--activate');
    const below = (await findActive('IN')) ?? '';
    const file = saveFile('zips.csv', tableFile('zip-rates', 'IN,46204,INDIANAPOLIS,0.07,0.07,0,0,0,1').content);
    await content('import', '--format', 'zip-rates', '--state', 'IN', '--file', file, '--activate');
    const active = await findActive('IN');
    const head = (await store.findHead(below)) as ReleaseHead;
    await put(headItem({ ...head, rules: head.rules.slice(1) }, await store.readPartKeys(below)));
    expect(active).not.toBe(below);
    // If the older files were imported again, they would replace the rates of the table.
    expect((await update('--state', 'IN', '--activate')).out).toContain('has the current files');
    expect([await findActive('IN'), (await readReleases('IN')).at(-1)]).toEqual([active, active]);
  });

  it('keeps a release that fails a gate inactive until the operator overrides the gate', async () => {
    server.publish(smallFiles('MN', { rate: '0.06', quarter: '2027Q1' }));
    const held = await update('--state', 'MN', '--activate');
    expect({ code: held.code, active: await findActive('MN') }).toEqual({ code: 1, active: null });
    expect(held.out).toMatch(/largest +5 points +3 points +FAIL/);
    expect(held.out).toContain('These gates failed: vanished, changed, largest, past, built-in.');
    const refused = await update('--state', 'MN', '--activate', '--override', 'everything');
    expect(refused.err).toContain('The gates are vanished, changed,');
    const released = await update(
      '--state',
      'MN',
      '--activate',
      '--override',
      'vanished,changed,largest,past,built-in',
    );
    expect({ code: released.code, active: await findActive('MN') }).toEqual({
      code: 0,
      active: (await readReleases('MN')).at(-1),
    });
  });

  it('imports the files of a proposal again, on top of custom rules that were activated later', async () => {
    server.publish(smallFiles('IA', { rate: '0.01' }));
    await update('--state', 'IA');
    const rule = { id: 'ia-own', ptcs: ['DIGITAL'], effect: { type: 'exempt' }, from: '2026-01-01', source: 'ruling' };
    const file = { state: 'IA', sources: { ruling: 'Department of Revenue, ruling 7' }, rules: [rule] };
    const path = saveFile('own.json', JSON.stringify(file));
    await content('import', '--format', 'rules', '--file', path, '--activate');
    const before = await readReleases('IA');
    const own = before.at(-1);
    const { out, code } = await update(
      '--state',
      'IA',
      '--activate',
      '--override',
      'vanished,changed,built-in,largest',
    );
    const active = await findActive('IA');
    expect(code, out).toBe(0);
    expect(before).not.toContain(active);
    expect(await store.findHead(active ?? '')).toMatchObject({
      format: 'sst',
      below: own,
      own: { rules: [rule.id].map((id) => ({ id })) },
    });
    expect((await update('--state', 'IA', '--activate')).out).toContain('has the current files');
    expect(await readReleases('IA')).toEqual([...before, active]);
  });

  it('lists the states that have newer files with --check, and downloads nothing', async () => {
    expectSuccess(await update('--state', 'OH', '--check'), 'OH: is current');
    server.publish(smallFiles('OH', { rate: '0.0075' }));
    server.requests.length = 0;
    expect(await update('--state', 'OH,IA', '--check')).toMatchObject({
      code: 2,
      out: expect.stringContaining('OH: has newer files'),
    });
    expect(server.requests.filter((line) => line.startsWith('GET') && !isPage(line))).toEqual([]);
  });
});

/** Sends the whole file with a different ETag, or without one. */
const sendAs =
  (etag: string | null): Play =>
  ({ method }, response, content) => {
    response.removeHeader('ETag');
    response.writeHead(200, etag === null ? {} : { ETag: etag }).end(method === 'HEAD' ? undefined : content);
    return true;
  };

describe('ETags of files', () => {
  it('creates no release if only the ETag changed, and reports the change with --check', async () => {
    const before = await readReleases('GA');
    server.play('/GAR', sendAs('"another"'));
    expect((await update('--state', 'GA', '--check')).out).toContain('GA: has newer files');
    await update('--state', 'GA');
    expect(await readReleases('GA')).toEqual(before);
    expect((await update('--state', 'GA', '--check')).out).toContain('GA: is current');
    server.play('/GAR', null);
  });

  it('reports nothing with --check for a file without an ETag', async () => {
    server.play('/ARR', sendAs(null));
    await update('--state', 'AR');
    expectSuccess(await update('--state', 'AR', '--check'), 'AR: publishes no file version');
    server.play('/ARR', null);
  });

  it('reports that the file of an unreachable publisher was not checked with --check', async () => {
    server.play('/GAR', status(404));
    expect(await update('--state', 'GA', '--check')).toMatchObject({
      code: 1,
      out: expect.stringContaining('0 states need an update, 1 could not be checked.'),
    });
    server.play('/GAR', null);
  });
});

describe('failing publishers', () => {
  it.each<readonly [fault: string, play: Play, says: RegExp]>([
    ['rejects unknown user agents', status(403), /status 403.*content import/],
    ['has moved the file', status(404), /status 404/],
    ['is overloaded', status(503), /failed 4 times: status 503/],
    ['cuts every connection', cut(Infinity), /failed 4 times/],
    ['sends a page with status 200', send(() => '<!DOCTYPE html><p>Maintenance'), /HTML page, not a file/],
    ['sends a truncated file', send((content) => content.subarray(0, content.length - 20)), /UTR.*line 2/],
    ['renames a column', send((content) => content.toString().replaceAll(',29991231', ',29991231,new')), /columns/],
    ['sends another state’s file', send(() => smallFiles('NJ')[0]?.content ?? ''), /state 34/],
    ['sends an empty file', send(() => ''), /[Nn]othing was written/],
    [
      'redirects forever',
      (request, response) => {
        response.writeHead(302, { Location: request.url ?? '' }).end();
        return true;
      },
      /redirects/,
    ],
  ])('fails only the state of a publisher that %s, and keeps its release', async (_fault, play, says) => {
    server.publish(smallFiles('UT', { rate: '0.006' }));
    const before = await readReleases('UT');
    server.play('/UTR', play);
    const broken = await update('--state', 'UT,IN');
    server.play('/UTR', null);
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(says);
    expect(broken.out).toMatch(/UT: FAILED/);
    expect(broken.out).toContain(' 1 failed.');
    expect(await readReleases('UT')).toEqual(before);
    expect((await readContentSource('UT')).failure).not.toBe(null);
  });

  it('continues with the next state after a malformed link or a file name outside the folder', async () => {
    const page = 'remotesellers.louisiana.gov/';
    const name = 'Domicile-Rate-Listing-October-2026.xlsx';
    const outside = `levy-outside-${randomUUID()}.October-2026.xlsx`;
    const climbing = `/Documents/Domicile-Rate-${'..%2F'.repeat(9)}tmp%2F${outside}`;
    server.play(page, ({ url }, response) => {
      if (!url?.endsWith('.gov/')) return false;
      response.end(`<a href="/docs/50%off.pdf"><a href="/Documents/${name}"><a href="${climbing}">`);
      return true;
    });
    const { out } = await update('--state', 'LA,NM');
    server.play(page, null);
    expect(out).toMatch(/^LA: /m);
    expect(out).toMatch(/^NM: /m);
    expect(existsSync(join(tmpdir(), outside))).toBe(false);
  });

  it('fails only one state on a disk error, and names the file', async () => {
    server.play('remotesellers.louisiana.gov/', () => {
      // Replaces the state's folder with a file.
      for (const parent of readdirSync(tmpdir()).filter((name) => name.startsWith(`levy-import-${process.pid}-`)))
        for (const folder of readdirSync(join(tmpdir(), parent))) {
          rmSync(join(tmpdir(), parent, folder, 'LA'), { recursive: true, force: true });
          writeFileSync(join(tmpdir(), parent, folder, 'LA'), '');
        }
      return false;
    });
    const { out, code } = await update('--state', 'LA,NM');
    server.play('remotesellers.louisiana.gov/', null);
    expect(code).toBe(1);
    expect(out).toMatch(/LA: FAILED\. Cannot read or write the file: .*'.*LA/);
    expect(out).toMatch(/^NM: /m);
    expect((await readContentSource('LA')).failure).not.toBe(null);
  });

  it('reads a file to the end if the publisher cuts a connection once', async () => {
    server.play('/TNB', cut(1));
    server.publish(smallFiles('TN', { rate: '0.0225' }));
    server.requests.length = 0;
    expect(await update('--state', 'TN')).toMatchObject({ code: 0 });
    server.play('/TNB', null);
    // Only the rest is requested if the first half was on disk when the connection was cut.
    expect(server.requests.findLast((line) => line.includes('TNB'))).toMatch(/^GET .* 20[06]$/);
  });

  it('updates the state of a publisher that recovers, and clears its failure', async () => {
    await update('--state', 'UT');
    expect(await readContentSource('UT')).toMatchObject({ failure: null });
  });
});

it('discards an import that was interrupted a day ago, but not one that could still be running', async () => {
  const [old, recent] = ['US-ND@2026-11-20.150', 'US-ND@2026-11-20.151'] as const;
  const begin = (id: string, agoMs: number) => store.beginImport(id, new Date(now() - agoMs).toISOString());
  const begun = await begin(old, 25 * hourMs);
  if (!begun.ok) throw new Error('The import did not begin.');
  await store.writePart(begun.value, buildPart('58001', {}));
  await begin(recent, hourMs);
  server.publish(smallFiles('ND', { rate: '0.0075' }));
  const { out } = await update('--state', 'ND');
  expect(out).toContain(`Discarded 1 part of ${old}, whose import was interrupted.`);
  expect(out).toContain(`${recent} is not finished.`);
  expect((await store.unfinishedImports('US-ND')).map(({ id }) => id)).toEqual([recent]);
  expect(await store.readPartKeys(old)).toEqual([]);
});

describe('sources', () => {
  it('prints the last update of each publisher, and the age of its files', async () => {
    const rows: readonly { state: string }[] = JSON.parse((await content('sources', '--json')).out);
    expect(rows.find(({ state }) => state === 'MO')).toMatchObject({
      as_of: '2026-10-01',
      next_expected: '2027-01-08',
      cadence: 'quarterly',
      last_update: { state: 'MO', failure: null },
    });
    const never = { as_of: null, next_expected: null, stale: false, stale_reason: null, last_update: null };
    expect(rows.find(({ state }) => state === 'NY')).toMatchObject({ format: null, ...never });
  });

  it('prints a table of at most 120 columns, and why a state is stale', async () => {
    const source = await readContentSource('MO');
    const failure = { since: '2026-10-01T00:00:00.000Z', message: 'The publisher has moved the file.' };
    expect((await writeContentSource({ ...source, failure })).ok).toBe(true);
    const { out } = await content('sources');
    const lines = out.trimEnd().split('\n');
    const table = lines.slice(0, 1 + publishers.length);
    expect(Math.max(...table.map(({ length }) => length))).toBeLessThanOrEqual(120);
    expect(table.find((line) => line.startsWith('MO'))).toMatch(
      /missouri +2026-10-01 +2027-01-08 +yes +\d{4}-\d\d-\d\d/,
    );
    expect(table.find((line) => line.startsWith('NY'))).toMatch(/none +never$/);
    expect(lines).toContain('MO: the last update failed. The publisher has moved the file.');
    expect(lines.find((line) => line.startsWith('MO is stale. '))).toContain('Updates have failed since 2026-10-01.');
  });
});
