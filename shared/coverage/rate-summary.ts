import { assert } from '../base/assert.ts';
import type { RateSummary } from '../catalog/local/packed-table.ts';
import type { LocalTables } from '../catalog/release.ts';
import { unpack } from '../packed/unpack.ts';

let summaries: Readonly<Record<string, RateSummary>> | undefined;

/** The summary of a release's rate table. The bundles that report coverage do not contain the tables. */
export const summarizeTables = ({ rates }: LocalTables): RateSummary => {
  summaries ??= unpack('rate-summaries');
  const summary = summaries?.[rates];
  assert(summary !== undefined, `the rate table ${rates} has a summary: run npm run pack`);
  return summary;
};
