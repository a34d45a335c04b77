import { isDeepStrictEqual } from 'node:util';
import { CreateTableCommand, type TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { reservedWords } from '../../infra/local/memory-database/reserved-words.ts';
import { database } from '../../shared/store/client/client.ts';
import { createTableInput } from '../../shared/store/client/create-table.ts';
import { tables } from '../../shared/store/table-definitions.ts';
import { type Command, MemoryDatabase } from '../support/memory-database.ts';
import { seededRandom } from './random.ts';

/** What a caller can tell of an answer: the answer, or the refusal with its reasons. Texts differ between databases. */
const outcomeOf = async (send: () => Promise<any>) => {
  try {
    const { $metadata: _, ConsumedCapacity: _units, ...answer } = await send();
    return answer;
  } catch (error) {
    const { name, Item, CancellationReasons } = error as TransactionCanceledException & { Item?: unknown };
    return { name, Item, reasons: CancellationReasons?.map(({ Code, Item: item }) => ({ Code, Item: item })) };
  }
};

let count = 0;

/** The same table in memory and on the emulator. */
const both = async () => {
  const TableName = `model-${process.pid}-${++count}`;
  await database.send(new CreateTableCommand(createTableInput(TableName, tables.transactions)) as never);
  const memory = new MemoryDatabase({ [TableName]: tables.transactions });
  const compare = async (command: Command) => ({
    memory: await outcomeOf(() => memory.send(command)),
    emulator: await outcomeOf(() => database.send(command as never)),
  });
  return { TableName, compare };
};

const text = (of: readonly string[], random: () => number) => of[Math.floor(random() * of.length)] as string;

const conditions = [
  'attribute_not_exists(pk)',
  'attribute_exists(pk)',
  'attribute_not_exists(pk) OR amount <= :amount',
  'NOT amount = :amount AND attribute_exists(account)',
  'amount BETWEEN :amount AND :more OR begins_with(#s, :prefix)',
  '(account = :account OR contains(id, :prefix)) AND amount <> :amount',
  'size(id) > :amount',
  'account IN (:account, :prefix)',
];

const valuesOf = (expressions: string, random: () => number) => {
  const values: Record<string, unknown> = {
    ':amount': Math.floor(random() * 4),
    ':more': 5,
    ':prefix': text(['a', 'b', 'tx'], random),
    ':account': text(['a1', 'a2'], random),
    ':from': text(['a', 'b2', 'c'], random),
    ':to': text(['b1', 'c', 'z'], random),
  };
  const used = Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(expressions));
  return {
    ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
    ...(expressions.includes('#s') && { ExpressionAttributeNames: { '#s': 'status' } }),
  };
};

const keyOf = (random: () => number) => ({ pk: text(['p1', 'p2', 'p3'], random), sk: text(['s1', 's2'], random) });

const itemOf = (random: () => number) => ({
  ...keyOf(random),
  ...(random() < 0.8 && { account: text(['a1', 'a2'], random) }),
  ...(random() < 0.8 && { id: text(['a', 'b1', 'b2', 'c', 'tx'], random) + Math.floor(random() * 1000) }),
  ...(random() < 0.7 && { amount: Math.floor(random() * 5) - 1 }),
  ...(random() < 0.3 && { status: text(['draft', 'a'], random), summary: Buffer.from(text(['x', 'yy'], random)) }),
  ...(random() < 0.2 && { nested: { list: [1, 'two', null, { three: true }], gone: undefined } }),
  version: 1,
});

const conditionOf = (random: () => number) =>
  random() < 0.3
    ? {}
    : { ConditionExpression: text(conditions, random), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };

const updates = [
  'ADD amount :amount SET account = :account',
  'SET amount = if_not_exists(amount, :more)',
  'SET amount = amount + :more REMOVE nested',
  'SET #s = :prefix',
  'SET nested.added = :amount',
];

const writeOf = (TableName: string, random: () => number): Record<string, any> => {
  const condition = conditionOf(random);
  const kind = Math.floor(random() * 4);
  const UpdateExpression = text(updates, random);
  const named = (more = '') => valuesOf(`${condition.ConditionExpression ?? ''} ${more}`, random);
  if (kind === 0) return { Delete: { TableName, Key: keyOf(random), ...condition, ...named() } };
  if (kind === 1)
    return { Update: { TableName, Key: keyOf(random), UpdateExpression, ...condition, ...named(UpdateExpression) } };
  return { Put: { TableName, Item: itemOf(random), ...condition, ...named() } };
};

