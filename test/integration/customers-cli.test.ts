import { truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customersFrom } from '../../shared/cli/customers/put.ts';
import { customersProgram } from '../../shared/cli/customers.ts';
import { now } from '../../shared/config/clock.ts';
import { newCaller } from '../support/api.ts';
import { expectFailure, expectSuccess, runInProcess } from '../support/run-command.ts';
import { made } from '../support/sales.ts';
import { saveFile } from '../support/temporary-files.ts';

const day = (days: number) => new Date(now() + days * 86_400_000).toISOString().slice(0, 10);
const newShop = async () => {
  const { account, call } = await newCaller();
  const run = (command: string, ...args: string[]) =>
    runInProcess(customersProgram(), [command, '--account', account.id, ...args]);
  const get = (id: string) => made(call('GET', `/customers/${id}` as '/customers/{id}'));
  const putFile = (name: string, text: string) => run('put', '--file', saveFile(name, text));
  return { account, run, get, putFile };
};

describe('put', () => {
  it('creates a customer from options, changes it, and reports an unchanged customer', async () => {
    const { run, get } = await newShop();
    const certified = '--reason resale --states MI,Ohio --number R-1 --to 2028-12-31'.split(' ');
    const terms = ['--name', 'A shop', ...certified];
    const out = (counts: string, removed = '0 certificates') => `1 customer: ${counts}; ${removed} removed.\n`;
    expect((await run('put', 'cus_42', ...terms)).out).toBe(out('1 created, 0 changed, 0 unchanged'));
    const certificate = { reason: 'resale', certificate_number: 'R-1', valid_from: null, valid_to: '2028-12-31' };
    expect(await get('cus_42')).toMatchObject({
      name: 'A shop',
      exemptions: [{ ...certificate, states: ['US-MI', 'US-OH'] }],
    });
    const unchanged = out('0 created, 0 changed, 1 unchanged');
    const changed = '0 created, 1 changed, 0 unchanged';
    expect((await run('put', 'cus_42', ...terms)).out).toBe(unchanged);
    expect((await run('put', 'cus_42')).out).toBe(unchanged);
    expect((await run('put', 'cus_42', '--name', 'B')).out).toBe(out(changed));
    const ohio = { reason: 'resale', states: ['US-OH'] };
    expect(await get('cus_42')).toMatchObject({ name: 'B', exemptions: [certificate] });
    const added = ['put', 'cus_42', '--add', '--reason', 'resale', '--states', 'OH'] as const;
    expect((await run(...added)).out).toBe(out(changed));
    // A repeat, for example after an interruption, adds nothing.
    expect((await run(...added)).out).toBe(unchanged);
    expect(await get('cus_42')).toMatchObject({ name: 'B', exemptions: [certificate, ohio], version: 3 });
    const replaced = await run('put', 'cus_42', '--reason', 'resale', '--states', 'OH');
    expect(replaced.out).toBe(out(changed, '1 certificate'));
    expect(await get('cus_42')).toMatchObject({ name: 'B', exemptions: [ohio], version: 4 });
    expect((await run('put', 'cus_42', '--none', '--json')).out).toBe(
      `${JSON.stringify({ created: 0, changed: 1, unchanged: 0, certificates_removed: 1 }, null, 2)}\n`,
    );
    expect(await get('cus_42')).toMatchObject({ name: 'B', exemptions: [] });
  });

  it('reads CSV: lines with the same id are one customer, and semicolons or commas separate states', async () => {
    const { putFile, get } = await newShop();
    const lines = [
      '\uFEFFid,name,states,reason,certificate_number,document_url,valid_from,valid_to',
      'a,"Shop, A",MI;New York,resale,R-1,https://files.example.com/R-1.pdf,2026-01-01,2026-12-31',
      'b,,,,,,,',
      '',
      'a,"Shop, A","MI, OH",government,,,,',
      'a,"Shop, A","MI, OH",government,,,,',
    ];
    const counts = '2 customers: 2 created, 0 changed, 0 unchanged; 0 certificates removed.\n';
    expectSuccess(await putFile('certificates.csv', lines.join('\r\n')), counts);
    expect(await get('a')).toMatchObject({
      name: 'Shop, A',
      exemptions: [
        {
          states: ['US-MI', 'US-NY'],
          reason: 'resale',
          certificate_number: 'R-1',
          document_url: 'https://files.example.com/R-1.pdf',
        },
        { states: ['US-MI', 'US-OH'], reason: 'government', certificate_number: null, valid_to: null },
      ],
    });
    // A repeated line does not repeat the certificate.
    expect((await get('a')).exemptions).toHaveLength(2);
    expect(await get('b')).toMatchObject({ name: null, exemptions: [] });
  });

  it('reads a file of the console, and removes what escapes formulas', async () => {
    const { putFile, get } = await newShop();
    const rows = [
      "'=a,'-A;'+B,'+N-1,nonprofit,US-CA;US-TX",
      "'=a,'-A;'+B,O'=1,other,all",
      `b,O'Neil & Sons,"""'@x""",resale,all`,
    ];
    const file = ['id,name,certificate_number,reason,states', ...rows].join('\r\n');
    expectSuccess(
      await putFile('customers.csv', file),
      '2 customers: 2 created, 0 changed, 0 unchanged; 0 certificates removed.\n',
    );
    expect(await get('=a')).toMatchObject({
      name: '-A;+B',
      exemptions: [
        { certificate_number: '+N-1', states: ['US-CA', 'US-TX'] },
        { certificate_number: "O'=1", states: null },
      ],
    });
    expect(await get('b')).toMatchObject({ name: "O'Neil & Sons", exemptions: [{ certificate_number: '"@x"' }] });
  });

  it('keeps fields that a CSV file has no columns for', async () => {
    const { putFile, get } = await newShop();
    await putFile('first.csv', 'id,name,reason\na,A,resale');
    await putFile('certificates.csv', 'id,reason\na,government\na,other');
    expect(await get('a')).toMatchObject({ name: 'A', exemptions: [{ reason: 'government' }, { reason: 'other' }] });
    await putFile('names.csv', 'id,name\na,B');
    expect(await get('a')).toMatchObject({ name: 'B', exemptions: [{ reason: 'government' }, { reason: 'other' }] });
    await putFile('none.csv', 'id,name,reason\na,,');
    expect(await get('a')).toMatchObject({ name: null, exemptions: [] });
  });

  it('lists every invalid line, and then changes nothing', async () => {
    const { putFile, run } = await newShop();
    const lines = [
      'id,name,states,reason,certificate_number,valid_from,valid_to',
      'good,,MI,resale,,,',
      'a,,Bavaria,resale,,,',
      'b,,,church,,,2026-02-30',
      'c,,,,R-1,,',
      'good,Other,,,,,',
      ',Without id,,,,,',
    ];
    const { code, err } = await putFile('wrong.csv', lines.join('\n'));
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^Line 3: .*states.*"Bavaria"/),
      expect.stringMatching(/^Line 4: .*reason.*"church"/),
      expect.stringMatching(/^Line 4: .*valid_to.*"2026-02-30"/),
      expect.stringMatching(/^Line 5: .*reason/),
      expect.stringMatching(/^Line 6: .*name .* good/),
      expect.stringMatching(/^Line 7: .*id/),
      'Nothing was changed.',
    ]);
    expect((await run('list')).out).toBe('0 customers.\n');
  });

  it('lists the first 20 errors, and counts the others', async () => {
    const { putFile } = await newShop();
    for (const [count, last] of [
      [20, 'Line 21: '],
      [21, 'and 1 more error'],
      [22, 'and 2 more errors'],
    ] as const) {
      const { err } = await putFile(`${count}.csv`, ['id,reason', ...Array(count).fill('a,church')].join('\n'));
      expect(err.trimEnd().split('\n').at(-2)).toMatch(new RegExp(`^${last}`));
    }
  });

  it('lists invalid and repeated entries and unknown fields of JSON', async () => {
    const entries = [{ id: 'a', exemption: [] }, { id: 'a' }, { exemptions: [{ reason: 'resale', state: 'MI' }] }, 7];
    expect((await customersFrom(JSON.stringify(entries))).errors).toEqual([
      expect.stringMatching(/^Entry 1: .*exemption/),
      expect.stringMatching(/^Entry 3: .*state/),
      expect.stringMatching(/^Entry 3 \/id: /),
      expect.stringMatching(/^Entry 4: .*JSON object/),
      expect.stringMatching(/^Entry 2: .*id a .*repeated/),
    ]);
  });

  it('rejects values nested too deep and strings that cannot be stored, as the API does', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const text = `[{"id":"a","exemptions":${deep}},{"id":"b","name":"x\\u0000"}]`;
    const { customers, errors } = await customersFrom(text);
    expect(customers).toEqual([]);
    expect(errors).toEqual([
      expect.stringMatching(/^Entry 1 \/exemptions\/0: .*an object/),
      expect.stringMatching(/^Entry 1 \/exemptions\/.* at most 16 levels/),
      expect.stringMatching(/^Entry 2 \/name: .*NUL/),
    ]);
  });

  it.each<[string, [string, ...string[]], string]>([
    ['neither an id nor a file', ['put'], '--file'],
    ['both', ['put', 'a', '--file', 'x.csv'], 'only --file'],
    ['a file that does not exist', ['put', '--file', '/nowhere/x.csv'], '/nowhere/x.csv'],
    ['an added certificate without terms', ['put', 'a', '--add'], '--add'],
    [
      'an unknown reason',
      ['put', 'a', '--reason', 'church'],
      '--reason: Invalid reason. "church" is not valid. Pass one of resale,',
    ],
    [
      'a link without https',
      ['put', 'a', '--reason', 'resale', '--url', 'x'],
      '--url: Invalid document_url. You passed "x". Pass',
    ],
    ['a certificate without a reason', ['put', 'a', '--to', '2026-01-01'], 'Missing field reason.'],
    ['an unknown state', ['list', '--state', 'Bavaria'], "'--state <state>' argument 'Bavaria' is invalid."],
    ['an unknown customer', ['show', 'a'], 'has no customer a. List'],
    ['days that are not a number', ['expiring', '--within', 'soon'], 'Pass a whole number from 0'],
    ['an unknown account', ['list', '--account', 'acct_none'], 'acct_none'],
  ])('rejects %s', async (_name, args, message) => {
    const { run } = await newShop();
    expectFailure(await run(...args), message);
  });

  it.each([
    ['x.csv', 'name\nA', /id,name,/],
    ['x.csv', '', /Missing: id\./],
    ['x.csv', 'id,region\na,MI', /Unknown: region\./],
    ['x.csv', 'id,reason,states,states\na,resale,MI,OH', /Repeated: states\./],
    ['x.csv', 'id,name\na,A,B', /^Line 2 has 3 values for 2 columns\. Write /],
    [
      'x.csv',
      'id,name\na,A\n\nb,"B\nc,C\n',
      /^The row that begins in line 4 has a double quote that is never closed\. /,
    ],
    ['x.csv', 'id,name\na,the "A" shop', /^Line 2: name: Put a value that contains a double quote in double quotes, /],
    [
      'x.csv',
      `id,name\na,${'A'.repeat(100_001)}`,
      /^The row that begins in line 2 has more than 100,000 characters\. /,
    ],
    ['x.csv', 'x'.repeat(1000), /Unknown: x{40}…\. Missing: id\. Repeated: none\.\n$/],
    ['x.csv', 'id,name\na,A\n,\n \n,', /^$/],
    ['x.json', '\uFFFD\uFFFD{\0"\0', /^Line 1 is not UTF-8/],
    ['x.csv', 'i\0d\0\n\0', /^Line 1 is not UTF-8/],
    ['x.json', '{"id": ', /^The file is not JSON: /],
    ['x.csv', '\uFFFD\uFFFDi\0d\0', /^Line 1 is not UTF-8/],
    ['x.csv', 'id,name\na,A\nb,Caf\uFFFD', /^Line 3 is not UTF-8\. Save the file as UTF-8/],
    ['x.json', '[{"id": "a", "name": "Caf\uFFFD"}]', /^The file is not UTF-8\. Save/],
    ['x.csv', 'id,states,reason\na,MI|OH,resale', /^Line 2: .*Write the code of a state/],
    ['bom.json', '\uFEFF[{"id": "a"}]', /^$/],
  ])('prints $2 for the file $0', async (name, text, message) => {
    expect((await (await newShop()).putFile(name, text)).err).toMatch(message);
  });
});

