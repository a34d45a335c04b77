import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { countTransactions, handler } from '../../functions/count-transactions.ts';
import { endpoints, methodsByPath, type Operation, type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { methodsVariable } from '../../functions/method-not-allowed.ts';
import { assert } from '../../shared/base/assert.ts';
import { failureLine } from '../../shared/observability/failure-line.ts';
import { matches, openStream, type StreamRecord, streamReader } from './table-stream.ts';

type Handler<Event, Output> = (event: Event, context: Context) => Promise<Output>;
type EndpointName = Operation | 'method-not-allowed' | 'taxjar';

export type Handlers = {
  readonly endpoints: Readonly<Record<EndpointName, Handler<APIGatewayProxyEvent, APIGatewayProxyResult>>>;
  readonly schedules: Readonly<Record<ScheduleName, Handler<unknown, unknown>>>;
};

// In a deployment, the CDK app sets this.
process.env[methodsVariable] = JSON.stringify(methodsByPath);

const load = async <Event, Output>(name: string): Promise<Handler<Event, Output>> => {
  const { handler } = await import(`../../functions/${name}.ts`);
  assert(typeof handler === 'function', `functions/${name}.ts exports no handler.`);
  return handler;
};

const loadAll = async <Name extends string, Event, Output>(names: readonly Name[]) =>
  Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await load<Event, Output>(name)] as const)),
  ) as Record<Name, Handler<Event, Output>>;

/** Loads the handlers of all functions, by name. The environment must be complete, because handlers read it at import. */
export const handlers: Handlers = {
  endpoints: await loadAll<EndpointName, APIGatewayProxyEvent, APIGatewayProxyResult>([
    ...(Object.keys(endpoints) as Operation[]),
    'method-not-allowed',
    'taxjar',
  ]),
  schedules: await loadAll<ScheduleName, unknown, unknown>(Object.keys(schedules) as ScheduleName[]),
};

const { patterns, timeoutSeconds } = countTransactions;

const batchSize = 100;
const pauseMs = 250;
const context = { getRemainingTimeInMillis: () => timeoutSeconds * 1000 } as Context;

/** Invokes the function with the stream records that it receives in a deployment (infra/stream-consumers.ts). */
export const countRecords = async (records: readonly StreamRecord[]): Promise<void> => {
  const wanted = records.filter((record) => patterns.some((pattern) => matches(pattern, record)));
  for (let at = 0; at < wanted.length; at += batchSize)
    await handler({ Records: wanted.slice(at, at + batchSize) }, context);
};

/**
 * Keeps report sums up to date while this process runs, as the event source of a deployment does. A failed batch is
 * logged and retried.
 */
export const startEventSource = async (table: string): Promise<void> => {
  const read = streamReader(await openStream(table));
  let pending: StreamRecord[] = [];
  const poll = async () => {
    try {
      pending = [...pending, ...(await read())];
      await countRecords(pending);
      pending = [];
    } catch (error) {
      console.error('The reports could not be updated:', failureLine(error));
    }
    setTimeout(poll, pauseMs).unref();
  };
  setTimeout(poll, pauseMs).unref();
};
