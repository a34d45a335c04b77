import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod/mini';
import type { Taken } from '../../accounts/rate-limiter.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { rateWindowKey } from '../keys.ts';

const TableName = environment.tables.accounts;
const Window = z.object({ requests: z.number() });
const windowKeptS = 3600;
// After this time the request passes uncounted: availability takes precedence over the limit.
const countTimeoutMs = 500;

/**
 * Adds requests to a counter of an account's window, on the condition that the limit is not exceeded.
 *
 * A retry after a lost reply counts the requests twice. This wastes part of the limit but never exceeds it.
 */
export const takeRequests = async (
  account: string,
  windowStart: number,
  amount: number,
  limit: number,
  counter = 0,
): Promise<Taken> => {
  if (amount > limit)
    throw new RangeError('The amount must not exceed the limit: the condition for a new window does not check it.');
  const command = new UpdateCommand({
    TableName,
    Key: rateWindowKey(account, windowStart, counter),
    UpdateExpression: 'ADD requests :amount SET #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(requests) OR requests <= :room',
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: {
      ':amount': amount,
      ':room': limit - amount,
      ':ttl': Math.floor(windowStart / 1000) + windowKeptS,
    },
    ReturnValues: 'UPDATED_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await database.send(command, { abortSignal: AbortSignal.timeout(countTimeoutMs) });
    return { taken: true, used: Window.parse(Attributes).requests };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException && error.Item)) throw error;
    return { taken: false, used: Window.parse(unmarshall(error.Item)).requests };
  }
};
