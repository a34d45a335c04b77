import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { endpoints, type Operation } from '../../functions/endpoints.ts';
import { createGateway } from '../../infra/local/gateway.ts';
import { handlers } from '../../infra/local/handlers.ts';
import { type Handler, lambdaHandler } from '../../shared/http/lambda-handler.ts';
import type { Version } from '../../shared/http/versions/shape.ts';

/** The operations as they are, in a service that has other versions. */
export const endpointsWith = (versions: readonly Version[]): Record<string, Handler> =>
  Object.fromEntries(
    Object.values(endpoints)
      .filter(({ scope }) => scope !== null)
      .map((endpoint) => [endpoint.name, lambdaHandler(endpoint, versions)]),
  );

/** A service of its own on a free port of loopback, with some endpoints in the place of the real ones. */
export const startGateway = async (
  replaced: Partial<Record<Operation, Handler>>,
): Promise<{ url: string; close: () => void }> => {
  const server = createGateway({ handlers: { ...handlers, endpoints: { ...handlers.endpoints, ...replaced } } });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const close = () => server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};
