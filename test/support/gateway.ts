import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createGateway } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { endpoint, type Handler } from '../../shared/http/endpoint.ts';
import { type Operation, routes } from '../../shared/http/routes.ts';
import type { Version } from '../../shared/http/versions/version.ts';

/** The operations as they are, in a service that has other versions. */
export const endpointsWith = (versions: readonly Version[]): Record<string, Handler> =>
  Object.fromEntries(
    (Object.keys(routes) as Operation[])
      .filter((operation) => routes[operation].scope !== null)
      .map((operation) => [
        operation,
        endpoint(operation, () => import(`../../shared/operations/${operation}.ts`), versions),
      ]),
  );

/** A service of its own on a free port of loopback, with some endpoints in the place of the real ones. */
export const startGateway = async (
  endpoints: Partial<Record<Operation, Handler>>,
): Promise<{ url: string; close: () => void }> => {
  const server = createGateway({ handlers: { ...handlers, endpoints: { ...handlers.endpoints, ...endpoints } } });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const close = () => server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};
