import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../support/http.ts';
import { firstDayOf, lastDayOf, monthOf, Registered } from '../support/local-days.ts';
import {
  change,
  changeFiling,
  closePeriod,
  codeOf,
  createCredit,
  createSale,
  type Filing,
  read,
  repeatCreation,
  type Scene,
  trespass,
} from './actions.ts';
import { type Book, noteCreation } from './book.ts';
import { expectedEntries } from './checks/filings.ts';
import { type Draw, states, type Transaction } from './draw.ts';
import { type FiledPeriod, get, readAll, readFilings, readTransactions } from './ledger.ts';
import { newClient, type World } from './network.ts';
import { must, same } from './violation.ts';

/** A month: concurrent clients of both accounts, the schedules, and the removal of a customer's personal data. */

/** The number of clients per account, and of actions per client and month. */
const clients = { a: 5, b: 2 } as const;
const actionsOfMonth = 14;
/** The percentage of attempts with a fault. */
const losses = 22;

const actions = {
  sale: createSale,
  credit: createCredit,
  change,
  repeat: repeatCreation,
  close: closePeriod,
  filing: changeFiling,
  read,
  trespass,
} as const;

const weights = { sale: 34, credit: 22, change: 26, repeat: 4, close: 7, filing: 5, read: 4, trespass: 3 };

const nameOf = (letter: string, at: number, client: number, action: number) => `${letter}${at}c${client}-${action}`;

/** The names that the clients of an account have used before an action of a month. */
const namesBefore = (letter: 'a' | 'b', at: number, action: number, isRecent: boolean): string[] => {
  const names: string[] = [];
  for (let month = isRecent ? at : 0; month <= at; month += 1)
    for (let client = 0; client < clients[letter]; client += 1)
      for (let one = 0; one < (month === at ? action : actionsOfMonth); one += 1)
        names.push(nameOf(letter, month, client, one));
  return names;
};

const customersOf = (at: number): readonly string[] => [`cus-${at}-0`, `cus-${at}-1`, 'cus-2'];

const runClient = async (world: World, book: Book, client: number, month: number, draw: Draw): Promise<void> => {
  const { service, network, books } = world;
  const at = month - world.month;
  const letter = book.letter as 'a' | 'b';
  const scene = { book, other: books[letter === 'a' ? 1 : 0], service, month, customers: customersOf(at) };
  for (let action = 0; action < actionsOfMonth; action += 1) {
    // Each action has a separate random series, so the number of attempts of other actions does not change it.
    const own = draw.fork();
    const whole: Scene = {
      ...scene,
      draw: own,
      client: newClient(network, service, own.fork(), losses),
      names: namesBefore(letter, at, action, false),
      recent: namesBefore(letter, at, action, true),
    };
    await sleep(own.below(30));
    await actions[own.weighted(weights)](whole, nameOf(letter, at, client, action));
  }
};

/** Runs the schedules from time to time. A run can be killed. */
const runSchedules = async ({ service }: World, draw: Draw): Promise<void> => {
  for (const pauseMs of Array.from({ length: draw.below(4) }, () => draw.below(600))) {
    await sleep(pauseMs);
    await service.ready();
    await service.runSchedule(draw.of(['close-periods', 'close-periods', 'sweep-drafts'])).catch((error) => {
      // If the service is killed, fetch throws a TypeError.
      if (!(error instanceof TypeError)) throw error;
    });
  }
};

/** Removes a customer's personal data. The customer may not exist yet. */
const redact = async ({ service }: World, book: Book, customer: string): Promise<void> => {
  book.redacted.add(customer);
  const words = ['redact', '--account', book.account, '--customer', customer, '--yes', '--json'];
  await service.command('accounts', words).catch((error: { readonly stderr?: string; readonly stdout?: string }) => {
    const isKnown =
      error.stderr?.includes('no transaction has this customer') || /"left": [1-9]/.test(error.stdout ?? '');
    if (!isKnown) throw error;
  });
};

/** Runs a month with all clients of both accounts concurrently. */
export const liveMonth = async (world: World, month: number): Promise<void> => {
  const { books, draw } = world;
  const customer = customersOf(month - world.month)[0] as string;
  const isRedacted = draw.chance(40);
  const schedules = draw.fork();
  const all = books.flatMap((book) =>
    Array.from({ length: clients[book.letter as 'a' | 'b'] }, (_, client) => ({ book, client, draw: draw.fork() })),
  );
  await Promise.all([
    ...all.map((one) => runClient(world, one.book, one.client, month, one.draw)),
    runSchedules(world, schedules),
    ...(isRedacted ? [redact(world, books[0], customer)] : []),
  ]);
  if (!isRedacted) return;
  await world.network.settled();
  await redact(world, books[0], customer);
};

/** Closes every period that has an entry, in the order that the oracle expects. */

const turnsMax = 100;

/** Waits until the service has finished its work on a filing. The schedule continues work that a request started. */
const untilClosed = async ({ service }: World, { key }: Book, id: string): Promise<void> => {
  const reader = { url: service.url, key };
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const { body } = await get<Filing>(reader, `/filings/${id}`);
    if (body.progress.complete) return;
    await sleep(50);
    if (turn % 5 === 4) await service.runSchedule('close-periods');
  }
  must(false, `The filing ${id} never ends.`);
};

