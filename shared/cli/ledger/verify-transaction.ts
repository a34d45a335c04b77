import {
  differing,
  type Fault,
  faultUnless,
  holdsReference,
  statusFaults,
  sumFaults,
} from '../../ledger/invariants.ts';
import { isLive } from '../../ledger/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../ledger/transaction.ts';
import { headKey } from '../../store/keys.ts';
import { auditItems, creditIds, findClaimItem, headItem, type Item, itemsAt } from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import { checkChain } from './checks/chain.ts';
import { checkCredits, hasAmounts } from './checks/credits.ts';
import { checkEntries } from './checks/entries.ts';
import { attributeFaults, leftoverClaimFaults, missingClaimFaults } from './checks/fields.ts';
import type { FilingBook } from './filing-book.ts';
import { type Check, confirmed, type Finding, findingIfUnreadable, findingsOf, parseOrNull } from './finding.ts';

export const counted = [
  ...(['transactions', 'audit_entries', 'lines', 'credits', 'claims', 'entries', 'filings'] as const),
  ...(['redacted'] as const),
] as const;

/** The number of items that were checked. */
export type Counts = Record<(typeof counted)[number], number>;

export const noCounts = (): Counts => Object.fromEntries(counted.map((name) => [name, 0])) as Counts;

export const addCounts = (sum: Counts, more: Counts): void => {
  for (const name of counted) sum[name] += more[name];
};

export type Subject = {
  readonly account: string;
  readonly id: string;
  readonly book: FilingBook;
  readonly nowMs: () => number;
  /** The time between two readings of something that has findings. */
  readonly pauseMs: number;
};

type Verified = { readonly counts: Counts; readonly findings: readonly Finding[] };

/** Check one transaction and everything that must agree with it, with strongly consistent reads of the table. */
export const verifyTransaction = (subject: Subject): Promise<Verified> => {
  let isFirst = true;
  return confirmed(async () => {
    if (!isFirst) await subject.book.refresh();
    isFirst = false;
    return readOnce(subject);
  }, subject.pauseMs);
};

const readOnce = async (subject: Subject): Promise<Verified> => {
  const { account, id } = subject;
  const counts = { ...noCounts(), transactions: 1 };
  const item = await headItem(account, id);
  if (!item) {
    const what = 'transaction, which the index lists';
    return { counts, findings: findingsOf(id, 'head', [{ what, actual: 'none', expected: 'there' }]) };
  }
  const stored = parseOrNull(() => transactionFrom(item));
  if (!stored) {
    const expected = 'what its attributes and checksum say';
    return { counts, findings: findingsOf(id, 'head', [{ what: 'transaction', actual: 'not readable', expected }]) };
  }
  counts.lines = stored.transaction.line_items.length;
  counts.redacted = Number(stored.transaction.redacted_at !== undefined);
  const findings = [
    ...findingsOf(id, 'head', attributeFaults(account, item, stored)),
    ...findingsOf(id, 'states', statusFaults(stored.transaction)),
  ];
  for (const [check, run] of Object.entries(furtherChecks) as [Check, Run][]) {
    const faults = await findingIfUnreadable('stored data of this check', () => run(subject, stored, counts));
    findings.push(...findingsOf(id, check, faults));
  }
  return { counts, findings };
};

const storedOf = (item: Item | undefined): StoredTransaction | undefined =>
  (item && parseOrNull(() => transactionFrom(item))) ?? undefined;

/** The credits of a sale. Each credit that is not readable becomes a fault. */
const readCredits = async function* (
  account: string,
  sale: string,
  unreadable: Fault[],
): AsyncGenerator<StoredTransaction> {
  for await (const ids of creditIds(account, sale))
    for (const item of (await itemsAt(ids.map((credit) => headKey(account, credit)))).values()) {
      const credit = storedOf(item);
      if (!credit) unreadable.push({ what: `credit ${item['id']}`, actual: 'not readable', expected: 'a transaction' });
      // The index may be behind the transaction.
      else if (credit.transaction.parent_transaction_id === sale) yield credit;
    }
};

const parentFaults = async (account: string, transaction: Transaction): Promise<Fault[]> => {
  const { parent_transaction_id, currency } = transaction;
  if (parent_transaction_id === null || !isLive(transaction)) return [];
  const parent = storedOf(await headItem(account, parent_transaction_id))?.transaction;
  if (!parent) return [{ what: 'sale that it credits', actual: 'none', expected: parent_transaction_id }];
  return [
    ...differing('type of what it credits', parent.type, 'sale'),
    ...faultUnless(
      isLive(parent) || !hasAmounts(transaction),
      'state of the sale that it credits',
      parent.status,
      'finalized or filed',
    ),
    ...differing('currency of the sale that it credits', parent.currency, currency),
  ];
};

type Run = (subject: Subject, stored: StoredTransaction, counts: Counts) => Promise<readonly Fault[]>;

const furtherChecks: Partial<Record<Check, Run>> = {
  totals: async (_subject, { transaction }) => sumFaults(transaction),
  chain: async ({ account, id }, stored, counts) => {
    const { count, faults } = await checkChain(account, stored, auditItems(account, id));
    counts.audit_entries += count;
    return faults;
  },
  credits: async ({ account, id }, stored, counts) => {
    const unreadable: Fault[] = [];
    const { live, faults } = await checkCredits(stored, readCredits(account, id, unreadable));
    counts.credits += live;
    return [...unreadable, ...faults, ...(await parentFaults(account, stored.transaction))];
  },
  claims: async ({ account, nowMs }, { transaction }, counts) => {
    const { reference_id } = transaction;
    if (reference_id === null) return [];
    const claim = await findClaimItem(account, reference_id);
    if (!holdsReference(transaction, nowMs())) {
      const holder = claim && storedOf(await headItem(account, String(claim['transaction_id'])))?.transaction;
      return leftoverClaimFaults(transaction, claim, holder, nowMs());
    }
    counts.claims += 1;
    return missingClaimFaults(transaction, claim);
  },
  entries: async ({ account, book }, stored, counts) => {
    const { count, faults } = await checkEntries(account, stored, book);
    counts.entries += count;
    return faults;
  },
};
