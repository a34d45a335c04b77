import { createHash } from 'node:crypto';

/** Canonical JSON (sorted keys, no white space), implemented independently of the service. */
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

/**
 * Finds personal data by field name anywhere in a document, unlike the service, which uses the document's structure.
 */
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

/** Returns a document without personal data and without the redaction time, as canonical JSON. */
export const impersonal = (document: unknown): string => {
  const { redacted_at: _, ...others } = kept(document, '', {}) as Fields;
  return canonical(others);
};

/** Computes the digest of a transaction's commitments under a salt. */
export const personalDigest = (transaction: unknown, salt: string): string => {
  const found: Record<string, unknown> = {};
  kept(transaction, '', found);
  const hashes = Object.entries(found).map(([at, value]) => [at, sha256(sha256(salt + at) + canonical(value))]);
  return sha256(canonical(Object.fromEntries(hashes)));
};

/** Computes the state hash of a transaction with commitments, as an auditor would. */
export const committedHash = (transaction: unknown, digest: string): string =>
  sha256(canonical({ digest, kept: kept(transaction, '', {}) }));
