import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Context } from 'aws-lambda';
import { createGateway } from '../../infra/local/gateway.ts';
import type { Handlers } from '../../infra/local/handlers.ts';
import type { Call, Caller } from './api.ts';
import { send } from './http.ts';

// The first reading is that of the stack, which would otherwise end the request.
const hurried = (context: Context): Context => {
  let readings = 0;
  return { ...context, getRemainingTimeInMillis: () => (readings++ === 0 ? 10_000 : 100) };
};

/**
 * The API with hardly any time left in every request: what may be left to others is left to them.
 *
 * `handlers` are given, because a test with tables of its own has its own.
 */
export const hurriedCall = async (handlers: Handlers, { key }: Pick<Caller, 'key'>): Promise<Call> => {
  const endpoints = Object.fromEntries(
    Object.entries(handlers.endpoints).map(([name, handler]) => [
      name,
      (event: Parameters<typeof handler>[0], context: Context) => handler(event, hurried(context)),
    ]),
  ) as Handlers['endpoints'];
  const server = createGateway({ handlers: { ...handlers, endpoints } });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (method, path, request = {}) =>
    send(url, method, path, { ...request, headers: { 'X-API-Key': key, ...request.headers } });
};
