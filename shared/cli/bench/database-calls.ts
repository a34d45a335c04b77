import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { Operation } from '../../../functions/endpoints.ts';
import { handlers } from '../../../infra/local/handlers.ts';
import { invoke } from '../../../infra/local/invoke.ts';
import { database } from '../../store/client/client.ts';
import { eventOf } from './event.ts';
import { type Figure, median } from './figure.ts';
import { requestOf } from './four-jurisdictions.ts';

type Answer = { readonly id: string };
type Send = (operation: Operation, body?: unknown, id?: string) => Promise<Answer>;
type Endpoint = {
  readonly prepare?: (send: Send) => Promise<Answer>;
  /** Gets the id of what was prepared. */
  readonly run: (send: Send, id: string | undefined) => Promise<unknown>;
};
type Use = { calls: number; read: number; write: number };

const used: Use = { calls: 0, read: 0, write: 0 };
const isRead = (command: string | undefined): boolean => /^(Get|BatchGet|TransactGet|Query|Scan)/.test(command ?? '');

/** Has the database say of every call what it cost, an index's units along with the table's, and adds it up. */
const meter = (): void =>
  database.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        const answer = await next({ ...sent, input: { ...sent.input, ReturnConsumedCapacity: 'TOTAL' } as never });
        const { ConsumedCapacity: consumed = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity[] };
        const units = [consumed].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        used.calls += 1;
        used[isRead(commandName) ? 'read' : 'write'] += units;
        return answer;
      },
    { step: 'initialize', name: 'meter' },
  );

const senderWith =
  (apiKey: string): Send =>
  async (operation, body, id) => {
    const event = eventOf({ operation, apiKey, body, ...(id !== undefined && { pathParameters: { id } }) });
    const invocation = { functionName: operation, requestId: 'bench', timeoutMs: 10_000 };
    const { statusCode, body: answer } = await invoke(handlers.endpoints[operation], event, invocation);
    if (statusCode >= 300) throw new Error(`${operation} answered ${statusCode}: ${answer}`);
    return JSON.parse(answer);
  };

const sale = { ...requestOf(3, 0), status: 'finalized' };
const draft = { ...sale, status: 'draft' };

/** What is measured, each with what must be there before it. */
const endpoints: Readonly<Record<string, Endpoint>> = {
  calculation: { run: (send) => send('create-calculation', requestOf(3, 0)) },
  'create draft': { run: (send) => send('create-transaction', draft) },
  'create finalized': { run: (send) => send('create-transaction', sale) },
  'create finalized with reference': {
    run: (send) => send('create-transaction', { ...sale, reference_id: crypto.randomUUID() }),
  },
  finalize: {
    prepare: (send) => send('create-transaction', draft),
    run: (send, id) => send('update-transaction', { status: 'finalized' }, id),
  },
  credit: {
    prepare: (send) => send('create-transaction', sale),
    run: (send, id) => {
      const body = { status: 'finalized', type: 'credit', parent_transaction_id: id, credit_remaining: true };
      return send('create-transaction', body);
    },
  },
  get: {
    prepare: (send) => send('create-transaction', sale),
    run: (send, id) => send('get-transaction', undefined, id),
  },
  list: { run: (send) => send('list-transactions') },
};
// Until the instance knows its caller, and expects enough requests to lease many at once from the rate window.
const warmUps = 60;
// The median of these: one of them may still open a rate window, which is one call more.
const times = 9;

const measure = async (run: () => Promise<unknown>): Promise<Use> => {
  Object.assign(used, { calls: 0, read: 0, write: 0 });
  await run();
  return { ...used };
};

const usesOf = async ({ prepare, run }: Endpoint, send: Send): Promise<Use[]> => {
  const uses: Use[] = [];
  for (let time = 0; time < times; time += 1) {
    const prepared = await prepare?.(send);
    uses.push(await measure(() => run(send, prepared?.id)));
  }
  return uses;
};

const figureOf = (of: string, emulator: string, uses: readonly Use[]): Figure => {
  const medianOf = (key: keyof Use) => median(uses.map((use) => use[key]));
  return {
    figure: 'warm_database_use',
    of,
    emulator,
    calls: medianOf('calls'),
    read_capacity_units: medianOf('read'),
    write_capacity_units: medianOf('write'),
  };
};

/** The calls and the capacity units of each endpoint once an instance is warm, counted on a real handler. */
export const databaseCallFigures = async (apiKey: string, emulator: string): Promise<Figure[]> => {
  meter();
  const send = senderWith(apiKey);
  for (let time = 0; time < warmUps; time += 1) await send('create-calculation', requestOf(3, 0));
  const figures: Figure[] = [];
  for (const [of, endpoint] of Object.entries(endpoints))
    figures.push(figureOf(of, emulator, await usesOf(endpoint, send)));
  return figures;
};
