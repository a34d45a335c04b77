import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';

const instant = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'is not a date and time'));

/** What is kept of an API key: never its secret, and its digest only as the place where it is stored. */
export const ApiKey = z.object({
  /** `key_` + ULID: the name of the key in the audit trail and in the operator's hands. */
  id: z.string(),
  account: z.string(),
  scopes: z.array(z.enum(['read', 'write'])),
  created_at: instant,
  /** `null` never expires. */
  expires_at: z.nullable(instant),
  revoked_at: z.optional(instant),
  /** What the operator calls it: who or what has it. */
  label: z.optional(z.string()),
  /** The key that was made to take its place; this one then ends at `expires_at`. */
  replaced_by: z.optional(z.string()),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** A use is recorded again when the last record is this old, so what is recorded is less than an hour behind. */
export const keyUseStepMs = 1_800_000;

const prefix = 'levy_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 24;
// 62^33 is the first power of 62 over 2^192, and 62^6 the first over 2^32.
const secretLength = 33;
const checksumLength = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

const base62 = (number: bigint, length: number): string => {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits;
  return digits;
};

// Of a hash that every function loads anyway; another module would cost each cold start a millisecond.
const checksum = (text: string): string =>
  base62(BigInt(createHash('sha256').update(text).digest().readUInt32BE()), checksumLength);

/**
 * Make an API key: `levy_`, 192 random bits, and six characters that check the rest (interface decisions 10).
 *
 * The prefix lets secret scanners find a leaked key; the checksum tells a misspelt one from an unknown one.
 */
export const newApiKey = (): string => {
  const secret = prefix + base62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength);
  return secret + checksum(secret);
};

/** What a key is stored and looked up by. The secrets are random, so a fast hash is enough. */
export const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Whether a key looks like one that `newApiKey` made and is not: it is refused without a read. */
export const isMisspelt = (key: string): boolean =>
  shape.test(key) && checksum(key.slice(0, -checksumLength)) !== key.slice(-checksumLength);
