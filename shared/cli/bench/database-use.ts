import type { Operation } from '../../../functions/endpoints.ts';
import { handlers } from '../../../infra/local/handlers.ts';
import { invoke } from '../../../infra/local/invoke.ts';
import { requestOf } from './content.ts';
import { eventOf } from './event.ts';
import { type Figure, median } from './figure.ts';
import { countDatabaseUse, type Use } from './meter.ts';

type Send = (operation: Operation, body?: unknown, id?: string) => Promise<{ readonly id: string }>;
type Measured = {
  readonly prepare?: (send: Send) => Promise<{ readonly id: string }>;
  readonly run: (send: Send, preparedId: string) => Promise<unknown>;
};

const senderWith =
  (apiKey: string): Send =>
  async (operation, body, id) => {
    const pathParameters = id === undefined ? {} : { id };
    const event = eventOf({ operation, apiKey, body, pathParameters, idempotencyKey: crypto.randomUUID() });
    const invocation = { functionName: operation, requestId: 'bench', timeoutMs: 10_000 };
    const { statusCode, body: answer } = await invoke(handlers.endpoints[operation], event, invocation);
    if (statusCode >= 300) throw new Error(`${operation} returned ${statusCode}: ${answer}`);
    return JSON.parse(answer);
  };

const create = (status: string) => (send: Send) =>
  send('create-transaction', { ...requestOf(3), status, reference_id: crypto.randomUUID() });
const update = (status: string) => (send: Send, id: string) => send('update-transaction', { status }, id);
const creditOf = (parent_transaction_id: string) => ({
  ...{ status: 'finalized', type: 'credit', parent_transaction_id, reference_id: crypto.randomUUID() },
  line_items: [{ id: 'sku-1000', quantity: '0.5' }],
});

const operations: Readonly<Record<string, Measured>> = {
  calculation: { run: (send) => send('create-calculation', requestOf(3)) },
  'create draft': { run: create('draft') },
  'create finalized': { run: create('finalized') },
  finalize: { prepare: create('draft'), run: update('finalized') },
  credit: { prepare: create('finalized'), run: (send, id) => send('create-transaction', creditOf(id)) },
  void: { prepare: create('finalized'), run: update('void') },
  get: { prepare: create('finalized'), run: (send, id) => send('get-transaction', undefined, id) },
  list: { run: (send) => send('list-transactions') },
};
// Until the caller is cached and the instance leases many requests at once.
const warmUps = 60;
// Use the median of these, because one of them may need one more call for the rate limit.
const times = 9;

/** Database calls and capacity units of each operation with three lines, a reference and an Idempotency-Key, when warm. */
export const databaseFigures = async (apiKey: string, emulator: string): Promise<Figure[]> => {
  const send = senderWith(apiKey);
  for (let time = 0; time < warmUps; time += 1) await send('create-calculation', requestOf(3));
  const figures: Figure[] = [];
  for (const [of, { prepare, run }] of Object.entries(operations)) {
    const uses: Use[] = [];
    for (let time = 0; time < times; time += 1) {
      const prepared = await prepare?.(send);
      uses.push(await countDatabaseUse(() => run(send, prepared?.id ?? '')));
    }
    const medianOf = (units: (use: Use) => number) => median(uses.map(units));
    figures.push({
      ...{ figure: 'warm_database_use', of, emulator },
      calls: medianOf(({ reads, writes }) => reads + writes),
      ...{ read_units: medianOf(({ readUnits }) => readUnits), write_units: medianOf(({ writeUnits }) => writeUnits) },
    });
  }
  return figures;
};
