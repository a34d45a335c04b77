import { copiedItem, itemBytes } from '../../infra/local/memory-database/values.ts';

/** Returns the size of an item as DynamoDB counts it. */
export const itemSize = (item: Readonly<Record<string, unknown>>): number => itemBytes(copiedItem(item));

/** The maximum size of an item. */
export const itemBytesMax = 409_600;
