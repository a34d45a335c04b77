/** `ledger import`: an exported ledger, into another account. */
import type { Command } from 'commander';
import { now } from '../../config/clock.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { startProgress } from '../terminal/progress.ts';
import { countsText, pathOf } from './export.ts';
import { findingText } from './finding.ts';
import { importLedger } from './import/import-ledger.ts';
import { checkExport } from './import/read-export.ts';
import { refuseOtherContent } from './import/target.ts';
import { verifyImport } from './import/verify-import.ts';

const pauseMs = 500;
const accountId = /^acct_[A-Za-z0-9_]{1,59}$/;

const importInto = async (account: string, file: string, { withoutContent = false }: { withoutContent?: boolean }) => {
  if (!accountId.test(account)) throw new CommandError('An account is named like acct_demo.');
  const path = pathOf(file);
  const checked = await checkExport(path);
  const { header, trailer } = checked;
  const missing = await refuseOtherContent(header, withoutContent);
  const progress = startProgress(`Importing into ${account}`, trailer.lines);
  const onProgress = (written: number) => progress.reach(written, counted(written, 'line'));
  try {
    const isNew = await importLedger({ account, path, checked, nowMs: now, onProgress });
    progress.finish(isNew ? `Written: ${counted(trailer.lines, 'line')}` : 'It was written before');
  } catch (error) {
    progress.fail('Not written to the end: the same command goes on from there');
    throw error;
  }
  print(`Imported of ${header.account.id} into ${account}: ${countsText(header.counts)}.`);
  if (missing.length > 0) print(`Not here, and so not to be computed again: ${missing.join(', ')}.`);
  const verified = await verifyImport({ account, counts: header.counts, nowMs: now, pauseMs });
  for (const finding of verified.findings) print(findingText(finding));
  for (const line of verified.missing) print(line);
  const isRight = verified.findings.length === 0 && verified.missing.length === 0;
  print(isRight ? 'Verified: no findings.' : 'The imported ledger is not as it should be.');
  if (!isRight) process.exitCode = 1;
};

export const addImport = (program: Command): void => {
  program
    .command('import')
    .summary('write an exported ledger into an account')
    .description(
      'Check a file of `ledger export` from its first line to its last, write it into an account that has no ledger, make the account with its settings where there is none, and verify it. Sent again, it goes on where it was broken off.',
    )
    .argument('<account>', 'the account here; it may be another id than the exported one')
    .argument('<file>', 'what `ledger export` wrote')
    .option('--without-content', 'also where releases are missing, without which nothing can be computed again')
    .addHelpText('after', '\nExample:\n  npm run ledger -- import acct_demo acct_demo.ndjson')
    .action(importInto);
};
