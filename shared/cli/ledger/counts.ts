/** What was looked at, and how many of each. */
export type Counts = {
  transactions: number;
  audit_entries: number;
  lines: number;
  credits: number;
  claims: number;
  entries: number;
  filings: number;
};

export const noCounts = (): Counts => ({
  transactions: 0,
  audit_entries: 0,
  lines: 0,
  credits: 0,
  claims: 0,
  entries: 0,
  filings: 0,
});

export const addCounts = (sum: Counts, more: Counts): void => {
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += more[name];
};
