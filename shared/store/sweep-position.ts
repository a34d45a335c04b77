import * as z from 'zod/mini';
import { environment } from '../config/environment.ts';
import type { SweepPosition } from '../ledger/ports.ts';
import { findItem } from './client/reads.ts';
import { absent, putItem } from './client/writes.ts';
import type { ItemKey } from './keys.ts';

const Position = z.object({ day: z.string(), after: z.nullable(z.string()), isDone: z.boolean() });
const TableName = environment.tables.transactions;

/**
 * Returns the position of a daily sweep over all accounts, by its key. `move` returns `false` if another run has moved
 * it.
 */
export const sweepPosition = (key: ItemKey) => ({
  read: async (): Promise<SweepPosition | null> =>
    (await findItem(TableName, key, (item) => Position.parse(item))) ?? null,
  move: (before: SweepPosition | null, after: SweepPosition): Promise<boolean> =>
    putItem({
      TableName,
      Item: { ...key, ...after },
      ...(before === null
        ? absent
        : {
            ConditionExpression: '#day = :day AND #after = :after',
            ExpressionAttributeNames: { '#day': 'day', '#after': 'after' },
            ExpressionAttributeValues: { ':day': before.day, ':after': before.after },
          }),
    }),
});
