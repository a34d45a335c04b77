import { type AuditEntry, hashEntry, hashState } from '../../../ledger/audit.ts';
import { auditFaults, differing, type Fault, faultUnless } from '../../../ledger/invariants.ts';
import type { StoredTransaction } from '../../../ledger/transaction.ts';
import { auditKey } from '../../../store/keys.ts';
import { auditEntryFrom } from '../../../store/ledger/audit-item.ts';
import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { parseOrNull } from '../finding.ts';
import { redactionFaults } from './redaction.ts';

type Chain = {
  readonly faults: Fault[];
  /** When a status was reached last. */
  readonly reachedAt: Map<string, string>;
  count: number;
  /** The version of the next entry. */
  next: number;
  /** The previous entry; `null` at the beginning, and after an entry that is missing or not readable. */
  before: AuditEntry | null;
  first: AuditEntry | null;
  /** When the personal data was removed. */
  redactedAt?: string;
};

/**
 * Check the audit entries of a transaction, whose items come in the order of their keys: versions without a gap, each
 * hash, the link to the previous entry, allowed status changes, and the state and times of the transaction.
 */
export const checkChain = async (
  account: string,
  stored: StoredTransaction,
  pages: AsyncIterable<readonly Item[]>,
): Promise<{ readonly count: number; readonly faults: readonly Fault[] }> => {
  const { transaction, auditHash } = stored;
  const { id, version: last } = transaction;
  const chain: Chain = { faults: [], reachedAt: new Map(), count: 0, next: 1, before: null, first: null };
  for await (const items of pages)
    for (const item of items) {
      const sk = String(item['sk']);
      const version = Number(sk.slice(2));
      const isExpected = version <= last && sk === auditKey(account, id, version).sk;
      chain.faults.push(...faultUnless(isExpected, `entry ${version || sk}`, 'there', 'none'));
      if (isExpected) follow(chain, id, version, item);
    }
  addMissing(chain, last + 1);
  const { faults, count, before: newest, first, reachedAt } = chain;
  if (newest)
    faults.push(
      ...differing('hash of the newest entry, as the transaction has it', auditHash, newest.hash),
      ...differing('hash of the state in the newest entry', newest.stateHash, hashState(stored)),
      ...differing('state in the newest entry', newest.to, transaction.status),
      ...(first ? differing('created_at', transaction.created_at, first.at) : []),
      ...differing('updated_at', transaction.updated_at, newest.at),
      ...differing('finalized_at', transaction.finalized_at, reachedAt.get('finalized')),
      ...differing('filed_at', transaction.filed_at, reachedAt.get('filed')),
      ...differing('voided_at', transaction.voided_at, reachedAt.get('void')),
      ...redactionFaults(stored, chain.redactedAt),
    );
  return { count, faults };
};

const addMissing = (chain: Chain, version: number): void => {
  const missing = version - chain.next;
  if (missing <= 0) return;
  const which = missing === 1 ? `entry ${chain.next}` : `entries ${chain.next} to ${version - 1}`;
  chain.faults.push({ what: which, actual: 'none', expected: 'there' });
  chain.before = null;
};

const follow = (chain: Chain, id: string, version: number, item: Item): void => {
  addMissing(chain, version);
  chain.next = version + 1;
  chain.count += 1;
  const entry = parseOrNull(() => auditEntryFrom(item));
  if (entry) {
    const { hash: _, ...covered } = entry;
    chain.faults.push(...auditFaults(entry, { id, version, before: chain.before, hash: hashEntry(covered) }));
    if (entry.from !== entry.to) chain.reachedAt.set(entry.to, entry.at);
    if (entry.fields.includes('redacted_at')) chain.redactedAt = entry.at;
    if (version === 1) chain.first = entry;
  } else chain.faults.push({ what: `entry ${version}`, actual: 'not readable', expected: 'an audit entry' });
  chain.before = entry;
};
