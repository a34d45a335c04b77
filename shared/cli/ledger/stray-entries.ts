import { builtInReleases } from '../../content/built-in.ts';
import { type Item, itemsAt, openEntryItems } from '../../store/ledger/ledger-walk.ts';
import { batchesOf } from '../batches.ts';
import { entryName, expectedPlaces } from './checks/entries.ts';
import { confirmed, type Finding, findingsOf } from './finding.ts';

const batch = 25;

/** The states whose open entries are read: those of the built-in releases, and the given ones. */
export const statesOfEntries = (others: Iterable<string> = []): readonly string[] =>
  [...new Set([...builtInReleases().map(({ state }) => state), ...others])].sort();

/**
 * Find the open entries of a state that no transaction should have: the transaction is missing, void, or has other
 * entries. The check of transactions finds missing entries.
 */
export const strayEntries = async function* (
  account: string,
  state: string,
): AsyncGenerator<{ readonly count: number; readonly findings: readonly Finding[] }> {
  for await (const items of openEntryItems(account, state))
    for await (const some of batchesOf(items, batch)) {
      const isClean = (await strayAmong(account, some)).length === 0;
      // A transaction may have changed between the reads.
      yield { count: some.length, findings: isClean ? [] : await stillStray(account, some) };
    }
};

const stillStray = async (account: string, items: readonly Item[]): Promise<readonly Finding[]> => {
  const keys = items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
  const read = async () => ({ findings: await strayAmong(account, [...(await itemsAt(keys)).values()]) });
  return (await confirmed(read, 0)).findings;
};

const strayAmong = async (account: string, items: readonly Item[]): Promise<Finding[]> => {
  const expected = await expectedPlaces(
    account,
    items.map(({ transaction_id }) => String(transaction_id)),
  );
  return items
    .filter(({ pk, sk }) => !expected.has(`${pk} ${sk}`))
    .flatMap(({ transaction_id, state, month, currency }) => {
      const what = `open ${entryName({ state: String(state), month: String(month), currency: String(currency) })}`;
      return findingsOf(String(transaction_id), 'entries', [{ what, actual: 'there', expected: 'none' }]);
    });
};
