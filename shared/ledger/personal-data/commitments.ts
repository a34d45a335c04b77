import { hash, randomBytes } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { StoredTransaction, Transaction } from '../transaction.ts';
import { withoutPersonalData } from './fields.ts';

const sha256 = (text: string) => hash('sha256', text, 'base64url');

/** A random salt of 128 bits, in base64url. */
export const newSalt = (): string => randomBytes(16).toString('base64url');

// The key of a field is the hash of the salt and its pointer. Its commitment is the hash of the key and the value, so that
// one field can be proven with its key, without the salt and the other fields.
const commitment = (salt: string, pointer: string, value: unknown): string =>
  sha256(`${sha256(`${salt}${pointer}`)}${canonicalJson(value)}`);

const committed = (transaction: Transaction, salt: string) => {
  const commitments: Record<string, string> = {};
  const kept = withoutPersonalData(transaction, (pointer, value) => {
    commitments[pointer] = commitment(salt, pointer, value);
  });
  return { kept, digest: sha256(canonicalJson(commitments)) };
};

/** The part of a stored transaction that its state hash covers. */
export type Hashed = Pick<StoredTransaction, 'transaction' | 'commitments'>;

/**
 * The input of the state hash of a transaction with commitments: the transaction without personal data, and the digest
 * of the commitments, which stays after the data and the salt are removed.
 */
export const committedState = (
  transaction: Transaction,
  commitments: Hashed['commitments'],
): { readonly kept: Transaction; readonly digest: string } =>
  'digest' in commitments
    ? { kept: withoutPersonalData(transaction), digest: commitments.digest }
    : committed(transaction, commitments.salt);
