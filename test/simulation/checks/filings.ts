import { isDeepStrictEqual } from 'node:util';
import { type FilingPeriod, faultText, periodFaults, shardCountFaults } from '../../../shared/ledger/invariants.ts';
import type { Item } from '../../support/memory-database.ts';
import type { Observed } from '../client.ts';
import type { History } from '../history.ts';
import { cents, type Entry, getEntry, getKind, json, sum } from './decode.ts';
import type { Book, Change, Ledger } from './ledger.ts';

type Filing = { readonly name: string; readonly account: string; readonly id: string; readonly item: Item };

const summed = [
  'taxable',
  'exempt',
  'tax',
  'not_covered',
  'difference',
  'over_collected',
  'credit',
  'credits',
] as const;
type Sums = Readonly<Partial<Record<(typeof summed)[number], unknown>>>;

type Totals = {
  readonly jurisdictions: readonly [
    unknown,
    { readonly jurisdiction_code: string; readonly currency: string; readonly sum: Sums },
  ][];
  readonly exceptions: readonly [string, { readonly gross: string; readonly count: number }][];
  readonly review: readonly [string, { readonly gross: string; readonly tax: string; readonly count: number }][];
};

/** The sums of an entry's jurisdictions in cents, in the order of `summed`. */
const getSums = ({ currency, figures: { amounts, document } }: Entry): Map<string, number[]> => {
  const isCredit = document.type === 'credit';
  const sums = new Map<string, number[]>();
  for (const { jurisdiction_code, taxable, exempt, tax, notCovered, difference, over, gross } of amounts) {
    // If a credit refunds less than the calculated tax, the rest remains over-collected.
    const ownOver = isCredit ? over : Math.max(0, difference);
    const key = `${jurisdiction_code} ${currency}`;
    // An entry counts once for each jurisdiction.
    const ofCredits = [isCredit ? gross : 0, Number(isCredit && !sums.has(key))];
    addAll(sums, new Map([[key, [taxable, exempt, tax, notCovered, difference, ownOver, ...ofCredits]]]));
  }
  return sums;
};

/** The gross amount and number of an entry's exceptions, by reason and currency. */
const listExceptions = ({ currency, figures: { exceptions = [] } }: Entry): Map<string, number[]> => {
  const reasons = new Map(exceptions.map(({ reason, gross }) => [`${reason} ${currency}`, [gross, 1]]));
  const [largest] = [...reasons.values()].toSorted(([a = 0], [b = 0]) => Math.abs(b) - Math.abs(a));
  return largest ? reasons.set(`any ${currency}`, largest) : reasons;
};

/** The gross amount, tax and number of an entry to review, by code and currency. */
const getReview = ({ currency, figures: { base, amounts, review = [] } }: Entry): Map<string, number[]> => {
  const sums = [base.gross, sum(amounts.map(({ tax }) => tax)), 1];
  return new Map((review.length > 0 ? ['any', ...review] : []).map((code) => [`review ${code} ${currency}`, sums]));
};

const addAll = (sums: Map<string, number[]>, more: ReadonlyMap<string, readonly number[]>): void => {
  for (const [key, values] of more) {
    const before = sums.get(key) ?? values.map(() => 0);
    sums.set(
      key,
      values.map((value, at) => value + (before[at] as number)),
    );
  }
};

/** The items of filings at a step: heads, progress of shards, and entries. */
export class FilingBook implements Book {
  readonly #items = new Map<string, Item>();

