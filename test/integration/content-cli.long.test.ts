// @isolated: modules cache an activated release, which changes the responses of every account.
/** Runs `npm run content -- …` on a separate Content table. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { builtInRelease } from '../../shared/catalog/built-in.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import {
  beginImport,
  listHeads,
  readPartKeys,
  takenIds,
  unfinishedImports,
  writeParts,
} from '../../shared/store/content/content-store.ts';
import { boundaryRow, lines, rateRows } from '../fixtures/imports/sst.ts';
import { newCaller } from '../support/api.ts';
import { runCommand } from '../support/child-process.ts';
import { content, findActive } from '../support/content.ts';
import { openPublisherServer } from '../support/publisher-server.ts';
import { expectFailure, expectSuccess } from '../support/run-command.ts';
import { createFolder, saveFile } from '../support/temporary-files.ts';

// Processes that this file starts use the real time.
advanceClock(Date.now() - now());
const today = new Date(now()).toISOString().slice(0, 10);
const builtIn = builtInRelease('MN')?.id ?? '';
// The built-in releases use the counters up to 100.
const getId = (counter: number) => `US-MN@${today}.${100 + counter}`;
const folder = createFolder();

type Watch = (err: string, kill: () => void) => void;

/** Runs the command as a process. A killed process leaves its files in the folder. */
const startProcess = (args: readonly string[], watch: Watch = () => {}, variables: NodeJS.ProcessEnv = {}) =>
  runCommand(['shared/cli/content.ts', ...args], { env: { ...process.env, TMPDIR: folder, ...variables }, watch });

const json = async (...args: string[]) => {
  const { code, out, err } = await content(...args, '--json');
  expect(err).toBe('');
  return { code, value: JSON.parse(out) };
};

const file = (text: string, name = 'file.csv') => saveFile(name, text);

/** The published rate rows of two cities: counties, cities and districts. */
const rates = (minneapolis = '01 43000 0.0050 20051001') =>
  rateRows(
    '27',
    ...['45 27 0.06875 20090701', '00 053 0.0015 20070101', '00 123 0 20070101', ...minneapolis.split(', ')],
    ...['01 58000 0.0150 20240401', '63 80003 0.0050 20000101', '63 80004 0.0050 20000101'],
    ...['63 80008 0.0075 20231001', '63 80009 0.0025 20231001'],
  );
const districts = (...codes: readonly string[]) => codes.map((code) => [code, '63'] as const);
const [minneapolis, saintPaul] = [
  { county: '053', place: '43000', districts: districts('80004', '80008', '80009') },
  { county: '123', place: '58000', districts: districts('80003', '80008', '80009') },
];
const inZips = (place: typeof minneapolis, ...zips: readonly string[]) =>
  zips.map((zip) => boundaryRow({ ...place, state: '27', from: '20240401', zips: [zip, '', zip, ''] }));
const boundaries = [...inZips(minneapolis, '55401'), ...inZips(saintPaul, '55101')];

const importArguments = async (rows: readonly string[] = rates(), zips: readonly string[] = boundaries) => [
  'import',
  ...['--format', 'sst', '--state', 'MN'],
  ...['--rates', file(lines(...rows)), '--boundaries', file(lines(...zips))],
];

const importedIds = async (): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of listHeads('US-MN')) ids.push(id);
  return ids;
};

/** Returns the id of the next import. */
const nextId = async (): Promise<string> => {
  const ids = (await takenIds('US-MN')).filter((id) => id.startsWith(`US-MN@${today}`));
  return getId(ids.length + 1);
};

/** Writes these parts of an import and stops, as if it were interrupted. */
const interrupted = async (id: string, zips: readonly string[], beganAt: string): Promise<void> => {
  const begun = await beginImport(id, beganAt);
  if (!begun.ok) throw new Error(begun.problems[0].detail);
  await writeParts(
    begun.value,
    zips.map((key) => ({ key, jurisdictions: [], rates: [], locations: [] })),
  );
};

const worked = (id: string, zip: string, tax_total: string, date = '2026-04-15') => ({
  id,
  state: 'MN',
  zip,
  date,
  input: { lines: [{ ptc: 'GENERAL', quantity: '1', unit_price: '100.00' }] },
  expected: { tax_total },
});
const cases = (...list: object[]) => file(JSON.stringify(list), 'cases.json');

