import { batchesOf } from '../../../base/collections.ts';
import type { StoredFiling } from '../../../filings/ledger.ts';
import type { LiabilityEntry } from '../../../ledger/entries/entry.ts';
import { differing, type Fault, faultUnless, placeFaults } from '../../../ledger/invariants.ts';
import { isLive } from '../../../ledger/lifecycle.ts';
import { listLiabilityEntries, statesToFile } from '../../../ledger/open-entries.ts';
import { type Amounts, namedExemptions } from '../../../ledger/sums.ts';
import type { StoredTransaction } from '../../../ledger/transaction.ts';
import { formatAmount, minorDigits } from '../../../money/currency.ts';
import { type FoundEntry, findEntries } from '../../../store/filings/entry-places.ts';
import { headKey, itemPlace, openEntryKey } from '../../../store/keys.ts';
import { type Item, itemsAt, openEntryItems } from '../../../store/ledger/ledger-walk.ts';
import { openEntryFrom } from '../../../store/ledger/open-entry-item.ts';
import { transactionFrom } from '../../../store/ledger/transaction-item.ts';
import { stateJurisdictions } from '../../../vocabulary/jurisdiction.ts';
import type { FilingBook } from '../filing-book.ts';
import { confirmed, type Finding, findingsOf, parseOrNull } from '../finding.ts';

/** The entries of a live transaction, one for each state and currency, open or in a filing. */
const expectedEntries = (stored: StoredTransaction): readonly LiabilityEntry[] =>
  isLive(stored.transaction) ? listLiabilityEntries(stored) : [];

export const entryPlace = (account: string, entry: LiabilityEntry): string => itemPlace(openEntryKey(account, entry));

/** The keys of all entries that these transactions should have. A transaction that is not readable has none. */
export const expectedPlaces = async (account: string, ids: Iterable<string>): Promise<ReadonlySet<string>> => {
  const heads = await itemsAt([...new Set(ids)].map((id) => headKey(account, id)));
  const entries = (head: Item) => parseOrNull(() => expectedEntries(transactionFrom(head))) ?? [];
  return new Set([...heads.values()].flatMap(entries).map((entry) => entryPlace(account, entry)));
};

export const entryName = ({ state, month, currency }: Pick<LiabilityEntry, 'state' | 'month' | 'currency'>): string =>
  `entry of ${state}, ${month}, ${currency}`;

// Without the reference, which a finalized transaction may get later.
const figuresText = ({ base, amounts, document, exceptions = [], currency }: LiabilityEntry) => {
  const write = (minor: bigint) => formatAmount(minor, minorDigits(currency));
  const texts = (of: Amounts) => [
    ...[write(of.taxable), write(of.exempt)],
    ...[...namedExemptions, 'not_covered' as const].flatMap((part) => (of[part] ? [`${part} ${write(of[part])}`] : [])),
  ];
  const taxTexts = ({ tax, difference, over_collected = 0n }: Amounts) =>
    difference ? [`calculated ${write(tax - difference)}`, `over-collected ${write(over_collected)}`] : [];
  return [
    texts(base).join(' / '),
    ...amounts.map((of) => [of.jurisdiction_code, of.rate, ...texts(of), write(of.tax)].join(' / ')).sort(),
    ...amounts.flatMap(taxTexts).sort(),
    ...exceptions.map(({ reason, gross }) => `${reason} ${write(gross)}`),
    `${document.type} of ${document.tax_day}`,
  ].join(', ');
};

/** Check that each entry of a transaction is in one place, with the sums of the transaction's rows, and its filings. */
export const checkEntries = async (
  account: string,
  stored: StoredTransaction,
  book: FilingBook,
): Promise<{ readonly count: number; readonly faults: readonly Fault[] }> => {
  const expected = expectedEntries(stored);
  const places = await findEntries(account, expected, book.all());
  const faults = places.flatMap(({ entry, found }) => entryFaults(stored, entry, found));
  const filings = places.flatMap(({ found }) => found.flatMap(({ filing }) => filing ?? []));
  return { count: expected.length, faults: [...faults, ...filingsFaults(stored, filings)] };
};

const entryFaults = (
  { transaction: { version } }: StoredTransaction,
  expected: LiabilityEntry,
  found: readonly FoundEntry[],
): Fault[] => {
  const name = entryName(expected);
  const [first] = found;
  if (!first) return [{ what: name, actual: 'none', expected: figuresText(expected) }];
  const places = found.map(({ filing }) => (filing ? `in ${filing.id}` : 'open'));
  const ofPlaces = placeFaults(name, places);
  const entry = parseOrNull(() => openEntryFrom(first.item));
  if (!entry) return [...ofPlaces, { what: name, actual: 'not readable', expected: figuresText(expected) }];
  return [
    ...ofPlaces,
    ...differing(`transaction of the ${name}`, entry.transactionId, expected.transactionId),
    ...differing(`state of the ${name}`, entry.state, expected.state),
    ...differing(`month of the ${name}`, entry.month, expected.month),
    ...differing(name, figuresText(entry), figuresText(expected)),
    ...faultUnless(entry.version <= version, `version of the ${name}`, `${entry.version}`, `at most ${version}`),
  ];
};

/** A transaction names the filings that were filed with one of its entries, and is filed when all its states are. */
const filingsFaults = (stored: StoredTransaction, holding: readonly StoredFiling[]): Fault[] => {
  const { filings, status } = stored.transaction;
  const filed = holding.filter((filing) => filing.status === 'filed').map(({ id }) => id);
  const named = filings.map(({ id }) => id);
  const states = new Set(filings.map(({ state }) => state));
  const isFiled = states.size > 0 && statesToFile(stored).every((state) => states.has(state));
  return [
    ...filed.flatMap((id) => faultUnless(named.includes(id), `filings, of ${id}`, 'none', 'named')),
    ...named.flatMap((id) =>
      faultUnless(
        holding.some((filing) => filing.id === id),
        `filings, of ${id}`,
        'named',
        'none, as it has no entry of it',
      ),
    ),
    ...faultUnless(
      isFiled === (status === 'filed'),
      'status',
      status,
      isFiled ? 'filed, as all its states are' : 'not filed',
    ),
  ];
};

const batch = 25;

/** The states whose open entries are read: every one, because sales that no content covers have entries, and the given ones. */
export const statesOfEntries = (others: Iterable<string> = []): readonly string[] =>
  [...new Set([...stateJurisdictions, ...others])].sort();

/**
 * Find the open entries of a state that no transaction should have: the transaction is missing, void, or has other
 * entries. The check of transactions finds missing entries.
 */
export const orphanedEntries = async function* (account: string, state: string): AsyncGenerator<Finding> {
  for await (const items of openEntryItems(account, state))
    for await (const some of batchesOf(items, batch)) {
      // A transaction may have changed between the reads.
      if ((await orphanedAmong(account, some)).length > 0) yield* await stillOrphaned(account, some);
    }
};

const stillOrphaned = async (account: string, items: readonly Item[]): Promise<readonly Finding[]> => {
  const keys = items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
  const read = async () => ({ findings: await orphanedAmong(account, [...(await itemsAt(keys)).values()]) });
  return (await confirmed(read, 0)).findings;
};

const orphanedAmong = async (account: string, items: readonly Item[]): Promise<Finding[]> => {
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
