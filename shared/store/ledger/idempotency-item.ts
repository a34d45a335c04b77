import * as z from 'zod/mini';
import type { CustomerBody } from '../../customers/customer.ts';
import { redactedForm } from '../../ledger/personal-data/fields.ts';
import type { Idempotency, Replay, SavedResponse } from '../../ledger/ports.ts';
import type { Transaction } from '../../ledger/transaction.ts';
import { compressText, decompressText } from '../client/compressed.ts';
import { idempotencyKey } from '../keys.ts';

const keptMs = 24 * 3_600_000;

// The first line contains status and headers, the rest is the body. As a JSON string, the body would need escaping.
const writeText = ({ body, ...head }: SavedResponse) => `${JSON.stringify(head)}\n${body}`;

const responseFrom = (text: string): SavedResponse => {
  const end = text.indexOf('\n');
  return { ...ResponseHead.parse(JSON.parse(text.slice(0, end))), body: text.slice(end + 1) };
};

/** Builds the item of an idempotency record: the request's fingerprint and its response, kept for 24 hours. */
export const idempotencyItem = (
  account: string,
  { digest, fingerprint, response }: Idempotency & { readonly response: SavedResponse },
  nowMs: number,
): Record<string, unknown> => ({
  ...idempotencyKey(account, digest),
  fingerprint,
  response: responseAttribute(response),
  expires_at: new Date(nowMs + keptMs).toISOString(),
  ttl: ttlSeconds(nowMs + keptMs),
});

const Item = z.object({ fingerprint: z.string(), response: z.instanceof(Uint8Array), expires_at: z.string() });
const ResponseHead = z.object({ status: z.int(), headers: z.record(z.string(), z.string()) });

/** Returns the replay for a repeated request from its stored record; `undefined` without a record, or if it has expired. */
export const replayFrom = (item: unknown, { fingerprint }: Idempotency, nowMs: number): Replay | undefined => {
  if (item === undefined) return undefined;
  const record = Item.parse(item);
  if (Date.parse(record.expires_at) <= nowMs) return undefined;
  return record.fingerprint === fingerprint
    ? { kind: 'replay', response: responseFrom(decompressText(record.response)) }
    : { kind: 'key_reused' };
};

/** Returns the saved response of a record, even after it has expired. */
const readSavedResponse = (item: unknown): SavedResponse => responseFrom(decompressText(Item.parse(item).response));

/** Builds the attribute `response` of a record. */
const responseAttribute = (response: SavedResponse): Uint8Array => compressText(writeText(response));

const graceMs = 3_600_000;

/**
 * Returns the `ttl` of an item that is valid until `deadlineMs`, in seconds since 1970: one hour later.
 *
 * DynamoDB deletes expired items late, so code compares deadlines and never relies on a deletion.
 */
export const ttlSeconds = (deadlineMs: number): number => Math.ceil((deadlineMs + graceMs) / 1000);

const isResponseWith = <Body extends { readonly object: string }>(
  body: unknown,
  object: Body['object'],
): body is Body => Object(body).object === object;

/**
 * Returns the attribute `response` of a stored record without personal data; `null` if it contains none. Keeps the
 * amounts of a transaction, and nothing of a customer. Includes expired records, because DynamoDB deletes them late.
 */
export const redactedResponse = (item: unknown, nowMs: number): Uint8Array | null => {
  const saved = readSavedResponse(item);
  const body: unknown = JSON.parse(saved.body);
  if (isResponseWith<Transaction>(body, 'transaction')) {
    const redacted = { ...redactedForm(body), redacted_at: body.redacted_at ?? new Date(nowMs).toISOString() };
    return responseAttribute({ ...saved, body: JSON.stringify(redacted) });
  }
  if (!isResponseWith<CustomerBody>(body, 'customer')) return null;
  const { Location: _, ...headers } = saved.headers;
  const redacted = { ...body, id: '', name: null, exemptions: [], warnings: [] };
  return responseAttribute({ ...saved, headers, body: JSON.stringify(redacted) });
};