const taxAt = async (postal_code: string): Promise<string> => {
  // Running instances detect an activation within 60 seconds.
  advanceClock(61_000);
  const { call } = await newCaller();
  const response = await call('POST', '/calculations', {
    body: {
      tax_date: today,
      customer: { address: { state: 'MN', postal_code } },
      line_items: [{ product_tax_code: 'GENERAL', quantity: '1', unit_price: '100.00' }],
    },
  });
  expect(response.status).toBe(200);
  const { tax_amount, warnings } = response.body as { tax_amount: string; warnings: { code: string }[] };
  return warnings.some(({ code }) => code === 'local_rates_by_place') ? `${tax_amount} by place` : tax_amount;
};

describe('lifecycle of an imported release', () => {
  const [first, second] = [getId(1), getId(2)];

  it('imports a release without changing the tax of any sale', async () => {
    const imported = await content(...(await importArguments()));
    expect(imported).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Imported ${first} with 2 ZIPs and cities`),
    });
    expect(imported.out).toContain('Read 11 rows, kept 11.');
    expect(imported.out).not.toContain('first in ');
    expect(imported.err).toContain('Wrote 2 parts');
    expect(await importedIds()).toEqual([first]);
    expect(await findActive('MN')).toBe(null);
    expect(await taxAt('55401')).toBe('9.03 by place');
  });

  it('checks and activates the release, and sales are taxed at its rates', async () => {
    const good = await cases(worked('minneapolis', '55401', '9.03'), worked('saint-paul', '55101', '9.88'));
    expectSuccess(await content('check', '--release', first, '--against', good), '2 passed, 0 failed');

    expect((await content('activate', first)).code).toBe(0);
    expect(await findActive('MN')).toBe(first);
    expect([await taxAt('55401'), await taxAt('55101')]).toEqual(['9.03', '9.88']);
  });

  it('compares the release with the next one', async () => {
    const raised = rates('01 43000 0.0050 20051001 20261231, 01 43000 0.0075 20270101');
    const args = [...(await importArguments(raised)), '--activate', '--override', 'changed'];
    expect((await content(...args)).code).toBe(0);
    const { value: changes } = await json('diff', first, second, '--rates');
    const change = { from: '2027-01-01', to: null };
    expect(changes).toMatchObject({
      from: first,
      to: second,
      rates: [{ ...change, kind: 'general', old: '0.005', new: '0.0075' }],
      locations: [{ key: '55401', zips: [['554010000', '554019999']], ...change, old: '0.09025', new: '0.09275' }],
      impact: { changed: 1, largest: { key: '55401', old: '0.09025', new: '0.09275' } },
    });
    const { out } = await content('diff', first, second, '--rates');
    expect(out).toMatch(/^55401: 9\.025% -> 9\.275%, from 2027-01-01\nCombined rates of 1 ZIP or city change\.$/m);
    expect(out).toMatch(/^US-MN-01-43000 .*from 2027-01-01 +0\.5% -> 0\.75%\n1 rate of jurisdictions changes\.$/m);
  });

  it('lists both releases and marks the active one', async () => {
    const { value } = await json('list', '--state', 'MN');
    expect(value.slice(-3)).toMatchObject([
      { id: builtIn, origin: 'built_in', active: false, local_rates: 'complete' },
      { id: first, origin: 'sst', active: false, last_day: null, counts: { parts: 2, zips: 2, rates: 9 } },
      { id: second, origin: 'sst', active: true, counts: { parts: 2, rates: 10 } },
    ]);
    for (const { content_hash } of value) expect(content_hash).toMatch(/^[0-9a-f]{64}$/);
    const { out } = await content('list', '--state', 'MN');
    expect(out).toMatch(new RegExp(`^ +${builtIn} +built-in +complete +[0-9a-f]{12}$`, 'm'));
    expect(out).toMatch(new RegExp(`^ +${first} +sst +complete +2 +\\d+ +9 +[0-9a-f]{12} `, 'm'));
    expect(out.match(/^\* .*$/gm)).toEqual([
      expect.stringMatching(new RegExp(`${second} +sst +complete +2 +\\d+ +10 +[0-9a-f]{12} `)),
    ]);
  });

  it('rolls back to the previous release, and then to the built-in one', async () => {
    expect(await findActive('MN')).toBe(second);
    expect((await content('rollback', '--state', 'MN')).code).toBe(0);
    expect(await findActive('MN')).toBe(first);
    expect((await content('rollback', '--state', 'MN')).code).toBe(0);
    expect(await findActive('MN')).toBe(null);
    expect(await taxAt('55401')).toBe('9.03 by place');
    expectFailure(await content('rollback', '--state', 'MN'), 'There is no earlier release to roll back to');
  });

  it('prints every jurisdiction of a ZIP with its rate on a day', async () => {
    const { value } = await json('show', first, '--zip', '55401', '--date', '2026-04-15');
    expect(value.release).toMatchObject({ id: first, bottom: builtIn, counts: { parts: 2 } });
    const [location] = value.zip.locations;
    expect(location).toMatchObject({
      from: '2024-04-01',
      to: null,
      in_force: true,
      alternatives: [{ rate: '0.09025' }],
    });
    expect(location.alternatives[0].jurisdictions.map(({ rate }: { rate: string }) => Number(rate)).sort()).toEqual([
      0.0015, 0.0025, 0.005, 0.005, 0.0075, 0.06875,
    ]);
    const shown = async (release: string, zip: string) => (await content('show', release, '--zip', zip)).out;
    expect(await shown(first, '55999')).toContain('US-MN@2026-11-22.1 applies.');
    expect(await shown('US-IN@2026-11-22.1', '46204')).toContain('the state rate of 7% applies, with no local rates.');
    expect(await shown('US-TX@2026-11-22.1', '78701')).toContain(
      'the state rate of 6.25% applies, and the built-in local rates.',
    );
    expect(await shown('US-IN@2026-11-22.1', '10001')).toContain('The ZIP is in NY.');
    expect((await content('show', first, '--date', '2026-02-30')).err).toContain("argument '2026-02-30' is invalid");
  });
});

describe('worked cases before activation', () => {
  it('fails and prints the expected and the actual tax', async () => {
    const wrong = await cases(
      worked('as-it-is', '55401', '9.03'),
      worked('as-it-was', '55401', '8.03'),
      worked('elsewhere', '55901', '9.03', '2026-11-22'),
      worked('too-early', '55401', '8.03', '2008-03-31'),
    );
    const ran = await content('check', '--release', getId(1), '--against', wrong);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('pass  as-it-is: 9.03');
    expect(ran.out).toContain('FAIL  as-it-was: expected 8.03, got 9.03\n');
    // The rate of Rochester in the built-in fallback release is 6.875 + 0.5 + 0.75 %.
    expect(ran.out).toMatch(/^FAIL {2}elsewhere: expected 9\.03, got 8\.13/m);
    expect(ran.out).toMatch(/^n\/a {3}too-early: /m);
    expect(ran.out).toContain('1 passed, 2 failed, 1 not applicable.');
    expect(ran.err).toBe('');
  });

  it('runs against a built-in release, with discounts and shipping', async () => {
    const [coat, shirt] = ['205.00', '78.00'].map((unit_price) => ({
      ptc: 'CLOTHING.APPAREL',
      quantity: '1',
      unit_price,
      discount: '5.00',
    }));
    const path = await cases(
      { id: 'discounts', state: 'MA', zip: '02108', input: { lines: [coat, shirt] }, expected: { tax_total: '1.56' } },
      { id: 'elsewhere', state: 'NJ', input: { lines: [coat] }, expected: { tax_total: '0.00' } },
      { id: 'no-total', state: 'MA', input: { lines: [coat] }, expected: { tax_total: null } },
      { id: 'unnamed', state: 'MA', input: { lines: [{ ...coat, excise: '1' }] }, expected: { tax_total: '1.56' } },
    );
    const { code, value } = await json('check', '--release', 'US-MA@2026-11-22.1', '--against', path);
    expect(code).toBe(0);
    expect(value.cases.map(({ id, outcome }: { id: string; outcome: string }) => `${id} ${outcome}`)).toEqual([
      'discounts pass',
      'elsewhere not_applicable',
      'no-total not_applicable',
      'unnamed not_applicable',
    ]);
  });

  it('uses the ZIPs of localities if the release has no names', async () => {
    const { zip: _, ...named } = { ...worked('minneapolis', '', '9.03'), locality: 'Minneapolis' };
    const saint = { ...named, id: 'saint-paul', locality: 'St. Paul', expected: { tax_total: '9.88' } };
    const path = await cases(named, saint, { ...named, id: 'its-own-zip', locality: 'St. Paul', zip: '55401' });
    const args = ['check', '--release', getId(1), '--against', path];
    const { out } = await content(...args);
    expect(out).toContain('n/a   minneapolis: the release has no place named Minneapolis');
    expect(out).toContain('1 passed, 0 failed, 2 not applicable.');
    const withZips = await content(...args, '--zips', 'minneapolis=55401, St Paul=55101-1234');
    expect(withZips).toMatchObject({ code: 0, out: expect.stringContaining('3 passed, 0 failed, 0 not applicable.') });
    for (const [zips, says] of [
      ['Duluth=55802', 'No case without a ZIP is in DULUTH.'],
      ['Minneapolis', 'Pass a ZIP for each locality'],
      ['A=55401,a=55402', 'A has two ZIPs'],
    ] as const)
      expectFailure(await content(...args, '--zips', zips), says);
  });

  it('fails if no case applies', async () => {
    const path = await cases(worked('minnesota', '55401', '9.03'));
    const ran = await content('check', '--release', 'US-MA@2026-11-22.1', '--against', path);
    expectFailure(ran, 'No case applies', expect.stringContaining('0 passed, 0 failed, 1 not applicable.'));
  });

  it('calculates the other cases if some are invalid, and lists their invalid fields', async () => {
    const good = worked('as-it-is', '55401', '9.03');
    const path = await cases(
      { ...worked('typo', '55401', '9.03'), zip: '5540' },
      { title: 'half a case' },
      { ...worked('elsewhere', '02108', '6.25'), state: 'MA', date: 'soon' },
      null as unknown as object,
      good,
    );
    const { code, out, err } = await content('check', '--release', getId(1), '--against', path);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^n\/a {3}typo: .*zip: Use a ZIP code of five digits/m);
    expect(out).toMatch(/^n\/a {3}case 2: .*expected: /m);
    expect(out).toMatch(/^n\/a {3}case 4: /m);
    expect(out).toContain('n/a   1 case of other states');
    expect(out).toContain('1 passed, 0 failed, 4 not applicable.');
  });
});

describe('unfinished imports', () => {
  const bad = [...rates(), '27,63,80010,half a percent,0,0,0,20240101,29991231'];

  it('stops at an invalid row, prints its line, and writes nothing', async () => {
    const before = await importedIds();
    const ran = await content(...(await importArguments(bad)), '--activate');
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('line 10:');
    expect(ran.err).toContain('1 row cannot be read, and nothing was written.');
    expect(await importedIds()).toEqual(before);
    expect(await readPartKeys(await nextId())).toEqual([]);
    expect(await findActive('MN')).toBe(null);
  });

  it('lists broken files', async () => {
    const broken = file('PK\u0003\u0004 and no more', 'broken.zip');
    const ran = await content('import', '--format', 'woocommerce', '--state', 'MN', '--file', broken);
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringContaining(`Nothing was written. The files are ${broken}.`),
    });
    expect(ran.err).not.toMatch(/^ {4}at /m);
  });

  it('counts skipped bad rows', async () => {
    const ran = await content(...(await importArguments(bad)), '--skip-bad-rows', '--dry-run');
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Skipped 1 bad row:') });
    expect(ran.out).toContain('Dry run');
  });

  it('lists the import with its start and the next step, even before a new import is written', async () => {
    const left = 'US-MN@2020-01-01.101';
    // A day later, the next import would discard it.
    const beganAt = new Date(now() - 3_600_000).toISOString();
    await interrupted(left, ['55401', '55999'], beganAt);
    const line = `${left} is not finished. Its import began at ${beganAt.slice(0, 16).replace('T', ' ')} UTC. If it no longer runs, remove its parts with \`npm run content -- discard ${left}\`.`;
    expect((await content('list', '--state', 'MN')).out).toMatch(
      new RegExp(`is active\\.\\n${RegExp.escape(line)}\\n$`),
    );
    expect((await content('list', '--state', 'WI')).out).not.toContain('not finished');
    const { value } = await json('list', '--state', 'MN');
    expect(value.at(-1)).toEqual({
      id: left,
      state: 'US-MN',
      active: false,
      origin: 'unfinished',
      began_at: beganAt,
      remedy: `npm run content -- discard ${left}`,
    });
    const id = await nextId();
    const ran = await content(...(await importArguments(rates(), [...boundaries, ...inZips(minneapolis, '55402')])));
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining(`${line}\nImported ${id}`) });
    expect(await readPartKeys(id)).toEqual(['55101', '55401', '55402']);
    const path = await cases(worked('minneapolis', '55401', '9.03'));
    expect((await content('check', '--release', id, '--against', path)).code).toBe(0);

    expect(await content('discard', left)).toMatchObject({ code: 0, out: `Discarded 2 parts of ${left}.\n` });
    expect(await readPartKeys(left)).toEqual([]);
    expect((await content('list', '--state', 'MN')).out).not.toContain('not finished');
  });

  it('cannot discard an import that finished', async () => {
    expectFailure(await content('discard', getId(1)), `${getId(1)} is a complete release and cannot be removed`);
    expect(await readPartKeys(getId(1))).toHaveLength(2);
  });

  const manyZips = Array.from({ length: 400 }, (_, index) => String(55_300 + index));

  it('accepts the import under a new id if it was killed between parts', async () => {
    const args = await importArguments(rates(), inZips(saintPaul, ...manyZips));
    const id = await nextId();
    const killed = await startProcess(args, (err, kill) => err.includes('Writing parts: 10%') && kill());
    expect(killed.code).toBe(null);
    const left = await readPartKeys(id);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(manyZips.length);
    expect(await importedIds()).not.toContain(id);

    const second = await nextId();
    expect(second).not.toBe(id);
    expectSuccess(await content(...args), `Imported ${second}`);
    expect(await readPartKeys(second)).toEqual(manyZips);
    expect(await readPartKeys(id)).toEqual(left);
    expect((await unfinishedImports('US-MN')).map((one) => one.id)).toEqual([id]);
    expect((await content('discard', id)).code).toBe(0);
    expect(await readPartKeys(id)).toEqual([]);
    expect(await unfinishedImports('US-MN')).toEqual([]);
  });
});

