import { canonicalJson } from '../../base/json.ts';
import type { Schemas } from '../../client/client.ts';
import { sha256 } from './oidc.ts';

type Entry = Schemas['HistoryEntry'];

/** Returns whether the hash of an entry matches its fields. */
const isIntact = async (transactionId: string, { state_hash, previous_hash, hash, ...fields }: Entry) => {
  const hashed = { transactionId, ...fields, stateHash: state_hash, previousHash: previous_hash };
  return (await sha256(canonicalJson(hashed))) === hash;
};

/**
 * Verifies a complete history, oldest entry first: each entry's hash, its link to the previous entry, and that no
 * version up to `last` (the transaction's version) is missing. Returns the version of the first broken or missing
 * entry, or `null`.
 */
export const brokenVersion = async (
  transactionId: string,
  entries: readonly Entry[],
  last: number,
): Promise<number | null> => {
  let previous: Entry | null = null;
  for (const entry of entries) {
    const follows = entry.previous_hash === (previous?.hash ?? null) && entry.version === (previous?.version ?? 0) + 1;
    if (!follows || !(await isIntact(transactionId, entry))) return entry.version;
    previous = entry;
  }
  const seen = previous?.version ?? 0;
  return seen < last ? seen + 1 : null;
};
