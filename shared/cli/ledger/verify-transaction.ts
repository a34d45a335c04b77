import { headKey } from '../../store/keys.ts';
import { auditItems, claimItemOf, creditIds, headItem, type Item, itemsAt } from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import { isLive } from '../../transactions/lifecycle.ts';
import type { StoredTransaction, Transaction } from '../../transactions/transaction.ts';
import { chainOf } from './checks/chain.ts';
import { heldFaults, holdsReference, releasedFaults } from './checks/claims.ts';
import { creditsOf, takesSomething } from './checks/credits.ts';
import { entryFaults, expectedEntries, filingsFaults } from './checks/entries.ts';
import { attributeFaults, stateFaults } from './checks/states.ts';
import { totalFaults } from './checks/totals.ts';
import { type Counts, noCounts } from './counts.ts';
import type { FilingBook } from './filing-book.ts';
import { findEntries } from './find-entries.ts';
import { type Check, confirmed, differing, type Fault, type Finding, orUnreadable } from './finding.ts';

/** What came out of one transaction. */
export type Verified = { readonly counts: Counts; readonly findings: readonly Finding[] };

export type Subject = {
  readonly account: string;
  readonly id: string;
  /** The account's filings. */
  readonly book: FilingBook;
  /** The service's time, for deadlines. */
  readonly nowMs: () => number;
  /** How long to wait before something that was found is looked for again. */
  readonly pauseMs: number;
};

/** Check one transaction against all that it must agree with, from the table itself, strongly consistent. */
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
  const counts = noCounts();
  const findings: Finding[] = [];
  const report = (check: Check, faults: readonly Fault[]) =>
    findings.push(...faults.map((fault) => ({ id, check, ...fault })));
  counts.transactions = 1;

  const item = await headItem(account, id);
  if (!item) {
    report('head', [{ what: 'transaction, which the index lists', actual: 'none', expected: 'there' }]);
    return { counts, findings };
  }
  const stored = readHead(item);
  if (!stored) {
    report('head', [{ what: 'transaction', actual: 'not readable', expected: 'what its attributes and checksum say' }]);
    return { counts, findings };
  }
  counts.lines = stored.transaction.line_items.length;
  report('head', attributeFaults(account, item, stored));
  report('states', stateFaults(stored.transaction));
  for (const [check, run] of beside)
    report(check, await orUnreadable('what it is checked with', () => run(subject, stored, counts)));
  return { counts, findings };
};

const readHead = (item: Item): StoredTransaction | null => {
  try {
    return transactionFrom(item);
  } catch {
    return null;
  }
};

type Look = (subject: Subject, stored: StoredTransaction, counts: Counts) => Promise<readonly Fault[]>;

const chain: Look = async ({ account, id }, stored, counts) => {
  const following = chainOf(account, stored);
  for await (const items of auditItems(account, id)) for (const item of items) following.see(item);
  const { count, faults } = following.end();
  counts.audit_entries += count;
  return faults;
};

const creditsTaken: Look = async ({ account, id }, stored, counts) => {
  const sum = creditsOf(stored);
  const unreadable: Fault[] = [];
  for await (const ids of creditIds(account, id))
    for (const item of (await itemsAt(ids.map((credit) => headKey(account, credit)))).values()) {
      const credit = readHead(item)?.transaction;
      if (!credit) unreadable.push({ what: `credit ${item['id']}`, actual: 'not readable', expected: 'a transaction' });
      // The index may be behind: what the transaction itself says decides.
      else if (credit.parent_transaction_id === id) sum.see(credit);
    }
  const { live, faults } = sum.end();
  counts.credits += live;
  return [...unreadable, ...faults];
};

const parentOf: Look = async ({ account }, { transaction }) => {
  const { parent_transaction_id, currency } = transaction;
  if (parent_transaction_id === null || !isLive(transaction)) return [];
  const item = await headItem(account, parent_transaction_id);
  const parent = item && readHead(item)?.transaction;
  if (!parent) return [{ what: 'sale that it credits', actual: 'none', expected: parent_transaction_id }];
  return [
    ...differing('type of what it credits', parent.type, 'sale'),
    ...(isLive(parent) || !takesSomething(transaction)
      ? []
      : [{ what: 'state of the sale that it credits', actual: parent.status, expected: 'finalized or filed' }]),
    ...differing('currency of the sale that it credits', parent.currency, currency),
  ];
};

const credits: Look = async (subject, stored, counts) => [
  ...(await creditsTaken(subject, stored, counts)),
  ...(await parentOf(subject, stored, counts)),
];

const claims: Look = async ({ account, nowMs }, { transaction }, counts) => {
  const { reference_id } = transaction;
  if (reference_id === null) return [];
  const claim = await claimItemOf(account, reference_id);
  if (holdsReference(transaction, nowMs())) {
    counts.claims += 1;
    return heldFaults(transaction, claim);
  }
  const holder = claim && (await holderOf(account, claim));
  return releasedFaults(transaction, claim, holder, nowMs());
};

const holderOf = async (account: string, claim: Item): Promise<Transaction | undefined> => {
  const item = await headItem(account, String(claim['transaction_id']));
  return item && readHead(item)?.transaction;
};

const entries: Look = async ({ account, book }, { transaction }, counts) => {
  const expected = expectedEntries(transaction);
  counts.entries += expected.length;
  const found = await findEntries(account, expected, book);
  return [
    ...expected.flatMap((entry) => entryFaults(transaction, entry, found.get(entry) ?? [])),
    ...filingsFaults(transaction, expected, found),
  ];
};

const totals: Look = async (_subject, { transaction }) => totalFaults(transaction);

const beside: readonly (readonly [Check, Look])[] = [
  ['totals', totals],
  ['chain', chain],
  ['credits', credits],
  ['claims', claims],
  ['entries', entries],
];
