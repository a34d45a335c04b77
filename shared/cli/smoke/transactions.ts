import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Body, Request, Session } from './session.ts';

/** A transaction of a run. It is recorded before its request is sent, so that the clean-up finds it without a response. */
export type Created = {
  readonly reference: string;
  readonly request: Request;
  readonly isCredit: boolean;
  /** `null` until a response has the id. */
  id: string | null;
};

/** The id of a transaction in a response, if it has this reference: the run voids no other transaction. */
const idOf = ({ reference }: Created, body: unknown): string | null => {
  const { id, reference_id } = (body ?? {}) as Body;
  return reference_id === reference && typeof id === 'string' && /^txn_\w+$/.test(id) ? id : null;
};

/** Create a transaction with a reference of this run, and add it to `all`. */
export const create = async (
  session: Session,
  all: Created[],
  name: string,
  body: Body,
): Promise<{ readonly created: Created; readonly answer: Answer }> => {
  const reference = `${session.prefix}_${name}`;
  const headers = { 'Idempotency-Key': randomUUID() };
  const request = {
    method: 'POST',
    path: '/transactions',
    body: { ...body, reference_id: reference },
    headers,
  } as const;
  const created: Created = { reference, request, isCredit: body['type'] === 'credit', id: null };
  all.push(created);
  const answer = await session.send(request);
  if ([400, 401, 403, 413, 415, 422].includes(answer.status)) all.pop();
  created.id = idOf(created, answer.body);
  return { created, answer };
};

/** A transaction that was not voided. `id` is `null` if no response named it. */
export type NotVoided = { readonly reference: string; readonly id: string | null; readonly reason: string };

/** Run four times at most until it returns a value: the service may have the fault that failed the run. */
const retry = async <Value>(attempt: () => Promise<Value | null>): Promise<Value | null> => {
  for (const ms of [0, 500, 1000, 2000]) {
    await pause(ms);
    const value = await attempt().catch(() => null);
    if (value !== null) return value;
  }
  return null;
};

const voided = async ({ send }: Session, created: Created): Promise<NotVoided | null> => {
  const { reference } = created;
  const id =
    created.id ??
    (await retry(async () => {
      const { body } = await send({ method: 'GET', path: `/transactions?reference_id=${reference}` });
      const rows = Array.isArray(body?.['data']) ? body['data'] : [];
      return rows.map((row) => idOf(created, row)).find((found) => found !== null) ?? null;
    }));
  if (id === null) return { reference, id, reason: 'no response named it' };
  let reason = 'no response';
  const path = `/transactions/${id}`;
  const status = await retry(async () => {
    const answer = await send({ method: 'POST', path, body: { status: 'void', void_reason: 'Smoke test' } });
    reason = `status ${answer.status}`;
    const { body } = await send({ method: 'GET', path });
    return idOf(created, body) === id && body?.['status'] === 'void' ? 'void' : null;
  });
  return status === null ? { reference, id, reason } : null;
};

/** Void the transactions of a run: credits before sales, newest first. Returns those that may not be void. */
export const cleanUp = async (session: Session, all: readonly Created[]): Promise<readonly NotVoided[]> => {
  const left: (NotVoided | null)[] = [];
  const newestFirst = all.toReversed();
  for (const isCredit of [true, false])
    for (const created of newestFirst) if (created.isCredit === isCredit) left.push(await voided(session, created));
  return left.filter((one) => one !== null);
};
