import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../../support/http.ts';
import { firstDayOf } from '../../support/local-days.ts';
import { shippingCharges } from '../../support/shipping.ts';
import type { Filing } from '../actions.ts';
import type { Book } from '../book.ts';
import type { Draw, Transaction } from '../draw.ts';
import { type FiledPeriod, get, readAll } from '../ledger.ts';
import { comparable, type Entry, entriesOf, minor, nothing, plus, type Sums, sumOf, sumsIn } from '../oracle.ts';
import { must, same } from '../violation.ts';
import { isLive } from './recorded.ts';

/** Checks that lists and CSV files match the transactions and filings. */

type Reader = { readonly url: string; readonly key: string };

const isIn =
  (state: string) =>
  ({ line_items, shipping }: Transaction): boolean =>
    [...line_items, ...shippingCharges(shipping)].some(({ taxes }) =>
      taxes.some(({ jurisdiction_code }) => jurisdiction_code.startsWith(`US-${state}`)),
    );

/** Filters with the transactions that they must find. */
const filters = (draw: Draw, transactions: readonly Transaction[]): [string, (one: Transaction) => boolean][] => {
  const some = draw.of(transactions);
  const day = some.tax_date.slice(0, 10);
  const { reference_id, customer } = some;
  return [
    ['', () => true],
    ['type=credit', ({ type }) => type === 'credit'],
    ...['draft', 'finalized', 'filed', 'void'].map((status): [string, (one: Transaction) => boolean] => [
      `status=${status}`,
      (one) => one.status === status,
    ]),
    [`tax_date[gte]=${day}`, (one) => one.tax_date.slice(0, 10) >= day],
    [`tax_date[lt]=${day}&type=sale`, (one) => one.tax_date.slice(0, 10) < day && one.type === 'sale'],
    [`parent_transaction_id=${some.id}`, (one) => one.parent_transaction_id === some.id],
    ['state=TX', isIn('TX')],
    ...(reference_id
      ? [
          [`reference_id=${reference_id}`, (one: Transaction) => one.reference_id === reference_id] as [
            string,
            (one: Transaction) => boolean,
          ],
        ]
      : []),
    ...(customer?.id
      ? [
          [`customer_id=${customer.id}`, (one: Transaction) => one.customer?.id === customer.id] as [
            string,
            (one: Transaction) => boolean,
          ],
        ]
      : []),
  ];
};

/** Cells of a CSV file of this service: RFC 4180, no line breaks in cells. */
const csvRows = (text: string): Record<string, string>[] => {
  const cells = (line: string) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
    );
  const [head = '', ...lines] = text.split('\r\n').slice(0, -1);
  const names = cells(head);
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, at) => [names[at] as string, cell])));
};

const columns = [
  'id',
  'type',
  'status',
  'currency',
  'subtotal_amount',
  'taxable_amount',
  'exempt_amount',
  'tax_amount',
  'total_amount',
  'credited_amount',
] as const;

const checkTransactionsCsv = async (reader: Reader, transactions: readonly Transaction[]): Promise<void> => {
  const { text } = await get(reader, '/transactions?limit=100', 'text/csv');
  const expected = transactions.slice(0, 100).map((one) => columns.map((name) => one[name]));
  same(
    csvRows(text).map((row) => columns.map((name) => row[name])),
    expected,
    'The CSV file of transactions is wrong.',
  );
};

const amounts = [
  'gross_amount',
  'exempt_amount',
  'taxable_amount',
  'tax_amount',
  'not_covered_amount',
  'calculated_tax_amount',
  'over_collected_amount',
] as const;
type Amounts = Readonly<Record<(typeof amounts)[number], string>>;
const cellsOf = (row: Partial<Record<string, string>> | Amounts) =>
  amounts.map((name) => (row as Amounts)[name]).join();

type Reviewed = Schema<'FilingException'>;

/** The rows of the CSV file for the review list: the count, gross and tax of each code and currency. */
const reviewRows = (reviewed: readonly Reviewed[]): string[] => {
  const parts = reviewed.flatMap((one) => one.review_codes.map((code) => [`${code} ${one.currency}`, one] as const));
  return [...Map.groupBy(parts, ([key]) => key)].map(([key, some]) => {
    const sum = (name: 'gross_amount' | 'tax_amount') => sumOf(some.map(([, one]) => minor(one.currency, one[name])));
    return `${key}  ${some.length} ${sum('gross_amount')},${sum('tax_amount')}`;
  });
};

