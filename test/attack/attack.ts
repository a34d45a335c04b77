/**
 * `npm run attack`: runs random months against the local service, one world after another until the time is up. Each
 * world has a seed; the first violation ends the run.
 *
 *   --minutes N   how long (10)
 *   --seed N      the seed of the first world (1); the next ones follow it
 *   --worlds N    how many worlds at most
 */
import { inspect, parseArgs } from 'node:util';
import { firstDayOf, monthOf } from '../support/local-days.ts';
import { type Book, newBook } from './book.ts';
import { checkFilings } from './checks/filings.ts';
import { checkIsolation, checkLists, checkReports } from './checks/lists.ts';
import { checkCredits, checkRecorded, checkRedacted, checkRefunds, checkSums, isLive } from './checks/recorded.ts';
import { assignmentsOf, type Draw, drawFrom, monthsOfBooks, settingsFrom, type Transaction } from './draw.ts';
import { type FiledPeriod, readFilings, readTransactions } from './ledger.ts';
import { closeAll, liveMonth, refundSome } from './month.ts';
import { openNetwork, type World } from './network.ts';
import { killAll, type Service, startService } from './processes.ts';
import { Violation } from './violation.ts';

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
type Tally = Readonly<Record<'sales' | 'credits' | 'void' | 'redacted' | 'filings' | 'entries' | 'unknown', number>>;

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
    const day = Date.parse(firstDayOf(month)) + (8 + world.draw.below(18)) * dayMs + world.draw.below(dayMs);
    await world.service.setClock(day);
    await liveMonth(world, month);
    await quiet(world);
  }
};

type Summary = { readonly requests: number; readonly kills: number; readonly tallies: readonly Tally[] };

/** Runs one world. Throws a `Violation` if the service breaks its contract. */
const runWorld = async (seed: number): Promise<Summary> => {
  const service = await startService();
  try {
    const world = await openWorld(service, seed);
    try {
      await liveMonths(world);
      for (const book of world.books) await refundSome(world, book);
      await service.setClock(Date.parse(firstDayOf(world.month + 16)));
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

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '1000000' },
  },
});

const count = (name: 'minutes' | 'seed' | 'worlds'): number => {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${name} takes a whole number from 1.`);
  process.exit(2);
};
const [minutes, first, worlds] = [count('minutes'), count('seed'), count('worlds')];

// A world that hangs is also a failure.
const worldMs = 15 * 60_000;

process.on('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const fail = (seed: number, error: unknown): never => {
  console.log(`seed ${seed}: ${error instanceof Violation ? error.message : inspect(error)}`);
  console.log(`Repeat it: npm run attack -- --seed ${seed} --worlds 1`);
  process.exit(1);
};
process.on('uncaughtException', (error) => fail(current, error));

const inWords = ({ requests, kills, tallies }: Summary): string => {
  const sums = new Map<string, number>();
  for (const tally of tallies)
    for (const [name, number] of Object.entries(tally)) sums.set(name, (sums.get(name) ?? 0) + number);
  return [`${requests} requests, ${kills} kills`, ...[...sums].map(([name, sum]) => `${sum} ${name}`)].join(', ');
};

const begun = performance.now();
const seconds = (sinceMs: number) => Math.round((performance.now() - sinceMs) / 1000);
let current = first;
let ran = 0;
for (; ran < worlds && performance.now() - begun < minutes * 60_000; ran += 1, current += 1) {
  const started = performance.now();
  const timer = setTimeout(() => fail(current, 'The world does not end.'), worldMs);
  const summary = await runWorld(current).catch((error) => fail(current, error));
  clearTimeout(timer);
  console.log(`seed ${current}: clean, ${inWords(summary)}, ${seconds(started)} s`);
}
console.log(`${ran} worlds without a violation in ${seconds(begun)} s.`);
process.exit(0);
