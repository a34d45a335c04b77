import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { asObject, parseJson } from '../../base/json.ts';
import { type AuditEntry, hashEntry, hashState } from '../../ledger/audit.ts';
import { decodeEntry } from '../../ledger/entries/entry.ts';
import { compress } from '../../store/client/compressed.ts';
import { customerFrom, customerItem } from '../../store/customers/customer-reads.ts';
import {
  chainFrom,
  chainItem,
  filingFrom,
  filingItem,
  filingProgressFrom,
  filingProgressItem,
  totalsPartFrom,
  totalsPartItem,
} from '../../store/filings/filing-item.ts';

import { filedEntryKey, type ItemKey, periodKey } from '../../store/keys.ts';
import { auditEntryFrom, auditItem } from '../../store/ledger/audit-item.ts';
import { claimItem } from '../../store/ledger/commit-writes.ts';
import { entryAttributes, openEntryFrom, openEntryItem } from '../../store/ledger/open-entry-item.ts';
import { transactionFrom, transactionFromJson, transactionItem } from '../../store/ledger/transaction-item.ts';
import { CommandError } from '../terminal/run-command.ts';
import { fileLines, formatVersion, Header, kinds, type Line, LineHashChain, noCounts, Trailer } from './format.ts';

export type Item = ItemKey & Readonly<Record<string, unknown>>;

const Kind = z.object({ kind: z.enum(kinds) });

/** A line of a known kind. `itemsOf` checks its fields. */
export const lineFrom = (value: unknown): Line => {
  Kind.parse(value);
  return value as Line;
};

/**
 * The item that the service would write for what it reads from this one. Keys and attributes that a file adds are left
 * out: with the keys of another account, the item would appear in that account's lists. Throws if the service could not
 * read it.
 */
const readable = <Value>(item: object, from: (item: unknown) => Value, to: (value: Value) => object): Item =>
  to(from(item)) as Item;

/** An item of known attributes. Throws if the service could not read it. */
const checked = (item: object, from: (item: unknown) => unknown): Item => {
  from(item);
  return item as Item;
};

const transactionItems = (account: string, line: Line & { kind: 'transaction' }): Item[] => {
  const { holds_reference } = line;
  const stored = transactionFromJson(line.stored);
  const { reference_id } = stored.transaction;
  const isClaimed = holds_reference && reference_id !== null;
  return [
    ...(isClaimed ? [claimItem(account, reference_id, stored) as Item] : []),
    checked(transactionItem(account, stored), transactionFrom),
  ];
};

/** The items of a line in an account's table. Throws if an export would not write this line. */
export const itemsOf = (account: string, line: Line): readonly Item[] => {
  switch (line.kind) {
    case 'audit_entry':
      return [checked(auditItem(account, line.entry), auditEntryFrom)];
    case 'transaction':
      return transactionItems(account, line);
    case 'open_entry':
      return [checked(openEntryItem(account, decodeEntry(line.entry)), openEntryFrom)];
    case 'filing':
      return [
        readable(filingItem({ ...line.filing, account }), filingFrom, (filing) => filingItem({ ...filing, account })),
      ];
    case 'filing_shard': {
      const item = { ...line.progress, totals: compress(line.progress.totals) };
      return [readable(item, filingProgressFrom, (progress) => filingProgressItem(account, line.filing, progress))];
    }
    case 'filing_totals': {
      const { kind: _, filing, sums, ...place } = line;
      const item = { ...place, sums: compress(sums) };
      return [readable(item, totalsPartFrom, (part) => totalsPartItem(account, filing, part))];
    }
    case 'filed_entry': {
      const entry = decodeEntry(line.entry);
      const key = filedEntryKey(account, line.filing, entry);
      return [checked({ ...key, ...entryAttributes(entry) }, openEntryFrom)];
    }
    case 'chain':
      return [readable(chainItem({ ...line.chain, account }), chainFrom, (chain) => chainItem({ ...chain, account }))];
    case 'period':
      return [{ ...periodKey(account, line.state, line.period_end), filing: line.filing }];
    case 'customer':
      return [readable(customerItem(account, line.customer), customerFrom, (one) => customerItem(account, one))];
  }
};

