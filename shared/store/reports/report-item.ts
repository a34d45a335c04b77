import * as z from 'zod/mini';
import type { Mark, SeenRow } from '../../reports/count-transactions.ts';
import { countedKey, headOwner, type ItemKey, reportKey } from '../keys.ts';
import { StoredSum } from '../stored-sum.ts';

const placeShape = { month: z.string(), state: z.string(), currency: z.string() };
const Row = z.object({ ...placeShape, sales: StoredSum, credits: StoredSum, version: z.int(), updated_at: z.string() });
const MarkItem = z.object({
  pk: z.string(),
  transaction_version: z.int(),
  counted: z.array(z.object({ ...placeShape, type: z.enum(['sale', 'credit']), sum: StoredSum })),
  version: z.int(),
});

type Item = ItemKey & Readonly<Record<string, unknown>>;

/** The item of a row. `seen` is the version that it replaces. `at` is the instant of the write. */
export const rowItem = (account: string, { seen, ...row }: SeenRow, at: string): Item => ({
  ...reportKey(account, row),
  ...z.encode(Row, { ...row, version: seen + 1, updated_at: at }),
});

/** The row of an item, and when it was written. Throws where the item is not what `rowItem` makes. */
export const rowFrom = (item: unknown): SeenRow & { readonly updatedAt: string } => {
  const { version, updated_at, ...row } = z.decode(Row, item as z.input<typeof Row>);
  return { ...row, seen: version, updatedAt: updated_at };
};

/** The item of a mark. The indexes of the ledger do not have it, because it has no attributes `id` and `account`. */
export const markItem = ({ account, id, version, counted, seen }: Mark): Item => ({
  ...countedKey(account, id),
  ...z.encode(MarkItem, {
    pk: countedKey(account, id).pk,
    transaction_version: version,
    counted: [...counted],
    version: seen + 1,
  }),
});

/** The mark of an item. Throws where the item is not what `markItem` makes. */
export const markFrom = (item: unknown): Mark => {
  const read = z.decode(MarkItem, item as z.input<typeof MarkItem>);
  const { pk, transaction_version, counted, version: seen } = read;
  return { ...headOwner(pk), version: transaction_version, counted, seen };
};
