import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Account } from '../accounts/account.ts';
import type { Problem } from '../problem.ts';
import type { Shapes } from './versions/version.ts';

/** What a credential may allow: to read, or to write the ledger. */
export type Scope = 'read' | 'write';

/** Who sent a request: an account, through one of its credentials. */
export type Caller = {
  readonly account: Account;
  /** The credential's public name (`key_…`, or a token's subject), for the audit trail; never the secret. */
  readonly credential: string;
  readonly scopes: ReadonlySet<Scope>;
};

/** A request as every later layer sees it: nothing below this file knows API Gateway. */
export type Exchange = {
  readonly requestId: string;
  readonly method: string;
  /** The path as the routes have it, with its parameters filled in: the same at each of the service's addresses. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  /** By lower-cased name, in the order received. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly rawBody: Buffer;
  /** Milliseconds until Lambda ends this invocation. */
  readonly remainingMs: () => number;
  /** Goes onto whatever answer there will be. */
  readonly replyHeaders: Record<string, string>;
  caller?: Caller;
  /** What goes on beside the request and ends with it, as nothing runs between two invocations. It never rejects. */
  beside?: Promise<void>;
  version?: string;
  supportedVersions?: readonly string[];
  /** What has changed for the operation since that version, the oldest change first. */
  changes?: readonly Shapes[];
  body?: unknown;
};

type Single = Readonly<Record<string, string | undefined>> | null;
type Multi = Readonly<Record<string, readonly string[] | undefined>> | null;

// Test consoles and hand-made events may carry only the single-value map.
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

// Not `event.path`, which a domain's base path is in: a request that is sent again at the other address is the same one.
const pathOf = ({ resource, pathParameters }: APIGatewayProxyEvent): string =>
  resource.replace('{id}', () => pathParameters?.['id'] ?? '');

/** Read a REST API's proxy event (payload v1) into an exchange. */
export const exchangeOf = (event: APIGatewayProxyEvent, remainingMs: () => number): Exchange => ({
  requestId: event.requestContext.requestId,
  method: event.httpMethod,
  path: pathOf(event),
  pathParameters: event.pathParameters ?? {},
  headers: lowerCased(pairs(event.headers, event.multiValueHeaders)),
  query: new Map(pairs(event.queryStringParameters, event.multiValueQueryStringParameters)),
  rawBody: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  remainingMs,
  replyHeaders: { 'X-Request-Id': event.requestContext.requestId },
});

/** How a step of the middy stack ends a request. Below the stack, refusals are values. */
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
