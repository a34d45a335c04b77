/** `ledger export`: an account's ledger as a file. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { now } from '../../config/clock.ts';
import { findAccount } from '../../store/accounts/account-store.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { exportLedger } from './export/export-ledger.ts';
import type { Counts } from './export/format.ts';

const pauseMs = 2000;
const sayEvery = 10_000;

/** Counts in words. */
export const countsText = (counts: Counts): string =>
  [
    counted(counts.transaction, 'transaction'),
    counted(counts.audit_entry, 'audit entry', 'audit entries'),
    counted(counts.open_entry, 'open entry', 'open entries'),
    counted(counts.filing, 'filing'),
    counted(counts.filed_entry, 'filed entry', 'filed entries'),
  ].join(', ');

/** npm runs scripts in the project's folder, wherever it was called. */
export const pathOf = (file: string): string => resolve(process.env['INIT_CWD'] ?? '', file);

export const addExport = (program: Command): void => {
  program
    .command('export')
    .summary("write an account's ledger into a file")
    .description(
      'Write all transactions of an account with their audit chains, claims, open entries, filings and settings into a file of JSON lines, which `ledger import` reads. Nothing may write to the ledger meanwhile; the command fails if something has.',
    )
    .argument('<account>', 'the account, such as acct_demo')
    .requiredOption('--out <file>', 'where to; there must be nothing yet')
    .addHelpText('after', '\nExample:\n  npm run ledger -- export acct_demo --out acct_demo.ndjson')
    .action(async (id: string, { out }: { out: string }) => {
      const path = pathOf(out);
      if (existsSync(path)) throw new CommandError(`${path} is there already. Name another file.`);
      const account = await findAccount(id);
      if (!account) throw new CommandError(`There is no account ${id}. Send the id, such as acct_demo.`);
      let lines = 0;
      const onProgress = (counts: Counts) => {
        lines += 1;
        if (lines % sayEvery === 0) process.stderr.write(`${countsText(counts)}\n`);
      };
      const { header, trailer } = await exportLedger({ account, out: path, nowMs: now, pauseMs, onProgress });
      print(`Exported of ${id}: ${countsText(header.counts)}.`);
      print(`${path}: ${counted(trailer.lines + 1, 'line')}, SHA-256 of all but the last ${trailer.sha256}.`);
    });
};
