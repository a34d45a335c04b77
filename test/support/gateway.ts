import type { Context } from 'aws-lambda';
import type { Operation } from '../../functions/endpoints.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { type Handlers, handlers } from '../../infra/local/handlers.ts';
import type { Handler } from '../../shared/api/lambda-handler.ts';
import type { Call, Caller } from './api.ts';
import { listen, send } from './http.ts';

/** A service on a free port of loopback, with some handlers replaced. */
export const startGateway = (replaced: Partial<Record<Operation, Handler>>) =>
  listen(createGateway({ handlers: { ...handlers, endpoints: { ...handlers.endpoints, ...replaced } } }));

// The first reading is the handler's, which would otherwise end the request.
const hurried = (context: Context): Context => {
  let readings = 0;
  return { ...context, getRemainingTimeInMillis: () => (readings++ === 0 ? 10_000 : 100) };
};

/**
 * The API with hardly any time left in every request, so that it leaves all optional work to the schedule.
 *
 * `handlers` is a parameter, because a test with its own tables has its own handlers.
 */
export const hurriedCall = async (handlers: Handlers, { key }: Pick<Caller, 'key'>): Promise<Call> => {
  const endpoints = Object.fromEntries(
    Object.entries(handlers.endpoints).map(([name, handler]) => [
      name,
      (event: Parameters<typeof handler>[0], context: Context) => handler(event, hurried(context)),
    ]),
  ) as Handlers['endpoints'];
  const { url } = await listen(createGateway({ handlers: { ...handlers, endpoints } }));
  return (method, path, request = {}) =>
    send(url, method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } });
};
