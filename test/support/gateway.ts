import type { Context } from 'aws-lambda';
import type { Operation, ScheduleName } from '../../functions/endpoints.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { type Handlers, handlers } from '../../infra/local/handlers.ts';
import type { Handler } from '../../shared/api/lambda-handler.ts';
import type { Call, Caller } from './api.ts';
import { listen, send } from './http.ts';

/** Starts the service on a free loopback port, with some handlers replaced. */
export const startGateway = (replaced: Partial<Record<Operation, Handler>>) =>
  listen(createGateway({ handlers: { ...handlers, endpoints: { ...handlers.endpoints, ...replaced } } }));

// The first reading returns enough time for the handler to accept the request.
const hurried = (context: Context): Context => {
  let readings = 0;
  return { ...context, getRemainingTimeInMillis: () => (readings++ === 0 ? 10_000 : 100) };
};

/**
 * Starts the API with almost no time left in each request, so it leaves all optional work to the schedule.
 *
 * A test with separate tables has separate handlers.
 */
export const hurriedCall = async ({ key }: Pick<Caller, 'key'>, from: Handlers = handlers): Promise<Call> => {
  const endpoints = Object.fromEntries(
    Object.entries(from.endpoints).map(([name, handler]) => [
      name,
      (event: Parameters<typeof handler>[0], context: Context) => handler(event, hurried(context)),
    ]),
  ) as Handlers['endpoints'];
  const { url } = await listen(createGateway({ handlers: { ...from, endpoints } }));
  return (method, path, request = {}) =>
    send(url, method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } });
};

/** Runs a schedule with this many milliseconds left each time the clock is read. */
export const runSchedule = (
  name: ScheduleName,
  remainingMs: () => number = () => 240_000,
  from: Handlers = handlers,
): Promise<unknown> => from.schedules[name]({}, { getRemainingTimeInMillis: remainingMs } as Context);
