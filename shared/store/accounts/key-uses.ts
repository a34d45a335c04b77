import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { keyUseStepMs } from '../../accounts/api-key.ts';
import { now } from '../../config/clock.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../client/client.ts';
import { keyUseKey } from '../keys.ts';

// The write runs during the request, which waits for it at its end.
const timeoutMs = 250;

const since = (ms: number) => new Date(now() - ms).toISOString();

/** Record that an API key is in use, at most once in `keyUseStepMs`. Throws where the write fails. */
export const recordKeyUse = async (account: string, id: string): Promise<void> => {
  const command = new UpdateCommand({
    TableName: environment.tables.accounts,
    Key: keyUseKey(account, id),
    UpdateExpression: 'SET used_at = :now',
    ConditionExpression: 'attribute_not_exists(used_at) OR used_at <= :before',
    ExpressionAttributeValues: { ':now': since(0), ':before': since(keyUseStepMs) },
  });
  try {
    await database.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
};
