import type { Status } from '../transaction.ts';

/** What of a transaction a reconciliation looks at, as the table has it: an expired draft is still a draft here. */
export type Recorded = {
  readonly id: string;
  readonly reference_id: string | null;
  readonly type: 'sale' | 'credit';
  readonly status: Status;
  readonly expires_at: string | null;
  readonly total_amount: string;
  readonly tax_amount: string;
};

export type HolderReads = {
  /** Which transaction has the claim on each of these references, strongly consistent; at most 100. */
  readonly claimed: (account: string, references: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Those of these transactions that there are, strongly consistent; at most 100. */
  readonly recorded: (account: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Recorded>>;
};

const batchSize = 100;
/** A reference may pass from one transaction to another between the two reads. */
const readings = 2;

/**
 * Which transaction of the account holds each of these references, from the claims and the transactions themselves, so
 * that what was recorded a moment ago counts. Two calls for every hundred, and two more where a claim has moved.
 */
export const holdersOf = async (
  references: readonly string[],
  account: string,
  reads: HolderReads,
): Promise<ReadonlyMap<string, Recorded>> => {
  const batches = Array.from({ length: Math.ceil(references.length / batchSize) }, (_, batch) =>
    references.slice(batch * batchSize, (batch + 1) * batchSize),
  );
  const found = await Promise.all(batches.map((batch) => holdersAmong(batch, account, reads)));
  return new Map(found.flatMap((holders) => [...holders]));
};

const holdersAmong = async (
  references: readonly string[],
  account: string,
  { claimed, recorded }: HolderReads,
): Promise<ReadonlyMap<string, Recorded>> => {
  const holders = new Map<string, Recorded>();
  let waiting = references;
  for (let reading = 1; reading <= readings && waiting.length > 0; reading++) {
    const claims = await claimed(account, waiting);
    if (claims.size === 0) break;
    const transactions = await recorded(account, [...new Set(claims.values())]);
    for (const [reference, id] of claims) {
      const transaction = transactions.get(id);
      // Only one that was voided a moment ago, or never had it, lets another one have it.
      if (transaction?.reference_id === reference) holders.set(reference, transaction);
    }
    waiting = [...claims.keys()].filter((reference) => isMoved(holders.get(reference)));
  }
  return holders;
};

const isMoved = (holder: Recorded | undefined) => holder === undefined || holder.status === 'void';
