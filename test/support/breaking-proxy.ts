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

/** How a proxy breaks a service: on the way there, on the way back, or by hanging up. Nothing is broken without it. */
export type Break = {
  readonly there?: (passing: Passing) => void;
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

/** A proxy before a service that breaks one thing. */
export const breakingProxy = async (url: string, { there, back }: Break) => {
  const server = createServer(async (message, response) => {
    const body = await text(message);
    const passing: Passing = {
      method: message.method ?? 'GET',
      path: message.url ?? '/',
      sent: body ? JSON.parse(body) : null,
      headers: kept(message.headers),
    };
    there?.(passing);
    const answer = await fetch(url + passing.path, {
      method: passing.method,
      headers: passing.headers,
      body: passing.sent === null ? null : JSON.stringify(passing.sent),
    });
    const passed: Passed = { status: answer.status, headers: new Headers(answer.headers), text: await answer.text() };
    if (back?.(passed, passing) === 'hang up') return message.socket.destroy();
    for (const name of ['connection', 'keep-alive', 'transfer-encoding', 'content-length']) passed.headers.delete(name);
    response.writeHead(passed.status, Object.fromEntries(passed.headers)).end(passed.text);
  });
  return listen(server);
};
