import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';

const instant = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'is not a date and time'));

/**
 * What a credential may do: retrieve and calculate; record, update and file; change the settings that decide where tax
 * is collected.
 */
export const scopes = ['read', 'write', 'settings'] as const;

/** A stored API key, without its secret: the digest of the secret is the item's key. */
export const ApiKey = z.object({
  /** `key_` + ULID: identifies the key in the audit trail and on the command line. */
  id: z.string(),
  account: z.string(),
  scopes: z.array(z.enum(scopes)),
  created_at: instant,
  /** `null` for a key that never expires. */
  expires_at: z.nullable(instant),
  revoked_at: z.optional(instant),
  /** The operator's name for the key's holder. */
  label: z.optional(z.string()),
  /** The id of the key that replaces this key, which then ends at `expires_at`. */
  replaced_by: z.optional(z.string()),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Minimum time between two recorded uses, so the recorded use is less than an hour old. */
export const keyUseStepMs = 1_800_000;

const prefix = 'levy_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 24;
// The smallest powers of 62 above 2^192 and 2^32 are 62^33 and 62^6.
const secretLength = 33;
const checksumLength = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

const base62 = (number: bigint, length: number): string => {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits;
  return digits;
};

// SHA-256, because every function loads it anyway; a CRC module would add 1 ms to each cold start.
const checksum = (text: string): string =>
  base62(BigInt(createHash('sha256').update(text).digest().readUInt32BE()), checksumLength);

/**
 * Returns an API key: `levy_`, 192 random bits, and a checksum of six characters.
 *
 * The prefix lets secret scanners find a leaked key; the checksum distinguishes a mistyped key from an unknown one.
 */
export const newApiKey = (): string => {
  const secret = prefix + base62(BigInt(`0x${randomBytes(secretBytes).toString('hex')}`), secretLength);
  return secret + checksum(secret);
};

/** Returns the digest under which a key is stored and looked up. Secrets are random, so a fast hash is enough. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Whether a key has the format of an API key but a wrong checksum. Such a key is refused without a database read. */
export const isMisspelt = (key: string): boolean =>
  shape.test(key) && checksum(key.slice(0, -checksumLength)) !== key.slice(-checksumLength);
