import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, type Server, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export type Request = {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string | Uint8Array;
  /** Beside, or instead of, those that are sent anyway; `null` leaves one of them out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, `null` where the body is empty or something else. */
  readonly body: any;
  readonly text: string;
};

/** An error of a refusal, as far as tests read it. */
export type Refused = {
  readonly code: string;
  readonly source: { readonly pointer?: string; readonly parameter?: string; readonly header?: string };
};

const agent = new Agent({ keepAlive: true });

const listeners = new Set<(request: Request) => void>();

/** Have everything that is sent looked at, before it is. */
export const onSend = (listener: (request: Request) => void): void => void listeners.add(listener);

/** Later spellings of a name replace earlier ones, ignoring case. */
const merged = (headers: NonNullable<Request['headers']>): OutgoingHttpHeaders => {
  const byName = new Map<string, [string, string | readonly string[] | null]>();
  for (const [name, value] of Object.entries(headers)) byName.set(name.toLowerCase(), [name, value]);
  const kept = [...byName.values()].flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === 'string' ? value : [...value]] as const],
  );
  return Object.fromEntries(kept);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Send one request, valid or not.
 *
 * Not fetch: it refuses a Host of one's own and a body on GET, and writes header names in lower case.
 */
export const send = async (url: string, method: string, path: string, request: Request = {}): Promise<Answer> => {
  for (const listener of listeners) listener(request);
  const payload = request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const type = payload === undefined ? {} : { 'Content-Type': 'application/json' };
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) };
  const headers = merged({ ...type, ...length, ...request.headers });
  const { hostname, port } = new URL(url);
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = startRequest({ agent, hostname, port, method, path, headers }, resolve);
    outgoing.on('error', reject).end(payload);
  });
  const pairs = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const text = await readText(message);
  return { status: message.statusCode ?? 0, headers: new Headers(pairs), body: parsed(text), text };
};

/** Start a server on a free port of loopback. It does not keep the process alive. */
export const listen = async (server: Server): Promise<{ readonly url: string; readonly close: () => void }> => {
  // Longer than any pause in a test: a connection that is closed while it is reused looks like a failure.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
};
