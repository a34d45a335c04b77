import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { newCaller, startApi } from '../support/api.ts';
import { all } from '../support/docs-page.ts';

const blocks = all('.guide code.sh').map(({ textContent }) => textContent);

type Answer = {
  readonly object: string;
  readonly status?: string;
  readonly type?: string;
  readonly reference_id?: string;
  readonly tax_amount?: string;
  readonly summary?: readonly { readonly tax_amount: string }[];
  readonly data: readonly { readonly code: string }[];
};

/** The JSON values of an output, one after the other. */
const valuesIn = (output: string): readonly Answer[] =>
  output
    .replaceAll('}{', '}\n{')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

it('The guide sets two variables and uses no others', () => {
  expect(blocks[0]).toMatch(/^export LEVY=http:\/\/127\.0\.0\.1:3000\nexport LEVY_KEY=levy_… +# .+$/);
  const used = blocks.slice(1).flatMap((block) => block.match(/\$\w+/g) ?? []);
  expect([...new Set(used)].sort()).toEqual(['$DRAFT', '$LEVY', '$LEVY_KEY', '$SALE']);
});

it('The commands of the guide work in their order', async () => {
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
    ['list', null, null, null, null],
    ['transaction', 'finalized', 'sale', 'invoice_1', '6.00'],
    ['calculation', null, 'sale', null, '6.00'],
    ['transaction', 'finalized', 'credit', null, '6.00'],
    ['calculation', null, 'credit', null, '3.00'],
    ['transaction', 'finalized', 'credit', null, '3.00'],
    ['customer', null, null, null, null],
    ['calculation', null, 'sale', null, '0.00'],
    ['transaction', 'finalized', 'sale', null, '6.00'],
    ['filing', 'dry_run', null, null, '6.00'],
    // In New York 8.875 %: 1.78 of the mug and 0.88 of its shipping, because 30.00 owe 2.66.
    ['calculation', null, 'sale', null, '2.66'],
    // 4.44 of the print and 0.89 of its shipping, because 60.00 owe 5.33, and 6 % of 100.00 in Michigan.
    ['calculation', null, 'sale', null, '11.33'],
    // 1.78 and 8.88 of the lines, rounded each. The charges bring it to 11.54 for 130.00, and to 12.43 for 140.00: 0.89 each.
    ['calculation', null, 'sale', null, '12.44'],
    // 6.625 % of 110.00 - 11.00.
    ['calculation', null, 'sale', null, '6.56'],
    // 6 % of 100.00 - 20.00.
    ['calculation', null, 'sale', null, '4.80'],
    // 6.25 % of 100.00 - 10.00.
    ['calculation', null, 'sale', null, '5.63'],
    // 9.03 of six taxes on 100.00, each rounded, and 0.50.
    ['calculation', null, 'sale', null, '9.53'],
    ['registration_advice', null, null, null, null],
    ['report_by_state', null, null, null, null],
    ['transaction', 'draft', 'sale', null, '6.00'],
    ['transaction', 'draft', 'sale', null, '6.00'],
    ['coverage', null, null, null, null],
  ]);
  const values = valuesIn(stdout);
  expect(values[2]?.data[0]).toMatchObject({ code: 'FOOD.DIETARY_SUPPLEMENTS', taxability: { state: 'TX' } });
  expect(values[4]?.data.map(({ code }) => code)).toEqual(['CLOTHING.SWIMWEAR']);
  expect(values[23]).toEqual(values[24]);
});
