import type { APIGatewayProxyResult } from 'aws-lambda';
import { envelope, proxyResult } from '../../shared/api/reply.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import type { Problem } from '../../shared/base/problem.ts';

type Headers = Readonly<Record<string, string>>;

export const json = (status: number, body: unknown, requestId: string, headers: Headers = {}): APIGatewayProxyResult =>
  proxyResult(
    { status, body, headers },
    { replyHeaders: { 'X-Request-Id': requestId, 'Service-Version': currentVersion } },
  );

/** An error of the gateway itself, in the error envelope of the API. */
export const refusal = (problem: Problem, requestId: string, headers: Headers = {}): APIGatewayProxyResult => {
  const { status, body } = envelope([problem], requestId);
  return json(status, body, requestId, headers);
};
