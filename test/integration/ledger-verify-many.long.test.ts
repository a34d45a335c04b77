/** Runs `npm run ledger -- verify` for several accounts, samples and interruptions. This file has separate tables. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { claimKey } from '../../shared/store/keys.ts';
import { newClient } from '../support/api.ts';
import { intercept, noFaults } from '../support/faults.ts';
import { expectFailure, ledger } from '../support/run-command.ts';
import { made, sale } from '../support/sales.ts';
import { remove } from '../support/tampering.ts';
import { createFolder } from '../support/temporary-files.ts';

type Report = {
  readonly account: string;
  readonly checked: Readonly<Record<string, number>>;
  readonly findings_total: number;
  readonly findings: readonly { readonly id: string }[];
};
type AllReport = { readonly sample?: string; readonly seed?: number; readonly accounts: readonly Report[] };

const folder = createFolder();
const file = join(folder, 'state.json');
const verify = (...args: string[]) => ledger('verify', ...args);
const byAccount = ({ accounts }: AllReport) => accounts.toSorted((a, b) => (a.account < b.account ? -1 : 1));

// More than two pages of transactions in one account, and a few in three others.
const large = 240;
const accounts: string[] = [];
const ids: string[] = [];
let broken = { id: '~', reference: '' };

beforeAll(async () => {
  for (const count of [large, 3, 2, 0]) {
    const client = await newClient();
    accounts.push(client.account.id);
    for (let from = 0; from < count; from += 10)
      await Promise.all(
        Array.from({ length: Math.min(10, count - from) }, async (_, at) => {
          const reference = `order_${from + at}`;
          const { id } = await made(client.create(sale({ reference_id: reference })));
          if (count !== large) return;
          ids.push(id);
          // The oldest transaction of the large account: only the first page has the finding.
          if (id < broken.id) broken = { id, reference };
        }),
      );
  }
});
afterEach(() => {
  noFaults();
  rmSync(file, { force: true });
});

/** Counts the reads of single items, and fails them after a given number. */
const countReads = (most = Number.POSITIVE_INFINITY) => {
  const seen = { reads: 0 };
  intercept(({ command, pass }) => {
    if (command === 'GetItem') seen.reads += 1;
    if (seen.reads > most) throw new Error('The machine was stopped.');
    return pass();
  });
  return seen;
};

it('verifies every account in parallel with --all, and reports the same as in sequence', async () => {
  const { code, out } = await verify('--all', '--json');
  const report: AllReport = JSON.parse(out);
  expect([code, report.accounts.length]).toEqual([0, 4]);
  const counts = Object.fromEntries(report.accounts.map(({ account, checked }) => [account, checked['transactions']]));
  expect(accounts.map((account) => counts[account])).toEqual([large, 3, 2, 0]);
  const alone: AllReport = JSON.parse((await verify('--all', '--json', '--parallel', '1')).out);
  expect(byAccount(alone)).toEqual(byAccount(report));
});

it('draws the same sample for the same seed, a different one for another seed, about as large as its share', async () => {
  const checkedBy = async (seed: string) => {
    const { out } = await verify('--account', accounts[0] as string, '--sample', '0.25', '--seed', seed, '--json');
    const { checked, ...report } = JSON.parse(out);
    expect(report).toMatchObject({ sample: '0.25', seed: Number(seed) });
    return checked;
  };
  const [first, again] = [await checkedBy('1'), await checkedBy('1')];
  expect(again).toEqual(first);
  const others = [await checkedBy('2'), await checkedBy('3'), await checkedBy('4'), await checkedBy('5')];
  // Two samples can have the same counts by chance.
  expect(others).not.toEqual(others.map(() => first));
  // The expected number is 60, and five standard deviations are 34.
  for (const { transactions } of [first, ...others]) expect(Math.abs(transactions - large / 4)).toBeLessThan(34);
  const text = await verify('--account', accounts[1] as string, '--sample', '0.5');
  expect(text.out).toMatch(/^A sample of 0\.5 of the transactions, --seed \d+\.\n/);
});

it('resumes after the last complete page, with the findings up to there', async () => {
  await remove(claimKey(accounts[0] as string, broken.reference));
  const whole = countReads();
  const expected: AllReport = JSON.parse((await verify('--all', '--json')).out);
  noFaults();
  expect(expected.accounts.flatMap(({ findings }) => findings.map(({ id }) => id))).toEqual([broken.id]);

  countReads(Math.floor(whole.reads * 0.75));
  const stopped = await verify('--all', '--resume', file, '--json');
  noFaults();
  expect([stopped.code, stopped.out]).toEqual([1, '']);
  const state = JSON.parse(readFileSync(file, 'utf8'));
  expect(ids).toContain(state.accounts[accounts[0] as string].after);

  const rest = countReads();
  const resumed = await verify('--all', '--resume', file, '--json');
  expect(rest.reads).toBeLessThan(whole.reads * 0.75);
  expect([resumed.code, existsSync(file)]).toEqual([1, false]);
  const withoutFindings = (report: AllReport) => byAccount(report).map(({ findings: _, ...one }) => one);
  expect(withoutFindings(JSON.parse(resumed.out))).toEqual(withoutFindings(expected));
});

it.each([
  [['--account', 'acct_1', '--all'], 'Pass either --account or --all.'],
  [['--all', '--sample', '0'], 'Pass a share above 0'],
  [['--all', '--sample', '1.5'], 'Pass a share above 0'],
  [['--all', '--parallel', '0'], 'from 1 to 32'],
])('rejects %j', async (args, message) => {
  expectFailure(await verify(...args), message);
});

it('rejects a checkpoint of another sample, and a file that is not a checkpoint', async () => {
  const state = { share: '0.5', seed: 7, accounts: {} };
  writeFileSync(file, JSON.stringify(state));
  expectFailure(await verify('--all', '--resume', file, '--sample', '0.25'), 'was written with --sample 0.5');
  expectFailure(await verify('--all', '--resume', file, '--seed', '8'), 'was written with --seed 7');
  expect((await verify('--all', '--resume', file, '--json')).out).toContain('"seed": 7');
  for (const text of ['{', '[]', '{"share":"0.5"}']) {
    writeFileSync(file, text);
    expect((await verify('--all', '--resume', file)).err).toContain('was not written by `ledger verify --resume`');
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
});
