/** `ledger import`: write an exported ledger into another account. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { now } from '../../config/clock.ts';
import { pathOf } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { type Counts, type Header, releaseHash } from './export/format.ts';
import { countsText } from './export.ts';
import { type Finding, findingText } from './finding.ts';
import { importLedger } from './import/import-ledger.ts';
import { checkExport } from './import/read-export.ts';
import { type VerifyOptions, verifyAccount } from './verify-account.ts';
import type { Counts as Verified } from './verify-transaction.ts';

const pauseMs = 500;
const readings = 5;
const accountId = /^acct_[A-Za-z0-9_]{1,59}$/;

/** Refuse releases with other content here, and missing ones unless they are allowed. Returns the missing ones. */
export const refuseOtherContent = async ({ releases }: Header, allowsMissing: boolean): Promise<readonly string[]> => {
  const missing: string[] = [];
  const other: string[] = [];
  for (const [release, hash] of Object.entries(releases)) {
    const here = await releaseHash(release);
    if (here === null) missing.push(release);
    else if (here !== hash) other.push(release);
  }
  if (other.length > 0)
    throw new CommandError(
      `These releases have different content here: ${other.join(', ')}. A replay of the transactions would differ.`,
    );
  if (missing.length > 0 && !allowsMissing)
    throw new CommandError(
      `These releases are missing here: ${missing.join(', ')}. Copy the Content table first, or pass --without-content: the ledger is complete without them, but its transactions cannot be replayed.`,
    );
  return missing;
};

/** The items that the file has more of. The table may have more, because expired drafts are swept. */
const missingItems = (counts: Counts, verified: Verified): string[] => {
  const pairs = [
    ['transactions', counts.transaction, verified.transactions],
    ['audit entries', counts.audit_entry, verified.audit_entries],
    ['filings', counts.filing, verified.filings],
    ['entries', counts.open_entry + counts.filed_entry, verified.entries],
  ] as const;
  return pairs.flatMap(([what, inFile, here]) => (here >= inFile ? [] : [`${here} of ${inFile} ${what} are there`]));
};

type Verify = Omit<VerifyOptions, 'onFinding' | 'onProgress'> & { readonly counts: Counts };

/** Check the imported ledger as `ledger verify` does, and its completeness. Repeats, because indexes may be behind. */
export const verifyImport = async ({ account, counts, nowMs, pauseMs }: Verify) => {
  for (let reading = 1; ; reading++) {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => void findings.push(finding);
    const verified = await verifyAccount({ account, nowMs, pauseMs, onFinding, onProgress: () => {} });
    const missing = missingItems(counts, verified);
    if ((missing.length === 0 && findings.length === 0) || reading === readings) return { findings, missing };
    await pause(pauseMs * 2 ** reading);
  }
};

const importInto = async (account: string, file: string, { withoutContent = false }: { withoutContent?: boolean }) => {
  if (!accountId.test(account))
    throw new CommandError(`"${account}" is not an account id. Pass one such as acct_demo.`);
  const path = pathOf(file);
  const checked = await checkExport(path);
  const { header, trailer } = checked;
  const missing = await refuseOtherContent(header, withoutContent);
  const interrupted = 'Interrupted: run the same command again to continue';
  await withProgress(`Importing into ${account}`, trailer.lines, interrupted, async ({ reach, finish }) => {
    const onProgress = (written: number) => reach(written, counted(written, 'line'));
    const isNew = await importLedger({ account, path, checked, nowMs: now, onProgress });
    finish(isNew ? `Wrote ${counted(trailer.lines, 'line')}` : 'Already written');
  });
  print(`Imported ${header.account.id} into ${account}: ${countsText(header.counts)}.`);
  if (missing.length > 0) print(`Missing releases, so their transactions cannot be replayed: ${missing.join(', ')}.`);
  const verified = await verifyImport({ account, counts: header.counts, nowMs: now, pauseMs });
  for (const line of [...verified.findings.map(findingText), ...verified.missing]) print(line);
  const isComplete = verified.findings.length === 0 && verified.missing.length === 0;
  print(isComplete ? 'Verified: no findings.' : 'The imported ledger differs from the file or is inconsistent.');
  if (!isComplete) process.exitCode = 1;
};

export const addImport = (program: Command): Command =>
  program
    .command('import')
    .summary('write an exported ledger into an account')
    .description(
      'Check a whole file of `ledger export`, write it into an account that has no ledger, create the account with its settings if it does not exist, and verify it. After an interruption, run it again to continue.',
    )
    .argument('<account>', 'the account here; its id may differ from the exported one')
    .argument('<file>', 'the file of `ledger export`')
    .option('--without-content', 'allow missing releases; their transactions cannot be replayed')
    .addHelpText('after', '\nExample:\n  npm run ledger -- import acct_demo acct_demo.ndjson')
    .action(importInto);
