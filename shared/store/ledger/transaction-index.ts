import * as z from 'zod/mini';
import { assert } from '../../base/assert.ts';
import { environment } from '../../config/environment.ts';
import type {
  DraftIndex,
  ExpiredDraft,
  ListPage,
  ListPosition,
  ListQuery,
  RowConditions,
  TransactionIndex,
} from '../../ledger/ports.ts';
import { queryPage, readRows, startAfter } from '../client/reads.ts';
import { draftPartition, draftShards, headKey, headOwner, taxDateId, valueOfAccount } from '../keys.ts';
import { summaryFrom } from './transaction-item.ts';

// Sort before and after every id and timestamp that Levy writes.
const lowest = '!';
const highest = '~';

const partitions = {
  by_account: 'account',
  by_customer: 'account_customer',
  by_parent: 'account_parent',
  by_reference: 'account_reference',
  by_tax_date: 'account',
  credits: 'account_credit',
} as const satisfies Record<ListQuery['index'], string>;

const partitionValue = (account: string, value: string | null) =>
  value === null ? account : valueOfAccount(account, value);

/** An index's sort key: its name, the sort key value of a row, and the default bounds of a query. */
const byId = (from: string | null, to: string | null) => ({
  name: 'id',
  getPlace: ({ id }: ListPosition) => id,
  from: from ?? lowest,
  to: to ?? highest,
});
const byTaxDate = (from: string | null, to: string | null) => ({
  name: 'tax_date_id',
  getPlace: ({ tax_date, id }: ListPosition) => {
    assert(tax_date !== null, 'A position in the tax date index must have a tax_date.');
    return taxDateId(tax_date, id);
  },
  from: from === null ? lowest : taxDateId(from, lowest),
  to: to === null ? highest : taxDateId(to, highest),
});

const Key = z.object({ pk: z.string(), tax_date_id: z.optional(z.string()) });

const emptyPage: ListPage = { rows: [], read: 0, next: null };

/** Built from the caller's account, so a position cannot address a different account's rows. */
const startKey = (account: string, query: ListQuery, sort: ReturnType<typeof byId>, position: ListPosition) => ({
  ...headKey(account, position.id),
  [partitions[query.index]]: partitionValue(account, query.value),
  [sort.name]: sort.getPlace(position),
});

/** Returns the filter of a query, with the names and values that it uses. */
const buildFilter = ({ statuses, type, state }: RowConditions = {}) => {
  const conditions = [
    statuses && `#status IN (${statuses.map((_, at) => `:status${at}`).join(', ')})`,
    type && '#type = :type',
    state && 'contains(#states, :state)',
  ].filter(Boolean);
  return {
    expression: conditions.length > 0 && { FilterExpression: conditions.join(' AND ') },
    names: {
      ...(statuses && { '#status': 'status' }),
      ...(type && { '#type': 'type' }),
      ...(state && { '#states': 'states' }),
    },
    values: {
      ...Object.fromEntries((statuses ?? []).map((status, at) => [`:status${at}`, status])),
      ...(type && { ':type': type }),
      ...(state && { ':state': state }),
    },
  };
};

/** The position of the last row read, even if the filter dropped it. */
const readPosition = (key: unknown): ListPosition => {
  const { pk, tax_date_id } = Key.parse(key);
  return { id: headOwner(pk).id, tax_date: tax_date_id?.split('#')[0] ?? null };
};

const page = async (account: string, query: ListQuery): Promise<ListPage> => {
  const sort = (query.index === 'by_tax_date' ? byTaxDate : byId)(query.from, query.to);
  const place = query.after === null ? null : sort.getPlace(query.after);
  // DynamoDB rejects bounds in the wrong order, and a start key outside the bounds.
  if (sort.from > sort.to || (place !== null && place < sort.from)) return emptyPage;
  const startsInside = query.after !== null && place !== null && place <= sort.to;
  const filter = buildFilter(query.where);
  const { items, read, last } = await queryPage({
    TableName: environment.tables.transactions,
    IndexName: query.index,
    KeyConditionExpression: '#partition = :partition AND #sort BETWEEN :from AND :to',
    ...filter.expression,
    ExpressionAttributeNames: { ...filter.names, '#partition': partitions[query.index], '#sort': sort.name },
    ExpressionAttributeValues: {
      ...filter.values,
      ':partition': partitionValue(account, query.value),
      ':from': sort.from,
      ':to': sort.to,
    },
    ScanIndexForward: false,
    Limit: query.limit,
    ...startAfter(startsInside ? startKey(account, query, sort, query.after) : null),
  });
  return { rows: items.map(summaryFrom), read, next: last ? readPosition(last) : null };
};

/** Reads pages of transactions from the indexes, which can lag the table by seconds. */
export const transactionIndex: TransactionIndex = { page };

const Row = z.object({ pk: z.string(), expires_at: z.string() });

const readDraft = (item: unknown): ExpiredDraft => {
  const { pk, expires_at } = Row.parse(item);
  return { ...headOwner(pk), expires_at };
};

const draftKey = (shard: number, { account, id, expires_at }: ExpiredDraft) => ({
  ...headKey(account, id),
  draft_shard: draftPartition(shard),
  expires_at,
});

/** Reads drafts by deadline from the sparse index of drafts. */
export const draftIndex: DraftIndex = {
  shards: draftShards,
  expired: (shard, nowMs, limit, after) => {
    const query = {
      TableName: environment.tables.transactions,
      IndexName: 'drafts',
      KeyConditionExpression: 'draft_shard = :shard AND expires_at <= :now',
      ExpressionAttributeValues: { ':shard': draftPartition(shard), ':now': new Date(nowMs).toISOString() },
    };
    return readRows(query, readDraft, limit, after && draftKey(shard, after));
  },
};
