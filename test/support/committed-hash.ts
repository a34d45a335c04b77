import { createHash } from 'node:crypto';

/** JSON with sorted keys and without white space, implemented independently. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = value as Record<string, unknown>;
  const names = Object.keys(fields)
    .filter((name) => fields[name] !== undefined)
    .sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(fields[name])}`).join(',')}}`;
};

export const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

type Fields = Readonly<Record<string, unknown>>;
const removed = 'Removed with the personal data.';
const quoting: Readonly<Record<string, string>> = { '/warnings': 'message', '/explanation': 'text' };

const isPersonal = (pointer: string, value: unknown): boolean =>
  /\/(line1|certificate_id|certificate_number|description|customer\/id|applied_exemption\/customer_id)$/.test(
    pointer,
  ) ||
  (pointer === '/void_reason' && value !== 'draft_expired');

/** Personal data found by the names of fields anywhere in a document, instead of by its structure as the service does. */
const kept = (value: unknown, pointer: string, found: Record<string, unknown>): unknown => {
  const text = quoting[pointer];
  if (text !== undefined && Array.isArray(value)) {
    if (value.length > 0) found[pointer] = value.map((row: Fields) => row[text]);
    return value.map((row: Fields) => ({ ...row, [text]: removed }));
  }
  if (pointer.endsWith('/metadata')) {
    if (Object.keys(value as Fields).length > 0) found[pointer] = value;
    return {};
  }
  if (pointer.endsWith('/postal_code') && typeof value === 'string') {
    const zip = value.trimStart().slice(0, 5);
    const left = /^[0-9]{5}$/.test(zip) ? zip : null;
    if (left !== value) found[pointer] = value;
    return left;
  }
  if (isPersonal(pointer, value)) {
    if (value) found[pointer] = value;
    return value === undefined ? undefined : null;
  }
  if (Array.isArray(value)) return value.map((inner, at) => kept(inner, `${pointer}/${at}`, found));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, kept(inner, `${pointer}/${name}`, found)]),
  );
};

/** A document without personal data, as JSON in the order of keys. The time of a redaction is not in it. */
export const impersonal = (document: unknown): string => {
  const { redacted_at: _, ...others } = kept(document, '', {}) as Fields;
  return canonical(others);
};

/** The digest of a transaction's commitments under a salt. */
export const personalDigest = (transaction: unknown, salt: string): string => {
  const found: Record<string, unknown> = {};
  kept(transaction, '', found);
  const hashes = Object.entries(found).map(([at, value]) => [at, sha256(sha256(salt + at) + canonical(value))]);
  return sha256(canonical(Object.fromEntries(hashes)));
};

/** The state hash of a transaction with commitments, as an auditor computes it. */
export const committedHash = (transaction: unknown, digest: string): string =>
  sha256(canonical({ digest, kept: kept(transaction, '', {}) }));
