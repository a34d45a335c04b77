import type { APIGatewayProxyResult } from 'aws-lambda';
import { envelope, safetyHeaders } from '../../shared/http/reply.ts';
import { currentVersion } from '../../shared/http/versions.ts';
import type { Problem } from '../../shared/problem.ts';

type Headers = Readonly<Record<string, string>>;

export const json = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Headers = {},
): APIGatewayProxyResult => ({
  statusCode: status,
  headers: {
    'Content-Type': 'application/json',
    ...safetyHeaders,
    'X-Request-Id': requestId,
    'Service-Version': currentVersion,
    ...headers,
  },
  body: JSON.stringify(body),
});

/** An error of the gateway itself, in the envelope of all errors (specification 2.5). */
export const refusal = (problem: Problem, requestId: string, headers: Headers = {}): APIGatewayProxyResult => {
  const { status, body } = envelope([problem], requestId);
  return json(status, body, requestId, headers);
};
