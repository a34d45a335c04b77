/** Checks that each entry is in one filing of the right period, and that every filing has the sums of its entries. */

import { firstDayOf, lastDayOf, monthOf, Registered } from '../../support/local-days.ts';
import type { Book } from '../book.ts';
import type { Transaction } from '../draw.ts';
import type { FiledPeriod, FilingEntry } from '../ledger.ts';
import { comparable, type Entry, entriesOf, minor, nothing, plus, postedStates, sumOf, sumsIn } from '../oracle.ts';
import { must, same } from '../violation.ts';
import { isLive } from './recorded.ts';

/** The entries that the returns must have, by `transaction state`. */
export const expectedEntries = (book: Book, transactions: readonly Transaction[]): Map<string, Entry> => {
  const byId = new Map(transactions.map((one) => [one.id, one]));
  const live = transactions.filter(isLive).flatMap((transaction) => {
    const sale = byId.get(transaction.parent_transaction_id ?? '');
    const { posted } = postedStates(transaction, sale, book.settings.registrations);
    return entriesOf(transaction, sale).filter(({ state }) => posted.has(state));
  });
  return new Map(live.map((entry) => [`${entry.id} ${entry.state}`, entry]));
};

/** Each expected entry is in one filing of its state, and filings contain no other entries. */
const checkMembers = (filings: readonly FiledPeriod[], expected: ReadonlyMap<string, Entry>): void => {
  const found = new Map<string, string>();
  for (const { id, state, members, progress } of filings) {
    same(members.length, progress.entries_moved, `The filing ${id} has another number of entries.`);
    for (const { transaction_id } of members) {
      const key = `${transaction_id} ${state}`;
      must(!found.has(key), `${key} is in two filings.`, [found.get(key), id]);
      must(expected.has(key), `${key} is in the filing ${id}, but owes nothing there.`);
      found.set(key, id);
    }
  }
  const lost = [...expected.keys()].filter((key) => !found.has(key));
  same(lost, [], 'Entries are in no filing.');
};

/** An entry has the amounts of its transaction. */
const checkEntry = (member: FilingEntry, entry: Entry): void => {
  const { transaction_id: id, amounts, currency } = member;
  same(
    [member.month, currency, member.type === 'credit'],
    [entry.month, entry.currency, entry.isCredit],
    `The entry of ${id} is wrong.`,
  );
  const actual = amounts.map(
    (one) => [`${one.jurisdiction_code} ${one.rate}`, comparable(sumsIn(one, currency), entry.isReplaced)] as const,
  );
  const expected = [...entry.rates].map(([key, sums]) => [key, comparable(sums, entry.isReplaced)] as const);
  same(
    Object.fromEntries(actual),
    Object.fromEntries(expected),
    `The entry of ${id} in ${entry.state} has other amounts.`,
  );
};

const figures = ['calculated_tax_amount', 'over_collected_amount'] as const;
type Figure = (typeof figures)[number];

const figuresOf = (amounts: readonly Readonly<Record<Figure, string>>[], currency: string): string[] =>
  figures.map((name) => String(sumOf(amounts.map((one) => minor(currency, one[name])))));

type Summed = Parameters<typeof sumsIn>[0] &
  Readonly<Record<Figure | 'credit_amount', string>> & {
    readonly count: number;
    readonly credit_count: number;
  };
type Part = { readonly member: FilingEntry; readonly amounts: FilingEntry['amounts'] };

/** A total has the sums of its parts: of one jurisdiction, or of one of its rates. */
const checkTotal = (total: Summed, parts: readonly Part[], currency: string, what: string): void => {
  const all = parts.flatMap(({ amounts }) => amounts);
  const sums = all.map((one) => sumsIn(one, currency)).reduce(plus, nothing);
  same(comparable(sumsIn(total, currency), false), comparable(sums, false), `${what} is not the sum of its entries.`);
  same(figuresOf([total], currency), figuresOf(all, currency), `The figures of ${what} are not those of its entries.`);
  const credits = parts.filter(({ member }) => member.type === 'credit');
  const credited = sumOf(credits.flatMap(({ amounts }) => amounts.map((one) => minor(currency, one.gross_amount))));
  same(
    [total.count, total.credit_count, minor(currency, total.credit_amount)],
    [parts.length, credits.length, credited],
    `The counts of ${what} are wrong.`,
  );
};

const checkTotals = ({ id, totals, members }: FiledPeriod): void => {
  const partsOf = (currency: string, isWanted: (one: FilingEntry['amounts'][number]) => boolean): Part[] =>
    members.flatMap((member) => {
      const amounts = member.currency === currency ? member.amounts.filter(isWanted) : [];
      return amounts.length > 0 ? [{ member, amounts }] : [];
    });
  const keys = new Set(
    members.flatMap(({ currency, amounts }) => amounts.map((one) => `${one.jurisdiction_code} ${currency}`)),
  );
  same(
    new Set(totals.map((one) => `${one.jurisdiction_code} ${one.currency}`)),
    keys,
    `The filing ${id} has other jurisdictions.`,
  );
  for (const total of totals) {
    const { jurisdiction_code: code, currency, rates } = total;
    const ofCode = partsOf(currency, (one) => one.jurisdiction_code === code);
    checkTotal(total, ofCode, currency, `${code} in ${currency} of ${id}`);
    for (const rate of rates)
      checkTotal(
        rate,
        partsOf(currency, (one) => one.jurisdiction_code === code && one.rate === rate.rate),
        currency,
        `${code} in ${currency} at ${rate.rate} of ${id}`,
      );
    same(
      rates.length,
      new Set(ofCode.flatMap(({ amounts }) => amounts.map((one) => one.rate))).size,
      `${code} of ${id} has other rates.`,
    );
  }
};