  step(changes: readonly Change[]): string[] {
    const shards = new Set<string>();
    let isFilingChanged = false;
    for (const { name, version } of changes) {
      const [pk = ''] = name.split(' ');
      if (!pk.startsWith('F#')) continue;
      if (version.item) this.#items.set(name, version.item);
      else this.#items.delete(name);
      if (pk.split('#').length >= 4) shards.add(pk.replace('#TOTALS', ''));
      else isFilingChanged = true;
    }
    const ofShards = [...shards].flatMap((shard) => this.#shard(shard));
    if (!isFilingChanged) return ofShards;
    return [...ofShards, ...this.#periods(), ...this.all().flatMap((filing) => this.#summary(filing))];
  }

  listEntries(prefix: string): readonly Entry[] {
    return [...this.#items]
      .filter(([name]) => name.startsWith(prefix) && getKind(name) === 'entry')
      .map(([, item]) => getEntry(item));
  }

  all(): readonly Filing[] {
    return [...this.#items].flatMap(([name, item]) => {
      const [kind, account = '', ...rest] = String(item['pk']).split('#');
      return kind === 'F' && rest.length === 0 ? [{ name, account, id: String(item['sk']), item }] : [];
    });
  }

  // The counts and totals of a shard equal its entries.
  #shard(shard: string): string[] {
    const progress = this.#items.get(`${shard} !`);
    if (!progress) return [`${shard} has no progress`];
    const entries = this.listEntries(`${shard} `);
    const { moved, reopened } = progress['entries'] as { moved: number; reopened: number };
    const counted = shardCountFaults(shard, entries.length, { moved, reopened });
    if (counted.length > 0) return counted.map(faultText);
    if (reopened > 0) return [];
    const added = new Map<string, number[]>();
    const { jurisdictions, exceptions, review } = json(progress['totals']) as Totals;
    // A shard with many jurisdictions has them in parts.
    const parts = [...this.#items]
      .filter(([name]) => name.startsWith(`${shard}#TOTALS `))
      .flatMap(([, item]) => json(item['sums']) as Totals['jurisdictions']);
    for (const [, { jurisdiction_code, currency, sum }] of [...jurisdictions, ...parts])
      addAll(added, new Map([[`${jurisdiction_code} ${currency}`, summed.map((name) => Number(sum[name] ?? 0))]]));
    for (const [key, { gross, count }] of exceptions) addAll(added, new Map([[key, [Number(gross), count]]]));
    for (const [key, { gross, tax, count }] of review)
      addAll(added, new Map([[`review ${key}`, [Number(gross), Number(tax), count]]]));
    const stored = new Map<string, number[]>();
    for (const entry of entries) {
      addAll(stored, getSums(entry));
      addAll(stored, listExceptions(entry));
      addAll(stored, getReview(entry));
    }
    const [actual, expected] = [added, stored].map((sums) => JSON.stringify([...sums].sort()));
    return actual === expected ? [] : [`${shard} adds up to ${actual}, and its entries to ${expected}`];
  }

  // Once all entries have moved, the summary of a filing has the sums of its entries in each currency.
  #summary({ name, account, id, item }: Filing): string[] {
    if (!['closed', 'marking', 'filed'].includes(String(item['status']))) return [];
    const sums = new Map<string, number[]>();
    for (const { currency, figures } of this.listEntries(`F#${account}#${id}#`)) {
      const tax = sum(figures.amounts.map((row) => row.tax));
      addAll(sums, new Map([[currency, [figures.base.gross, tax, 1]]]));
    }
    const summary = item['summary'] as readonly {
      currency: string;
      gross_amount: string;
      tax_amount: string;
      count: number;
    }[];
    const rows = summary.map(
      (row) => [row.currency, [cents(row.gross_amount), cents(row.tax_amount), row.count]] as const,
    );
    const [actual, expected] = [rows, [...sums]].map((of) => JSON.stringify(of.toSorted()));
    return actual === expected ? [] : [`${name} says ${actual}, and its entries say ${expected}`];
  }

  // The periods of a state follow each other, and each has one filing that is not canceled.
  #periods(): string[] {
    return [...Map.groupBy(this.all(), ({ account }) => account).values()].flatMap((filings) => {
      const periods = filings.map(({ id, item }) => ({ ...(item as unknown as FilingPeriod), id }));
      return periodFaults(periods).flatMap(({ id, faults }) => faults.map((fault) => `${id}: ${faultText(fault)}`));
    });
  }
}

const isOver = ({ item }: Filing, status: string) => item['status'] === status && item['isUnfinished'] === false;

/** At the end, each transaction lists exactly its filings that are filed. */
const atTheEnd = (books: FilingBook, ledger: Ledger): string[] => {
  const filings = books.all();
  const statusByFiling = new Map(filings.map(({ account, id, item }) => [`${account} ${id}`, item['status']]));
  const newest = [...ledger.reigns.values()].map((reigns) => (reigns.at(-1) as (typeof reigns)[number]).head);
  const marked = newest.flatMap(({ account, id, transaction }) => {
    const ids = transaction.filings.map((filing) => filing.id);
    const wrong = ids.filter(
      (filing: string) => !['marking', 'filed'].includes(String(statusByFiling.get(`${account} ${filing}`))),
    );
    return [
      ...wrong.map((filing: string) => `${id} names the filing ${filing}, which is not filed`),
      ...(new Set(ids).size < ids.length ? [`${id} names a filing twice`] : []),
    ];
  });
  return [...marked, ...filings.flatMap((filing) => ofFiling(filing, books, ledger))];
};

