import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { GetCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Operation } from '../../../functions/endpoints.ts';
import { handlers } from '../../../infra/local/handlers.ts';
import { invoke } from '../../../infra/local/invoke.ts';
import { environment } from '../../config/environment.ts';
import { database } from '../../store/client/client.ts';
import { dollarsPerMillion, type ItemWrite, transactionUnits } from './cost-formula.ts';
import { eventOf } from './event.ts';
import { type Figure, rounded } from './figure.ts';
import { requestOf } from './four-jurisdictions.ts';

type Item = Readonly<Record<string, unknown>>;
type Use = { transactions: number; read: number; write: number; formula: number };
type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const TableName = environment.tables.transactions;
const meterName = 'write-costs';

type Input = TransactWriteCommandInput & { readonly TableName?: string; readonly RequestItems?: object };
const isOfLedger = ({ TableName: table, RequestItems, TransactItems }: Input): boolean =>
  table === TableName || (RequestItems !== undefined && TableName in RequestItems) || TransactItems !== undefined;

const itemAt = async (Key: Item): Promise<Item | null> =>
  (await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item ?? null;

const writeOf = async ({ Put, Delete }: Write): Promise<ItemWrite> => {
  const { pk, sk }: Item = Put?.Item ?? Delete?.Key ?? {};
  return { before: await itemAt({ pk, sk }), after: Put?.Item ?? null };
};

/** Run something, and tell what the database says that it used of the ledger, beside what the formula says of its items. */
const measured = async (run: () => Promise<unknown>): Promise<Use> => {
  const used: Use = { transactions: 0, read: 0, write: 0, formula: 0 };
  let isLooking = false;
  database.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        const input = sent.input as Input;
        // The caller and the content are in other tables; and what is looked up here counts for nothing.
        if (isLooking || !isOfLedger(input)) return next(sent);
        const isTransaction = String(commandName).startsWith('TransactWriteItems');
        if (isTransaction) {
          isLooking = true;
          used.transactions += 1;
          used.formula += transactionUnits(await Promise.all((input.TransactItems ?? []).map(writeOf)));
          isLooking = false;
        }
        const answer = await next({ ...sent, input: { ...input, ReturnConsumedCapacity: 'INDEXES' } as never });
        const { ConsumedCapacity: consumed = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity[] };
        const units = [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        used[isTransaction ? 'write' : 'read'] += units;
        return answer;
      },
    { step: 'initialize', name: meterName, priority: 'low' },
  );
  try {
    await run();
    return used;
  } finally {
    database.middlewareStack.remove(meterName);
  }
};

type Answer = { readonly id: string };
type Send = (operation: Operation, body: unknown, id?: string) => Promise<Answer>;

// Each as a storefront sends it: under a key of its own, and a sale with the invoice that it is for.
const senderWith =
  (apiKey: string): Send =>
  async (operation, body, id) => {
    const pathParameters = id === undefined ? {} : { id };
    const event = eventOf({ operation, apiKey, body, pathParameters, idempotencyKey: crypto.randomUUID() });
    const invocation = { functionName: operation, requestId: 'bench', timeoutMs: 10_000 };
    const { statusCode, body: answer } = await invoke(handlers.endpoints[operation], event, invocation);
    if (statusCode >= 300) throw new Error(`${operation} answered ${statusCode}: ${answer}`);
    return JSON.parse(answer);
  };

type Change = {
  readonly prepare?: (send: Send) => Promise<Answer>;
  readonly run: (send: Send, id: string) => Promise<Answer>;
};

const saleOf = (status: string) => ({ ...requestOf(3, 0), status, reference_id: crypto.randomUUID() });
const create = (status: string) => (send: Send) => send('create-transaction', saleOf(status));
const credit = (parent_transaction_id: string) => ({
  ...{ status: 'finalized', type: 'credit', parent_transaction_id },
  line_items: [{ id: 'sku-1000', quantity: '0.5' }],
});

const changes: Readonly<Record<string, Change>> = {
  'create draft': { run: create('draft') },
  'create finalized': { run: create('finalized') },
  finalize: { prepare: create('draft'), run: (send, id) => send('update-transaction', { status: 'finalized' }, id) },
  credit: { prepare: create('finalized'), run: (send, id) => send('create-transaction', credit(id)) },
  void: { prepare: create('finalized'), run: (send, id) => send('update-transaction', { status: 'void' }, id) },
};

/** What each change of three lines uses: its transactions, its units, those of the formula, and what a million cost. */
export const writeCostFigures = async (apiKey: string, emulator: string): Promise<Figure[]> => {
  const send = senderWith(apiKey);
  const figures: Figure[] = [];
  for (const [of, { prepare, run }] of Object.entries(changes)) {
    const prepared = await prepare?.(send);
    const { transactions, read, write, formula } = await measured(() => run(send, prepared?.id ?? ''));
    const dollars = dollarsPerMillion({ read, write });
    figures.push({
      figure: 'write_cost',
      of,
      emulator,
      transactions,
      read_units: read,
      write_units: write,
      write_units_by_formula: formula,
      database_dollars_per_million: rounded(dollars.database),
      dollars_per_million: rounded(dollars.all),
    });
  }
  return figures;
};
