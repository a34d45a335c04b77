import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../config/environment.ts';
import { database, isWritten } from '../client/client.ts';
import { asSeen, present } from '../client/conditions.ts';
import { customerAnswers, customerKey } from '../keys.ts';
import { linkedAnswers, redactAnswers } from '../ledger/redaction-store.ts';
import { customerReads } from './customer-reads.ts';

const TableName = environment.tables.transactions;

/**
 * Remove a customer from the saved answers of the last day, then their links: the key of a link has a hash of the customer's
 * id without a salt. An interrupted removal finds the links that are left.
 */
const removeAnswers = async (account: string, id: string): Promise<void> => {
  const pk = customerAnswers(account, id);
  const digests = await linkedAnswers(pk);
  await redactAnswers(account, digests);
  for (const sk of digests)
    await isWritten(database.send(new DeleteCommand({ TableName, Key: { pk, sk }, ...present })));
};

/** Delete a customer with its certificates, and remove it from the saved answers of the last day. `false` without one. */
export const removeCustomer = async (account: string, id: string): Promise<boolean> => {
  let isRemoved = false;
  for (let stored = await customerReads.find(account, id); stored; stored = await customerReads.find(account, id))
    isRemoved = await isWritten(
      database.send(new DeleteCommand({ TableName, Key: customerKey(account, id), ...asSeen(stored.version) })),
    );
  await removeAnswers(account, id);
  return isRemoved;
};
