import * as z from 'zod/mini';
import type { Idempotency, Replay, SavedAnswer } from '../transactions/ledger.ts';
import { compress, decompress } from './compressed.ts';
import { idempotencyKey } from './keys.ts';
import { tidiedAt } from './tidying.ts';

const keptMs = 24 * 3_600_000;

/** A request's record: what it was and what was answered, for 24 hours (interface decisions 10). */
export const idempotencyItem = (
  account: string,
  { digest, fingerprint, answer }: Idempotency & { readonly answer: SavedAnswer },
  nowMs: number,
): Record<string, unknown> => ({
  ...idempotencyKey(account, digest),
  fingerprint,
  answer: compress(answer),
  expires_at: new Date(nowMs + keptMs).toISOString(),
  ttl: tidiedAt(nowMs + keptMs),
});

const Item = z.object({ fingerprint: z.string(), answer: z.instanceof(Uint8Array), expires_at: z.string() });
const Answer = z.object({ status: z.int(), body: z.string(), headers: z.record(z.string(), z.string()) });

/** What a record says of a request that comes again. One that has expired, but is not yet tidied away, says nothing. */
export const replayFrom = (item: unknown, { fingerprint }: Idempotency, nowMs: number): Replay | undefined => {
  if (item === undefined) return undefined;
  const record = Item.parse(item);
  if (Date.parse(record.expires_at) <= nowMs) return undefined;
  return record.fingerprint === fingerprint
    ? { kind: 'replay', answer: Answer.parse(decompress(record.answer)) }
    : { kind: 'key_reused' };
};
