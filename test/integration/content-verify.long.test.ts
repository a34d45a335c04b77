// @isolated: modules cache an activated release, which changes the responses of every account.

/** Changed items of the Content table: no calculation uses them, and `verify` reports them. */
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { contentHash } from '../../shared/importers/build.ts';
import { requestLines } from '../../shared/observability/tally.ts';
import { partItem } from '../../shared/store/content/content-item.ts';
import * as store from '../../shared/store/content/content-store.ts';
import { partKey, releaseHeadKey } from '../../shared/store/keys.ts';
import { newCaller, newClient } from '../support/api.ts';
import { runCommand } from '../support/child-process.ts';
import {
  activate,
  changeHead,
  changePart,
  content,
  getContent,
  importRelease,
  put,
  readItem,
  remove,
  withText,
} from '../support/content.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { buildHead, buildPart } from '../support/local-content.ts';
import { metricLines } from '../support/log-watch.ts';
import { getAttribute } from '../support/raw-items.ts';
import { expectFailure, expectSuccess } from '../support/run-command.ts';
import { later, sale } from '../support/sales.ts';
import { saveFile } from '../support/temporary-files.ts';

beforeAll(() => {
  requestLines.areOn = true;
  // Every 500 logs a line.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

const verified = async (...args: string[]) => {
  const { code, out, err } = await content('verify', ...args);
  expect(err).not.toMatch(/^ {4}at /m);
  return { code, lines: out.trim().split('\n'), err };
};

// The release has 30 parts in 16 partitions. Tests change 55402, and not 55403.
const keys = [...Array.from({ length: 28 }, (_, index) => String(55_401 + index)), '29 PALMS', 'ST PAUL'];
const parts = keys.map((key) => buildPart(key, { [`US-MN-${key.replace(' ', '')}`]: '0.02125' }));
let counter = 100;

/** Writes a new release as an import does. */
const imported = async (chain: readonly string[] = []): Promise<string> => {
  const id = `US-MN@2030-01-01.${++counter}`;
  const counts = { parts: parts.length, zips: 28, jurisdictions: 31, rates: 31, locations: 30, streets: 0 };
  const head = { ...buildHead(id), counts, content_hash: '', chain, chain_until: chain.map(() => null) };
  const result = await importRelease({ ...head, content_hash: await contentHash(head, parts) }, parts);
  expect(result.ok).toBe(true);
  return id;
};

let minutes = 0;
type Place = { readonly postal_code: string | null; readonly city?: string };
/** Returns the tax on 100.00 at these places, or the API error, a minute after the activation. */
const taxes = async (...places: Place[]): Promise<readonly string[]> => {
  minutes += 2;
  const client = await newClient();
  return later(minutes * 60_000, () =>
    Promise.all(
      places.map(async (place) => {
        const address = { state: 'MN', country: 'US', ...place };
        const { status, body } = await client.calculate(sale({ customer: { address } }));
        return status === 200 ? body.tax_amount : `${status} ${body.errors[0].code}`;
      }),
    ),
  );
};
const tampered = { postal_code: '55402' };
const intact = { postal_code: '55403' };
const refused = '500 system_internal_error';
// The taxes on 100.00 at 6.875 % and 2.125 %.
const tax = '9.00';

const remedy =
  'If calculations use it, roll back with `npm run content -- rollback --state MN`; then import its files again and activate the new release.';

const wrongDigest = 'its content does not match its digest.';

/** A change of a release with the expected findings. `at` is the place of the changed part; by default 55402. */
type Case = {
  readonly change: (id: string) => Promise<unknown>;
  readonly finds: readonly string[];
  readonly at?: Place;
};

const cases: Readonly<Record<string, Case>> = {
  'a changed rate in one part': {
    change: (id) => changePart(id, '55402', withText('0.02125', '0.01125')),
    finds: [`Part 55402 of ID is corrupt: ${wrongDigest}`],
  },
  'a part without its digest': {
    change: async (id) => {
      const { digest: _, ...item } = await readItem(partKey(id, '55402'));
      await put(item);
    },
    finds: [`Part 55402 of ID is corrupt: ${wrongDigest}`],
  },
  'a missing part': {
    change: (id) => remove(partKey(id, '55402')),
    finds: ['Part 55402 of ID is corrupt: the head lists it, but it is not in the table.'],
  },
  'an added part with its digest': {
    change: (id) => put(partItem(id, buildPart('55999', { 'US-MN-X': '0.01' }))),
    finds: ['Part 55999 of ID is corrupt: the head does not list it.'],
    at: { postal_code: '55999' },
  },
  'a part in another partition': {
    change: async (id) => {
      const item = await readItem(partKey(id, '55402'));
      await remove(partKey(id, '55402'));
      await put({ ...item, pk: partKey(id, '55401').pk });
    },
    finds: ['Part 55402 of ID is corrupt: it is in the wrong partition,'],
  },
  'two swapped parts': {
    change: async (id) => {
      const [first, second] = [await readItem(partKey(id, '55402')), await readItem(partKey(id, '55404'))];
      await put({ ...first, ...partKey(id, '55404') });
      await put({ ...second, ...partKey(id, '55402') });
    },
    finds: ['Part 55402 of ID is corrupt: it is part 55404.', 'Part 55404 of ID is corrupt: it is part 55402.'],
  },
  'a part with truncated bytes': {
    change: (id) => changePart(id, '55402', ({ content }) => ({ content: (content as Uint8Array).subarray(0, -20) })),
    finds: ['Part 55402 of ID is corrupt: its content cannot be decompressed or parsed.'],
  },
  'a changed head': {
    change: (id) => changeHead(id, withText('0.06875', '0.05875')),
    finds: [`The head of ID is corrupt: ${wrongDigest}`],
  },
  'a head with another list of parts': {
    change: (id) => changeHead(id, () => ({ part_keys: getAttribute('\n55401\n') })),
    finds: [`The head of ID is corrupt: ${wrongDigest}`],
  },
  "another release's head": {
    change: async (id) => {
      const other = await readItem(releaseHeadKey(await imported()));
      await put({ ...other, ...releaseHeadKey(id) });
    },
    finds: ['The head of ID is corrupt: it is the head of US-MN@2030-01-01.'],
  },
  'no head': {
    change: (id) => remove(releaseHeadKey(id)),
    finds: ['The head of ID is corrupt: missing from the table.'],
  },
};

describe('changed items', () => {
  it.for(Object.entries(cases))('%s: returns an error from the API and from verify', async ([, tampering]) => {
    const { change, finds, at = tampered } = tampering;
    const id = await imported();
    await activate('MN', id);
    await change(id);
    // Without its head, no part of a release can be used.
    const isWhole = !finds[0]?.startsWith('The head');
    expect(await taxes(at, intact)).toEqual([refused, isWhole ? tax : refused]);
    const { code, lines } = await verified(id);
    expect(code).toBe(1);
    expect(lines).toHaveLength(finds.length + 1);
    for (const [index, found] of finds.entries()) {
      expect(lines[index]).toContain(found.replace('ID', id));
      expect(lines[index]?.endsWith(remedy)).toBe(true);
    }
    expect(lines.at(-1)).toMatch(new RegExp(`^${RegExp.escape(id)}: \\d+ parts, ${finds.length} problems?\\.$`));
  });

  it.each([
    ['a forged rate with its digest', '55402', async () => buildPart('55402', { 'US-MN-55402': '0.01125' })],
    ["another release's part", '55402', async () => getContent(await readItem(partKey(await imported(), '55403')))],
  ])('detects %s only by the hash of the release', async (_what, key, forged) => {
    const id = await imported();
    await put(partItem(id, { ...(await forged()), key }));
    const { code, lines } = await verified(id);
    expect([code, lines.length]).toEqual([1, 2]);
    expect(lines[0]).toContain(`The head of ${id} is corrupt: its content_hash is `);
  });

  it('emits a metric with its release, and an error line without a stack', async () => {
    const id = await imported();
    await activate('MN', id);
    await changePart(id, '29 PALMS', withText('0.02125', '0.01125'));
    const counted = () => metricLines().filter((line) => line.release === id);
    expect(await taxes(intact)).toEqual([tax]);
    expect(counted()).toEqual([]);
    expect(await taxes({ postal_code: null, city: '29 Palms' })).toEqual([refused]);
    expect(counted()).toEqual([{ _aws: expect.anything(), ContentCorrupt: 1, release: id }]);
    expect(await content('show', id)).toMatchObject({ code: 0 });
    const { code, out, err } = await content('diff', id, id);
    expect({ code, out, err }).toEqual({
      code: 1,
      out: expect.not.stringContaining('_aws'),
      err: `Part 29 PALMS of ${id} is corrupt: its content does not match its digest. ${remedy}\n`,
    });
  });

  it('does not read a part again after an instance has cached it', async () => {
    const id = await imported();
    await activate('MN', id);
    expect(await taxes(tampered)).toEqual([tax]);
    await changePart(id, '55402', withText('0.02125', '0.01125'));
    await changeHead(id, withText('0.06875', '0.05875'));
    expect(await taxes(tampered)).toEqual([tax]);
    // The key list is cached with the head.
    await remove(partKey(id, '55405'));
    expect(await taxes({ postal_code: '55405' }, intact, { postal_code: '55999' })).toEqual([refused, tax, '6.88']);
  });
});

describe('key lists of releases', () => {
  it('caches the key list of each release that is read, next to many others', async () => {
    const { readContent } = await import('../../shared/store/content/content-reads.ts');
    const first = await imported();
    expect((await readContent([first], [])).heads).toHaveLength(1);
    await remove(partKey(first, '55402'));
    const missing = { release: first, key: '55402' };
    const others: string[] = [];
    for (let count = 0; count < 101; count += 1) {
      const id = `US-WY@2030-01-01.${101 + count}`;
      others.push(id);
      expect((await importRelease(buildHead(id), [])).ok).toBe(true);
      // The first release is the oldest in the cache until it is evicted at the end.
      await readContent([id], []);
      if (count > 97) await expect(readContent([id], [missing])).rejects.toThrow(`Part 55402 of ${first}`);
    }
    await expect(readContent(others, [missing])).rejects.toThrow(`Part 55402 of ${first}`);
    await expect(readContent([], [missing])).rejects.toThrow(`Part 55402 of ${first}`);
  });
});

describe('content verify', () => {
  afterEach(noFaults);

  it('reads partitions with many pages', async () => {
    const id = await imported();
    await changePart(id, '55428', withText('0.02125', '0.01125'));
    let queries = 0;
    intercept(({ command, input, pass }) => {
      if (command !== 'Query') return pass();
      queries += 1;
      return pass({ ...input, Limit: 1 });
    });
    const { verifyRelease } = await import('../../shared/cli/content/verify.ts');
    const problems: unknown[] = [];
    const seen: number[] = [];
    const found = await verifyRelease(
      id,
      ({ key }) => problems.push(key),
      (count, total) => seen.push(count / total),
    );
    expect(found).toEqual({ parts: 30, problems: 1 });
    expect(problems).toEqual(['55428']);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => (index + 1) / 30));
    expect(queries).toBeGreaterThan(30);
  });

  it('verifies the given releases, the active ones, or all in the table and directory', async () => {
    const [active, previous, lost] = [await imported(), await imported(), await imported()];
    for (const id of [lost, previous, active]) await activate('MN', id);
    expect((await verified('--active')).lines).toEqual([`${active}: 30 parts, no problems.`]);
    expect((await verified(previous, previous, '--active')).lines).toEqual([
      `${previous}: 30 parts, no problems.`,
      `${active}: 30 parts, no problems.`,
    ]);
    await activate('MN', await imported([previous]));
    expect((await verified('--active')).lines).toEqual([
      expect.stringMatching(/^US-MN@2030-01-01\.\d+: 30 parts, no problems\.$/),
      `${previous}: 30 parts, no problems.`,
    ]);
    await remove(releaseHeadKey(lost));
    const { code, lines } = await verified();
    expect(code).toBe(1);
    expect(lines).toEqual(
      expect.arrayContaining([
        `${active}: 30 parts, no problems.`,
        `${previous}: 30 parts, no problems.`,
        expect.stringContaining(`The head of ${lost} is corrupt: missing from the table.`),
        `${lost}: 30 parts, 1 problem.`,
      ]),
    );
  });

  it('rejects releases that are not in the table', async () => {
    expectFailure(await content('verify', 'US-MN@2020-01-01.101'), 'The release US-MN@2020-01-01.101 does not exist.');
    expectFailure(await content('verify', 'US-MI@2026-11-22.1'), 'US-MI@2026-11-22.1 is a built-in release.');
  });
});

