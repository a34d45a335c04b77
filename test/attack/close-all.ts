/** Close every period that has an entry, in the order that the oracle expects. */
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../support/http.ts';
import type { Filing } from './actions/file.ts';
import type { Book } from './book.ts';
import { expectedEntries } from './checks/filings.ts';
import { type FiledPeriod, read, readFilings, readTransactions } from './ledger.ts';
import { firstDay, lastDay, monthOf, nextPeriod, registrationsIn } from './oracle/days.ts';
import { must, same } from './violation.ts';
import type { World } from './world.ts';

const turnsMax = 100;

/** Wait until the service ended its work on a filing; the schedule continues what a request began. */
const untilClosed = async ({ service }: World, { key }: Book, id: string): Promise<void> => {
  const reader = { url: service.url, key };
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const { body } = await read<Filing>(reader, `/filings/${id}`);
    if (body.progress.complete) return;
    await sleep(50);
    if (turn % 5 === 4) await service.runSchedule('close-periods');
  }
  must(false, `The filing ${id} never ends.`);
};

const close = async (world: World, book: Book, state: string, end: string): Promise<Filing> => {
  const answer = await send(world.service.url, 'POST', '/filings', {
    headers: { 'X-API-Key': book.key },
    body: { state, period_end: end },
  });
  const { body, status } = answer;
  must(status < 300, `The oracle expects ${end} as the next period of ${state}.`, body, book.settings.registrations);
  const filing = body as unknown as Filing;
  await untilClosed(world, book, filing.id ?? '');
  return filing;
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

const closeState = async (
  world: World,
  book: Book,
  state: string,
  lastEnd: string | null,
  open: readonly number[],
): Promise<void> => {
  const registrations = registrationsIn(state, book.settings.registrations);
  const starts = { createdDay: book.createdDay, booksOpenFrom: book.settings.books_open_from };
  let [end, left] = [lastEnd, open];
  for (let turn = 0; left.length > 0; turn += 1) {
    must(turn < turnsMax, `${state} has entries that no period takes.`, left);
    const next = nextPeriod(end, left, registrations, starts);
    if (next === null) return;
    const { last, first } = next;
    const filing = await close(world, book, state, lastDay(last));
    same([filing.period_start, filing.period_end], [firstDay(first), lastDay(last)], `${state} closes another period.`);
    end = filing.period_end;
    left = left.filter((month) => month > last);
  }
};

/** Finish all filings, and close periods until no entry of the account is open. */
export const closeAll = async (world: World, book: Book): Promise<void> => {
  const reader = { url: world.service.url, key: book.key };
  for (const { id } of await readFilings(reader)) await untilClosed(world, book, id ?? '');
  const filings = await readFilings(reader);
  for (const [state, months] of await openMonths(world, book, filings)) {
    const last = filings.filter((filing) => filing.state === state).at(-1);
    await closeState(world, book, state, last?.period_end ?? null, months);
  }
};
