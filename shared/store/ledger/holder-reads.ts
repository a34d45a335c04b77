import * as z from 'zod/mini';
import { environment } from '../../config/environment.ts';
import type { HolderReads } from '../../transactions/reconciliation/holders.ts';
import { statuses } from '../../transactions/transaction.ts';
import { batchGet } from '../client/reads.ts';
import { claimKey, headKey } from '../keys.ts';

const TableName = environment.tables.transactions;

const Claim = z.object({ pk: z.string(), transaction_id: z.string() });

const claimed: HolderReads['claimed'] = async (account, references) => {
  const byKey = new Map(references.map((reference) => [claimKey(account, reference).pk, reference]));
  const items = await batchGet(
    TableName,
    references.map((reference) => claimKey(account, reference)),
  );
  return new Map(
    items.map((item) => {
      const { pk, transaction_id } = Claim.parse(item);
      return [byKey.get(pk) ?? '', transaction_id] as const;
    }),
  );
};

// Uncompressed attributes only.
const Head = z.object({
  id: z.string(),
  reference_id: z.optional(z.string()),
  type: z.enum(['sale', 'credit']),
  status: z.enum(statuses),
  expires_at: z.optional(z.string()),
  total_amount: z.string(),
  tax_amount: z.string(),
});
const attributes = Object.keys(Head.shape);

const recorded: HolderReads['recorded'] = async (account, ids) => {
  const keys = ids.map((id) => headKey(account, id));
  const items = await batchGet(TableName, keys, undefined, attributes);
  return new Map(
    items.map((item) => {
      const { reference_id = null, expires_at = null, ...others } = Head.parse(item);
      return [others.id, { ...others, reference_id, expires_at }] as const;
    }),
  );
};

/** Reads the holders of references. A projection keeps the reply small: a hundred whole transactions may have 30 MB. */
export const holderReads: HolderReads = { claimed, recorded };
