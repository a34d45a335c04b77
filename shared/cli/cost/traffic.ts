import { decimal, divideHalfUp, powerOfTen } from '../../money/decimal.ts';

/** What is asked for: whole numbers of a month, and shares as decimal strings. */
export type Asked = {
  readonly calculations: bigint;
  readonly transactions: bigint;
  readonly lines: number;
  /** Of the transactions, how many are credits; of the sales, how many begin as drafts; of these, how many are finalized. */
  readonly credits: string;
  readonly drafts: string;
  readonly finalized: string;
  /** Changes of a draft before its end, for each draft. */
  readonly updates: string;
  /** For each transaction. */
  readonly gets: string;
  readonly lists: string;
  /** Whether what is finalized goes into filings. */
  readonly isFiled: boolean;
  /** The months of transactions that lie in the ledger. */
  readonly months: number;
};

/** How often each thing is done in a month. */
export type Traffic = {
  readonly calculations: bigint;
  readonly drafts: bigint;
  readonly updates: bigint;
  readonly finalizes: bigint;
  readonly sales: bigint;
  readonly credits: bigint;
  readonly expiries: bigint;
  readonly filedSales: bigint;
  readonly filedCredits: bigint;
  readonly gets: bigint;
  readonly lists: bigint;
};

const part = (of: bigint, share: string): bigint => {
  const { units, scale } = decimal(share);
  return divideHalfUp(of * units, powerOfTen(scale));
};

/** A month's operations, each a whole number. */
export const trafficOf = (asked: Asked): Traffic => {
  const credits = part(asked.transactions, asked.credits);
  const drafts = part(asked.transactions - credits, asked.drafts);
  const finalizes = part(drafts, asked.finalized);
  const sales = asked.transactions - credits - drafts;
  return {
    calculations: asked.calculations,
    drafts,
    updates: part(drafts, asked.updates),
    finalizes,
    sales,
    credits,
    expiries: drafts - finalizes,
    filedSales: asked.isFiled ? sales + finalizes : 0n,
    filedCredits: asked.isFiled ? credits : 0n,
    gets: part(asked.transactions, asked.gets),
    lists: part(asked.transactions, asked.lists),
  };
};

/** The requests of each function in a month. */
export const requestsOf = (traffic: Traffic) => ({
  'create-calculation': traffic.calculations,
  'create-transaction': traffic.drafts + traffic.sales + traffic.credits,
  'update-transaction': traffic.updates + traffic.finalizes,
  'get-transaction': traffic.gets,
  'list-transactions': traffic.lists,
});
export type Requests = ReturnType<typeof requestsOf>;
