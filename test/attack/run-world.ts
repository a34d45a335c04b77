import type { Transaction } from './bodies.ts';
import { type Book, newBook } from './book.ts';
import { checkCredits, checkRefunds, isLive } from './checks/credits.ts';
import { checkFilings } from './checks/filings.ts';
import { checkIsolation, checkLists, checkReports } from './checks/lists.ts';
import { checkRecorded, checkRedacted, checkSums } from './checks/recorded.ts';
import { closeAll, refundSome } from './close-all.ts';
import { type Draw, drawFrom } from './draw.ts';
import { type FiledPeriod, readFilings, readTransactions } from './ledger.ts';
import { liveMonth } from './month.ts';
import { openNetwork, type World } from './network.ts';
import { firstDay, monthOf } from './oracle/days.ts';
import { type Service, startService } from './processes.ts';
import { assignmentsOf, monthsOfBooks, settingsFrom } from './settings.ts';

/** Runs months of concurrent clients on an unreliable network, with kills, and then the oracle. */

/** The number of months with clients. */
const months = 3;

const dayMs = 86_400_000;

type Created = { readonly id: string; readonly created_at: string; readonly key: { readonly secret: string } };

const newAccount = async (service: Service, draw: Draw, letter: string, month: number): Promise<Book> => {
  const settings = settingsFrom(draw, month);
  const words = [
    'create',
    '--name',
    letter,
    '--key',
    'read,write',
    '--expires',
    'never',
    '--json',
    ...assignmentsOf(settings),
  ];
  const { id, created_at, key }: Created = JSON.parse(await service.command('accounts', words));
  return newBook({ letter, settings, account: id, key: key.secret, createdDay: created_at.slice(0, 10) });
};

const openWorld = async (service: Service, seed: number): Promise<World> => {
  const draw = drawFrom(seed);
  // An account is created at the real time, so months begin after it.
  const month = monthOf(new Date().toISOString().slice(0, 10)) + 1;
  const [first, second] = [draw.fork(), draw.fork()];
  const books = await Promise.all([newAccount(service, first, 'a', month), newAccount(service, second, 'b', month)]);
  return { service, network: await openNetwork(service), books, draw: draw.fork(), month };
};

/** No work is in progress, and expired drafts are void. */
const quiet = async ({ service, network }: World): Promise<void> => {
  await network.settled();
  await service.ready();
  await service.runSchedule('sweep-drafts');
};

/** Counts each kind of data in a world, to verify that it was not empty. */
export type Tally = Readonly<
  Record<'sales' | 'credits' | 'void' | 'redacted' | 'filings' | 'entries' | 'unknown', number>
>;

const tallyOf = (book: Book, transactions: readonly Transaction[], filings: readonly FiledPeriod[]): Tally => {
  const count = (isSo: (one: Transaction) => boolean) => transactions.filter(isSo).length;
  return {
    sales: count((one) => one.type === 'sale' && isLive(one)),
    credits: count((one) => one.type === 'credit' && isLive(one)),
    void: count(({ status }) => status === 'void'),
    redacted: count(({ redacted_at }) => redacted_at !== undefined),
    filings: filings.length,
    entries: filings.reduce((sum, { members }) => sum + members.length, 0),
    unknown: [...book.creations.values()].filter(({ outcome }) => outcome === 'unknown').length,
  };
};

/** An account with its final data. */
type End = {
  readonly book: Book;
  readonly transactions: readonly Transaction[];
  readonly filings: readonly FiledPeriod[];
};

const readEnd = async ({ service }: World, book: Book): Promise<End> => {
  const reader = { url: service.url, key: book.key };
  const filings = await readFilings(reader);
  return { book, filings, transactions: await readTransactions(reader) };
};

const checkAccount = async (world: World, { book, transactions, filings }: End, other: End): Promise<Tally> => {
  const { service, month, draw } = world;
  const reader = { url: service.url, key: book.key };
  const foreign = new Set([...other.transactions, ...other.filings].map(({ id }) => id));
  checkIsolation(book, transactions, filings, foreign);
  checkRecorded(book, transactions);
  checkRedacted(book, transactions, [transactions, filings]);
  for (const transaction of transactions) checkSums(transaction);
  checkCredits(transactions);
  checkFilings(book, filings, transactions);
  checkRefunds(filings, transactions);
  await checkReports(reader, transactions, [month - monthsOfBooks, month + months + 1]);
  await checkLists(reader, draw, transactions, filings);
  return tallyOf(book, transactions, filings);
};

const liveMonths = async (world: World): Promise<void> => {
  for (let at = 0; at < months; at += 1) {
    const month = world.month + at;
    const day = Date.parse(firstDay(month)) + (8 + world.draw.below(18)) * dayMs + world.draw.below(dayMs);
    await world.service.setClock(day);
    await liveMonth(world, month);
    await quiet(world);
  }
};

export type Summary = { readonly requests: number; readonly kills: number; readonly tallies: readonly Tally[] };

/** Runs one world. Throws a `Violation` if the service breaks its contract. */
export const runWorld = async (seed: number): Promise<Summary> => {
  const service = await startService();
  try {
    const world = await openWorld(service, seed);
    try {
      await liveMonths(world);
      for (const book of world.books) await refundSome(world, book);
      await service.setClock(Date.parse(firstDay(world.month + 16)));
      await quiet(world);
      for (const book of world.books) await closeAll(world, book);
      const [a, b] = [await readEnd(world, world.books[0]), await readEnd(world, world.books[1])];
      const tallies = [await checkAccount(world, a, b), await checkAccount(world, b, a)];
      return { requests: world.network.count(), kills: service.kills(), tallies };
    } finally {
      world.network.close();
    }
  } finally {
    await service.stop();
  }
};