const checkReview = async (
  reader: Reader,
  { id, members }: FiledPeriod,
  byId: ReadonlyMap<string, Transaction>,
): Promise<Reviewed[]> => {
  const rows = await readAll<Reviewed>(reader, `/filings/${id}/exceptions?list=review&limit=100`);
  const ids = new Set(members.map(({ transaction_id }) => transaction_id));
  for (const row of rows) {
    must(ids.has(row.transaction_id), `The filing ${id} reviews transactions of others.`, row);
    const own = byId.get(row.transaction_id);
    const warned = [own, byId.get(own?.parent_transaction_id ?? '')].flatMap((one) => one?.warnings ?? []);
    const codes = new Set<string>(warned.map(({ code }) => code));
    must(row.review_codes.length > 0, `The filing ${id} reviews a transaction without a reason.`, row);
    must(
      row.review_codes.every((code) => codes.has(code)),
      `The filing ${id} reviews a warning that was not returned.`,
      row,
    );
  }
  return rows;
};

const checkFilingCsv = async (
  reader: Reader,
  { id, totals, summary, members }: FiledPeriod,
  reviewed: readonly Reviewed[],
): Promise<void> => {
  const { text } = await get(reader, `/filings/${id}`, 'text/csv');
  const rows = csvRows(text);
  const rates = totals.flatMap((total) =>
    total.rates.map(
      (rate) => `${total.jurisdiction_code} ${total.currency} ${rate.rate} ${rate.count} ${cellsOf(rate)}`,
    ),
  );
  const sums = summary.map((sum) => ` ${sum.currency}  ${sum.count} ${cellsOf(sum)}`);
  const actual = rows.map((row) => {
    const { currency = '', gross_amount = '', tax_amount = '' } = row;
    const amountsOf =
      row['jurisdiction_type'] === 'review'
        ? [gross_amount, tax_amount].map((text) => minor(currency, text)).join()
        : cellsOf(row);
    return `${row['jurisdiction_code']} ${currency} ${row['rate']} ${row['count']} ${amountsOf}`;
  });
  const expected = [...rates, ...sums, ...reviewRows(reviewed)];
  same(actual.sort(), expected.sort(), `The CSV file of the filing ${id} is wrong.`);
  const first = await get(reader, `/filings/${id}?expand=entries&limit=100`, 'text/csv');
  const entries = members
    .slice(0, 100)
    .flatMap((one) =>
      one.amounts.map(
        (amount) => `${one.transaction_id} ${amount.jurisdiction_code} ${amount.rate} ${cellsOf(amount)}`,
      ),
    );
  const found = csvRows(first.text).map(
    (row) => `${row['transaction_id']} ${row['jurisdiction_code']} ${row['rate']} ${cellsOf(row)}`,
  );
  same(found, entries, `The CSV file of the entries of the filing ${id} is wrong.`);
};

const checkExceptions = async (reader: Reader, { id, exceptions, members }: FiledPeriod): Promise<void> => {
  const rows = await readAll<{ readonly transaction_id: string }>(reader, `/filings/${id}/exceptions?limit=100`);
  same(rows.length, exceptions?.count, `The filing ${id} has another number of exceptions.`);
  const ids = new Set(members.map(({ transaction_id }) => transaction_id));
  must(
    rows.every(({ transaction_id }) => ids.has(transaction_id)),
    `The filing ${id} has exceptions of others.`,
    rows,
  );
};

