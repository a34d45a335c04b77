/** Tests the table permissions of each deployed role with its credentials: every allowed and every denied action. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { countTransactions } from '../../functions/count-transactions.ts';
import { endpoints, schedules } from '../../functions/endpoints.ts';
import { endpoint as taxjar } from '../../functions/taxjar.ts';
import { updateContent } from '../../functions/update-content.ts';
import { pascalCase } from '../../infra/constructs.ts';
import {
  draftPartitions,
  type Action as Granted,
  type TableAccess,
  writablePartitions,
} from '../../shared/store/table-access.ts';
import { type TableName, tables } from '../../shared/store/table-definitions.ts';
import { root } from './commands.ts';
import type { Emulator } from './emulator.ts';
import { same } from './run.ts';
import type { Stack } from './stack.ts';

const actions = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'Scan'] as const;
type Action = (typeof actions)[number];

const tableAccess: Readonly<Record<string, TableAccess>> = {
  ...Object.fromEntries(
    Object.entries({ ...endpoints, ...schedules, taxjar }).map(([name, { access }]) => [name, access]),
  ),
  'count-transactions': countTransactions.access,
  'update-content': updateContent.access,
  'method-not-allowed': { actions: {} },
  'announce-changes': { actions: {} },
};

const noPartition = 'NOBODY#x';

/**
 * The partitions that a function can access with an action: `null` means every partition, an empty list means no
 * access.
 */
const allowed = (
  { actions: byTable, partitions = {}, readOnly = [], ...access }: TableAccess,
  table: TableName,
  action: string,
) => {
  const granted = (byTable[table] as readonly string[] | undefined)?.includes(action) ?? false;
  const writes = table === 'accounts' ? writablePartitions(access)[action as Granted] : undefined;
  const own = writes ?? partitions[table] ?? null;
  const reads = table === 'transactions' ? readOnly.flatMap(([by, kind]) => (by === action ? [kind] : [])) : [];
  if (granted && own === null) return null;
  return [...(granted ? (own ?? []) : []), ...reads];
};

const snake = (action: Action) => action.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();

/** A request that changes nothing: it writes only if the item exists, and it does not. */
const request = (action: Action, TableName: string, partition: string): object => {
  const Key = { pk: { S: partition }, sk: { S: 'deployment test' } };
  const ConditionExpression = 'attribute_exists(pk)';
  if (action === 'BatchGetItem') return { RequestItems: { [TableName]: { Keys: [Key] } } };
  if (action === 'Scan') return { TableName, Limit: 1 };
  if (action === 'PutItem') return { TableName, Item: Key, ConditionExpression };
  if (action === 'Query') {
    const ExpressionAttributeValues = { ':pk': { S: partition } };
    return { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues };
  }
  if (action === 'GetItem') return { TableName, Key };
  if (action === 'DeleteItem') return { TableName, Key, ConditionExpression };
  const value = { ExpressionAttributeNames: { '#a': 'a' }, ExpressionAttributeValues: { ':a': { S: 'a' } } };
  return { TableName, Key, ConditionExpression, UpdateExpression: 'SET #a = :a', ...value };
};

type Tries = { allowed: number; denied: number };

/** Returns a function that tries an action with a function's credentials, and checks whether IAM denies it. */
const attemptAs = async ({ aws, readCredentials, readError }: Emulator, stack: Stack, tries: Tries, name: string) => {
  const { Configuration } = await aws('lambda', 'get_function', { FunctionName: stack.getId(pascalCase(name)) });
  const keys = await readCredentials(Configuration.Role);
  return async (what: string, service: string, operation: string, input: object, may: boolean) => {
    const code = await readError(service, operation, input, keys);
    const isDenied = code !== null && /^AccessDenied/.test(code);
    const harmless = code === null || isDenied || code === 'ConditionalCheckFailedException';
    const outcome = isDenied ? 'denied' : harmless ? 'allowed' : code;
    same(`${name}: ${what}`, outcome, may ? 'allowed' : 'denied');
    tries[may ? 'allowed' : 'denied'] += 1;
  };
};
type Attempt = Awaited<ReturnType<typeof attemptAs>>;

const onTables = async (attempt: Attempt, stack: Stack, access: TableAccess) => {
  for (const table of Object.keys(tables) as TableName[])
    for (const action of actions) {
      const partitions = allowed(access, table, action);
      // A scan specifies no partition, so the partition condition cannot deny it. Therefore no function has the action.
      const tried =
        partitions === null
          ? [[noPartition, true] as const]
          : [...partitions.map((pattern) => [pattern.replace('*', 'x'), true] as const), [noPartition, false] as const];
      for (const [partition, may] of tried) {
        const input = request(action, stack.outputs[`${pascalCase(table)}Table`] ?? '', partition);
        await attempt(`${action} of ${partition} in ${table}`, 'dynamodb', snake(action), input, may);
      }
    }
};

const onIndexes = async (attempt: Attempt, stack: Stack, access: TableAccess) => {
  for (const index of tables.transactions.indexes) {
    const may = access.indexes?.includes(index.name) ?? false;
    const ExpressionAttributeValues = {
      ':p': { S: index.name === 'drafts' ? draftPartitions.replace('*', '1') : 'acct_x' },
    };
    const KeyConditionExpression = `${index.partition} = :p`;
    const TableName = stack.outputs['TransactionsTable'];
    const input = { TableName, IndexName: index.name, KeyConditionExpression, ExpressionAttributeValues };
    await attempt(`Query of ${index.name}`, 'dynamodb', 'query', input, may);
  }
};

/** Tests every function with every table, action, index and kind of partition, and with the event bus. */
export const functionPermissions = async (emulator: Emulator, stack: Stack): Promise<string> => {
  const entries = readdirSync(join(root, 'functions')).map((file) => file.replace(/\.ts$/, ''));
  const names = entries.filter((name) => name !== 'endpoints');
  same('the functions', Object.keys(tableAccess).sort(), names.sort());
  const tries: Tries = { allowed: 0, denied: 0 };
  for (const name of names) {
    const attempt = await attemptAs(emulator, stack, tries, name);
    const access = tableAccess[name] ?? { actions: {} };
    await onTables(attempt, stack, access);
    await onIndexes(attempt, stack, access);
    const entry = { EventBusName: stack.outputs['EventBus'], Source: 'test', DetailType: 'test', Detail: '{}' };
    await attempt('events', 'events', 'put_events', { Entries: [entry] }, name === 'update-content');
  }
  return `${names.length} functions, ${tries.allowed} actions allowed and ${tries.denied} denied`;
};

/** With `contentUpdates=propose`, an explicit deny prevents the content update from activating a release. */
export const proposesOnly = async (emulator: Emulator, stack: Stack, activeReleases: string): Promise<void> => {
  const TableName = stack.outputs['ContentTable'] ?? '';
  const attempt = await attemptAs(emulator, stack, { allowed: 0, denied: 0 }, 'update-content');
  for (const [partition, may] of [
    [activeReleases, false],
    ['RELEASE#x', true],
  ] as const)
    for (const action of ['PutItem', 'UpdateItem', 'DeleteItem'] as const)
      await attempt(`${action} of ${partition}`, 'dynamodb', snake(action), request(action, TableName, partition), may);
};
