import type { RateSummaries, RateSummary } from '../content/local/packed-table.ts';
import type { LocalTables } from '../content/release.ts';
import { unpack } from '../packed/unpack.ts';

let summaries: RateSummaries | undefined;

/** What the rate table that a release names has. The tables themselves are no part of what reports on them. */
export const rateSummaryOf = ({ rates }: LocalTables): RateSummary => {
  summaries ??= unpack<RateSummaries>('rate-summaries');
  const summary = summaries[rates];
  if (!summary) throw new Error(`There is no summary of the rate table ${rates}: run npm run pack.`);
  return summary;
};