const queries = [
  { IndexName: 'by_account', KeyConditionExpression: 'account = :account AND id BETWEEN :from AND :to' },
  { IndexName: 'by_account', KeyConditionExpression: 'account = :account AND begins_with(id, :prefix)' },
  { IndexName: 'by_account', KeyConditionExpression: 'account = :account' },
  { KeyConditionExpression: 'pk = :account' },
];

const commandOf = (TableName: string, random: () => number): any => {
  const dice = random();
  if (dice < 0.1) return new GetCommand({ TableName, Key: keyOf(random), ConsistentRead: true });
  if (dice < 0.15) {
    const Keys = [keyOf(random), keyOf(random)];
    return new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } });
  }
  if (dice < 0.45) {
    const asked = queries[Math.floor(random() * queries.length)] as (typeof queries)[number];
    const paged = { Limit: 1 + Math.floor(random() * 3), ScanIndexForward: random() < 0.5 };
    return new QueryCommand({ TableName, ...asked, ...paged, ...valuesOf(asked.KeyConditionExpression, random) });
  }
  if (dice < 0.8) {
    const TransactItems = Array.from({ length: 1 + Math.floor(random() * 3) }, () => writeOf(TableName, random));
    return new TransactWriteCommand({ TransactItems } as any);
  }
  const { Put, Update, Delete } = writeOf(TableName, random);
  if (Put) return new PutCommand(Put);
  return Update
    ? new UpdateCommand({ ...Update, ReturnValues: text(['ALL_NEW', 'NONE'], random) })
    : new DeleteCommand({ ...Delete, ReturnValues: 'ALL_OLD' });
};

const sorted = (answer: any, TableName: string) =>
  answer.Responses
    ? {
        ...answer,
        Responses: {
          [TableName]: answer.Responses[TableName]?.toSorted((a: any, b: any) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1)),
        },
      }
    : answer;

