import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../accounts/account.ts';
import { readPages } from '../../base/collections.ts';
import { now } from '../../config/clock.ts';
import type { StoredFiling } from '../../filings/filing.ts';
import { customerReads } from '../../store/customers/customer-reads.ts';
import { transactionIndex } from '../../store/ledger/transaction-index.ts';
import { requireAccount, resolvePath } from '../terminal/arguments.ts';
import { writeAll } from '../terminal/files.ts';
import { counted, print } from '../terminal/output.ts';
import { CommandError, required, subcommand } from '../terminal/run-command.ts';
import { statesOfEntries } from './checks.ts';
import {
  type Counts,
  exportedTransactions,
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
const linesBetweenReports = 10_000;

type Source = {
  readonly account: Account;
  /** Pause between two reads of the index, which may lag behind the table. */
  readonly pauseMs: number;
};

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
  return sumVersions(readPages((after: Cursor) => transactionIndex.page(account, { ...query, after })));
};

const customerPages = (account: string) =>
  readPages((after: string | null) => customerReads.page(account, after, pageSize));

const filingVersions = (filings: readonly StoredFiling[]): string =>
  JSON.stringify(filings.map(({ id, version }) => [id, version]));

/**
 * Yields the lines of an account's ledger, and adds the releases that its transactions use to `releases`. Throws at the
 * end if the ledger changed in the meantime.
 */
const ledgerLines = async function* (
  { account: { id: account }, pauseMs }: Source,
  releases = new Set<string>(),
): AsyncGenerator<Line> {
  const states = new Set<string>();
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
  let customers = 0n;
  for await (const { rows } of customerPages(account))
    for (const customer of rows) {
      customers = withVersion(customers, customer);
      yield { kind: 'customer', customer };
    }
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

const hashReleases = async (releases: ReadonlySet<string>): Promise<Trailer['releases']> => {
  const hashes: Record<string, string> = {};
  for (const release of [...releases].sort()) {
    const hash = await releaseHash(release);
    if (hash === null) throw new CommandError(`Transactions use the release ${release}, which does not exist.`);
    hashes[release] = hash;
  }
  return hashes;
};

/** Yields the lines of the file. Calls `onEnd` before the last one. */
const fileText = async function* (source: Source, onEnd: (trailer: Trailer) => void): AsyncGenerator<string> {
  const { id, name, created_at, settings } = source.account;
  const account = { id, name, created_at, settings };
  const exported_at = new Date(now()).toISOString();
  const header: Header = { kind: 'header', format, format_version: formatVersion, account, exported_at };
  const hashChain = new LineHashChain();
  const hash = createHash('sha256');
  const counts = noCounts();
  const releases = new Set<string>();
  let lines = 0;
  const next = (value: Header | Line): string => {
    const line = `${hashChain.close(JSON.stringify(value))}\n`;
    hash.update(line);
    lines += 1;
    return line;
  };
  yield next(header);
  for await (const line of ledgerLines(source, releases)) {
    counts[line.kind] += 1;
    if (lines % linesBetweenReports === 0) process.stderr.write(`${countsText(counts)}\n`);
    yield next(line);
  }
  const hashes = await hashReleases(releases);
  const trailer: Trailer = { kind: 'trailer', counts, releases: hashes, lines, sha256: hash.digest('hex') };
  onEnd(trailer);
  yield `${hashChain.close(JSON.stringify(trailer))}\n`;
};

/** Exports an account's ledger to a file that appears only when complete. Reads each transaction once. */
export const exportLedger = async (source: Source, out: string): Promise<Trailer> => {
  const { promise, resolve } = Promise.withResolvers<Trailer>();
  await writeAll([{ path: out, text: fileText(source, resolve) }]);
  return promise;
};

/**
 * Compares a file that `checkExport` accepts with a new export of the account. Returns the number of the first line
 * that differs, or `null` if none does.
 */
export const firstDifference = async (source: Source, lines: AsyncIterable<NumberedLine>): Promise<number | null> => {
  const file = lines[Symbol.asyncIterator]();
  let last = 1;
  for await (const line of ledgerLines(source)) {
    const { value } = await file.next();
    if (!value || !isDeepStrictEqual(value.line, JSON.parse(JSON.stringify(line)))) return last + 1;
    last = value.number;
  }
  return (await file.next()).done ? null : last + 1;
};

/** `ledger export`: write an account's ledger to a file. */

const pauseMs = 2000;

export const countsText = (counts: Counts): string =>
  [
    counted(counts.transaction, 'transaction'),
    counted(counts.audit_entry, 'audit entry', 'audit entries'),
    counted(counts.open_entry, 'open entry', 'open entries'),
    counted(counts.filing, 'filing'),
    counted(counts.filed_entry, 'filed entry', 'filed entries'),
    counted(counts.customer, 'customer'),
  ].join(', ');

export const exportCommand = subcommand({
  name: 'export',
  summary: "write an account's ledger to a file",
  description:
    'Write all transactions of an account with their audit chains, claims, open entries, filings, customers and settings to a file of JSON lines, which `ledger import` reads. Stop all writers first: the command fails if the ledger changes.',
  arguments: [['<account>', 'the account, such as acct_demo']],
  options: { out: required('<file>', 'the new file', resolvePath) },
  examples: ['ledger -- export acct_demo --out acct_demo.ndjson'],
  run: async ({ out }, id: string) => {
    const account = await requireAccount(id);
    const trailer = await exportLedger({ account, pauseMs }, out);
    print(`Exported ${id}: ${countsText(trailer.counts)}.`);
    print(`${out}: ${counted(trailer.lines + 1, 'line')}, SHA-256 up to the last line: ${trailer.sha256}.`);
  },
});
