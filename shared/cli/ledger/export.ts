import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../accounts/account.ts';
import { pagesOf } from '../../base/collections.ts';
import { now } from '../../config/clock.ts';
import type { StoredFiling } from '../../filings/filing.ts';
import { customerReads } from '../../store/customers/customer-reads.ts';
import { transactionIndex } from '../../store/ledger/transaction-index.ts';
import { pathOf, requireAccount } from '../terminal/arguments.ts';
import { counted, print } from '../terminal/output.ts';
import { CommandError, type LevyCommand } from '../terminal/run-command.ts';
import { statesOfEntries } from './checks.ts';
import {
  type Counts,
  exportedTransactions,
  fileLines,
  filingLines,
  finishedFilings,
  format,
  formatVersion,
  type Header,
  type Line,
  LineHashChain,
  noCounts,
  releaseHash,
  type Trailer,
} from './format.ts';
import type { NumberedLine } from './read-export.ts';

const pageSize = 100;
const readings = 3;
// The file contains customer addresses.
const ownerOnly = 0o600;

type Export = {
  readonly account: Account;
  /** A path without a file. */
  readonly out: string;
  /** Pause between two reads of the index, which may lag behind the table. */
  readonly pauseMs: number;
  readonly onProgress: (counts: Counts) => void;
};

type Seen = { readonly counts: Counts; readonly releases: Set<string>; readonly states: Set<string> };

/** Adds a transaction and its version to an order-independent sum of hashes. */
const withVersion = (sum: bigint, { id, version }: { readonly id: string; readonly version: number }): bigint => {
  const hash = createHash('sha256').update(`${id} ${version}`).digest('hex');
  return (sum + BigInt(`0x${hash}`)) % 2n ** 256n;
};

type Cursor = Parameters<typeof transactionIndex.page>[1]['after'];

type Rows = { readonly rows: readonly { readonly id: string; readonly version: number }[] };
const sumVersions = async (pages: AsyncIterable<Rows>): Promise<bigint> => {
  let sum = 0n;
  for await (const { rows } of pages) sum = rows.reduce(withVersion, sum);
  return sum;
};

/** Returns the sum over all transactions and versions in the index, which may lag seconds behind the table. */
const listedVersions = (account: string): Promise<bigint> => {
  const query = { index: 'by_account', value: null, from: null, to: null, limit: pageSize } as const;
  return sumVersions(pagesOf((after: Cursor) => transactionIndex.page(account, { ...query, after })));
};

const customerPages = (account: string) =>
  pagesOf((after: string | null) => customerReads.page(account, after, pageSize));

const customerLines = async function* (account: string): AsyncGenerator<Line> {
  for await (const { rows } of customerPages(account))
    for (const customer of rows) yield { kind: 'customer', customer };
};

const filingVersions = (filings: readonly StoredFiling[]): string =>
  JSON.stringify(filings.map(({ id, version }) => [id, version]));

/** Yields the lines of an account's ledger. Throws at the end if the ledger changed in the meantime. */
const ledgerLines = async function* (
  { account: { id: account }, pauseMs }: Pick<Export, 'account' | 'pauseMs'>,
  { releases, states }: Seen,
): AsyncGenerator<Line> {
  const filings = await finishedFilings(account);
  let versions = 0n;
  for await (const { stored, lines } of exportedTransactions(account)) {
    const { transaction } = stored;
    versions = withVersion(versions, transaction);
    for (const release of Object.values(transaction.content_releases)) releases.add(release);
    for (const { jurisdiction_code } of transaction.tax_summary) states.add(jurisdiction_code.slice(0, 5));
    yield* lines;
  }
  for (const { state } of filings) states.add(state);
  yield* filingLines(account, filings, statesOfEntries(states));
  const customers = await sumVersions(customerPages(account));
  yield* customerLines(account);
  for (let reading = 1; ; reading++) {
    const isSame = filingVersions(await finishedFilings(account)) === filingVersions(filings);
    const isUnchanged = isSame && (await sumVersions(customerPages(account))) === customers;
    if (isUnchanged && (await listedVersions(account)) === versions) return;
    if (reading === readings)
      throw new CommandError(
        'The ledger changed during the export. Stop all writes to it, or export from tables restored to one point in time.',
      );
    await pause(pauseMs);
  }
};

