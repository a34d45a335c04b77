import { environment } from '../../config/environment.ts';
import type { Customer, CustomerReads } from '../../customers/customer.ts';
import type { RemainingMs } from '../client/contention.ts';
import { batchGet, keysMax, queryPage, readItem, startAfter } from '../client/reads.ts';
import { customerKey, customerPartition } from '../keys.ts';
import { customerFrom } from './customer-item.ts';

const TableName = environment.tables.transactions;

// The schema allows 255 characters, and DynamoDB refuses a sort key of more than 1 KB.
const idLengthMax = 255;

/** Whether a customer can have this id. */
export const isCustomerId = (id: string): boolean => id.length > 0 && id.length <= idLengthMax;

const find: CustomerReads['find'] = async (account, id) => {
  const item = isCustomerId(id) ? await readItem(TableName, customerKey(account, id)) : undefined;
  return item === undefined ? undefined : customerFrom(item);
};

const page: CustomerReads['page'] = async (account, after, limit) => {
  const { items, last } = await queryPage({
    TableName,
    KeyConditionExpression: 'pk = :account',
    ExpressionAttributeValues: { ':account': customerPartition(account) },
    Limit: limit,
    ...startAfter(after === null ? null : customerKey(account, after)),
  });
  const rows = items.map(customerFrom);
  return { rows, next: last ? (rows.at(-1)?.id ?? null) : null };
};

const findSomeWithin =
  (remainingMs?: RemainingMs): CustomerReads['findSome'] =>
  async (account, ids) => {
    const keys = ids.filter(isCustomerId).map((id) => customerKey(account, id));
    const batches = Array.from({ length: Math.ceil(keys.length / keysMax) }, (_, at) =>
      keys.slice(at * keysMax, (at + 1) * keysMax),
    );
    const found = await Promise.all(batches.map((batch) => batchGet(TableName, batch, remainingMs)));
    const customers: readonly Customer[] = found.flat().map(customerFrom);
    return new Map(customers.map((customer) => [customer.id, customer]));
  };

/** The reads of customers. They stop retrying when `remainingMs` is used up. There is no cache: a change applies at once. */
export const customerReadsWithin = (remainingMs?: RemainingMs): CustomerReads => ({
  find,
  findSome: findSomeWithin(remainingMs),
  page,
});

/** The reads without a time limit. Separate from the writes, so that the bundle of a reading function has no writes. */
export const customerReads: CustomerReads = customerReadsWithin();
