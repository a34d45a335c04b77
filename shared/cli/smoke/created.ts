import { randomUUID } from 'node:crypto';
import { namedOf } from './contents.ts';
import type { Answer, Session } from './session.ts';

type Body = Readonly<Record<string, unknown>>;

/** A transaction that this run asked for: known before it is sent, so that one whose answer was lost is found again. */
export type Created = {
  readonly reference: string;
  readonly idempotencyKey: string;
  readonly body: Body;
  readonly isCredit: boolean;
  /** `null` as long as no answer has named it. */
  id: string | null;
  /** Whether the service has said that it made nothing. */
  isRefused: boolean;
};

/** The id that an answer gives to this transaction: only with its own reference, so that nothing else is ever voided. */
export const idOf = (created: Pick<Created, 'reference'>, transaction: unknown): string | null => {
  const named = namedOf(transaction);
  return named?.reference_id === created.reference ? named.id : null;
};

/** Ask for it, also again: the same key gives the same answer. */
export const sendAgain = async (session: Session, created: Created): Promise<Answer> => {
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

/** What a run has asked for so far, in order. */
export class Journal {
  readonly all: Created[] = [];

  readonly #session: Session;
  constructor(session: Session) {
    this.#session = session;
  }

  /** Record a transaction under a reference of this run. */
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
    return { created, answer: await sendAgain(this.#session, created) };
  };
}
