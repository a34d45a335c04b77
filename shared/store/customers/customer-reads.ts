import * as z from 'zod/mini';
import type { RemainingMs } from '../../base/contention.ts';
import type { Certificate } from '../../calculations/certificates.ts';
import { certificateReasons } from '../../calculations/fields.ts';
import { environment } from '../../config/environment.ts';
import type { Customer, CustomerReads } from '../../customers/customer.ts';
import { batchGet, findItem, keysMax, partitionQuery, readRows } from '../client/reads.ts';
import { defineItem } from '../define-item.ts';
import { customerKey, customerPartition, type Item } from '../keys.ts';

const day = z.nullable(z.string());

const Exemption = z.object({
  states: z.nullable(z.array(z.string())),
  reason: z.enum(certificateReasons),
  certificate_number: z.nullable(z.string()),
  valid_from: day,
  valid_to: day,
});

const customers = defineItem({
  key: customerKey,
  schema: z.object({
    name: z.nullable(z.string()),
    exemptions: z.array(z.extend(Exemption, { document_url: z.nullable(z.string()) })),
    created_at: z.string(),
    updated_at: z.string(),
    version: z.int(),
  }),
});
const Key = z.object({ sk: z.string() });

/**
 * Builds the item of a customer. It has neither `account` nor `id`, because the table's indexes must contain only
 * transactions.
 */
export const customerItem = (account: string, customer: Customer): Item =>
  customers.write([account, customer.id], customer);

/** Parses a customer. Throws if the item does not have the format that `customerItem` writes. */
export const customerFrom = (item: unknown): Customer => ({ id: Key.parse(item).sk, ...customers.read(item) });

// Names and links are not read, because calculations do not use them.
const Certified = z.object({ sk: z.string(), exemptions: z.array(Exemption) });

const TableName = environment.tables.transactions;

// The schema allows 255 characters, each of which is at most four bytes. DynamoDB rejects a sort key of more than 1 KB.
const idBytesMax = 4 * 255;

/** Whether a customer can have this id. */
export const isCustomerId = (id: string): boolean => id.length > 0 && Buffer.byteLength(id) <= idBytesMax;

const find: CustomerReads['find'] = async (account, id) =>
  isCustomerId(id) ? findItem(TableName, customerKey(account, id), customerFrom) : undefined;

const page: CustomerReads['page'] = async (account, after, limit) => {
  const query = partitionQuery(TableName, customerPartition(account));
  const start = after === null ? null : customerKey(account, after);
  const { rows, next } = await readRows(query, customerFrom, limit, start);
  return { rows, next: next?.id ?? null };
};

/**
 * Returns the reads of customers. They stop retrying when `remainingMs` is used up. There is no cache, so a change
 * applies immediately.
 */
export const customerReadsWithin = (remainingMs?: RemainingMs): CustomerReads => ({
  find,
  findSome: async (account, ids) => {
    const keys = ids.filter(isCustomerId).map((id) => customerKey(account, id));
    const found = new Map<string, readonly Certificate[]>();
    // A batch can be 13 MB, so keep only one in memory.
    for (let at = 0; at < keys.length; at += keysMax) {
      const items = await batchGet(TableName, keys.slice(at, at + keysMax), remainingMs, ['exemptions']);
      for (const { sk, exemptions } of z.array(Certified).parse(items)) found.set(sk, exemptions);
    }
    return found;
  },
  page,
});

/** The reads without a time limit. Separate from the writes, so bundles of read-only functions contain no writes. */
export const customerReads: CustomerReads = customerReadsWithin();
