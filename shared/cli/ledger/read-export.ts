import { createHash, type Hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { asObject, parseJson } from '../../base/json.ts';
import { ShardProgress, TotalsPart } from '../../filings/ports.ts';
import { type AuditEntry, hashEntry, hashState } from '../../ledger/audit.ts';
import { decodeEntry } from '../../ledger/entries/entry.ts';
import { customerFrom, customerItem } from '../../store/customers/customer-reads.ts';
import {
  chainFrom,
  chainItem,
  filingFrom,
  filingItem,
  filingProgressItem,
  totalsPartItem,
} from '../../store/filings/filing-item.ts';
import { filedEntryKey, type Item } from '../../store/keys.ts';
import { auditEntryFrom, auditItem } from '../../store/ledger/audit-item.ts';
import { claimItem } from '../../store/ledger/commit-writes.ts';
import { entryAttributes, openEntryFrom, openEntryItem } from '../../store/ledger/open-entry-item.ts';
import { transactionFrom, transactionFromJson, transactionItem } from '../../store/ledger/transaction-item.ts';
import { fileLines } from '../terminal/files.ts';
import { CommandError } from '../terminal/run-command.ts';
import { formatVersion, Header, kinds, type Line, LineHashChain, noCounts, Trailer } from './format.ts';

const Kind = z.object({ kind: z.enum(kinds) });

/** A line of a known kind. `toItems` checks its fields. */
const lineFrom = (value: unknown): Line => {
  Kind.parse(value);
  return value as Line;
};

/** Builds an item from the attributes that the service writes. Throws if the service could not read it. */
const checked = (item: Item, from: (item: unknown) => unknown): Item => {
  from(item);
  return item;
};

type Build<Kind> = (account: string, line: Extract<Line, { readonly kind: Kind }>) => readonly Item[];

const builders: { readonly [Kind in Line['kind']]: Build<Kind> } = {
  audit_entry: (account, { entry }) => [checked(auditItem(account, entry), auditEntryFrom)],
  transaction: (account, { holds_reference, stored: written }) => {
    const stored = transactionFromJson(written);
    const { reference_id } = stored.transaction;
    const isClaimed = holds_reference && reference_id !== null;
    return [
      ...(isClaimed ? [claimItem(account, reference_id, stored) as Item] : []),
      checked(transactionItem(account, stored) as Item, transactionFrom),
    ];
  },
  open_entry: (account, { entry }) => [checked(openEntryItem(account, decodeEntry(entry)), openEntryFrom)],
  filing: (account, { filing }) => [checked(filingItem({ ...filing, account }), filingFrom)],
  filing_shard: (account, { filing, progress }) => [
    filingProgressItem(account, filing, z.decode(ShardProgress, progress)),
  ],
  filing_totals: (account, { filing, part }) => [totalsPartItem(account, filing, z.decode(TotalsPart, part))],
  filed_entry: (account, { filing, entry: encoded }) => {
    const entry = decodeEntry(encoded);
    return [checked({ ...filedEntryKey(account, filing, entry), ...entryAttributes(entry) }, openEntryFrom)];
  },
  chain: (account, { chain }) => [checked(chainItem({ ...chain, account }), chainFrom)],
  customer: (account, { customer }) => [checked(customerItem(account, customer), customerFrom)],
};

/**
 * Builds the items of a line for an account. Throws if an export would not write this line. Ignores extra keys and
 * attributes: with index keys of another account, an item would appear in that account's lists.
 */
export const toItems = (account: string, line: Line): readonly Item[] =>
  (builders[line.kind] as Build<Line['kind']>)(account, line);

/** Checks the audit chains of a file line by line. Returns the problem of a line, or `null`. */
const chainCheck = (): ((line: Line) => string | null) => {
  let newest: AuditEntry | null = null;
  return (line) => {
    if (line.kind === 'audit_entry') {
      const { entry } = line;
      const before = entry.version === 1 ? null : newest;
      newest = entry;
      const { hash, ...covered } = entry;
      if (hash !== hashEntry(covered)) return 'the hash does not match the audit entry';
      const isNext = before?.transactionId === entry.transactionId && before.version === entry.version - 1;
      const follows = (entry.version === 1 || isNext) && entry.previousHash === (before?.hash ?? null);
      return follows ? null : 'the audit entry does not follow the previous one';
    }
    if (line.kind !== 'transaction') return null;
    const { transaction, auditHash } = line.stored;
    const agrees =
      newest?.transactionId === transaction.id &&
      newest.version === transaction.version &&
      newest.hash === auditHash &&
      newest.stateHash === hashState(line.stored);
    return agrees ? null : 'the transaction does not match its newest audit entry';
  };
};

export type NumberedLine = { readonly number: number; readonly line: Line };

const refuse = (number: number, why: string): never => {
  throw new CommandError(`Line ${number}: ${why}. Nothing was written; export again.`);
};

const headerFrom = (value: unknown): Header => {
  const version = asObject(value)?.['format_version'];
  const read = Header.safeParse(value);
  if (typeof version === 'number' && version !== formatVersion)
    throw new CommandError(
      `The file has the format version ${version}; this command reads version ${formatVersion}. Export the ledger again.`,
    );
  return read.success ? read.data : refuse(1, 'the line is not the header of an exported ledger');
};

export type Checked = { readonly header: Header; readonly trailer: Trailer };

/** Checks every line of a file before anything is written. Refuses missing, altered and unreadable lines. */
export const checkExport = async (path: string): Promise<Checked> => {
  const hashChain = new LineHashChain();
  const hash = createHash('sha256');
  const chainFault = chainCheck();
  const counts = noCounts();
  let header: Header | null = null;
  let trailer: Trailer | null = null;
  let last = 0;

  for await (const { number, bytes, isWhole } of fileLines(path)) {
    last = number;
    if (trailer !== null) refuse(number, 'there is a line after the trailer');
    if (!isWhole) refuse(number, 'the file is truncated in this line');
    const text = hashChain.open(bytes.toString('utf8', 0, bytes.length - 1));
    if (text === null && number > 1) refuse(number, 'the line was altered, or an earlier line is missing or was moved');
    const value = text === null ? null : parseJson(text);
    const end = Trailer.safeParse(value);
    if (number === 1) header = headerFrom(value);
    else if (end.success) trailer = requireTrailer(end.data, number, hash);
    else {
      const line = readableLine(number, value);
      counts[line.kind] += 1;
      const fault = chainFault(line);
      if (fault) refuse(number, fault);
    }
    hash.update(bytes);
  }
  if (!header) throw new CommandError('The file is empty.');
  if (!trailer) throw new CommandError(`The file ends with line ${last}, which is not a trailer: it is truncated.`);
  if (!isDeepStrictEqual({ ...trailer.counts }, counts))
    refuse(last, 'the counts in the trailer do not match the lines');
  return { header, trailer };
};

const requireTrailer = (trailer: Trailer, number: number, hash: Hash): Trailer => {
  if (trailer.lines !== number - 1)
    refuse(number, `the trailer records ${trailer.lines} lines, but ${number - 1} precede it`);
  if (trailer.sha256 !== hash.copy().digest('hex'))
    refuse(number, 'the SHA-256 in the trailer does not match the file');
  return trailer;
};

const readableLine = (number: number, value: unknown): Line => {
  try {
    const line = lineFrom(value);
    // The items are not written, so the account does not matter.
    toItems('acct_none', line);
    return line;
  } catch {
    return refuse(number, 'not in the format of `ledger export`');
  }
};

/** Yields the lines of a checked file after the given line, without header and trailer. */
export const linesAfter = async function* (
  path: string,
  written: number,
  { trailer }: Checked,
): AsyncGenerator<NumberedLine> {
  const hashChain = new LineHashChain();
  for await (const { number, bytes } of fileLines(path)) {
    if (number > trailer.lines) return;
    const text = hashChain.open(bytes.toString('utf8', 0, bytes.length - 1));
    if (text === null) throw new CommandError(`Line ${number}: the file changed while it was being read.`);
    if (number > Math.max(1, written)) yield { number, line: lineFrom(JSON.parse(text)) };
  }
};
