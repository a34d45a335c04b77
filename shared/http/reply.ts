import type { APIGatewayProxyResult } from 'aws-lambda';
import { recordRefusal } from '../observability/tally.ts';
import { type Code, type Problem, type Source, statusOf } from '../problem.ts';
import type { Exchange } from './exchange.ts';

/** What an operation answers: a status, a body that becomes JSON (or text that is JSON already), headers of its own. */
export type Reply = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The code of the first error, if this is a refusal. */
  readonly code?: Code;
  /** Whether the body is already in the shape of the version that was asked for. */
  readonly isShaped?: boolean;
};

const sourceOf = (source: Source | undefined) => ({ pointer: null, ...source });

const errorsMax = 20;

/** The error envelope (specification 2.5), of the first 20 problems. They arrive in the order of precedence: the first one sets the status. */
export const envelope = (problems: readonly [Problem, ...Problem[]], requestId: string): Reply => ({
  status: statusOf[problems[0].code],
  code: problems[0].code,
  body: {
    errors: problems.slice(0, errorsMax).map(({ code, title, detail, source, meta }) => ({
      status: String(statusOf[code]),
      code,
      title,
      detail,
      source: sourceOf(source),
      meta: { request_id: requestId, ...meta },
    })),
  },
});

/**
 * What keeps a browser from keeping, guessing at, framing or running an answer, whoever makes it. An operation's own
 * headers come later: GET /docs is a page. There are no CORS headers: a storefront's server calls us, and a key in a
 * browser would be a key that is lost.
 */
export const safetyHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** A reply as API Gateway takes it. What the steps of the stack say of every answer wins over nothing of the reply's own. */
export const proxyResult = (
  { status, body, headers, code }: Reply,
  { replyHeaders }: Exchange,
): APIGatewayProxyResult => {
  if (code) recordRefusal(code);
  return {
    statusCode: status,
    headers: {
      ...(status !== 304 && { 'Content-Type': 'application/json' }),
      ...safetyHeaders,
      ...replyHeaders,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
};
