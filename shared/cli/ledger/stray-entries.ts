import { builtInReleases } from '../../content/built-in.ts';
import { headKey } from '../../store/keys.ts';
import { type Item, itemsAt, openEntryItems } from '../../store/ledger/ledger-walk.ts';
import { transactionFrom } from '../../store/ledger/transaction-item.ts';
import { entryName, entryPlace, expectedEntries } from './checks/entries.ts';
import type { Finding } from './finding.ts';

const batch = 25;

/** The states whose open entries are read: of every release that ships with the service, and those given beside. */
export const statesOfEntries = (others: Iterable<string> = []): readonly string[] =>
  [...new Set([...builtInReleases().map(({ state }) => state), ...others])].sort();

/**
 * Find the open entries of a state that no transaction should have: those of transactions that are not there, are void,
 * or say something else. The other way about, that no entry is missing, the walk over the transactions sees.
 */
export const strayEntries = async function* (
  account: string,
  state: string,
): AsyncGenerator<{ readonly count: number; readonly findings: readonly Finding[] }> {
  for await (const items of openEntryItems(account, state))
    for (let start = 0; start < items.length; start += batch) {
      const some = items.slice(start, start + batch);
      const first = await strayAmong(account, some);
      // A transaction may have been changed between the reads.
      const findings = first.length === 0 ? [] : await stillStray(account, some, first);
      yield { count: some.length, findings };
    }
};

const placeOf = ({ pk, sk }: Item) => `${pk} ${sk}`;

const stillStray = async (account: string, items: readonly Item[], first: readonly Finding[]): Promise<Finding[]> => {
  const there = await itemsAt(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
  const again = await strayAmong(account, [...there.values()]);
  const before = new Set(first.map((finding) => JSON.stringify(finding)));
  return again.filter((finding) => before.has(JSON.stringify(finding)));
};

const strayAmong = async (account: string, items: readonly Item[]): Promise<Finding[]> => {
  const ids = [...new Set(items.map(({ transaction_id }) => String(transaction_id)))];
  const heads = await itemsAt(ids.map((id) => headKey(account, id)));
  const expected = new Set([...heads.values()].flatMap((head) => placesOf(account, head)));
  return items
    .filter((item) => !expected.has(placeOf(item)))
    .map((item) => ({
      id: String(item['transaction_id']),
      check: 'entries' as const,
      what: `open ${entryName({ state: String(item['state']), month: String(item['month']), currency: String(item['currency']) })}`,
      actual: 'there',
      expected: 'none',
    }));
};

const placesOf = (account: string, head: Item): string[] => {
  try {
    return expectedEntries(transactionFrom(head).transaction).map((entry) => entryPlace(account, entry));
  } catch {
    // The walk over the transactions has said so.
    return [];
  }
};
