import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../support/http.ts';
import { codeOf, type Filing } from './actions.ts';
import type { Transaction } from './bodies.ts';
import { type Book, noteCreation } from './book.ts';
import { expectedEntries } from './checks/filings.ts';
import { type FiledPeriod, read, readAll, readFilings, readTransactions } from './ledger.ts';
import type { World } from './network.ts';
import { firstDay, lastDay, monthOf, monthText, nextPeriod, registrationsIn } from './oracle/days.ts';
import { states } from './settings.ts';
import { must, same } from './violation.ts';

/** Closes every period that has an entry, in the order that the oracle expects. */

const turnsMax = 100;

/** Waits until the service has finished its work on a filing. The schedule continues work that a request started. */
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

/** The schedule, which completes unfinished work, can close periods meanwhile, in the same order. */
const closeState = async (
  world: World,
  book: Book,
  state: string,
  { open, before }: { readonly open: readonly number[]; readonly before: string | null },
): Promise<void> => {
  const registrations = registrationsIn(state, book.settings.registrations);
  const starts = { createdDay: book.createdDay, booksOpenFrom: book.settings.books_open_from };
  let left = open;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const { period_end: lastEnd = null } = (await lastFiling(world, book, state)) ?? {};
    if (lastEnd !== null && lastEnd !== before) left = left.filter((month) => month > monthOf(lastEnd));
    const next = left.length === 0 ? null : nextPeriod(lastEnd, left, registrations, starts);
    if (next === null) return;
    const body = { state, period_end: lastDay(next.last) };
    const answer = await send(world.service.url, 'POST', '/filings', { headers: { 'X-API-Key': book.key }, body });
    if (codeOf(answer) === 'conflict_filing_in_progress') continue;
    same(
      [answer.body.period_start, answer.body.period_end],
      [firstDay(next.first), lastDay(next.last)],
      `The oracle expects another period of ${state} next.`,
      ...[answer.body, registrations, { lastEnd, left: left.map(monthText) }],
    );
  }
  must(false, `${state} has entries that no period takes.`, left.map(monthText));
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
      ...{ type: 'credit', parent_transaction_id: sale.id, credit_remaining: true, status: 'finalized' as const },
      ...{ tax_date: firstDay(month + 2), metadata: { op: name } },
    };
    const answer = await send(service.url, 'POST', '/transactions', { headers: { 'X-API-Key': book.key }, body });
    same(answer.status, 201, `The rest of ${sale.id} cannot be credited.`, answer.body);
    const { id } = answer.body as unknown as Transaction;
    noteCreation(book, { name, body, parent: sale.id, idempotencyKey: null, outcome: 'accepted', id });
  }
};
