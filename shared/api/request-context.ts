import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { scopes as accountScopes } from '../accounts/api-key.ts';
import { assert } from '../base/assert.ts';
import type { Problem } from '../base/result.ts';
import type { Replaces } from '../ledger/create-transaction.ts';
import type { Caller as UseCaseCaller } from '../ledger/ports.ts';
import type { SessionSource } from '../store/accounts/session-store.ts';

/** A permission of a credential: to read, or to write the ledger. */
export type Scope = (typeof accountScopes)[number];

/** Who sent a request: an account, through one of its credentials. */
export type Caller = UseCaseCaller & { readonly scopes: ReadonlySet<Scope> };

/** How a caller authenticated: with a credential that can start a session, or with the session of this digest. */
export type Login = SessionSource | { readonly session: string };

/** A request independent of API Gateway: no code behind this file depends on the proxy event. */
export type RequestContext = {
  readonly requestId: string;
  readonly method: string;
  /** The path of the endpoint with its parameters filled in, without the stage or base path of the address. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  /** Header values by lowercase name, in the order received. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly rawBody: Buffer;
  /** Milliseconds until Lambda ends this invocation. */
  readonly remainingMs: () => number;
  /** Headers of every response, including refusals. */
  readonly responseHeaders: Record<string, string>;
  caller?: Caller;
  login?: Login;
  /**
   * Background work, which never rejects. The handler awaits it, because Lambda freezes the process between
   * invocations.
   */
  backgroundWork?: Promise<void>;
  version?: string;
  body?: unknown;
  /** A transaction that POST /transactions replaces, and that POST /calculations leaves out. No request can set it. */
  replaces?: Replaces;
};

/** The caller of a request, for steps that run after `authenticate`. */
export const requireCaller = ({ caller }: Pick<RequestContext, 'caller'>): Caller => {
  assert(caller !== undefined, 'authenticate must run first.');
  return caller;
};

type Single = Readonly<Record<string, string | undefined>> | null;
type Multi = Readonly<Record<string, readonly string[] | undefined>> | null;

// Test consoles and handwritten events may contain only the single-value map.
const pairs = (single: Single, multi: Multi): (readonly [string, readonly string[]])[] =>
  multi
    ? Object.entries(multi).map(([name, values]) => [name, values ?? []])
    : Object.entries(single ?? {}).map(([name, value]) => [name, [value ?? '']]);

const lowerCased = (entries: readonly (readonly [string, readonly string[]])[]) => {
  const headers = new Map<string, string[]>();
  for (const [name, values] of entries) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), ...values]);
  }
  return headers;
};

// API Gateway does not document whether it decodes path parameters. No id contains a percent-encoded character, so
// decoding twice is safe.
const decoded = (text: string | undefined): string | undefined => {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
};

const readParameters = ({ pathParameters }: APIGatewayProxyEvent): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(pathParameters ?? {}).map(([name, value]) => [name, decoded(value)]));

// `event.path` would include a custom domain's base path, but a retry at a different address must have the same path.
const readPath = (event: APIGatewayProxyEvent): string =>
  event.resource.replace('{id}', () => readParameters(event)['id'] ?? '');

/** Converts a REST API proxy event (payload v1) to a request context. */
export const requestContext = (event: APIGatewayProxyEvent, remainingMs: () => number): RequestContext => ({
  requestId: event.requestContext.requestId,
  method: event.httpMethod,
  path: readPath(event),
  pathParameters: readParameters(event),
  headers: lowerCased(pairs(event.headers, event.multiValueHeaders)),
  query: new Map(pairs(event.queryStringParameters, event.multiValueQueryStringParameters)),
  rawBody: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  remainingMs,
  responseHeaders: { 'X-Request-Id': event.requestContext.requestId },
});

/** Thrown by middy middleware to end a request. Elsewhere, refusals are return values. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problems: readonly [Problem, ...Problem[]];
  readonly headers: Readonly<Record<string, string>>;
  constructor(problems: readonly [Problem, ...Problem[]], headers: Readonly<Record<string, string>> = {}) {
    super(problems[0].code);
    this.problems = problems;
    this.headers = headers;
  }
}
