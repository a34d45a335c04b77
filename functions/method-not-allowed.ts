import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { errorResult } from '../shared/api/reply.ts';
import { Refusal, requestContext } from '../shared/api/request-context.ts';
import { setRequestedVersion } from '../shared/api/versions.ts';
import { observed } from '../shared/observability/request-line.ts';

/** The variable with the methods of each path as JSON. This function includes no endpoint, so the deployment passes them. */
export const methodsVariable = 'METHODS_BY_PATH';

const methodsOf = (path: string): string => JSON.parse(process.env[methodsVariable] ?? '{}')[path] ?? '';

const refuse = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const methods = methodsOf(event.resource);
  const context = requestContext(event, () => 0);
  setRequestedVersion(context);
  const problem = {
    code: 'method_not_allowed',
    title: 'Method Not Allowed',
    detail: `Use one of the methods of this path: ${methods}.`,
  } as const;
  return errorResult(new Refusal([problem], { Allow: methods }), context);
};

/** Refuses any method that a known path does not have. API Gateway itself would answer 403. */
export const handler = observed('method-not-allowed', refuse);
