import type { StoredFiling } from '../../../filings/ledger.ts';
import { openEntryKey } from '../../../store/keys.ts';
import type { Item } from '../../../store/ledger/ledger-walk.ts';
import { openEntryFrom } from '../../../store/ledger/open-entry-item.ts';
import { isLive } from '../../../transactions/lifecycle.ts';
import { type OpenEntry, openEntriesOf } from '../../../transactions/open-entries.ts';
import type { Transaction } from '../../../transactions/transaction.ts';
import { differing, type Fault } from '../finding.ts';

/** The entries that a transaction has, each of them open or in a filing: a live one's, one for each state and currency. */
export const expectedEntries = (transaction: Transaction): readonly OpenEntry[] =>
  isLive(transaction) ? openEntriesOf(transaction) : [];

export const entryPlace = (account: string, entry: OpenEntry): string => {
  const { pk, sk } = openEntryKey(account, entry);
  return `${pk} ${sk}`;
};

export const entryName = ({ state, month, currency }: Pick<OpenEntry, 'state' | 'month' | 'currency'>): string =>
  `entry of ${state}, ${month}, ${currency}`;

const figuresText = ({ base, amounts }: OpenEntry) =>
  [
    `${base.taxable_amount} / ${base.exempt_amount}`,
    ...amounts
      .map((sum) =>
        [sum.jurisdiction_code, sum.rate, sum.taxable_amount, sum.exempt_amount, sum.tax_amount].join(' / '),
      )
      .sort(),
  ].join(', ');

/** Where an entry was found: among the open ones, or in a filing. */
export type Found = { readonly item: Item; readonly filing: StoredFiling | null };

/** An entry that a transaction should have is at one place, with what the transaction's rows add up to. */
export const entryFaults = (transaction: Transaction, expected: OpenEntry, found: readonly Found[]): Fault[] => {
  const [first, ...others] = found;
  if (!first) return [{ what: entryName(expected), actual: 'none', expected: figuresText(expected) }];
  const places = found.map(({ filing }) => (filing ? `in ${filing.id}` : 'open')).join(' and ');
  return [
    ...(others.length > 0
      ? [{ what: `${entryName(expected)}, its place`, actual: places, expected: 'one of them' }]
      : []),
    ...figureFaults(transaction, expected, first.item),
  ];
};

const figureFaults = ({ version }: Transaction, expected: OpenEntry, item: Item): Fault[] => {
  try {
    const entry = openEntryFrom(item);
    return [
      ...differing(`transaction of the ${entryName(expected)}`, entry.transactionId, expected.transactionId),
      ...differing(`state of the ${entryName(expected)}`, entry.state, expected.state),
      ...differing(`month of the ${entryName(expected)}`, entry.month, expected.month),
      ...differing(entryName(expected), figuresText(entry), figuresText(expected)),
      ...(entry.version <= version
        ? []
        : [
            {
              what: `version of the ${entryName(expected)}`,
              actual: `${entry.version}`,
              expected: `at most ${version}`,
            },
          ]),
    ];
  } catch {
    return [{ what: entryName(expected), actual: 'not readable', expected: figuresText(expected) }];
  }
};

/** A transaction names the filings that were filed with an entry of it, and is filed when all its states are. */
export const filingsFaults = (
  { filings, status }: Transaction,
  expected: readonly OpenEntry[],
  found: ReadonlyMap<OpenEntry, readonly Found[]>,
): Fault[] => {
  const holding = [...found.values()].flat().flatMap(({ filing }) => (filing ? [filing] : []));
  const filed = holding.filter((filing) => filing.status === 'filed').map(({ id }) => id);
  const named = filings.map(({ id }) => id);
  const states = new Set(filings.map(({ state }) => state));
  const isFiled = expected.length > 0 && expected.every(({ state }) => states.has(state));
  const isMarked = status === 'filed';
  return [
    ...filed
      .filter((id) => !named.includes(id))
      .map((id) => ({ what: `filings, of ${id}`, actual: 'none', expected: 'named' })),
    ...named
      .filter((id) => !holding.some((filing) => filing.id === id))
      .map((id) => ({ what: `filings, of ${id}`, actual: 'named', expected: 'none, as it has no entry of it' })),
    ...(isFiled === isMarked
      ? []
      : [{ what: 'status', actual: status, expected: isFiled ? 'filed, as all its states are' : 'not filed' }]),
  ];
};
