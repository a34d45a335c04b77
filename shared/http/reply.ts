import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Problem, type Source, statusOf } from '../problem.ts';
import type { Exchange } from './exchange.ts';

/** What an operation answers: a status, a body that becomes JSON (or text that is JSON already), headers of its own. */
export type Reply = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

const sourceOf = (source: Source | undefined) => ({ pointer: null, ...source });

/** The error envelope (specification 2.5). Problems arrive in the order of precedence, so the first one sets the status. */
export const envelope = (problems: readonly [Problem, ...Problem[]], requestId: string): Reply => ({
  status: statusOf[problems[0].code],
  body: {
    errors: problems.map(({ code, title, detail, source, meta }) => ({
      status: String(statusOf[code]),
      code,
      title,
      detail,
      source: sourceOf(source),
      meta: { request_id: requestId, ...meta },
    })),
  },
});

/** A reply as API Gateway takes it. What the steps of the stack say of every answer wins over nothing of the reply's own. */
export const proxyResult = ({ status, body, headers }: Reply, { replyHeaders }: Exchange): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    ...(status !== 304 && { 'Content-Type': 'application/json' }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
    ...replyHeaders,
    ...headers,
  },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
