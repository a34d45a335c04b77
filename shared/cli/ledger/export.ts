/** `ledger export`: write an account's ledger to a file. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { now } from '../../config/clock.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { pathOf } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { exportLedger } from './export/export-ledger.ts';
import type { Counts } from './export/format.ts';

const pauseMs = 2000;
const linesBetweenReports = 10_000;

export const countsText = (counts: Counts): string =>
  [
    counted(counts.transaction, 'transaction'),
    counted(counts.audit_entry, 'audit entry', 'audit entries'),
    counted(counts.open_entry, 'open entry', 'open entries'),
    counted(counts.filing, 'filing'),
    counted(counts.filed_entry, 'filed entry', 'filed entries'),
    counted(counts.customer, 'customer'),
  ].join(', ');

export const addExport = (program: Command): Command =>
  program
    .command('export')
    .summary("write an account's ledger to a file")
    .description(
      'Write all transactions of an account with their audit chains, claims, open entries, filings, customers and settings to a file of JSON lines, which `ledger import` reads. Stop all writers first: the command fails if the ledger changes.',
    )
    .argument('<account>', 'the account, such as acct_demo')
    .requiredOption('--out <file>', 'the new file')
    .addHelpText('after', '\nExample:\n  npm run ledger -- export acct_demo --out acct_demo.ndjson')
    .action(async (id: string, { out }: { out: string }) => {
      const path = pathOf(out);
      if (existsSync(path)) throw new CommandError(`The file ${path} already exists. Pass another name.`);
      const account = await requireAccount(id);
      let lines = 0;
      const onProgress = (counts: Counts) => {
        lines += 1;
        if (lines % linesBetweenReports === 0) process.stderr.write(`${countsText(counts)}\n`);
      };
      const { header, trailer } = await exportLedger({ account, out: path, nowMs: now, pauseMs, onProgress });
      print(`Exported ${id}: ${countsText(header.counts)}.`);
      print(`${path}: ${counted(trailer.lines + 1, 'line')}, SHA-256 without the last line: ${trailer.sha256}.`);
    });