/** `expected` is the whole list, newest first. */
export const checkLists = async (
  reader: Reader,
  draw: Draw,
  transactions: readonly Transaction[],
  filings: readonly FiledPeriod[],
): Promise<void> => {
  if (transactions.length === 0) return;
  for (const [query, isWanted] of filters(draw, transactions)) {
    const limit = draw.of([7, 25, 100]);
    const rows = await readAll<Transaction>(reader, `/transactions?limit=${limit}${query && `&${query}`}`);
    const ids = rows.map(({ id }) => id);
    const expected = transactions.filter(isWanted).map(({ id }) => id);
    const isByDay = query.startsWith('tax_date');
    same(isByDay ? ids.toSorted() : ids, isByDay ? expected.toSorted() : expected, `The list ${query} is wrong.`);
  }
  await checkTransactionsCsv(reader, transactions);
  const byId = new Map(transactions.map((one) => [one.id, one]));
  for (const filing of filings.filter(({ members }) => members.length > 0).slice(0, 6)) {
    await checkFilingCsv(reader, filing, await checkReview(reader, filing, byId));
    await checkExceptions(reader, filing);
  }
  const one = draw.of(transactions);
  const { body } = await get<Transaction>(reader, `/transactions/${one.id}`);
  const names = Object.keys(one) as (keyof Transaction)[];
  const other = names.filter((name) => name !== 'warnings' && !isDeepStrictEqual(body[name], one[name]));
  same(other, [], `${one.id} has other fields in the list.`, ...other.map((name) => [body[name], one[name]]));
};

/** No list contains data of the other account. */
export const checkIsolation = (
  book: Book,
  transactions: readonly Transaction[],
  filings: readonly Filing[],
  foreign: ReadonlySet<string>,
): void => {
  for (const { id } of [...transactions, ...filings]) must(!foreign.has(id ?? ''), `${id} is in both accounts.`);
  for (const { id, metadata } of transactions)
    must((metadata['op'] ?? book.letter).startsWith(book.letter), `${id} is of the other account.`, metadata);
};

/** The report by state and month has the sums of all transactions that are not void. */

/** Reports are updated from the table's stream with a short delay. */
const patienceMs = 30_000;

const positive = (sums: Sums): Sums => ({
  gross: -sums.gross,
  taxable: -sums.taxable,
  tax: -sums.tax,
  untaxed: Object.fromEntries(Object.entries(sums.untaxed).map(([reason, amount]) => [reason, -amount])),
});

const expectedOf = (entries: readonly Entry[]) => {
  const rows = Map.groupBy(entries, ({ state, month, currency }) => `${month} ${state} ${currency}`);
  return Object.fromEntries(
    [...rows].map(([key, some]) => {
      const isReplaced = some.some((entry) => entry.isReplaced);
      const part = (isCredit: boolean) => {
        const own = some.filter((entry) => entry.isCredit === isCredit);
        const sums = own.map(({ whole }) => whole).reduce(plus, nothing);
        return { ...comparable(isCredit ? positive(sums) : sums, isReplaced), count: own.length };
      };
      return [key, { sales: part(false), credits: part(true) }];
    }),
  );
};

export const checkReports = async (
  reader: { readonly url: string; readonly key: string },
  transactions: readonly Transaction[],
  [first, last]: readonly [number, number],
): Promise<void> => {
  const byId = new Map(transactions.map((one) => [one.id, one]));
  const entries = transactions
    .filter(isLive)
    .flatMap((one) => entriesOf(one, byId.get(one.parent_transaction_id ?? '')));
  const expected = expectedOf(entries);
  const replaced = new Set(
    entries.filter((one) => one.isReplaced).map(({ state, month, currency }) => `${month} ${state} ${currency}`),
  );
  const reported = async () => {
    const monthText = (month: number) => firstDayOf(month).slice(0, 7);
    const path = `/reports/by-state?from=${monthText(first)}&to=${monthText(last)}`;
    const { body } = await get<Schema<'ReportByState'>>(reader, path);
    return Object.fromEntries(
      body.data.map(({ month, state, currency, sales, credits }) => {
        const key = `${month} ${state} ${currency}`;
        const part = (amounts: Schema<'ReportAmounts'>) => ({
          ...comparable(sumsIn(amounts, currency), replaced.has(key)),
          count: amounts.count,
        });
        return [key, { sales: part(sales), credits: part(credits) }];
      }),
    );
  };
  const deadline = performance.now() + patienceMs;
  let actual = await reported();
  while (!isDeepStrictEqual(actual, expected) && performance.now() < deadline) {
    await sleep(200);
    actual = await reported();
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
    same(actual[key], expected[key], `The report of ${key} is wrong.`);
};
