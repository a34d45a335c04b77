import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { database, isWritten } from '../client/client.ts';
import { customerAnswers, customerKey } from '../keys.ts';
import { linkedAnswers, redactAnswers } from '../ledger/redaction-store.ts';
import { customerReads } from './customer-reads.ts';

/** Delete a customer with its certificates, and remove it from the saved answers of the last day. `false` without one. */
export const removeCustomer = async (account: string, id: string): Promise<boolean> => {
  let isRemoved = false;
  for (let stored = await customerReads.find(account, id); stored; stored = await customerReads.find(account, id))
    isRemoved = await isWritten(
      database.send(
        new DeleteCommand({
          TableName: environment.tables.transactions,
          Key: customerKey(account, id),
          ConditionExpression: 'version = :seen',
          ExpressionAttributeValues: { ':seen': stored.version },
        }),
      ),
    );
  await redactAnswers(account, await linkedAnswers(customerAnswers(account, id)));
  return isRemoved;
};
