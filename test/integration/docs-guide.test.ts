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
  readonly tax_amount?: string;
  readonly summary?: readonly { readonly tax_amount: string }[];
  readonly data: readonly { readonly code: string }[];
};

/** Describes a response by its object, type, status and tax. */
const described = ({ object, type, status, tax_amount, summary }: Answer): string =>
  [object, type, status, tax_amount ?? summary?.[0]?.tax_amount].filter(Boolean).join(' ');

it('the guide sets two variables and uses no others', () => {
  expect(blocks[0]).toMatch(/^export LEVY=http:\/\/127\.0\.0\.1:3000\nexport LEVY_KEY=levy_… +# .+$/);
  const used = blocks.slice(1).flatMap((block) => block.match(/\$\w+/g) ?? []);
  expect([...new Set(used)].sort()).toEqual(['$DRAFT', '$LEVY', '$LEVY_KEY', '$SALE']);
});

it("the guide's commands work in order", async () => {
  const { url } = await startApi();
  const { key } = await newCaller();
  const run = promisify(execFile);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', blocks.slice(1).join('\n\n')], {
    env: { PATH: process.env['PATH'], LEVY: url, LEVY_KEY: key },
  });
  const values = stdout
    .replaceAll('}{', '}\n{')
    .split('\n')
    .flatMap((line): Answer[] => (line === '' ? [] : [JSON.parse(line)]));
  expect(values.map(described)).toEqual([
    'calculation sale 6.00',
    'rates',
    'list',
    'list',
    'list',
    'transaction sale finalized 6.00',
    'calculation sale 6.00',
    'transaction credit finalized 6.00',
    'calculation credit 3.00',
    'transaction credit finalized 3.00',
    'customer',
    'calculation sale 0.00',
    'transaction sale finalized 6.00',
    'filing dry_run 6.00',
    // New York at 8.875 %: 1.78 for the mug and 0.88 for its shipping, because the tax on 30.00 is 2.66.
    'calculation sale 2.66',
    // 4.44 for the print and 0.89 for its shipping, because the tax on 60.00 is 5.33, and 6 % of 100.00 in Michigan.
    'calculation sale 11.33',
    // 1.78 and 8.88 for the lines, each rounded. The charges raise it to 11.54 for 130.00 and to 12.43 for 140.00: 0.89
    // each.
    'calculation sale 12.44',
    // 6.625 % of 110.00 - 11.00.
    'calculation sale 6.56',
    // 6 % of 100.00 - 20.00.
    'calculation sale 4.80',
    // 6.25 % of 100.00 - 10.00.
    'calculation sale 5.63',
    // 9.03 for six taxes on 100.00, each rounded, and 0.50.
    'calculation sale 9.53',
    'registration_advice',
    'report_by_state',
    'transaction sale draft 6.00',
    'transaction sale draft 6.00',
    'list',
    'coverage',
  ]);
  expect(values[2]?.data[0]).toMatchObject({ code: 'FOOD.DIETARY_SUPPLEMENTS', taxability: { state: 'TX' } });
  expect(values[4]?.data.map(({ code }) => code)).toEqual(['CLOTHING.SWIMWEAR']);
  expect(values[5]).toMatchObject({ reference_id: 'invoice_1' });
  // Sent with the same Idempotency-Key.
  expect(values[23]).toEqual(values[24]);
});
