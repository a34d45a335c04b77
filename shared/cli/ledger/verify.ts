/** `ledger verify`: check that all stored items of an account agree. */
import type { Command } from 'commander';
import { now } from '../../config/clock.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { type Check, checks, type Finding, findingText } from './finding.ts';
import { verifyAccount } from './verify-account.ts';
import type { Counts } from './verify-transaction.ts';

/** The most findings in JSON. The counts and the text output have all. */
const findingsMax = 1000;

/** Long enough for a change to be complete at the next reading. */
const pauseMs = 150;

const checkedText = (counts: Counts): readonly string[] => [
  counted(counts.transactions, 'transaction'),
  counted(counts.lines, 'line'),
  counted(counts.audit_entries, 'audit entry', 'audit entries'),
  counted(counts.credits, 'live credit'),
  counted(counts.claims, 'claim'),
  counted(counts.entries, 'entry', 'entries'),
  counted(counts.filings, 'filing'),
];

type Found = { readonly total: number; readonly by_check: Readonly<Record<Check, number>> };

const report = (account: string, counts: Counts, { total, by_check }: Found): void => {
  print(`Checked of ${account}: ${checkedText(counts).join(', ')}.`);
  const found = checks.filter((check) => by_check[check] > 0).map((check) => `${check} ${by_check[check]}`);
  print(total === 0 ? 'No findings.' : `${counted(total, 'finding')}: ${found.join(', ')}.`);
};

export const addVerify = (program: Command): Command =>
  program
    .command('verify')
    .summary("check an account's transactions, entries and filings")
    .description(
      'Check all transactions of an account with strongly consistent reads: audit entries and their hashes, totals as the sums of lines and jurisdictions, credited counters as the sums of live credits, claims on references, open and filed entries, totals of filings, statuses and times. Prints each finding with the actual and the expected value. Exits with 1 if there is a finding.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--json', `one JSON object, with at most ${findingsMax.toLocaleString('en-US')} findings`)
    .addHelpText('after', '\nExample:\n  npm run ledger -- verify --account acct_demo')
    .action(async ({ account, json = false }: { account: string; json?: boolean }) => {
      await requireAccount(account);
      const findings: Finding[] = [];
      const by_check = Object.fromEntries(checks.map((check) => [check, 0])) as Record<Check, number>;
      let total = 0;
      const onFinding = (finding: Finding) => {
        total += 1;
        by_check[finding.check] += 1;
        if (!json) print(findingText(finding));
        else if (findings.length < findingsMax) findings.push(finding);
      };
      const counts = await withProgress(`Verifying ${account}`, 1, 'Interrupted', async ({ reach, finish }) => {
        const onProgress = (share: number, { transactions }: Counts) =>
          reach(share, counted(transactions, 'transaction'));
        const verified = await verifyAccount({ account, nowMs: now, pauseMs, onFinding, onProgress });
        finish(`Verified ${counted(verified.transactions, 'transaction')}`);
        return verified;
      });
      if (json) printJson({ account, checked: counts, findings_total: total, findings_by_check: by_check, findings });
      else report(account, counts, { total, by_check });
      if (total > 0) process.exitCode = 1;
    });
