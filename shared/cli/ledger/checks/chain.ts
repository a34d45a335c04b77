import { auditKey } from '../../../store/keys.ts';
import { auditEntryFrom } from '../../../store/ledger/audit-item.ts';
import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { type AuditEntry, entryHashOf, stateHashOf } from '../../../transactions/audit.ts';
import type { StoredTransaction, Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault } from '../finding.ts';

/** What a transaction may become (interface decisions 4 and 8); `new` is what has no entry yet. */
const following: Readonly<Record<string, readonly string[]>> = {
  new: ['draft', 'finalized'],
  draft: ['draft', 'finalized', 'void'],
  finalized: ['finalized', 'filed', 'void'],
  filed: ['filed'],
  void: ['void'],
};

/** When a state was reached, by the entries. */
type Reached = Record<'finalized' | 'filed' | 'void', string | null>;

type Progress = {
  readonly faults: Fault[];
  readonly reached: Reached;
  /** How many entries there were. */
  count: number;
  /** The version that comes next. */
  next: number;
  /** The entry before; `null` at the beginning, and after one that is missing or cannot be read. */
  before: AuditEntry | null;
  /** The first entry, if it is there. */
  first: AuditEntry | null;
};

/**
 * Follows a chain of entries from the first to the head, one at a time: versions without a gap, each hash computed again
 * and found in the next entry, states that may follow each other, and at the end the state and the times of the head.
 */
export const chainOf = (account: string, { transaction, auditHash }: StoredTransaction) => {
  const { id, version: last } = transaction;
  const reached: Reached = { finalized: null, filed: null, void: null };
  const chain: Progress = { faults: [], reached, count: 0, next: 1, before: null, first: null };
  return {
    /** The next item of the partition, in the order of their keys. */
    see: (item: Item): void => {
      const sk = String(item['sk']);
      const version = Number(sk.slice(2));
      if (version > last || sk !== auditKey(account, id, version).sk)
        chain.faults.push({ what: `entry ${version || sk}`, actual: 'there', expected: 'none' });
      else follow(chain, id, version, item);
    },
    /** How many entries there were, and everything that was wrong. */
    end: (): { readonly count: number; readonly faults: readonly Fault[] } => {
      missUpTo(chain, last + 1);
      const newest = chain.before;
      if (newest)
        chain.faults.push(
          ...differing('hash of the newest entry, as the transaction has it', auditHash, newest.hash),
          ...differing('hash of the state in the newest entry', newest.stateHash, stateHashOf(transaction)),
          ...differing('state in the newest entry', newest.to, transaction.status),
          ...timeFaults(transaction, newest, chain),
        );
      return { count: chain.count, faults: chain.faults };
    },
  };
};

const missUpTo = (chain: Progress, version: number): void => {
  const missing = version - chain.next;
  if (missing <= 0) return;
  const which = missing === 1 ? `entry ${chain.next}` : `entries ${chain.next} to ${version - 1}`;
  chain.faults.push({ what: which, actual: 'none', expected: 'there' });
  chain.before = null;
};

const follow = (chain: Progress, id: string, version: number, item: Item): void => {
  missUpTo(chain, version);
  chain.next = version + 1;
  chain.count += 1;
  const entry = readEntry(item);
  if (!entry) {
    chain.faults.push({ what: `entry ${version}`, actual: 'not readable', expected: 'an audit entry' });
    chain.before = null;
    return;
  }
  chain.faults.push(
    ...differing(`entry ${version}: version`, entry.version, version),
    ...differing(`entry ${version}: transaction`, entry.transactionId, id),
    ...entryFaults(entry, chain.before, version),
  );
  if (entry.from !== entry.to && Object.hasOwn(chain.reached, entry.to))
    chain.reached[entry.to as keyof Reached] = entry.at;
  if (version === 1) chain.first = entry;
  chain.before = entry;
};

const readEntry = (item: Item): AuditEntry | null => {
  try {
    return auditEntryFrom(item);
  } catch {
    return null;
  }
};

const entryFaults = (entry: AuditEntry, before: AuditEntry | null, version: number): Fault[] => {
  const named = `entry ${version}: `;
  const { hash, ...covered } = entry;
  const allowed = following[entry.from ?? 'new'] ?? [];
  const isKnownBefore = before !== null || version === 1;
  return [
    ...differing(`${named}hash`, hash, entryHashOf(covered)),
    ...(isKnownBefore
      ? [
          ...differing(`${named}hash of the entry before`, entry.previousHash, before?.hash),
          ...differing(`${named}state before`, entry.from, before?.to),
        ]
      : []),
    ...(allowed.includes(entry.to)
      ? []
      : [{ what: `${named}state after ${entry.from ?? 'nothing'}`, actual: entry.to, expected: allowed.join(' or ') }]),
  ];
};

const timeFaults = (transaction: Transaction, newest: AuditEntry, { first, reached }: Progress): Fault[] => [
  ...(first ? differing('created_at', transaction.created_at, first.at) : []),
  ...differing('updated_at', transaction.updated_at, newest.at),
  ...differing('finalized_at', transaction.finalized_at, reached.finalized),
  ...differing('filed_at', transaction.filed_at, reached.filed),
  ...differing('voided_at', transaction.voided_at, reached.void),
];
