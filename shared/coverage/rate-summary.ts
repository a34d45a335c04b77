import type { RateSummaries, RateSummary } from '../content/local/packed-table.ts';
import type { LocalTables } from '../content/release.ts';
import { unpack } from '../packed/unpack.ts';

let summaries: RateSummaries | undefined;

/** The summary of a release's rate table. The bundles that report coverage do not contain the tables. */
export const rateSummaryOf = ({ rates }: LocalTables): RateSummary => {
  summaries ??= unpack<RateSummaries>('rate-summaries');
  const summary = summaries[rates];
  if (!summary) throw new Error(`There is no summary of the rate table ${rates}: run npm run pack.`);
  return summary;
};