describe('releases of every format', () => {
  const fixture = (name: string) => join('test/fixtures/imports', name);
  const idIn = ({ out }: { readonly out: string }) => /^Imported (\S+) /m.exec(out)?.[1] ?? out;

  it('keeps releases of every format unchanged after an import, and replaces a corrupt release by a new import', async () => {
    const woocommerce = saveFile(
      'tax_rates.csv',
      `Country code,State code,Postcode / ZIP,City,Rate %,Tax name,Priority,Compound,Shipping,Tax class
US,CA,90001,*,9.5000,Tax,1,0,1,
US,CA,92277...92278,*,7.7500,Tax,1,0,1,
US,CA,,29 Palms;Alturas,7.7500,Tax,1,0,1,
`,
    );
    const sst = ['--format', 'sst', '--state', 'MN', '--rates', fixture('MNR2026Q4AUG28.csv')];
    const imports = [
      [...sst, '--boundaries', fixture('MNB2026Q4AUG28.csv'), '--skip-bad-rows'],
      ['--format', 'zip-rates', '--state', 'TX', '--file', fixture('TAXRATES_ZIP5_TX202611.csv')],
      ['--format', 'woocommerce', '--state', 'CA', '--file', woocommerce],
      ['--format', 'cdtfa', '--file', fixture('cdtfa.csv'), '--skip-bad-rows'],
      ['--format', 'texas', '--file', fixture('taxrates.txt'), '--skip-bad-rows'],
    ];
    const ids: string[] = [];
    for (const args of imports) ids.push(idIn(await content('import', ...args)));
    const { code, lines } = await verified(...ids);
    const expected = await Promise.all(
      ids.map(async (id) => `${id}: ${(await store.readPartKeys(id)).length} parts, no problems.`),
    );
    expect({ code, lines }).toEqual({ code: 0, lines: expected });

    for (const [index, args] of imports.entries())
      expect((await content('import', ...args)).out).toContain(`${ids[index]} already has the same content`);

    const [first = '', zipRates = ''] = ids;
    await changePart(first, '55401', withText('43000', '58000'));
    const again = idIn(await content('import', ...(imports[0] as string[])));
    expect(again).not.toBe(first);
    await changeHead(zipRates, withText('TX', 'UT'));
    const another = idIn(await content('import', ...(imports[1] as string[])));
    expect(await verified(again, another)).toMatchObject({ code: 0 });
    expect((await content('import', ...(imports[1] as string[]))).out).toContain(
      `${another} already has the same content`,
    );
  });
});

