import * as z from 'zod/mini';
import { environment } from '../../config/environment.ts';
import type { DraftIndex, ExpiredDraft } from '../../transactions/ledger.ts';
import { queryPage, startAfter } from '../client/reads.ts';
import { draftPartition, draftShards, headKey, headOwner } from '../keys.ts';

const Row = z.object({ pk: z.string(), expires_at: z.string() });

const draftOf = (item: unknown): ExpiredDraft => {
  const { pk, expires_at } = Row.parse(item);
  return { ...headOwner(pk), expires_at };
};

const startKey = (shard: number, { account, id, expires_at }: ExpiredDraft) => ({
  ...headKey(account, id),
  draft_shard: draftPartition(shard),
  expires_at,
});

/** The drafts by deadline, from the sparse index of drafts. */
export const draftIndex: DraftIndex = {
  shards: draftShards,
  expired: async (shard, nowMs, limit, after) => {
    const { items, last } = await queryPage({
      TableName: environment.tables.transactions,
      IndexName: 'drafts',
      KeyConditionExpression: 'draft_shard = :shard AND expires_at <= :now',
      ExpressionAttributeValues: { ':shard': draftPartition(shard), ':now': new Date(nowMs).toISOString() },
      Limit: limit,
      ...startAfter(after && startKey(shard, after)),
    });
    return { drafts: items.map(draftOf), next: last ? draftOf(last) : null };
  },
};
