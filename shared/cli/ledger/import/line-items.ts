import * as z from 'zod/mini';
import { type AuditEntry, hashEntry, hashState } from '../../../ledger/audit.ts';
import { compress } from '../../../store/client/compressed.ts';
import { customerFrom, customerItem } from '../../../store/customers/customer-item.ts';
import { chainFrom, chainItem, filingFrom, filingItem } from '../../../store/filings/filing-item.ts';
import {
  filingProgressFrom,
  filingProgressItem,
  totalsPartFrom,
  totalsPartItem,
} from '../../../store/filings/filing-progress-item.ts';
import { filedEntryKey, type ItemKey, periodKey } from '../../../store/keys.ts';
import { auditEntryFrom, auditItem } from '../../../store/ledger/audit-item.ts';
import { claimItem } from '../../../store/ledger/commit-writes.ts';
import {
  entryAttributes,
  openEntryFrom,
  openEntryFromJson,
  openEntryItem,
} from '../../../store/ledger/open-entry-item.ts';
import { transactionFrom, transactionFromJson, transactionItem } from '../../../store/ledger/transaction-item.ts';
import { kinds, type Line } from '../export/format.ts';

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
      return [checked(openEntryItem(account, openEntryFromJson(line.entry)), openEntryFrom)];
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
      const entry = openEntryFromJson(line.entry);
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
