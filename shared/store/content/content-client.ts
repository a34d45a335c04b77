/** Calls on the Content table, as the commands that write releases make them. */
import { retryThrottled } from '../../base/contention.ts';
import { environment } from '../../config/environment.ts';
import { queryPage, queryPages } from '../client/reads.ts';
import { listCodes, throwCanceled, type Writes, writeTogether } from '../client/writes.ts';
import type { ItemKey } from '../keys.ts';

/** Write all of these items, or none. Returns the positions of the failed conditions; none where all was written. */
export const transact = async (writes: Writes): Promise<readonly number[]> => {
  const written = await writeTogether(writes, (exception) => {
    const codes = listCodes(exception);
    const failed = codes.flatMap((code, position) => (code === 'ConditionalCheckFailed' ? [position] : []));
    return failed.length > 0 ? ({ kind: 'refused', failed } as const) : throwCanceled(exception);
  });
  return written.kind === 'refused' ? written.failed : [];
};

type PartitionQuery = {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Record<string, string>;
  readonly ProjectionExpression?: string;
};

/** The items of a partition of the Content table, ordered by sort key. Holds one page of at most 1 MB. */
export async function* queryContent(
  query: PartitionQuery,
): AsyncGenerator<ItemKey & Readonly<Record<string, unknown>>> {
  const pages = queryPages({ TableName: environment.tables.content, ...query }, (page) =>
    retryThrottled(() => queryPage(page)),
  );
  for await (const items of pages) yield* items as readonly (ItemKey & Record<string, unknown>)[];
}