const ofFiling = (filing: Filing, books: FilingBook, ledger: Ledger): string[] => {
  const { account, id } = filing;
  const entries = books.listEntries(`F#${account}#${id}#`);
  if (isOver(filing, 'canceled') && entries.length > 0) return [`${id} is canceled, and has entries`];
  if (!isOver(filing, 'filed')) return [];
  const { marked } = filing.item['entries'] as { readonly marked: number };
  if (marked !== entries.length) return [`${id} has marked ${marked} of its ${entries.length} entries`];
  return entries
    .map(({ transactionId }) => ledger.of(account, transactionId).at(-1)?.head)
    .filter((head) => !head?.transaction.filings.some((one) => one.id === id))
    .map((head) => `${id} is filed, and ${head?.id} is not marked`);
};

/** A filing with exceptions is filed only if a request acknowledged their number. */
const unacknowledged = (books: FilingBook, { sent }: Observed): string[] =>
  books.all().flatMap(({ account, id, item }) => {
    if (!['marking', 'filed'].includes(String(item['status']))) return [];
    const entries = books.listEntries(`F#${account}#${id}#`);
    const count = entries.filter(({ figures }) => figures.exceptions).length;
    const isAcknowledged = sent.some(
      ({ request: { path, body } }) => path === `/filings/${id}` && (body?.acknowledge_exceptions ?? 0) === count,
    );
    return isAcknowledged ? [] : [`${id} is filed, and no request acknowledged its ${count} exceptions`];
  });

/** A finished chain ends with the last filing of its state that is not canceled. */
const ofChain = (chain: Item, filings: readonly Filing[]): string[] => {
  const [, account, state] = String(chain['pk']).split('#');
  const [last = null] = filings
    .filter(({ item, ...filing }) => filing.account === account && item['state'] === state)
    .filter(({ item }) => item['status'] !== 'canceled')
    .map(({ id, item }) => ({ filing: id, period_end: String(item['period_end']) }))
    .sort((a, b) => (a.period_end < b.period_end ? 1 : -1));
  const [actual, expected] = [
    { last: chain['last'], isBusy: chain['isBusy'] },
    { last, isBusy: false },
  ];
  return isDeepStrictEqual(actual, expected) ? [] : [`${chain['pk']} ends with ${JSON.stringify(actual)}`];
};

const isEnd = ({ item }: Filing) => item['isUnfinished'] === false;

/** Returned filings exist in the client's account. */
const responses = ({ versions }: History, { sent }: Observed): string[] =>
  sent.flatMap(({ name, account, attempts }) =>
    attempts
      .map(({ response }) => response)
      .filter(
        (response) =>
          response && response.status < 300 && response.body?.object === 'filing' && response.body.id !== null,
      )
      .filter((response) => !versions.has(`F#${account} ${response?.body?.id}`))
      .map((response) => `${name} of ${account} got the filing ${response?.body?.id}, which it does not have`),
  );

/** Returns violations in filings after the last step: marks of filed transactions, responses, and unfinished work. */
export const filingViolations = (books: FilingBook, history: History, ledger: Ledger, observed: Observed): string[] => {
  const wrong = [...atTheEnd(books, ledger), ...unacknowledged(books, observed), ...responses(history, observed)];
  const { finished } = observed;
  if (!finished) return wrong;
  // After a run without faults, no work is left.
  const left = books.all().filter((filing) => !isEnd(filing));
  const drafts = [...ledger.reigns.values()]
    .map((reigns) => (reigns.at(-1) as (typeof reigns)[number]).head)
    .filter(({ endsMs }) => endsMs !== null && endsMs <= finished.atMs);
  const stale = ledger.others.flatMap(([name, versions]) => {
    const { item } = versions.at(-1) ?? {};
    if (!item) return [];
    if (name.startsWith('W ')) return [`${name} is left, and there is no work`];
    return name.endsWith(' CHAIN') ? ofChain(item, books.all()) : [];
  });
  return [
    ...wrong,
    ...left.map(({ id }) => `${id} was not finished`),
    ...stale,
    ...drafts.map(({ id }) => `${id} is a draft after its end`),
    ...finished.failures.map((error) => `A schedule failed without a fault: ${error}`),
  ];
};
