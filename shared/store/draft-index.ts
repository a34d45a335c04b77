import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../config/environment.ts';
import type { DraftIndex } from '../transactions/ledger.ts';
import { database } from './client.ts';
import { draftPartition, draftShards, headOwner } from './keys.ts';

const Row = z.object({ pk: z.string() });

/** The drafts by deadline. It holds drafts alone, so that a sweep meets nothing else. */
export const draftIndex: DraftIndex = {
  shards: draftShards,
  expired: async (shard, nowMs, limit) => {
    const { Items = [] } = await database.send(
      new QueryCommand({
        TableName: environment.tables.transactions,
        IndexName: 'drafts',
        KeyConditionExpression: 'draft_shard = :shard AND expires_at <= :now',
        ExpressionAttributeValues: { ':shard': draftPartition(shard), ':now': new Date(nowMs).toISOString() },
        Limit: limit,
      }),
    );
    return Items.map((item) => headOwner(Row.parse(item).pk));
  },
};
