/** `ledger verify`: whether everything that is stored of an account agrees with everything else. */
import type { Command } from 'commander';
import { now } from '../../config/clock.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { type Check, checks, type Finding, findingText } from './finding.ts';
import { verifyAccount } from './verify-account.ts';
import type { Counts } from './verify-transaction.ts';

/** As many findings as JSON names; all are counted, and text names all. */
const findingsNamed = 1000;

/** Long enough for the next reading to see a change that was being made. */
const pauseMs = 150;

const lookedAt = (counts: Counts): readonly string[] => [
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
  print(`Checked of ${account}: ${lookedAt(counts).join(', ')}.`);
  const found = checks.filter((check) => by_check[check] > 0).map((check) => `${check} ${by_check[check]}`);
  print(total === 0 ? 'No findings.' : `${counted(total, 'finding')}: ${found.join(', ')}.`);
};

export const addVerify = (program: Command): void => {
  program
    .command('verify')
    .summary("check an account's transactions and everything that rests on them")
    .description(
      'Walk over all transactions of an account and check, each from the table itself: the chain of audit entries with every hash computed again, totals as the sums of lines and jurisdictions, credited counters as the sums of live credits, claims on references, entries that are open or in a filing, totals of filings, states and times. Prints each finding with how it is and how it should be; exit code 1 where there is one.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--json', `one JSON object, naming at most ${findingsNamed.toLocaleString('en-US')} findings`)
    .addHelpText('after', '\nExample:\n  npm run ledger -- verify --account acct_demo')
    .action(async ({ account, json = false }: { account: string; json?: boolean }) => {
      if (!(await findAccount(account)))
        throw new CommandError(`There is no account ${account}. Send the id, such as acct_demo.`);
      const findings: Finding[] = [];
      const by_check = Object.fromEntries(checks.map((check) => [check, 0])) as Record<Check, number>;
      let total = 0;
      const progress = startProgress(`Verifying ${account}`, 1);
      const onFinding = (finding: Finding) => {
        total += 1;
        by_check[finding.check] += 1;
        if (!json) print(findingText(finding));
        else if (findings.length < findingsNamed) findings.push(finding);
      };
      const onProgress = (share: number, { transactions }: Counts) =>
        progress.reach(share, counted(transactions, 'transaction'));
      try {
        const counts = await verifyAccount({ account, nowMs: now, pauseMs, onFinding, onProgress });
        progress.finish(`Verified ${counted(counts.transactions, 'transaction')}`);
        if (json) printJson({ account, checked: counts, findings_total: total, findings_by_check: by_check, findings });
        else report(account, counts, { total, by_check });
      } catch (error) {
        progress.fail('Not verified to the end');
        throw error;
      }
      if (total > 0) process.exitCode = 1;
    });
};
