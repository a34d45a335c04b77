import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, type Server, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { components, operations, paths } from '../../shared/client/openapi-types.ts';

export type Request = {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The raw text of the body, instead of `body`. */
  readonly rawBody?: string | Uint8Array;
  /** Beside, or instead of, those that are sent anyway; `null` leaves one of them out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
};

/** Fields that are null only where a test expects that: a dry run has no id, a list no totals, a last page no cursor. */
type Expected =
  | ('id' | 'totals' | 'entries' | 'created_at' | 'closed_at' | 'filed_at')
  | ('expires_at' | 'extra' | 'next_cursor' | 'source' | 'meta');
type Present<Value> = Value extends object
  ? { [Name in keyof Value]: Present<Name extends Expected ? NonNullable<Value[Name]> : Value[Name]> }
  : Value;
/** A body by its name in the OpenAPI document. */
export type Schema<Name extends keyof components['schemas']> = Present<components['schemas'][Name]>;
export type Refused = Schema<'ErrorObject'>;
export type Refusal = { readonly errors: readonly [Refused, ...Refused[]] };

export type Answer<Body = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The parsed JSON, `null` where the body is empty or something else. The type has the fields of a success and of a
   * refusal: a test knows which of them it expects, and fails on the other.
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
/** The body of a success of an operation. */
export type BodyOfOperation<Name extends OperationId> = Present<Success<operations[Name]>>;
/** The body of a success by the OpenAPI document, `unknown` for a path that the compiler does not know. */
export type BodyOf<Method extends string, Path extends string> = [Known<Path>] extends [never]
  ? unknown
  : Present<Success<paths[Known<Path>][Lowercase<Method> & keyof paths[Known<Path>]]>>;

const agent = new Agent({ keepAlive: true });

const listeners = new Set<(request: Request) => void>();

/** Call a listener before each request is sent. Returns a function that removes it. */
export const onSend = (listener: (request: Request) => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Later spellings of a name replace earlier ones, ignoring case. */
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
 * Send one request, valid or not.
 *
 * Not fetch: it refuses a Host of one's own and a body on GET, and writes header names in lower case.
 */
export const send = async <Method extends string, Path extends string>(
  url: string,
  method: Method,
  path: Path,
  request: Request = {},
): Promise<Answer<BodyOf<Method, Path>>> => {
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
