import type { Item } from '../../support/memory-database.ts';
import type { History } from '../history.ts';
import type { Observed } from '../observed.ts';
import { cents, type Entry, entryOf, json, kindOf } from './decode.ts';
import type { Change, Ledger } from './ledger.ts';

type Filing = { readonly name: string; readonly account: string; readonly id: string; readonly item: Item };

type Totals = {
  readonly jurisdictions: readonly [
    unknown,
    { readonly jurisdiction_code: string; readonly sum: { readonly tax: unknown } },
  ][];
};

/** The items of filings at a step: heads, progress of shards, and entries. */
class Books {
  readonly #items = new Map<string, Item>();
  readonly violations: string[] = [];

  step(changes: readonly Change[]): void {
    const shards = new Set<string>();
    let isFilingChanged = false;
    for (const { name, version } of changes) {
      const [pk = ''] = name.split(' ');
      if (!pk.startsWith('F#')) continue;
      if (version.item) this.#items.set(name, version.item);
      else this.#items.delete(name);
      if (pk.split('#').length === 4) shards.add(pk);
      else isFilingChanged = true;
    }
    const where = `step ${changes[0]?.version.step}`;
    for (const shard of shards) this.violations.push(...this.#shard(shard).map((words) => `${words} (${where})`));
    if (isFilingChanged) this.violations.push(...this.#periods().map((words) => `${words} (${where})`));
  }

  entriesOf(prefix: string): readonly Entry[] {
    return [...this.#items]
      .filter(([name]) => name.startsWith(prefix) && kindOf(name) === 'entry')
      .map(([, item]) => entryOf(item));
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
    const entries = this.entriesOf(`${shard} `);
    const { moved, reopened } = progress['entries'] as { moved: number; reopened: number };
    if (moved - reopened !== entries.length)
      return [`${shard} counts ${moved} entries without ${reopened}, and has ${entries.length}`];
    if (reopened > 0) return [];
    const counted = new Map<string, number>();
    for (const [, { jurisdiction_code, sum }] of (json(progress['totals']) as Totals).jurisdictions)
      counted.set(jurisdiction_code, (counted.get(jurisdiction_code) ?? 0) + Number(sum.tax));
    const stored = new Map<string, number>();
    for (const { figures } of entries)
      for (const { jurisdiction_code, tax_amount } of figures.amounts)
        stored.set(jurisdiction_code, (stored.get(jurisdiction_code) ?? 0) + cents(tax_amount));
    const [actual, expected] = [counted, stored].map((sums) => JSON.stringify([...sums].sort()));
    return actual === expected ? [] : [`${shard} adds up to ${actual}, and its entries to ${expected}`];
  }

  // A period has one filing that is not canceled.
  #periods(): string[] {
    const seen = new Set<string>();
    return this.all().flatMap(({ account, item }) => {
      if (item['status'] === 'canceled') return [];
      const period = `${account} ${item['state']} ${item['period_end']}`;
      if (seen.has(period)) return [`${period} has two filings`];
      seen.add(period);
      return [];
    });
  }
}

const isOver = ({ item }: Filing, status: string) => item['status'] === status && item['unfinished'] === false;

/** At the end, transactions name exactly the filings that are filed. */
const atTheEnd = (books: Books, ledger: Ledger): string[] => {
  const filings = books.all();
  const statusOf = new Map(filings.map(({ account, id, item }) => [`${account} ${id}`, item['status']]));
  const newest = [...ledger.reigns.values()].map((reigns) => (reigns.at(-1) as (typeof reigns)[number]).head);
  const marked = newest.flatMap(({ account, id, transaction }) => {
    const ids = transaction.filings.map((filing) => filing.id);
    const wrong = ids.filter(
      (filing: string) => !['marking', 'filed'].includes(String(statusOf.get(`${account} ${filing}`))),
    );
    return [
      ...wrong.map((filing: string) => `${id} names the filing ${filing}, which is not filed`),
      ...(new Set(ids).size < ids.length ? [`${id} names a filing twice`] : []),
    ];
  });
  return [...marked, ...filings.flatMap((filing) => ofFiling(filing, books, ledger))];
};

const ofFiling = (filing: Filing, books: Books, ledger: Ledger): string[] => {
  const { account, id } = filing;
  const entries = books.entriesOf(`F#${account}#${id}#`);
  if (isOver(filing, 'canceled') && entries.length > 0) return [`${id} is canceled, and has entries`];
  if (!isOver(filing, 'filed')) return [];
  return entries
    .map(({ transactionId }) => ledger.of(account, transactionId).at(-1)?.head)
    .filter((head) => !head?.transaction.filings.some((one) => one.id === id))
    .map((head) => `${id} is filed, and ${head?.id} is not marked`);
};

const isEnd = ({ item }: Filing) => item['unfinished'] === false;

/** Returned filings exist in the client's account. */
const answers = ({ versions }: History, { sent }: Observed): string[] =>
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

/** Violations of filings: entries counted once, one filing for a period, and marks of filed transactions. */
export const filingViolations = (history: History, ledger: Ledger, observed: Observed): string[] => {
  const books = new Books();
  for (const changes of ledger.steps) books.step(changes);
  const wrong = [...books.violations, ...atTheEnd(books, ledger), ...answers(history, observed)];
  const { finished } = observed;
  if (!finished) return wrong;
  // After a run without faults, no work is left.
  const left = books.all().filter((filing) => !isEnd(filing));
  const drafts = [...ledger.reigns.values()]
    .map((reigns) => (reigns.at(-1) as (typeof reigns)[number]).head)
    .filter(({ endsMs }) => endsMs !== null && endsMs <= finished.atMs);
  return [
    ...wrong,
    ...left.map(({ id }) => `${id} was not finished`),
    ...drafts.map(({ id }) => `${id} is a draft after its end`),
    ...finished.failures.map((error) => `A schedule failed without a fault: ${error}`),
  ];
};
