import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { Refusal, requestContext } from '../shared/api/request-context.ts';
import { errorResult } from '../shared/api/response.ts';
import { setRequestedVersion } from '../shared/api/versions.ts';
import { observed } from '../shared/observability/request-line.ts';

/**
 * The environment variable with the methods of each path as JSON. This function bundles no endpoint definitions, so the
 * deployment passes them.
 */
export const methodsVariable = 'METHODS_BY_PATH';

const getMethods = (path: string): string => JSON.parse(process.env[methodsVariable] ?? '{}')[path] ?? '';

const refuse = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const methods = getMethods(event.resource);
  const context = requestContext(event, () => 0);
  setRequestedVersion(context);
  const problem = {
    code: 'method_not_allowed',
    title: 'Method Not Allowed',
    detail: `Use one of the methods of this path: ${methods}.`,
  } as const;
  return errorResult(new Refusal([problem], { Allow: methods }), context);
};

/** Returns 405 for an unsupported method of a known path. API Gateway itself would return 403. */
export const handler = observed('method-not-allowed', refuse);