it('refuses a file that is too large to read, and a folder, with their paths', async () => {
  const { run } = await newShop();
  const file = saveFile('x.json', '');
  truncateSync(file, 100_000_001);
  expectFailure(await run('put', '--file', file), `The file ${file} has 101 MB. Pass a file of at most 100 MB.`);
  expectFailure(await run('put', '--file', dirname(file)), `${dirname(file)} is a directory. Pass the path of a file.`);
});

describe('list, show and expiring', () => {
  it('prints a table with a line per certificate, without control characters, or JSON', async () => {
    const { run, putFile } = await newShop();
    await putFile(
      'x.json',
      JSON.stringify([
        { id: 'a', name: 'A\u001b[31m', exemptions: [{ reason: 'resale', states: ['MI', 'OH'], valid_to: day(3) }] },
        { id: 'b', exemptions: [{ reason: 'other', states: ['NY'], certificate_number: 'O-1' }] },
        { id: 'c' },
      ]),
    );
    const { out } = await run('list');
    expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'customer | name | reason | certificate | states | first day | last day',
      `a | A?[31m | resale | US-MI US-OH | ${day(3)}`,
      'b | other | O-1 | US-NY',
      'c | none',
      '3 customers.',
      '',
    ]);
    expect((await run('list', '--state', 'new york')).out).toContain('1 customer.');
    const listed: { id: string }[] = JSON.parse((await run('list', '--json')).out);
    expect(listed.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect((await run('show', 'b')).out).toMatch(/O-1.+Version 1, changed 20/s);
    expect(JSON.parse((await run('show', 'b', '--json')).out)).toMatchObject({ id: 'b', version: 1 });
  });

  it('finds only the certificates that expire within the days, including the last day', async () => {
    const { run, putFile } = await newShop();
    const buildCustomer = (id: string, ...ends: number[]) => ({
      id,
      exemptions: ends.map((days) => ({ reason: 'resale', valid_to: day(days) })),
    });
    await putFile(
      'x.json',
      JSON.stringify([
        buildCustomer('past', -1),
        buildCustomer('today', 0),
        buildCustomer('both', 30, 31),
        buildCustomer('later', 31),
      ]),
    );
    const ids = async (...args: string[]) => {
      const found: { id: string; exemptions: object[] }[] = JSON.parse((await run('expiring', ...args, '--json')).out);
      return found.map(({ id, exemptions }) => `${id} ${exemptions.length}`);
    };
    expect(await ids()).toEqual(['both 1', 'today 1']);
    expect(await ids('--within', '31')).toEqual(['both 2', 'later 1', 'today 1']);
    expect(await ids('--within', '0')).toEqual(['today 1']);
    expect((await run('expiring')).out).toMatch(/2 customers .*30 days/);
  });
});
