import { execFile } from 'node:child_process';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { newCaller, startApi } from '../support/api.ts';
import { runCommand } from '../support/child-process.ts';
import { createFolder } from '../support/temporary-files.ts';

it('matches its model while the process is killed and the network loses requests and responses', async () => {
  const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...env } = process.env;
  const { code, out, err } = await runCommand(['test/attack/attack.ts', '--worlds', '1'], { env });
  expect(code, out + err).toBe(0);
  expect(out).toMatch(/^seed 1: clean, \d+ requests, [1-9]\d* kills/);
}, 600_000);

type Phase = {
  readonly phase: string;
  readonly statuses: Readonly<Record<string, number>>;
  readonly unanswered: number;
};

// On a slow machine the emulator can cause 503 responses. The overload exceeds two windows of the limit, because late
// requests count in the next window.
const words = 'test/bench/load/load.ts --seconds 1 --calculations 8 --creates 2 --times 4'.split(' ');

it('serves a steady load, rejects the excess, and prints each phase', {
  timeout: 240_000,
}, async () => {
  const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...env } = process.env;
  const { code, out } = await runCommand(words, { env });
  expect(code).toBe(0);
  const phases = out
    .trim()
    .split('\n')
    .map((line): Phase => JSON.parse(line));
  const getCount = ({ statuses }: Phase) => Object.values(statuses).reduce((sum, count) => sum + count, 0);
  expect(phases.map((phase) => [phase.phase, getCount(phase), phase.unanswered])).toEqual([
    ['warm-up', 10, 0],
    ['steady', 10, 0],
    ['overload', 400, 0],
    ['afterwards', 50, 0],
  ]);
  const [warmUp, steady, overload] = phases.map(({ statuses }) => statuses);
  for (const { 200: calculated = 0, 201: created = 0, ...others } of [warmUp ?? {}, steady ?? {}]) {
    expect([calculated <= 8, created <= 2]).toEqual([true, true]);
    expect(['503']).toEqual(expect.arrayContaining(Object.keys(others)));
  }
  expect(overload?.['429']).toBeGreaterThan(0);
  const latency = expect.objectContaining({ p99: expect.any(Number) });
  expect(phases[1]).toMatchObject({
    served_per_second: expect.any(Number),
    calculation_ms: latency,
    create_ms: latency,
  });
  expect(phases[3]).toMatchObject({ refused_until_ms: expect.any(Number), back_to_normal_ms: expect.any(Number) });
});

const getPath = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

it('packs the client with its files, compiles it in a strict project, and runs the checkout example', async () => {
  const run = promisify(execFile);
  const folder = createFolder();
  const inFolder = (file: string, words: readonly string[], env = {}) =>
    run(file, words, { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env } });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: getPath('shared/client'),
  });
  // The package has no dependencies, so unpacking it is the same as `npm install`, which takes seconds.
  await mkdir(join(folder, 'node_modules/levy-client'), { recursive: true });
  await inFolder('tar', ['-xzf', stdout.trim(), '-C', 'node_modules/levy-client', '--strip-components=1']);
  await mkdir(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types'])
    await symlink(getPath(`node_modules/${name}`), join(folder, 'node_modules', name));
  await copyFile(join(folder, 'node_modules/levy-client/examples/checkout.ts'), join(folder, 'checkout.ts'));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
    outDir: 'out',
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await inFolder(getPath('node_modules/.bin/tsc'), ['-p', '.']).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
  const [{ url }, { key }] = [await startApi(), await newCaller()];
  const printed = await inFolder(process.execPath, ['out/checkout.js'], { LEVY_URL: url, LEVY_API_KEY: key });
  expect(printed.stdout).toBe('Estimate: 6.00\nSale: 6.00 refund: 3.00\n');
});

it.each([
  'test/fuzz/fuzz.ts --minutes x',
  'test/fuzz/fuzz.ts --minutes 0',
  'test/fuzz/fuzz.ts --input=-1',
  'test/kills/update-kills.ts --kills 0',
  'test/attack/attack.ts --minutes 0.5',
  'test/simulation/simulate.ts --seed x',
])('rejects a number that would make a command test nothing: %s', async (words) => {
  const { code, out, err } = await runCommand(words.split(' '));
  expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^--\w+ takes a (whole )?number from .*\n$/)]);
});

// The time for an input depends on the machine: `npm run fuzz` measures it. Here the limit only ends an infinite loop.
it('handles every hostile input of 1 MB within 256 MB and 2 s', async () => {
  const { code, out, err } = await runCommand(['test/fuzz/fuzz.ts', '--inputs', '2', '--seconds', '30']);
  expect(code, out + err).toBe(0);
  expect(out.match(/^[\w-]+: 2 inputs in .* 0 faults$/gm)).toHaveLength(22);
}, 1_800_000);
