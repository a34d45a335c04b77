import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './http.ts';

/** A request that passes through the proxy. */
export type Passing = {
  readonly method: string;
  readonly path: string;
  readonly sent: Record<string, unknown> | null;
  readonly headers: Record<string, string>;
};
export type Passed = {
  status: number;
  readonly headers: Headers;
  text: string;
};

/**
 * The faults that a proxy injects. `there` changes a request, responds instead of the service, or hangs; `back` changes
 * the response. Both can close the connection.
 */
export type Break = {
  readonly there?: (passing: Passing) => undefined | 'hang up' | Passed | Promise<never>;
  readonly back?: (passed: Passed, passing: Passing) => undefined | 'hang up';
};

const kept = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)] as const],
    ),
  );

/** Changes the JSON of a response. */
export const inBody = (passed: Passed, change: (body: { data?: unknown[] }) => void): void => {
  const body = JSON.parse(passed.text);
  change(body);
  passed.text = JSON.stringify(body);
};

/** Forwards a request to the service. */
export const pass = async (url: string, { method, path, headers, sent }: Passing): Promise<Passed> => {
  const body = sent === null ? null : JSON.stringify(sent);
  const response = await fetch(url + path, { method, headers, body });
  return { status: response.status, headers: new Headers(response.headers), text: await response.text() };
};

/** A proxy that injects one fault in front of a service. It closes the connection if the service does. */
export const breakingProxy = async (url: string, { there, back }: Break) => {
  const server = createServer(async (message, response) => {
    const body = await text(message);
    const passing: Passing = {
      method: message.method ?? 'GET',
      path: message.url ?? '/',
      sent: body ? JSON.parse(body) : null,
      headers: kept(message.headers),
    };
    const instead = await there?.(passing);
    if (instead === 'hang up') return message.socket.destroy();
    const passed = instead ?? (await pass(url, passing).catch(() => null));
    if (!passed) return message.socket.destroy();
    if (!instead && back?.(passed, passing) === 'hang up') return message.socket.destroy();
    for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'content-length']) passed.headers.delete(name);
    response.writeHead(passed.status, Object.fromEntries(passed.headers)).end(passed.text);
  });
  return listen(server);
};
