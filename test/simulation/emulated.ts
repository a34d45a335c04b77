import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { environment } from '../../shared/config/environment.ts';
import { database } from '../../shared/store/client/client.ts';
import { createTable, createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import type { Command } from '../support/memory-database.ts';
import { type Backend, besideEachOther } from './backend.ts';
import { world } from './world.ts';

const batchMax = 25;

// The real client, before it is replaced. It takes of chance what the schedule must not miss.
const send = database.send.bind(database);
const sendAside = async (command: Command): Promise<any> => {
  const { random } = world;
  world.random = () => 0.5;
  try {
    return await send(command as never);
  } finally {
    world.random = random;
  }
};

/** Memory and the emulator beside each other, on a table that this process has to itself. */
export const bothBackend = async (): Promise<Backend> => {
  const TableName = environment.tables.transactions;
  const client = new DynamoDBClient({ region: environment.region, endpoint: environment.dynamodbEndpoint ?? '' });
  if ((await createTable(client, createTableInput(TableName, tables.transactions))) !== 'created')
    throw new Error('The table of a simulation must be its own.');
  client.destroy();
  return besideEachOther({
    send: sendAside,
    forget: async (items) => {
      for (let at = 0; at < items.length; at += batchMax) {
        const requests = items.slice(at, at + batchMax).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
        await sendAside(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      }
    },
    table: TableName,
  });
};