describe('the memory database', () => {
  it('answers 1,500 random commands as the emulator does, page by page', async () => {
    const { TableName, compare } = await both();
    const random = seededRandom(1);
    const kinds = new Set<string>();
    for (let step = 0; step < 1500; step++) {
      let command: any = commandOf(TableName, random);
      for (let page = 0; command && page < 20; page++) {
        const { memory, emulator } = await compare(command);
        const [one, other] = [sorted(memory, TableName), sorted(emulator, TableName)];
        if (!isDeepStrictEqual(one, other))
          expect({ step, input: command.input, answer: one }).toEqual({ step, input: command.input, answer: other });
        kinds.add(`${command.constructor.name} ${memory.name ?? 'done'}`);
        command =
          memory.LastEvaluatedKey && new QueryCommand({ ...command.input, ExclusiveStartKey: memory.LastEvaluatedKey });
      }
    }
    // All of it came up, refusals too.
    expect([...kinds].sort()).toEqual([
      'BatchGetCommand ValidationException',
      'BatchGetCommand done',
      'DeleteCommand ConditionalCheckFailedException',
      'DeleteCommand done',
      'GetCommand done',
      'PutCommand ConditionalCheckFailedException',
      'PutCommand done',
      'QueryCommand ValidationException',
      'QueryCommand done',
      'TransactWriteCommand TransactionCanceledException',
      'TransactWriteCommand ValidationException',
      'TransactWriteCommand done',
      'UpdateCommand ConditionalCheckFailedException',
      'UpdateCommand ValidationException',
      'UpdateCommand done',
    ]);
  });

  const key = { pk: 'p', sk: 's' };
  const put = (TableName: string, Item: object = key) => ({ Put: { TableName, Item } });
  const many = (TableName: string, size: number) =>
    Array.from({ length: size }, (_, at) => put(TableName, { pk: 'p', sk: String(at) }));
  const isReserved = (word: string) => (TableName: string) =>
    new PutCommand({ TableName, Item: key, ConditionExpression: `attribute_not_exists(${word})` });
  const cases: Record<string, (TableName: string) => any> = {
    'one item twice in a transaction': (TableName) =>
      new TransactWriteCommand({ TransactItems: [put(TableName), { Delete: { TableName, Key: key } }] }),
    'a hundred actions': (TableName) => new TransactWriteCommand({ TransactItems: many(TableName, 100) }),
    'a hundred and one': (TableName) => new TransactWriteCommand({ TransactItems: many(TableName, 101) }),
    'no action': () => new TransactWriteCommand({ TransactItems: [] }),
    'a name that the expressions lack': (TableName) =>
      new PutCommand({ TableName, Item: key, ConditionExpression: 'attribute_exists(#other)' }),
    'a value that no expression uses': (TableName) =>
      new PutCommand({
        TableName,
        Item: key,
        ConditionExpression: 'attribute_not_exists(pk)',
        ExpressionAttributeValues: { ':a': 1 },
      }),
    'an empty condition': (TableName) => new PutCommand({ TableName, Item: key, ConditionExpression: '' }),
    'a condition that breaks off': (TableName) => new PutCommand({ TableName, Item: key, ConditionExpression: 'pk =' }),
    'a function that is not there': (TableName) =>
      new PutCommand({ TableName, Item: key, ConditionExpression: 'absent(pk)' }),
    'a key without its sort key': (TableName) => new GetCommand({ TableName, Key: { pk: 'p' } }),
    'a key with more': (TableName) => new GetCommand({ TableName, Key: { ...key, id: 'x' } }),
    'a key that is a number': (TableName) => new GetCommand({ TableName, Key: { pk: 1, sk: 's' } }),
    'an empty key': (TableName) => new PutCommand({ TableName, Item: { pk: '', sk: 's' } }),
    'a key of 1,025 bytes': (TableName) => new PutCommand({ TableName, Item: { pk: 'p', sk: 'é'.repeat(513) } }),
    'a key of an index that is a number': (TableName) => new PutCommand({ TableName, Item: { ...key, account: 1 } }),
    'a key of an index that is empty': (TableName) => new PutCommand({ TableName, Item: { ...key, account: '' } }),
    'an item of 400 KB': (TableName) => new PutCommand({ TableName, Item: { ...key, a: 'x'.repeat(409_600 - 7) } }),
    'an item of a byte more': (TableName) =>
      new PutCommand({ TableName, Item: { ...key, a: 'x'.repeat(409_600 - 6) } }),
    'an index that is not there': (TableName) =>
      new QueryCommand({
        TableName,
        IndexName: 'other',
        KeyConditionExpression: 'pk = :a',
        ExpressionAttributeValues: { ':a': 'a' },
      }),
    'an index, consistently': (TableName) =>
      new QueryCommand({
        TableName,
        IndexName: 'drafts',
        ConsistentRead: true,
        KeyConditionExpression: 'draft_shard = :a',
        ExpressionAttributeValues: { ':a': 'a' },
      }),
    'bounds that cross': (TableName) =>
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :a AND sk BETWEEN :b AND :a',
        ExpressionAttributeValues: { ':a': 'a', ':b': 'b' },
      }),
    'a start of other keys': (TableName) =>
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :a',
        ExpressionAttributeValues: { ':a': 'a' },
        ExclusiveStartKey: { pk: 'a' },
      }),
    'a query without a partition': (TableName) =>
      new QueryCommand({ TableName, KeyConditionExpression: 'sk = :a', ExpressionAttributeValues: { ':a': 'a' } }),
    'an update of a key': (TableName) =>
      new UpdateCommand({
        TableName,
        Key: key,
        UpdateExpression: 'SET sk = :a',
        ExpressionAttributeValues: { ':a': 'a' },
      }),
    'one attribute set twice': (TableName) =>
      new UpdateCommand({
        TableName,
        Key: key,
        UpdateExpression: 'SET a = :a, a = :a',
        ExpressionAttributeValues: { ':a': 'a' },
      }),
    'an addition to a text': (TableName) =>
      new UpdateCommand({
        TableName,
        Key: key,
        UpdateExpression: 'ADD n :a',
        ExpressionAttributeValues: { ':a': 'a' },
      }),
    'a table that is not there': () => new GetCommand({ TableName: 'nowhere-at-all', Key: key }),
    'the same key twice in a batch': (TableName) =>
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [key, key] } } }),
    'what a row of a list is named: status': isReserved('status'),
    'what a row of a list is named: summary': isReserved('summary'),
    'a row of an index of drafts: draft_shard': isReserved('draft_shard'),
    'a reserved word in small letters: ref': isReserved('ref'),
    'a reserved word: Month': isReserved('Month'),
  };

  it.each(Object.entries(cases))('takes or refuses as the emulator does: %s', async (_, commandFor) => {
    const { TableName, compare } = await both();
    const { memory, emulator } = await compare(commandFor(TableName));
    expect(memory).toEqual(emulator);
  });

  it('takes no reserved word that the emulator does not take, and none less', async () => {
    const { TableName, compare } = await both();
    const attributes = Object.values(tables).flatMap((table) =>
      ('indexes' in table ? table.indexes : []).flatMap(({ partition, sort, include }) => [
        partition.name,
        sort.name,
        ...include,
      ]),
    );
    expect(reservedWords.size).toBe(573);
    for (const word of new Set([...reservedWords, ...attributes, 'version', 'transaction_id', 'pk'])) {
      const ConditionExpression = `attribute_not_exists(${word})`;
      const { memory, emulator } = await compare(
        new PutCommand({ TableName, Item: { pk: word, sk: 's' }, ConditionExpression }),
      );
      expect({ word, ...memory }).toEqual({ word, ...emulator });
    }
  });

  it('takes a token once, as the emulator does: again with the same, never with something else', async () => {
    const { TableName, compare } = await both();
    const write = (version: number, ClientRequestToken: string) =>
      new TransactWriteCommand({
        ClientRequestToken,
        TransactItems: [
          {
            Update: { TableName, Key: key, UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': version } },
          },
        ],
      });
    for (const command of [
      write(1, 'one'),
      write(1, 'one'),
      write(2, 'one'),
      write(2, 'two'),
      new GetCommand({ TableName, Key: key }),
    ]) {
      const { memory, emulator } = await compare(command);
      expect(memory).toEqual(emulator);
    }
    const { memory } = await compare(new GetCommand({ TableName, Key: key }));
    expect(memory.Item).toEqual({ ...key, n: 3 });
  });

  it('ends a page at 1 MB, and a batch at 16 MB, where the emulator does', async () => {
    const { TableName, compare } = await both();
    const keys = Array.from({ length: 45 }, (_, at) => ({ pk: 'big', sk: String(at).padStart(2, '0') }));
    for (const Key of keys) await compare(new PutCommand({ TableName, Item: { ...Key, a: 'x'.repeat(390_000) } }));
    let start: Record<string, unknown> | undefined;
    do {
      const asked = {
        TableName,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': 'big' },
        ProjectionExpression: 'sk',
      };
      const { memory, emulator } = await compare(
        new QueryCommand({ ...asked, ...(start && { ExclusiveStartKey: start }) }),
      );
      expect(memory).toEqual(emulator);
      start = memory.LastEvaluatedKey;
    } while (start);
    const { memory, emulator } = await compare(
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } } }),
    );
    expect(memory.Responses[TableName]).toHaveLength(emulator.Responses[TableName].length);
    expect(memory.UnprocessedKeys[TableName].Keys).toHaveLength(emulator.UnprocessedKeys[TableName].Keys.length);
  }, 60_000);

  it('writes and scans in batches', async () => {
    const { TableName, compare } = await both();
    const items = Array.from({ length: 20 }, (_, at) => ({ pk: `p${at % 3}`, sk: String(at) }));
    await compare(
      new BatchWriteCommand({ RequestItems: { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) } }),
    );
    const removed = items.slice(0, 5).map((Key) => ({ DeleteRequest: { Key } }));
    await compare(new BatchWriteCommand({ RequestItems: { [TableName]: removed } }));
    const { memory, emulator } = await compare(new ScanCommand({ TableName }));
    const places = (answer: any) => answer.Items.map(({ pk, sk }: any) => `${pk} ${sk}`).sort();
    expect(places(memory)).toEqual(places(emulator));
    expect(memory.Items).toHaveLength(15);
  });

  it('answers a query of an index that is behind as things were, item by item', () => {
    const memory = new MemoryDatabase({ t: tables.transactions });
    const item = (pk: string, version: number) => ({ pk, sk: 'H', account: 'a', id: pk, version });
    const versions = (behind: readonly string[], writes = 8) =>
      memory
        .execute(
          new QueryCommand({
            TableName: 't',
            IndexName: 'by_account',
            KeyConditionExpression: 'account = :a',
            ExpressionAttributeValues: { ':a': 'a' },
          }),
          { writes, isBehind: (key) => behind.some((pk) => key.startsWith(pk)) },
        )
        .Items.map(({ pk, version }: any) => `${pk}.${version}`);
    for (const [pk, version] of [
      ['x', 1],
      ['y', 1],
      ['x', 2],
      ['z', 1],
    ] as const)
      memory.execute(new PutCommand({ TableName: 't', Item: item(pk, version) }));
    memory.execute(new DeleteCommand({ TableName: 't', Key: { pk: 'y', sk: 'H' } }));
    expect(versions([])).toEqual(['x.2', 'z.1']);
    expect(versions(['x'], 3)).toEqual(['x.1', 'z.1']);
    expect(versions(['x'])).toEqual(['z.1']);
    expect(versions(['y', 'z'], 2)).toEqual(['x.2', 'y.1']);
  });
});
