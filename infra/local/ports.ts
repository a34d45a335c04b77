import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { SetupError } from './setup-error.ts';

export const loopback = '127.0.0.1';

/** A SetupError that names the variable to set; other errors are returned unchanged. */
const listenProblem = (error: unknown, port: number, variable: string): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return new SetupError(`Port ${port} is in use: set ${variable} to another one.`);
  if (code === 'EACCES')
    return new SetupError(`Port ${port} is not allowed for this user: set ${variable} to one above 1023.`);
  return error;
};

/** Listen on loopback, or another address of this machine. Returns the port, which is a free one for 0. */
export const listen = async (
  server: Server,
  port: number,
  variable: string,
  host: string = loopback,
): Promise<number> => {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem(error, port, variable);
  }
  return (server.address() as AddressInfo).port;
};

/** The port, or a free one for 0. Throws if it is in use, which a child process might not report. Does not reserve it. */
export const freePort = async (port: number, variable: string): Promise<number> => {
  const server = createServer();
  const free = await listen(server, port, variable);
  server.close();
  await once(server, 'close');
  return free;
};
