import { environment } from '../../config/environment.ts';
import type { DuePlace, FilingCommit } from '../../filings/ledger.ts';
import type { Write } from '../client/writes.ts';
import { dueKey, type ItemKey } from '../keys.ts';

const TableName = environment.tables.transactions;

/** The item of an entry of the due index, with a new token. */
export const dueItem = (place: DuePlace): ItemKey & { readonly token: string } => ({
  ...dueKey(place),
  token: crypto.randomUUID(),
});

/** An unconditional write of an entry. Its new token keeps concurrent workers from removing it. */
export const putDue = (place: DuePlace): Write => ({ Put: { TableName, Item: dueItem(place) } });

/** The writes that remove an entry, on the condition that it is as it was read, and that put another one. */
export const dueWrites = ({ remove, put }: NonNullable<FilingCommit['due']>): Write[] => [
  ...(remove
    ? [
        {
          Delete: {
            TableName,
            Key: dueKey(remove),
            ConditionExpression: '#token = :seen',
            ExpressionAttributeNames: { '#token': 'token' },
            ExpressionAttributeValues: { ':seen': remove.token },
          },
        },
      ]
    : []),
  ...(put ? [putDue(put)] : []),
];
