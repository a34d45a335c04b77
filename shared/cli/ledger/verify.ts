import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { concurrently } from '../../base/collections.ts';
import { allAccounts } from '../../store/accounts/account-store.ts';
import { jsonFile, refuseValue, requireAccount, resolvePath, wholeNumber } from '../terminal/arguments.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { CommandError, flag, optional, subcommand, withDefault } from '../terminal/run-command.ts';
import { checks, type Finding, findingText } from './checks.ts';
import { Progress, verifyAccount } from './verify-account.ts';

/** Selects a share of the transactions by a hash of id and seed, so every run selects the same transactions. */
const Sample = { share: z.string(), seed: z.int() };
type Sample = Readonly<z.output<z.ZodMiniObject<typeof Sample>>>;
const State = z.strictObject({ ...Sample, accounts: z.record(z.string(), Progress) });
type State = z.output<typeof State>;

const isSampled = ({ share, seed }: Sample, id: string): boolean =>
  createHash('sha256').update(`${seed} ${id}`).digest().readUInt32BE() < Number(share) * 2 ** 32;

/** Returns the state in the file, or a new state. Refuses a damaged file or a file with a different share or seed. */
const openState = (
  file: string | null,
  { share, seed }: { readonly share: string | undefined; readonly seed: number | undefined },
): State => {
  const refusal = `${file} was not written by \`ledger verify --resume\``;
  const found = file !== null && existsSync(file) ? jsonFile(file, State, refusal) : null;
  for (const [name, before, given] of [
    ['--sample', found?.share, share],
    ['--seed', found?.seed, seed],
  ])
    if (before !== undefined && given !== undefined && before !== given)
      throw new CommandError(`${file} was written with ${name} ${before}. Pass the same value or a different file.`);
  return found ?? { share: share ?? '1', seed: seed ?? Math.floor(Math.random() * 1_000_000), accounts: {} };
};

const saveState = (file: string | null, state: State): void => {
  if (file === null) return;
  // A run that is killed here leaves the file unchanged.
  writeFileSync(`${file}.part`, JSON.stringify(state));
  renameSync(`${file}.part`, file);
};

/** `ledger verify`: check that all stored items of an account are consistent. */

/** Minimum interval between two writes of the file. */
const saveEveryMs = 1000;

/** Maximum number of findings in JSON output. The counts and the text output include all findings. */
const findingsMax = 1000;

/** Long enough for a concurrent change to complete before the next read. */
const pauseMs = 150;

const checkedText = (counts: Progress['counts']): readonly string[] => [
  counted(counts.transactions, 'transaction'),
  counted(counts.lines, 'line'),
  counted(counts.audit_entries, 'audit entry', 'audit entries'),
  counted(counts.credits, 'live credit'),
  counted(counts.claims, 'claim'),
  counted(counts.entries, 'entry', 'entries'),
  counted(counts.filings, 'filing'),
];

const readAccounts = async (account: string | undefined, all: boolean | undefined): Promise<readonly string[]> => {
  if ((account === undefined) === (all === undefined)) throw new CommandError('Pass either --account or --all.');
  if (account === undefined) return (await Array.fromAsync(allAccounts())).map(({ id }) => id);
  await requireAccount(account);
  return [account];
};

const parseShare = (text: string): string =>
  /^(0\.\d{1,6}|1)$/.test(text) && Number(text) > 0
    ? text
    : refuseValue('Pass a share above 0 and up to 1, such as 0.05.');

/** The checked account, and its first findings of this run. */
type Verified = { readonly account: string; readonly progress: Progress; readonly findings: readonly Finding[] };

const countFindings = ({ progress }: Verified): number =>
  Object.values(progress.findings).reduce((sum, count) => sum + count, 0);

const report = (verified: Verified): void => {
  const { counts, findings } = verified.progress;
  print(`${verified.account}: checked ${checkedText(counts).join(', ')}.`);
  if (counts.redacted > 0)
    print(
      `Redacted: ${counted(counts.redacted, 'transaction')}. Hashes of their earlier states cannot be recomputed; the chain and the digest of the removed data are intact.`,
    );
  const total = countFindings(verified);
  const found = checks.filter((check) => findings[check] > 0).map((check) => `${check} ${findings[check]}`);
  print(total === 0 ? 'No findings.' : `${counted(total, 'finding')}: ${found.join(', ')}.`);
};

