export { itemSize } from '../../shared/cli/bench/item-size.ts';

/** What DynamoDB takes for one item. */
export const itemBytesMax = 409_600;
