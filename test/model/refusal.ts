import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../support/http.ts';
import { same } from './book.ts';

/** A refusal as the model expects it; several come together under the first one's status. */
export type Refusal = {
  readonly status: number;
  readonly code: string;
  /** A JSON Pointer, or the name of a header or parameter. */
  readonly at?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
};

const statuses: Readonly<Record<string, number>> = {
  validation: 422,
  idempotency: 422,
  conflict: 409,
  precondition: 412,
};

export const refusal = (code: string, at?: string, meta?: Refusal['meta']): Refusal => ({
  status: code === 'not_found' ? 404 : (statuses[code.split('_')[0] as string] as number),
  code,
  ...(at !== undefined && { at }),
  ...(meta && { meta }),
});

const saidOf = ({ body }: Answer): Refusal[] =>
  (body?.errors ?? []).map(({ status, code, source, meta: { request_id: _, ...meta } }) => {
    const at = source.pointer ?? source.parameter ?? source.header;
    return {
      status: Number(status),
      code,
      ...(at !== undefined && { at }),
      ...(Object.keys(meta).length > 0 && { meta }),
    };
  });

const ordered = (refusals: readonly Refusal[]) =>
  refusals.toSorted((left, right) => (`${left.code} ${left.at}` < `${right.code} ${right.at}` ? -1 : 1));

/** Whether an answer is this refusal, to the last detail of what a client reads of it. */
export const isRefused = (answer: Answer, expected: readonly Refusal[]): boolean =>
  answer.status === expected[0]?.status && isDeepStrictEqual(ordered(saidOf(answer)), ordered(expected));

export const mustBeRefused = (answer: Answer, expected: readonly Refusal[]): void =>
  same(
    { status: answer.status, errors: ordered(saidOf(answer)) },
    { status: expected[0]?.status, errors: ordered(expected) },
    'A refusal',
  );
