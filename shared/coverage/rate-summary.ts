import { assert } from '../base/assert.ts';
import type { RateSummary } from '../catalog/local/packed-table.ts';
import type { Release } from '../catalog/release.ts';
import { unpack } from '../packed/unpack.ts';

let summaries: Readonly<Record<string, RateSummary>> | undefined;

/** The summary of the rate table of a release's state. The bundles that report coverage do not contain the tables. */
export const summarizeTables = ({ state }: Pick<Release, 'state'>): RateSummary => {
  summaries ??= unpack('rate-summaries');
  const summary = summaries?.[state];
  assert(summary !== undefined, `the rate table of ${state} has a summary: run npm run pack`);
  return summary;
};