/** Checks the audit chains of a file line by line. Returns the problem of a line, or `null`. */
export const chainCheck = (): ((line: Line) => string | null) => {
  let before: AuditEntry | null = null;
  const entryFault = (entry: AuditEntry): string | null => {
    const isFirst = entry.version === 1;
    const previous = isFirst ? null : before;
    before = entry;
    const { hash, ...covered } = entry;
    if (hash !== hashEntry(covered)) return 'the hash does not match the audit entry';
    const follows =
      isFirst || (previous?.transactionId === entry.transactionId && previous.version === entry.version - 1);
    return follows && entry.previousHash === (previous?.hash ?? null)
      ? null
      : 'the audit entry does not follow the previous one';
  };
  return (line) => {
    if (line.kind === 'audit_entry') return entryFault(line.entry);
    if (line.kind !== 'transaction') return null;
    const { transaction, auditHash } = line.stored;
    const newest = before?.transactionId === transaction.id ? before : null;
    const agrees =
      newest?.version === transaction.version &&
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
    throw new CommandError(`The file has the format version ${version}; this program reads version ${formatVersion}.`);
  return read.success ? read.data : refuse(1, 'it is not the header of an exported ledger');
};

export type Checked = { readonly header: Header; readonly trailer: Trailer };

/** Check every line of a file before anything is written. Refuses missing, altered and unreadable lines. */
export const checkExport = async (path: string): Promise<Checked> => {
  const hashChain = new LineHashChain();
  const hash = createHash('sha256');
  const chainFault = chainCheck();
  const counts = noCounts();
  let header: Header | null = null;
  let trailer: Trailer | null = null;
  let last = 0;

  const see = (number: number, text: string): void => {
    const value = parseJson(text);
    if (number === 1) {
      header = headerFrom(value);
      return;
    }
    const isEnd = Trailer.safeParse(value);
    if (isEnd.success) {
      trailer = isEnd.data;
      if (trailer.lines !== number - 1)
        refuse(number, `the trailer has ${trailer.lines} as the number of lines before it`);
      if (trailer.sha256 !== hash.copy().digest('hex')) refuse(number, 'the trailer has another SHA-256');
      return;
    }
    const line = readableLine(number, value);
    counts[line.kind] += 1;
    const fault = chainFault(line);
    if (fault) refuse(number, fault);
  };

  for await (const { number, bytes, isWhole } of fileLines(path)) {
    last = number;
    if (trailer !== null) refuse(number, 'it comes after the trailer');
    if (!isWhole) refuse(number, 'the file was cut off in this line');
    const text = hashChain.open(bytes.toString('utf8', 0, bytes.length - 1));
    if (text === null) {
      const why = 'it was altered, or a line before it is missing or was moved';
      refuse(number, number === 1 ? 'it is not the header of an exported ledger' : why);
    } else see(number, text);
    hash.update(bytes);
  }
  return whole(header, trailer, counts, last);
};

const readableLine = (number: number, value: unknown): Line => {
  try {
    const line = lineFrom(value);
    // The items are not written, so any account will do.
    itemsOf('acct_none', line);
    return line;
  } catch {
    return refuse(number, 'an export does not write such a line');
  }
};

const whole = (header: Header | null, trailer: Trailer | null, counts: unknown, last: number): Checked => {
  if (!header) throw new CommandError('The file is empty.');
  if (!trailer) throw new CommandError(`The file ends with line ${last}, without its trailer: it was cut off.`);
  if (!isDeepStrictEqual({ ...header.counts }, counts)) refuse(1, 'the counts of the header differ from the lines');
  return { header, trailer };
};

/** The lines of a checked file after a line, without header and trailer. */
export const linesAfter = async function* (
  path: string,
  written: number,
  { trailer }: Checked,
): AsyncGenerator<NumberedLine> {
  const hashChain = new LineHashChain();
  for await (const { number, bytes } of fileLines(path)) {
    if (number > trailer.lines) return;
    const text = hashChain.open(bytes.toString('utf8', 0, bytes.length - 1));
    if (text === null) throw new CommandError(`Line ${number}: the file was changed while it was read.`);
    if (number > Math.max(1, written)) yield { number, line: lineFrom(JSON.parse(text)) };
  }
};