/** The summary counts each line once. */
const checkSummary = ({ id, state, summary, members }: FiledPeriod, expected: ReadonlyMap<string, Entry>): void => {
  const byCurrency = Map.groupBy(members, ({ currency }) => currency);
  same(
    summary.map(({ currency }) => currency),
    [...byCurrency.keys()].sort(),
    `The summary of ${id} has other currencies.`,
  );
  for (const sum of summary) {
    const some = byCurrency.get(sum.currency) ?? [];
    const entries = some.flatMap(({ transaction_id }) => expected.get(`${transaction_id} ${state}`) ?? []);
    const isReplaced = entries.some((entry) => entry.isReplaced);
    const sums = entries.map(({ whole }) => whole).reduce(plus, nothing);
    same(
      comparable(sumsIn(sum, sum.currency), isReplaced),
      comparable(sums, isReplaced),
      `The summary of ${id} in ${sum.currency} is wrong.`,
    );
    const amounts = some.flatMap((member) => member.amounts);
    same(
      figuresOf([sum], sum.currency),
      figuresOf(amounts, sum.currency),
      `The figures of the summary of ${id} are wrong.`,
    );
    const credits = entries.filter(({ isCredit }) => isCredit);
    same(
      [sum.count, sum.credit_count, minor(sum.currency, sum.credit_amount)],
      [entries.length, credits.length, sumOf(credits.map(({ whole }) => whole.gross))],
      `The counts of the summary of ${id} are wrong.`,
    );
  }
};

/** The filings of a state have no gaps, except months without an entry between or after registrations. */
const checkPeriods = (book: Book, state: string, filings: readonly FiledPeriod[]): void => {
  const { registrations } = book.settings;
  const registered = new Registered(registrations, state);
  let next: number | null = null;
  for (const { id, period_start, period_end, frequency, members } of filings) {
    const period = registered.periodOf(monthOf(period_end));
    same(
      { period_start, period_end, frequency },
      { period_start: firstDayOf(period.first), period_end: lastDayOf(period.last), frequency: period.frequency },
      `The period of ${id} in ${state} is wrong.`,
      registrations,
    );
    for (; next !== null && next < period.first; next += 1)
      must(
        registered.isGap(next) || registered.isOver(next),
        `${state} has no filing of ${lastDayOf(next)}.`,
        registrations,
      );
    same(
      next === null || next === period.first,
      true,
      `Two filings of ${state} have the same months.`,
      filings.map((one) => one.period_end),
    );
    next = period.last + 1;
    for (const { month, transaction_id } of members)
      must(monthOf(`${month}-01`) <= period.last, `${transaction_id} is filed before its month.`, { id, month });
  }
};

/** A filing reads which shards are empty before the instant at which it is created. */
const closingMs = 10_000;

/** A transaction finalized before a period was closed is in its filing, or in an earlier one. */
const checkLate = (book: Book, filings: readonly FiledPeriod[]): void => {
  for (const [at, { members }] of filings.entries())
    for (const { transaction_id, month } of members) {
      const finalizedMs = book.finalizedMs.get(transaction_id) ?? Number.POSITIVE_INFINITY;
      const earlier = filings
        .slice(0, at)
        .find(
          ({ period_end, created_at }) =>
            month <= period_end.slice(0, 7) && finalizedMs + closingMs < Date.parse(created_at),
        );
      must(
        earlier === undefined,
        `${transaction_id} of ${month} was finalized before its period was closed, but is in a later filing.`,
        {
          finalized: new Date(finalizedMs),
          ...(earlier && { id: earlier.id, period_end: earlier.period_end, created_at: earlier.created_at }),
        },
      );
    }
};

/** A transaction is filed when all states that it awaits are filed; if it awaits none, with any filing. */
const checkFiled = (book: Book, filings: readonly FiledPeriod[], transactions: readonly Transaction[]): void => {
  const filed = new Set(
    filings
      .filter(({ status }) => status === 'filed')
      .flatMap(({ id, state, members }) => members.map((one) => `${one.transaction_id} ${state} ${id}`)),
  );
  const byId = new Map(transactions.map((one) => [one.id, one]));
  for (const transaction of transactions) {
    const { id, status, filings: named } = transaction;
    const own = [...filed].filter((key) => key.startsWith(`${id} `));
    same(named.map((one) => `${id} ${one.state} ${one.id}`).sort(), own.sort(), `${id} names other filings.`);
    if (!isLive(transaction)) continue;
    const { awaited } = postedStates(
      transaction,
      byId.get(transaction.parent_transaction_id ?? ''),
      book.settings.registrations,
    );
    const isFiled = own.length > 0 && [...awaited].every((state) => own.some((key) => key.includes(` ${state} `)));
    same(
      status,
      isFiled ? 'filed' : 'finalized',
      `The status of ${id} does not follow its filings.`,
      [...awaited],
      own,
    );
  }
};

export const checkFilings = (
  book: Book,
  filings: readonly FiledPeriod[],
  transactions: readonly Transaction[],
): void => {
  const expected = expectedEntries(book, transactions);
  checkMembers(filings, expected);
  for (const filing of filings) {
    for (const member of filing.members)
      checkEntry(member, expected.get(`${member.transaction_id} ${filing.state}`) as Entry);
    checkTotals(filing);
    checkSummary(filing, expected);
  }
  for (const [state, some] of Map.groupBy(filings, (filing) => filing.state)) {
    checkPeriods(book, state, some);
    checkLate(book, some);
  }
  checkFiled(book, filings, transactions);
};
