/** Filings: dry runs, closing, canceling and filing. */
import type { Answer, Schema } from '../../support/http.ts';
import { firstDay, lastDay, monthOf, periodOf, registrationsIn } from '../oracle/days.ts';
import { states } from '../settings.ts';
import { same } from '../violation.ts';
import { codeOf, mustSucceedOr, type Scene } from './scene.ts';

export type Filing = Schema<'Filing'>;

const closingConflicts = [
  ...['conflict_period_order', 'conflict_period_not_over', 'conflict_filing_in_progress'],
  ...['validation_date_out_of_range'],
];

/** A period that the service answers with must be one of the calendar. */
export const mustBePeriod = (scene: Pick<Scene, 'book'>, state: string, end: string, start?: string): void => {
  const registrations = registrationsIn(state, scene.book.settings.registrations);
  const { first, last } = periodOf(monthOf(end), registrations);
  same(
    { start: start ?? firstDay(first), end },
    { start: firstDay(first), end: lastDay(last) },
    `A period of ${state} is wrong.`,
    registrations,
  );
};

const close = async (
  scene: Scene,
  name: string,
  state: string,
  end: string,
  isDry: boolean,
): Promise<Answer<Filing>> => {
  const { client, book } = scene;
  const sending = {
    ...{ key: book.key, method: 'POST' as const, path: '/filings' },
    body: { state, period_end: end, ...(isDry && { dry_run: true }) },
    headers: { 'Idempotency-Key': `key of ${name} ${end}` },
  };
  const answer = await client.send<Filing>(sending);
  // A dry run on a slow machine may run out of time.
  mustSucceedOr(answer, [...closingConflicts, ...(isDry ? ['validation_too_many_entries'] : [])], sending);
  if (answer.status < 300) mustBePeriod(scene, `US-${state}`, answer.body.period_end, answer.body.period_start);
  return answer;
};

/** Close a period of a state, or that which the service names as the next one. */
export const closePeriod = async (scene: Scene, name: string): Promise<void> => {
  const { draw, month, book } = scene;
  const [state, isDry] = [draw.of(states), draw.chance(30)];
  const of = month - draw.of([0, 1, 1, 2, 3]);
  const { last } = periodOf(of, registrationsIn(`US-${state}`, book.settings.registrations));
  const answer = await close(scene, name, state, lastDay(last), isDry);
  if (codeOf(answer) !== 'conflict_period_order' || isDry) return;
  const next = String(answer.body.errors[0].meta?.['period_end']);
  mustBePeriod(scene, `US-${state}`, next);
  await close(scene, name, state, next, false);
};

const filingConflicts = [
  ...['conflict_period_order', 'conflict_filing_in_progress', 'conflict_invalid_status_transition'],
  ...['conflict_exceptions_not_acknowledged', 'conflict_immutable_field'],
];

/** Mark a closed filing as filed, or cancel it. */
export const changeFiling = async (scene: Scene, name: string): Promise<void> => {
  const { client, book, draw } = scene;
  const [isFiled, at, key] = [draw.chance(60), draw.below(100), book.key];
  const list = await client.send<Schema<'FilingList'>>({ key, method: 'GET', path: '/filings?status=closed' });
  const chosen = list.body.data[at % Math.max(1, list.body.data.length)];
  if (!chosen) return;
  const path = `/filings/${chosen.id}`;
  const { body: filing } = await client.send<Filing>({ key, method: 'GET', path });
  const count = filing.exceptions?.count ?? 0;
  const body = isFiled
    ? { status: 'filed', confirmation_number: `by ${name}`, ...(count > 0 && { acknowledge_exceptions: count }) }
    : { status: 'canceled' };
  const sending = { key, method: 'POST' as const, path, body, headers: { 'Idempotency-Key': `key of ${name}` } };
  mustSucceedOr(await client.send(sending), filingConflicts, sending);
};