/** Returns the last filing of a state that is not canceled, once the service has finished its work on it. */
const lastFiling = async (world: World, book: Book, state: string): Promise<Filing | null> => {
  const reader = { url: world.service.url, key: book.key };
  const rows = await readAll<Filing>(reader, `/filings?state=${state}&limit=100`);
  const [last] = rows
    .filter(({ status }) => status !== 'canceled')
    .sort((a, b) => (a.period_end > b.period_end ? -1 : 1));
  for (const one of rows) if (!one.progress.complete) await untilClosed(world, book, one.id ?? '');
  return last ?? null;
};

/** The open entries of each state, by their months. */
const openMonths = async (
  world: World,
  book: Book,
  filings: readonly FiledPeriod[],
): Promise<Map<string, number[]>> => {
  const transactions = await readTransactions({ url: world.service.url, key: book.key });
  const filed = new Set(
    filings.flatMap(({ state, members }) => members.map((one) => `${one.transaction_id} ${state}`)),
  );
  const open = [...expectedEntries(book, transactions)].filter(([key]) => !filed.has(key)).map(([, entry]) => entry);
  return new Map(
    [...Map.groupBy(open, ({ state }) => state)].map(([state, some]) => [
      state,
      some.map(({ month }) => monthOf(`${month}-01`)),
    ]),
  );
};

/**
 * Returns the next period of a state: after the last filing, skipping gaps without open entries. Without filings, it is
 * the period of the oldest open entry or of the first registered day, whichever is earlier, but not before the books
 * open. `null` without either.
 */
const nextPeriod = ({ settings, createdDay }: Book, state: string, lastEnd: string | null, open: readonly number[]) => {
  const { registrations, books_open_from } = settings;
  const registered = new Registered(registrations, state);
  const oldest = Math.min(...open);
  if (lastEnd === null) {
    const own = Array.isArray(registrations) ? registrations.filter((one) => `US-${one.state}` === state) : [];
    const begun = own
      .filter(({ to }) => (to ?? '9999') >= createdDay)
      .map(({ from }) => monthOf(from > createdDay ? from : createdDay));
    const first = Math.min(oldest, ...begun);
    return Number.isFinite(first) ? registered.periodOf(Math.max(first, monthOf(books_open_from))) : null;
  }
  let period = registered.periodOf(monthOf(lastEnd) + 1);
  const isGap = () => registered.isGap(period.first) || registered.isOver(period.first);
  while (isGap() && period.last < oldest) period = registered.periodOf(period.last + 1);
  return period;
};

/** The schedule, which completes unfinished work, can close periods meanwhile, in the same order. */
const closeState = async (
  world: World,
  book: Book,
  state: string,
  { open, before }: { readonly open: readonly number[]; readonly before: string | null },
): Promise<void> => {
  let left = open;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const { period_end: lastEnd = null } = (await lastFiling(world, book, state)) ?? {};
    if (lastEnd !== null && lastEnd !== before) left = left.filter((month) => month > monthOf(lastEnd));
    const next = left.length === 0 ? null : nextPeriod(book, state, lastEnd, left);
    if (next === null) return;
    const body = { state, period_end: lastDayOf(next.last) };
    const answer = await send(world.service.url, 'POST', '/filings', { headers: { 'X-API-Key': book.key }, body });
    if (codeOf(answer) === 'conflict_filing_in_progress') continue;
    same(
      [answer.body.period_start, answer.body.period_end],
      [firstDayOf(next.first), lastDayOf(next.last)],
      `The oracle expects another period of ${state} next.`,
      ...[answer.body, book.settings.registrations, { lastEnd, left: left.map(firstDayOf) }],
    );
  }
  must(false, `${state} has entries that no period takes.`, left.map(firstDayOf));
};

/** Completes all filings, and closes periods until no entry of the account is open. */
export const closeAll = async (world: World, book: Book): Promise<void> => {
  const reader = { url: world.service.url, key: book.key };
  for (const state of states) await lastFiling(world, book, state);
  const filings = await readFilings(reader);
  for (const [state, open] of await openMonths(world, book, filings)) {
    const before = filings.filter((filing) => filing.state === state).at(-1)?.period_end ?? null;
    await closeState(world, book, state, { open, before });
  }
};

/** Refunds the remainder of many sales, so their returns are zero. */

export const refundSome = async ({ service, draw, month }: World, book: Book): Promise<void> => {
  const sales = (await readTransactions({ url: service.url, key: book.key })).filter(
    ({ type, status, refund_status }) =>
      type === 'sale' && ['finalized', 'filed'].includes(status) && refund_status !== 'full',
  );
  for (const sale of sales) {
    if (draw.chance(50)) continue;
    const name = `${book.letter}-refund-${sale.id}`;
    const body = {
      type: 'credit',
      parent_transaction_id: sale.id,
      credit_remaining: true,
      status: 'finalized' as const,
      tax_date: firstDayOf(month + 2),
      metadata: { op: name },
    };
    const answer = await send(service.url, 'POST', '/transactions', { headers: { 'X-API-Key': book.key }, body });
    same(answer.status, 201, `The rest of ${sale.id} cannot be credited.`, answer.body);
    const { id } = answer.body as unknown as Transaction;
    noteCreation(book, { name, body, parent: sale.id, idempotencyKey: null, outcome: 'accepted', id });
  }
};
