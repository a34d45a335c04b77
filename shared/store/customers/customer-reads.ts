import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import { certificateReasons } from '../../calculations/fields.ts';
import { environment } from '../../config/environment.ts';
import type { Customer, CustomerReads } from '../../customers/customer.ts';
import { batchGet, keysMax, partitionQuery, queryPage, readItem, startAfter } from '../client/reads.ts';
import { customerKey, customerPartition } from '../keys.ts';

const day = z.nullable(z.string());

const Item = z.object({
  sk: z.string(),
  name: z.nullable(z.string()),
  exemptions: z.array(
    z.object({
      states: z.nullable(z.array(z.string())),
      reason: z.enum(certificateReasons),
      certificate_number: z.nullable(z.string()),
      valid_from: day,
      valid_to: day,
    }),
  ),
  created_at: z.string(),
  updated_at: z.string(),
  version: z.int(),
});

/** The item of a customer. It has neither `account` nor `id`: the table's indexes hold transactions only. */
export const customerItem = (account: string, { id, ...customer }: Customer): Record<string, unknown> => ({
  ...customerKey(account, id),
  ...customer,
});

const Certified = z.pick(Item, { sk: true, exemptions: true });

/** The id of a customer with its certificates, of an item that was read with these attributes only. */
export const certifiedFrom = (item: unknown): readonly [string, Customer['exemptions']] => {
  const { sk: id, exemptions } = Certified.parse(item);
  return [id, exemptions];
};

/** The customer of an item. Throws where the item is not what `customerItem` makes. */
export const customerFrom = (item: unknown): Customer => {
  const { sk: id, ...customer } = Item.parse(item);
  return { id, ...customer };
};

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
    ...partitionQuery(TableName, customerPartition(account)),
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
    const found = new Map<string, Customer['exemptions']>();
    // A batch can be 13 MB, so only one is in memory. Names are not read: calculations do not use them.
    for (let at = 0; at < keys.length; at += keysMax) {
      const items = await batchGet(TableName, keys.slice(at, at + keysMax), remainingMs, ['exemptions']);
      for (const item of items) found.set(...certifiedFrom(item));
    }
    return found;
  };

/** The reads of customers. They stop retrying when `remainingMs` is used up. There is no cache: a change applies at once. */
export const customerReadsWithin = (remainingMs?: RemainingMs): CustomerReads => ({
  find,
  findSome: findSomeWithin(remainingMs),
  page,
});

/** The reads without a time limit. Separate from the writes, so that the bundle of a reading function has no writes. */
export const customerReads: CustomerReads = customerReadsWithin();
