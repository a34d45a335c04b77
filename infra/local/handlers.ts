import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { endpoints, methodsByPath, type Operation, type ScheduleName, schedules } from '../../functions/endpoints.ts';
import { methodsVariable } from '../../functions/method-not-allowed.ts';
import { assert } from '../../shared/base/assert.ts';

type Handler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;
export type EndpointName = Operation | 'method-not-allowed' | 'taxjar';

export type Handlers = {
  readonly endpoints: Readonly<Record<EndpointName, Handler<APIGatewayProxyEvent, APIGatewayProxyResult>>>;
  readonly schedules: Readonly<Record<ScheduleName, Handler<unknown, unknown>>>;
};

// In a deployment, the CDK app sets this.
process.env[methodsVariable] = JSON.stringify(methodsByPath);

const load = async <Event, Answer>(name: string): Promise<Handler<Event, Answer>> => {
  const { handler } = await import(`../../functions/${name}.ts`);
  assert(typeof handler === 'function', `functions/${name}.ts exports no handler.`);
  return handler;
};

const loadAll = async <Name extends string, Event, Answer>(names: readonly Name[]) =>
  Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await load<Event, Answer>(name)] as const)),
  ) as Record<Name, Handler<Event, Answer>>;

/** Loads the handlers of all functions, by name. The environment must be complete, because handlers read it at import. */
export const handlers: Handlers = {
  endpoints: await loadAll<EndpointName, APIGatewayProxyEvent, APIGatewayProxyResult>([
    ...(Object.keys(endpoints) as Operation[]),
    'method-not-allowed',
    'taxjar',
  ]),
  schedules: await loadAll<ScheduleName, unknown, unknown>(Object.keys(schedules) as ScheduleName[]),
};
