/** Releases in the Content table, as an operator's commands write, list and activate them. */
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../config/environment.ts';
import type { ReleaseHead } from '../content/content.ts';
import { database } from './client.ts';
import { headFrom } from './content-item.ts';
import { importClaimPrefix, releaseHeadKey, releasePartition, stateOfRelease } from './keys.ts';

export type { ActiveReleases } from '../content/loading/active-releases.ts';
export { activateRelease, goBack } from './content-activation.ts';
export { type ImportClaim, takenIds, type UnfinishedImport, unfinishedImports } from './content-claims.ts';
export { beginImport, discardImport, finishImport, importRelease } from './content-import.ts';
export { type PartDigests, readPartDigests, readPartKeys, readParts, writePart, writeParts } from './content-parts.ts';
export { readActiveReleases } from './content-reads.ts';

const TableName = environment.tables.content;

/** The head of the release with this id; `undefined` where there is none, also of an import that is not finished. */
export const findHead = async (id: string): Promise<ReleaseHead | undefined> => {
  if (stateOfRelease(id) === undefined) return undefined;
  const { Item } = await database.send(new GetCommand({ TableName, Key: releaseHeadKey(id), ConsistentRead: true }));
  return Item && headFrom(Item).value;
};

/** The heads of a state's imported releases by its jurisdiction code, the newest last. */
export async function* listHeads(state: string): AsyncIterable<ReleaseHead> {
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await database.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :releases AND sk < :claims',
        ExpressionAttributeValues: { ':releases': releasePartition(state), ':claims': importClaimPrefix },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    for (const item of Items) yield headFrom(item).value;
    start = LastEvaluatedKey;
  } while (start);
}
