import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, type Server, request as startRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { components, operations, paths } from '../../shared/client/openapi-types.ts';

export type Request = {
  /** The body, sent as JSON. */
  readonly body?: unknown;
  /** The raw text of the body, instead of `body`. */
  readonly rawBody?: string | Uint8Array;
  /** Added to the default headers, or replacing them; `null` omits a default header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
};

/**
 * Fields that are null only in special cases, which tests expect: the id of a dry run, the totals of a list, the cursor
 * of a last page.
 */
type Expected =
  | ('id' | 'totals' | 'entries' | 'created_at' | 'closed_at' | 'filed_at')
  | ('expires_at' | 'extra' | 'next_cursor' | 'source' | 'meta');
type Present<Value> = Value extends object
  ? { [Name in keyof Value]: Present<Name extends Expected ? NonNullable<Value[Name]> : Value[Name]> }
  : Value;
/** A body schema by its name in the OpenAPI document. */
export type Schema<Name extends keyof components['schemas']> = Present<components['schemas'][Name]>;
export type Refused = Schema<'ErrorObject'>;
export type Refusal = { readonly errors: readonly [Refused, ...Refused[]] };

export type ApiResponse<Body = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The parsed JSON; `null` if the body is empty or not JSON. The type has the fields of both a success and a refusal;
   * a test that gets the unexpected kind fails.
   */
  readonly body: Body & Refusal;
  readonly text: string;
};

type Known<Path> = Path extends keyof paths
  ? Path
  : Path extends `${infer Before}?${string}`
    ? Known<Before>
    : Path extends `/transactions/${string}/${infer Part extends 'history' | 'replay'}`
      ? `/transactions/{id}/${Part}`
      : Path extends `/${infer Kind extends 'transactions' | 'filings'}/${string}`
        ? `/${Kind}/{id}`
        : never;
type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;
type Success<Operation> = Operation extends { responses: infer Responses }
  ? Json<Responses[keyof Responses & (200 | 201)]>
  : never;
export type OperationId = keyof operations;
/** The success body of an operation. */
export type BodyOfOperation<Name extends OperationId> = Present<Success<operations[Name]>>;
/** The success body from the OpenAPI document; `unknown` for a path that is not known at compile time. */
export type BodyOf<Method extends string, Path extends string> = [Known<Path>] extends [never]
  ? unknown
  : Present<Success<paths[Known<Path>][Lowercase<Method> & keyof paths[Known<Path>]]>>;

const agent = new Agent({ keepAlive: true });

const listeners = new Set<(request: Request) => void>();

/** Adds a listener that is called before each request. Returns a function that removes it. */
export const onSend = (listener: (request: Request) => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Header names are case-insensitive; later values replace earlier ones. */
const merged = (headers: NonNullable<Request['headers']>): OutgoingHttpHeaders => {
  const byName = new Map<string, [string, string | readonly string[] | null]>();
  for (const [name, value] of Object.entries(headers)) byName.set(name.toLowerCase(), [name, value]);
  const kept = [...byName.values()].flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === 'string' ? value : [...value]] as const],
  );
  return Object.fromEntries(kept);
};

const parsed = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * Sends one request, valid or not.
 *
 * Does not use fetch, which refuses a custom Host header and a body on GET, and sends lowercase header names.
 */
export const send = async <Method extends string, Path extends string>(
  url: string,
  method: Method,
  path: Path,
  request: Request = {},
): Promise<ApiResponse<BodyOf<Method, Path>>> => {
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

/** Sends bytes that no client library would send. Returns what the server sends until it closes the connection. */
export const sendBytes = (url: string, bytes: string): Promise<string> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return readText(socket);
};

/** Starts a server on a free loopback port. It does not keep the process alive. */
export const listen = async (server: Server): Promise<{ readonly url: string; readonly close: () => void }> => {
  // Longer than any pause in a test, because a connection that is closed during reuse looks like a failure.
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
};

type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly request: Request;
  readonly response: ApiResponse;
};
type ExchangeListener = (exchange: Exchange) => void | Promise<void>;

// A global symbol, so the listeners survive a module reset in a test file.
const exchangeKey = Symbol.for('levy exchange listeners');
const exchanges = globalThis as { [exchangeKey]?: Set<ExchangeListener> };
exchanges[exchangeKey] ??= new Set();
const exchangeListeners = exchanges[exchangeKey];

/** Adds a listener for each response of the API in this process. Returns a function that removes it. */
export const onExchange = (listener: ExchangeListener): (() => void) => {
  exchangeListeners.add(listener);
  return () => void exchangeListeners.delete(listener);
};

/** Passes a response to the listeners. A listener that throws fails the test. */
export const exchanged = async (exchange: Exchange): Promise<void> => {
  for (const listener of exchangeListeners) await listener(exchange);
};
