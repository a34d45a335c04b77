import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { namedOf, problemOf, rowsOf } from './checks.ts';
import type { Answer, Request, Session } from './session.ts';

type Body = Readonly<Record<string, unknown>>;

/** A transaction of this run. Recorded before the request is sent, so that it is found when the response is lost. */
export type Created = {
  readonly reference: string;
  readonly idempotencyKey: string;
  readonly body: Body;
  readonly isCredit: boolean;
  /** `null` until a response has the id. */
  id: string | null;
  /** Whether the service refused the request. */
  isRefused: boolean;
};

/** The id in a response, if it has the reference of this transaction: nothing else may be voided. */
export const idOf = (created: Pick<Created, 'reference'>, transaction: unknown): string | null => {
  const named = namedOf(transaction);
  return named?.reference_id === created.reference ? named.id : null;
};

/** Send the create request. A repeated request has the same Idempotency-Key. */
const sendCreate = async (session: Session, created: Created): Promise<Answer> => {
  const answer = await session.send({
    method: 'POST',
    path: '/transactions',
    body: created.body,
    headers: { 'Idempotency-Key': created.idempotencyKey },
  });
  created.id ??= idOf(created, answer.body);
  created.isRefused ||= [400, 401, 403, 413, 415, 422].includes(answer.status);
  return answer;
};

/** The transactions of a run, in order. */
export class Journal {
  readonly all: Created[] = [];

  readonly #session: Session;
  constructor(session: Session) {
    this.#session = session;
  }

  /** Create a transaction with a reference of this run. */
  readonly create = async (
    name: string,
    body: Body,
  ): Promise<{ readonly created: Created; readonly answer: Answer }> => {
    const reference = `${this.#session.prefix}_${name}`;
    const created: Created = {
      reference,
      idempotencyKey: randomUUID(),
      body: { ...body, reference_id: reference },
      isCredit: body['type'] === 'credit',
      id: null,
      isRefused: false,
    };
    this.all.push(created);
    return { created, answer: await sendCreate(this.#session, created) };
  };
}

/** A transaction that was not voided. `id` is `null` if its response was lost. */
export type Left = { readonly reference: string; readonly id: string | null; readonly why: string };

const attempts = 4;
const firstPauseMs = 250;

/** Retry until the attempt succeeds, at most four times: the service may have the fault that failed the run. */
const retry = async (attempt: () => Promise<boolean>): Promise<boolean> => {
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

/** Find a transaction whose response was lost: by its reference, or by repeating its idempotent request. */
const find = async (session: Session, created: Created): Promise<void> => {
  const query = new URLSearchParams({ reference_id: created.reference });
  await retry(async () => {
    const listed = await sent(session, { method: 'GET', path: `/transactions?${query}` });
    for (const row of rowsOf(listed?.body)) created.id ??= idOf(created, row);
    // The index may be stale. The repeated request is answered from the table.
    if (created.id === null && !created.isRefused) await sendCreate(session, created).catch(() => null);
    return created.id !== null || created.isRefused;
  });
};

const isVoid = async (session: Session, created: Created): Promise<boolean> => {
  const read = await sent(session, { method: 'GET', path: `/transactions/${created.id}` });
  return read?.status === 200 && idOf(created, read.body) === created.id && namedOf(read.body)?.status === 'void';
};

/** Void a transaction. Returns the reason if it is not void afterwards. */
const voided = async (session: Session, created: Created): Promise<string | null> => {
  let why = 'no answer';
  const body = { status: 'void', void_reason: 'Smoke test' };
  const isDone = await retry(async () => {
    const answer = await sent(session, { method: 'POST', path: `/transactions/${created.id}`, body });
    if (answer) why = `${answer.status} ${problemOf(answer.body)?.code ?? namedOf(answer.body)?.status ?? ''}`.trim();
    return isVoid(session, created);
  });
  return isDone ? null : why;
};

/**
 * Void the transactions of a run: credits before sales, newest first. Returns those that may be left.
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