describe('other commands on a corrupt release', () => {
  it('names the corrupt release, without a stack', async () => {
    const [whole, id] = [await imported(), await imported()];
    await activate('MN', id);
    await changeHead(id, withText('0.06875', '0.05875'));
    const problem = `The head of ${id} is corrupt: its content does not match its digest. ${remedy}`;
    const { code, out } = await content('list', '--state', 'MN');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^\\* +${RegExp.escape(id)} +corrupt$`, 'm'));
    const listed = JSON.parse((await content('list', '--state', 'MN', '--json')).out);
    expect(listed).toContainEqual({ id, state: 'US-MN', active: true, origin: 'corrupt', problem });
    expect(out).toMatch(new RegExp(`^ +${RegExp.escape(whole)} +zip-rates `, 'm'));
    expect(out).toContain(problem);
    for (const args of [['show'], ['activate'], ['diff', whole]])
      expect(await content(...args, id)).toMatchObject({ code: 1, err: `${problem}\n` });
  });

  it('reports a corrupt release that is not active in GET /coverage', async () => {
    const [whole, id] = [await imported(), await imported()];
    await activate('MN', whole);
    await changeHead(id, withText('0.06875', '0.05875'));
    const { call } = await newCaller();
    minutes += 2;
    const { body } = await later(minutes * 60_000, () => call('GET', '/coverage?state=MN&expand=releases'));
    const [minnesota] = body.states;
    const ids = minnesota?.releases?.map((release) => release.id) ?? [];
    expect([ids.includes(whole), ids.includes(id)]).toEqual([true, false]);
    expect(minnesota?.notes).toContainEqual(
      expect.stringContaining(`leaves out ${id}, whose head is corrupt; \`npm run content -- list\``),
    );
  });

  it('fails a check of cases with a corrupt part', async () => {
    const id = await imported();
    await changePart(id, '55402', withText('0.02125', '0.01125'));
    const one = (zip: string) => ({
      id: zip,
      state: 'MN',
      zip,
      date: '2026-10-08',
      expected: { tax_total: '9.00' },
      input: { lines: [{ ptc: 'GENERAL', quantity: '1', unit_price: '100.00' }] },
    });
    const check = async (...zips: string[]) => {
      const path = saveFile('cases.json', JSON.stringify(zips.map(one)));
      // Runs as a process, because metric lines of this one go to standard output.
      return runCommand(['shared/cli/content.ts', 'check', '--release', id, '--against', path]);
    };
    expectSuccess(await check('55403'), '1 passed');
    const corrupt = `Part 55402 of ${id} is corrupt: its content does not match its digest. ${remedy}\n`;
    expect(await check('55402', '55403')).toMatchObject({ code: 1, out: '', err: corrupt });
  });
});
