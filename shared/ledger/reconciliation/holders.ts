import type { Transaction } from '../transaction.ts';

/** The stored fields that a reconciliation compares. An expired draft is still a draft here. */
export type Recorded = Pick<
  Transaction,
  'id' | 'reference_id' | 'type' | 'status' | 'expires_at' | 'total_amount' | 'tax_amount'
>;

export type HolderReads = {
  /** The transaction that has the claim on each reference, strongly consistent; at most 100 references. */
  readonly claimed: (account: string, references: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The transactions that exist, strongly consistent; at most 100 ids. */
  readonly recorded: (account: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Recorded>>;
};

const batchSize = 100;
/** Between the two reads, a reference may move to another transaction. */
const readings = 2;

/**
 * The transaction that holds each reference, read from claims and heads, so that the newest writes count. Makes two calls
 * for each hundred, and two more where a claim moved.
 */
export const findHolders = async (
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
      // The claim moved: its transaction was voided or changed between the reads.
      if (transaction?.reference_id === reference) holders.set(reference, transaction);
    }
    waiting = [...claims.keys()].filter((reference) => isMoved(holders.get(reference)));
  }
  return holders;
};

const isMoved = (holder: Recorded | undefined) => holder === undefined || holder.status === 'void';