const headerOf = async (account: Account, { counts, releases }: Seen): Promise<Header> => {
  const hashes: Record<string, string> = {};
  for (const release of [...releases].sort()) {
    const hash = await releaseHash(release);
    if (hash === null) throw new CommandError(`Transactions use the release ${release}, which does not exist.`);
    hashes[release] = hash;
  }
  const { id, name, created_at, settings } = account;
  return {
    kind: 'header',
    format,
    format_version: formatVersion,
    account: { id, name, created_at, settings },
    exported_at: new Date(now()).toISOString(),
    counts,
    releases: hashes,
  };
};

const writeLines = (path: string, lines: AsyncIterable<string>): Promise<void> =>
  writeFile(path, lines, { mode: ownerOnly, flush: true });

const unsealedLines = async function* (work: Export, seen: Seen): AsyncGenerator<string> {
  for await (const line of ledgerLines(work, seen)) {
    seen.counts[line.kind] += 1;
    work.onProgress(seen.counts);
    yield `${JSON.stringify(line)}\n`;
  }
};

const sealedLines = async function* (unsealed: string, header: Header, onTrailer: (trailer: Trailer) => void) {
  const hashChain = new LineHashChain();
  const hash = createHash('sha256');
  let lines = 0;
  const next = (text: string): string => {
    const line = `${hashChain.close(text)}\n`;
    hash.update(line);
    lines += 1;
    return line;
  };
  yield next(JSON.stringify(header));
  for await (const { bytes } of fileLines(unsealed)) yield next(bytes.toString('utf8', 0, bytes.length - 1));
  const trailer: Trailer = { kind: 'trailer', lines, sha256: hash.digest('hex') };
  onTrailer(trailer);
  yield `${hashChain.close(JSON.stringify(trailer))}\n`;
};

/**
 * Exports an account's ledger to a file that appears only when complete. Reads each transaction once.
 *
 * The header contains the number of lines of each kind, so the lines are first written to a temporary file.
 */
export const exportLedger = async (work: Export): Promise<{ readonly header: Header; readonly trailer: Trailer }> => {
  const unsealed = `${work.out}.unsealed`;
  const partial = `${work.out}.partial`;
  const seen: Seen = { counts: noCounts(), releases: new Set(), states: new Set() };
  try {
    await writeLines(unsealed, unsealedLines(work, seen));
    const header = await headerOf(work.account, seen);
    const { promise: trailer, resolve } = Promise.withResolvers<Trailer>();
    await writeLines(partial, sealedLines(unsealed, header, resolve));
    await rename(partial, work.out);
    return { header, trailer: await trailer };
  } finally {
    await rm(unsealed, { force: true });
    await rm(partial, { force: true });
  }
};

/**
 * Compares a file that `checkExport` accepts with a new export of the account. Returns the number of the first line
 * that differs, or `null` if none does.
 */
export const firstDifference = async (
  work: Pick<Export, 'account' | 'pauseMs'>,
  lines: AsyncIterable<NumberedLine>,
): Promise<number | null> => {
  const file = lines[Symbol.asyncIterator]();
  let last = 1;
  for await (const line of ledgerLines(work, { counts: noCounts(), releases: new Set(), states: new Set() })) {
    const { value } = await file.next();
    if (!value || !isDeepStrictEqual(value.line, JSON.parse(JSON.stringify(line)))) return last + 1;
    last = value.number;
  }
  return (await file.next()).done ? null : last + 1;
};

/** `ledger export`: write an account's ledger to a file. */

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

export const addExport = (program: LevyCommand): LevyCommand =>
  program
    .command('export')
    .summary("write an account's ledger to a file")
    .description(
      'Write all transactions of an account with their audit chains, claims, open entries, filings, customers and settings to a file of JSON lines, which `ledger import` reads. Stop all writers first: the command fails if the ledger changes.',
    )
    .argument('<account>', 'the account, such as acct_demo')
    .requiredOption('--out <file>', 'the new file')
    .examples('ledger -- export acct_demo --out acct_demo.ndjson')
    .action(async (id: string, { out }: { out: string }) => {
      const path = pathOf(out);
      if (existsSync(path)) throw new CommandError(`The file ${path} already exists. Pass a different name.`);
      const account = await requireAccount(id);
      let lines = 0;
      const onProgress = (counts: Counts) => {
        lines += 1;
        if (lines % linesBetweenReports === 0) process.stderr.write(`${countsText(counts)}\n`);
      };
      const { header, trailer } = await exportLedger({ account, out: path, pauseMs, onProgress });
      print(`Exported ${id}: ${countsText(header.counts)}.`);
      print(`${path}: ${counted(trailer.lines + 1, 'line')}, SHA-256 up to the last line: ${trailer.sha256}.`);
    });