const toJson = (verified: Verified) => ({
  account: verified.account,
  checked: verified.progress.counts,
  findings_total: countFindings(verified),
  findings_by_check: verified.progress.findings,
  findings: verified.findings,
});

export const verify = subcommand({
  name: 'verify',
  summary: "check an account's transactions, entries and filings",
  description:
    'Check all transactions of an account with strongly consistent reads: audit entries and their hashes, totals against the sums of lines and jurisdictions, credit counters against the sums of live credits, claims on references, open and filed entries, totals of filings, statuses and times. Prints each finding with the actual and the expected value. Exits with 1 if there is a finding.',
  options: {
    account: optional('<id>', 'the account, such as acct_demo'),
    all: flag('all accounts'),
    sample: optional(
      '<share>',
      'check a share of the transactions, such as 0.05, and all open entries and filings',
      parseShare,
    ),
    seed: optional('<n>', 'the seed of the sample; by default random, and printed', wholeNumber(0, 1_000_000)),
    parallel: withDefault(4, '<n>', 'accounts verified at the same time', wholeNumber(1, 32)),
    resume: optional('<file>', 'save progress to this file, and resume from it after an interruption', resolvePath),
    json: flag(`one JSON object, with at most ${findingsMax.toLocaleString('en-US')} findings per account`),
  },
  examples: ['ledger -- verify --account acct_demo', 'ledger -- verify --all --sample 0.01 --resume verify.json'],
  run: async ({ account: named, all, sample: share, seed, resume: file = null, json, parallel }) => {
    const accounts = await readAccounts(named, all);
    const state = openState(file, { share, seed });
    const sampled = state.share === '1' ? {} : { sample: state.share, seed: state.seed };
    if (!json && sampled.sample) print(`A sample of ${sampled.sample} of the transactions, --seed ${sampled.seed}.`);
    let savedMs = Number.NEGATIVE_INFINITY;
    const save = () => {
      if (performance.now() - savedMs < saveEveryMs) return;
      savedMs = performance.now();
      saveState(file, state);
    };
    const done: Verified[] = [];
    const title =
      accounts.length === 1 ? `Verifying ${accounts[0]}` : `Verifying ${counted(accounts.length, 'account')}`;
    await withProgress(title, accounts.length, 'Interrupted', async ({ reach, finish }) => {
      const reached = new Map<string, readonly [share: number, transactions: number]>();
      const getSum = (at: 0 | 1) => [...reached.values()].reduce((sum, pair) => sum + pair[at], 0);
      const onProgress = (account: string, progress: Progress, part: number) => {
        state.accounts[account] = progress;
        save();
        reached.set(account, [part, progress.counts.transactions]);
        reach(getSum(0), counted(getSum(1), 'transaction'));
      };
      const verifyNext = async (account: string) => {
        const findings: Finding[] = [];
        const progress = await verifyAccount({
          account,
          pauseMs,
          from: state.accounts[account],
          isSampled: (id) => isSampled(state, id),
          onProgress: (current, part) => onProgress(account, current, part),
          onFinding: (finding) => {
            if (findings.length < findingsMax) findings.push(finding);
            if (!json) print(all ? `${account}  ${findingText(finding)}` : findingText(finding));
          },
        });
        onProgress(account, progress, 1);
        done.push({ account, progress, findings });
      };
      await concurrently(accounts, verifyNext, parallel).finally(() => saveState(file, state));
      finish(`Verified ${counted(getSum(1), 'transaction')}`);
    });
    // Verification is complete, so the next run starts over.
    if (file !== null) rmSync(file, { force: true });
    if (json && all) printJson({ ...sampled, accounts: done.map(toJson) });
    else if (json) for (const one of done) printJson({ ...toJson(one), ...sampled });
    else done.forEach(report);
    if (done.some((one) => countFindings(one) > 0)) process.exitCode = 1;
  },
});
