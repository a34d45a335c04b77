import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { guideParts } from '../../shared/docs/guide.ts';
import { newCaller, startApi } from '../support/api.ts';
import { codeIn } from '../support/docs-page.ts';

const blocks = guideParts.flatMap(({ id }) => codeIn(id, 'sh'));

/** Each JSON value of an output in which they stand one after the other. */
const valuesIn = (output: string): any[] =>
  output
    .replaceAll('}{', '}\n{')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

it('asks a reader to set exactly two variables, with an address that is replaced by the real one', () => {
  expect(blocks[0]).toMatch(/^LEVY=http:\/\/127\.0\.0\.1:3000\nLEVY_KEY=levy_… +# .+$/);
  const unset = blocks.slice(1).flatMap((block) => [...block.matchAll(/\$(\w+)/g)].map(([, name = '']) => name));
  expect([...new Set(unset)].sort()).toEqual(['DRAFT', 'LEVY', 'LEVY_KEY', 'SALE']);
});

it('every block of the guide works as it is pasted, one after the other', async () => {
  const { url } = await startApi();
  const { key } = await newCaller();
  const run = promisify(execFile);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', blocks.slice(1).join('\n\n')], {
    env: { PATH: process.env['PATH'], LEVY: url, LEVY_KEY: key },
  });
  const answers = valuesIn(stdout).map((answer) => [
    answer.object,
    answer.status ?? null,
    answer.type ?? null,
    answer.reference_id ?? null,
    answer.tax_amount ?? answer.summary?.[0]?.tax_amount ?? null,
  ]);
  expect(answers).toEqual([
    ['calculation', null, 'sale', null, '6.00'],
    ['rates', null, null, null, null],
    ['list', null, null, null, null],
    ['list', null, null, null, null],
    ['transaction', 'finalized', 'sale', 'invoice_1', '6.00'],
    ['calculation', null, 'sale', null, '6.00'],
    ['transaction', 'finalized', 'credit', null, '6.00'],
    ['calculation', null, 'credit', null, '3.00'],
    ['transaction', 'finalized', 'credit', null, '3.00'],
    ['transaction', 'finalized', 'sale', null, '6.00'],
    ['filing', 'dry_run', null, null, '6.00'],
    ['transaction', 'draft', 'sale', null, '6.00'],
    ['transaction', 'draft', 'sale', null, '6.00'],
    ['coverage', null, null, null, null],
  ]);
  const [, , clothing, swimwear] = valuesIn(stdout);
  expect(clothing.data.length).toBeGreaterThan(swimwear.data.length);
  expect(swimwear.data.map(({ code }: any) => code)).toEqual(['CLOTHING.SWIMWEAR']);
  const retried = valuesIn(stdout).slice(11, 13);
  expect(retried[0]).toEqual(retried[1]);
});