describe('errors and help', () => {
  it.each([
    { args: ['show', 'US-MN@2026-01-01.9'], says: 'The release US-MN@2026-01-01.9 does not exist.' },
    { args: ['diff', builtIn, 'US-PA@2026-11-22.1'], says: 'belong to different states' },
    { args: ['activate', 'US-MN@2026-01-01.9'], says: 'The release US-MN@2026-01-01.9 does not exist.' },
    { args: ['discard', 'US-MN@2026-01-01.9'], says: 'US-MN@2026-01-01.9' },
    { args: ['discard', builtIn], says: 'is a built-in release' },
    { args: ['rollback', '--state', 'Mars'], says: 'Levy has no content for a state "Mars".' },
    {
      args: ['check', '--release', 'US-MA@2026-11-22.1', '--against', 'nowhere.json'],
      says: '/nowhere.json does not exist.',
    },
    { args: ['import', '--format', 'sst', '--state', 'MN', '--rates', 'nowhere.csv'], says: '--boundaries is missing' },
    { args: ['import', '--format', 'texas', '--file', 'nowhere.txt'], says: '/nowhere.txt does not exist.' },
    { args: ['import', '--format', 'texas', '--file', '/'], says: '/ is not a file. Pass the path of a file.' },
    { args: ['import', '--format', 'texas', '--state', 'MN', '--file', 'x'], says: 'supports only TX' },
    { args: ['import', '--format', 'pdf'], says: 'Allowed choices are sst' },
    { args: ['show', builtIn, '--zip', '5540'], says: 'Pass five digits' },
    { args: ['taxability', '--code', 'SAAS', '--state', 'TX'], says: 'Pass a full product tax code' },
    { args: ['taxability', '--code', 'SOFTWARE.SAAS'], says: 'Pass --state' },
  ])('prints an error with the fix: $args', async ({ args, says }) => {
    expectFailure(await content(...args), says);
  });

  it('prints how a state treats a code, and why a row is not a rule', async () => {
    const { out } = await content('taxability', '--code', 'SOFTWARE.SAAS', '--state', 'TX');
    expect(out).toMatch(/partial .* high .* the release has the rule tx-data-processing .* 34 TAC 3\.330/);
  });

  it('requires a database, except for built-in releases', async () => {
    const nowhere = { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
    expect((await startProcess(['list'], undefined, nowhere)).code).toBe(1);
    expectSuccess(
      await startProcess(['show', builtIn], undefined, nowhere),
      `${builtIn}: Minnesota, built-in\nActive: unknown`,
    );
  });
});

it('ends an update on SIGTERM while it reads a page with deeply nested tags or a slow file', async () => {
  const server = await openPublisherServer([]);
  const temporary = createFolder();
  const name = 'Domicile-Rate-Listing-October-2026.xlsx';
  const update = spawn(process.execPath, ['shared/cli/content.ts', 'update', '--state', 'LA', '--mirror', server.url], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => update.on('close', (code, signal) => resolve(code ?? signal)));
  server.play('louisiana.gov', ({ url }, response) => {
    if (url?.endsWith('.gov/')) response.end(`${'<div>'.repeat(800_000)}<a href="/Documents/${name}">`);
    else {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
      setTimeout(() => update.kill('SIGTERM'), 100);
    }
    return true;
  });
  // The exit code is 128 plus the signal number, as in a shell.
  expect(await ended).toBe(143);
  expect(await readdir(temporary)).toEqual([]);
  await server.close();
});
