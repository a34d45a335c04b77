import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { environment } from '../config/environment.ts';
import type { SweepPosition } from '../ledger/ports.ts';
import { database, isWritten } from './client/client.ts';
import { readItem } from './client/reads.ts';
import { absent } from './client/writes.ts';
import type { ItemKey } from './keys.ts';

const Position = z.object({ day: z.string(), after: z.nullable(z.string()), done: z.boolean() });
const TableName = environment.tables.transactions;

/** The position of a daily sweep over all accounts, under its key. `move` returns `false` if another run moved it. */
export const sweepPosition = (key: ItemKey) => ({
  read: async (): Promise<SweepPosition | null> => {
    const item = await readItem(TableName, key);
    if (item === undefined) return null;
    const { done, ...position } = Position.parse(item);
    return { ...position, isDone: done };
  },
  move: (before: SweepPosition | null, { isDone, ...after }: SweepPosition): Promise<boolean> =>
    isWritten(
      database.send(
        new PutCommand({
          TableName,
          Item: { ...key, ...after, done: isDone },
          ...(before === null
            ? absent
            : {
                ConditionExpression: '#day = :day AND #after = :after',
                ExpressionAttributeNames: { '#day': 'day', '#after': 'after' },
                ExpressionAttributeValues: { ':day': before.day, ':after': before.after },
              }),
        }),
      ),
    ),
});
