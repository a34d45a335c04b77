import type { FilingCommit } from '../../filings/ledger.ts';
import { filingWrites } from '../../store/filings/filing-commit.ts';
import { headKey } from '../../store/keys.ts';
import { commitWrites } from '../../store/ledger/commit-writes.ts';
import type { Commit, Ledger } from '../../transactions/ledger.ts';
import type { OpenEntry } from '../../transactions/open-entries.ts';
import type { StoredTransaction } from '../../transactions/transaction.ts';
import { paperItems, type Written } from './paper-items.ts';

/**
 * A ledger on paper: the use cases write into it what they would write into DynamoDB, and it says what that takes. It
 * refuses nothing, as nobody else writes.
 */
export const paperLedger = () => {
  const { write, sizesOf } = paperItems();
  const heads = new Map<string, StoredTransaction>();
  const open: OpenEntry[] = [];
  let last: Written | null = null;

  const keep = (account: string, changes: readonly (Commit['head'] | null)[]): void => {
    for (const change of changes) if (change) heads.set(headKey(account, change.after.transaction.id).pk, change.after);
  };
  const find: Ledger['find'] = async (account, id) => heads.get(headKey(account, id).pk);

  const ledger: Ledger = {
    find,
    findSome: async (account, ids) =>
      (await Promise.all(ids.map((id) => find(account, id)))).filter((one) => one !== undefined),
    findReplay: async () => undefined,
    findWithReplay: async (account, id) => ({ stored: await find(account, id), replay: undefined }),
    commit: async (commit) => {
      last = write(commitWrites(commit).map((one) => one.write));
      keep(commit.account, [commit.head, commit.parent]);
      open.push(...commit.openEntries.post);
      return { kind: 'committed' };
    },
    saveAnswer: async () => ({ kind: 'committed' }),
  };

  const commitFiling = (commit: FilingCommit): void => {
    last = write(filingWrites(commit));
    keep(commit.account, commit.heads);
  };

  /** The transaction that was made a moment ago. */
  const known = async (account: string, id: string): Promise<StoredTransaction> => {
    const stored = await find(account, id);
    if (!stored) throw new Error('Nothing of this id was written.');
    return stored;
  };
  /** Its entries that wait for a filing. */
  const openEntriesOf = (id: string): readonly OpenEntry[] => open.filter(({ transactionId }) => transactionId === id);
  const lastWritten = (): Written => {
    if (last === null) throw new Error('Nothing was written.');
    return last;
  };
  return { ledger, commitFiling, sizesOf, known, openEntriesOf, lastWritten };
};
