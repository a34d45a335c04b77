export { itemSize } from '../../shared/cli/bench/cost-formula.ts';

/** What DynamoDB takes for one item. */
export const itemBytesMax = 409_600;
