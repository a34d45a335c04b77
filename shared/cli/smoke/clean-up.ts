import { setTimeout as pause } from 'node:timers/promises';
import { namedOf, problemOf, rowsOf } from './contents.ts';
import { type Created, idOf, type Journal, sendAgain } from './created.ts';
import type { Answer, Request, Session } from './session.ts';

/** What could not be voided: by its id, or by the reference of what may have been made without an answer. */
export type Left = { readonly reference: string; readonly id: string | null; readonly why: string };

const attempts = 4;
const firstPauseMs = 250;

/** Ask until it is as it should be, a few times: whoever cleans up meets what the run has failed on. */
const insist = async (attempt: () => Promise<boolean>): Promise<boolean> => {
  for (let at = 0; at < attempts; at++) {
    if (at > 0) await pause(firstPauseMs * 2 ** at);
    if (await attempt()) return true;
  }
  return false;
};

const sent = async (session: Session, request: Request): Promise<Answer | null> => {
  try {
    return await session.send(request);
  } catch {
    return null;
  }
};

/** Find one whose answer was lost: among those with its reference, or by sending it again, which makes no second one. */
const find = async (session: Session, created: Created): Promise<void> => {
  const query = new URLSearchParams({ reference_id: created.reference });
  await insist(async () => {
    const listed = await sent(session, { method: 'GET', path: `/transactions?${query}` });
    for (const row of rowsOf(listed?.body)) created.id ??= idOf(created, row);
    // An index may be behind; this answers from the table.
    if (created.id === null && !created.isRefused) await sendAgain(session, created).catch(() => null);
    return created.id !== null || created.isRefused;
  });
};

const isVoid = async (session: Session, created: Created): Promise<boolean> => {
  const read = await sent(session, { method: 'GET', path: `/transactions/${created.id}` });
  return read?.status === 200 && idOf(created, read.body) === created.id && namedOf(read.body)?.status === 'void';
};

/** Void one, and look whether it is. Answers why it is not. */
const voided = async (session: Session, created: Created): Promise<string | null> => {
  let why = 'no answer';
  const body = { status: 'void', void_reason: 'Smoke test' };
  const isDone = await insist(async () => {
    const answer = await sent(session, { method: 'POST', path: `/transactions/${created.id}`, body });
    if (answer) why = `${answer.status} ${problemOf(answer.body)?.code ?? namedOf(answer.body)?.status ?? ''}`.trim();
    return isVoid(session, created);
  });
  return isDone ? null : why;
};

/**
 * Void everything that a run has made, credits before their sales, newest first, whatever became of the run.
 *
 * Answers what may be left.
 */
export const cleanUp = async (session: Session, journal: Journal): Promise<readonly Left[]> => {
  const left: Left[] = [];
  for (const created of journal.all) if (created.id === null) await find(session, created);
  const newestFirst = journal.all.toReversed();
  for (const created of [...newestFirst.filter((one) => one.isCredit), ...newestFirst.filter((one) => !one.isCredit)]) {
    const { reference, id } = created;
    if (id === null) {
      if (!created.isRefused) left.push({ reference, id, why: 'its answer was lost' });
      continue;
    }
    const why = await voided(session, created);
    if (why !== null) left.push({ reference, id, why });
  }
  return left;
};
