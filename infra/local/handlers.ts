import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Operation, routes, type ScheduleName, schedules } from '../../shared/http/routes.ts';

type Handler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;
type EndpointName = Operation | 'method-not-allowed';

export type Handlers = {
  readonly endpoints: Readonly<Record<EndpointName, Handler<APIGatewayProxyEvent, APIGatewayProxyResult>>>;
  readonly schedules: Readonly<Record<ScheduleName, Handler<unknown, unknown>>>;
};

const endpointNames = [...(Object.keys(routes) as Operation[]), 'method-not-allowed'] as const;
const scheduleNames = Object.keys(schedules) as ScheduleName[];

const load = async <Event, Answer>(name: string): Promise<Handler<Event, Answer>> => {
  const { handler } = await import(`../../functions/${name}.ts`);
  if (typeof handler !== 'function') throw new Error(`functions/${name}.ts exports no handler.`);
  return handler;
};

// Kept, and not imported again: to look a module up takes longer than many a request.
const loadOnce = <Event, Answer>(name: string): Handler<Event, Answer> => {
  let loaded: Handler<Event, Answer> | null = null;
  return async (event, context) => {
    loaded ??= await load<Event, Answer>(name);
    return loaded(event, context);
  };
};

const onDemand = <Name extends string, Event, Answer>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, loadOnce(name)])) as Record<Name, Handler<Event, Answer>>;

/**
 * The functions that the route table names, each imported when it is first called: a test loads no more than it tests.
 *
 * The environment must be complete by then, as functions read it once.
 */
export const handlers: Handlers = {
  endpoints: onDemand<EndpointName, APIGatewayProxyEvent, APIGatewayProxyResult>(endpointNames),
  schedules: onDemand<ScheduleName, unknown, unknown>(scheduleNames),
};

/** Import all of them now, so that one that is missing shows before the first request does. */
export const loadHandlers = async (): Promise<Handlers> => {
  await Promise.all([...endpointNames, ...scheduleNames].map(load));
  return handlers;
};
