import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './http.ts';

/** A request on its way, and what to do with it. */
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
 * How a proxy breaks a service. `there` changes a request, answers it instead of the service, or hangs; `back` changes
 * the answer. Both can hang up.
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

/** Change the JSON of an answer. */
export const inBody = (passed: Passed, change: (body: { data?: unknown[] }) => void): void => {
  const body = JSON.parse(passed.text);
  change(body);
  passed.text = JSON.stringify(body);
};

/** Send a request on to the service. */
export const pass = async (url: string, { method, path, headers, sent }: Passing): Promise<Passed> => {
  const body = sent === null ? null : JSON.stringify(sent);
  const answer = await fetch(url + path, { method, headers, body });
  return { status: answer.status, headers: new Headers(answer.headers), text: await answer.text() };
};

/** A proxy before a service that breaks one thing. It hangs up where the service does. */
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
