import * as z from 'zod/mini';
import { EntryFigures, entryPlaceShape, type LiabilityEntry } from '../../ledger/entries/entry.ts';
import { compressed, defineItem } from '../define-item.ts';
import { type Item, openEntryKey } from '../keys.ts';

// The amounts are compressed: 1,000 lines can have hundreds of jurisdictions.
const items = defineItem({
  key: openEntryKey,
  schema: z.object({ ...entryPlaceShape, figures: compressed(EntryFigures) }),
});

/** Returns the attributes that open and filed entries share. */
export const entryAttributes = ({ base, amounts, document, exceptions, review, ...place }: LiabilityEntry) =>
  items.attributes({ ...place, figures: { base, amounts, document, exceptions, review } });

export const openEntryItem = (account: string, entry: LiabilityEntry): Item => ({
  ...openEntryKey(account, entry),
  ...entryAttributes(entry),
});

/** Parses an entry, open or filed. Throws if the item does not have the format that `openEntryItem` writes. */
export const openEntryFrom = (item: unknown): LiabilityEntry => {
  const { figures, ...place } = items.read(item);
  return { ...place, ...figures };
};
