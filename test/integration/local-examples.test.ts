import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const [, page = ''] = readFileSync('shared/filings/README.md', 'utf8').split('\n## Example as curl\n');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** Starts the service as the page describes, but on any free port and with a separate emulator. */
const { DYNAMODB_ENDPOINT: _, NODE_OPTIONS: __, ...inherited } = process.env;
const settings = { PORT: '0', DYNAMODB_PORT: '0', DATA_DIR: '', API_KEY: 'levy_demo' };
const service = spawn(process.execPath, ['infra/local/start.ts'], {
  env: { ...inherited, ...settings },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let port = '';

beforeAll(async () => {
  let output = '';
  // Not closed at the end, because a schedule can still log.
  for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    port = /^Levy +http:\/\/127\.0\.0\.1:(\d+)$/m.exec(output)?.[1] ?? '';
    if (/^curl .*\n/m.test(output)) break;
  }
  service.stdout.resume();
});
afterAll(async () => {
  service.kill();
  if (service.exitCode === null) await once(service, 'exit');
});

it('the tax return in the filings README runs as pasted', () => {
  expect([port === '3000', blocks.length]).toEqual([false, 3]);
  const output = execFileSync('bash', ['-euo', 'pipefail', '-c', blocks.join('\necho --\n')], {
    encoding: 'utf8',
    // Only this Node, and no variable that the page does not set.
    env: { ...inherited, PORT: port, PATH: `${dirname(process.execPath)}:${inherited['PATH']}` },
  });
  expect(output.split('--\n').map((part) => part.trimEnd().split('\n'))).toEqual([
    [''],
    ['US-MI 12.00 2', 'closed 2026-09-01 2026-09-30', 'US-HI 4.00 1', 'US-HI-00-003 0.50 1'],
    [
      'credit 6.00',
      'US-MI -6.00 1',
      'state,period_start,period_end,jurisdiction_code,currency,rate,tax_amount,count',
      'US-MI,2026-09-01,2026-09-30,US-MI,USD,0.06,12.00,2',
      'US-MI,2026-09-01,2026-09-30,,USD,,12.00,2',
      'MI-2026-09-4711',
      'filed full',
      'filed 2026-09-30',
    ],
  ]);
});

it('the checkout in the README runs', () => {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
  const output = execFileSync(process.execPath, ['--input-type=module-typescript'], {
    encoding: 'utf8',
    input: code.replace('127.0.0.1:3000', `127.0.0.1:${port}`),
  });
  expect(output).toBe('6.00 6.00 3.00\n');
});

it('the shipping charges in the client README have their taxes', () => {
  const code = /```ts\n(const store = .*?)```/s.exec(readFileSync('shared/client/README.md', 'utf8'))?.[1] ?? '';
  const customer = { address: { city: 'New York', state: 'NY', postal_code: '10001', country: 'US' } };
  const client = JSON.stringify(new URL('../../shared/client/client.ts', import.meta.url).href);
  const before = `import { createClient, orThrow } from ${client};
    const levy = createClient({ url: 'http://127.0.0.1:${port}', apiKey: 'levy_demo' });
    const customer = ${JSON.stringify(customer)};`;
  const output = execFileSync(process.execPath, ['--input-type=module-typescript'], {
    encoding: 'utf8',
    input: `${before}\n${code}\nconsole.log(calculation.tax_amount, ...ofShipping);`,
  });
  // 1.78 for each of two lines in New York and 1.20 for the line in Michigan. The charges raise New York to 4.44 and
  // then 5.33.
  expect(output).toBe('6.54 parcel: 0.89 courier: 0.89\n');
});
