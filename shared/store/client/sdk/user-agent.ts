import type { ServiceInputTypes, ServiceOutputTypes } from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import type { BuildMiddleware, Pluggable } from '@smithy/types';

const { AWS_EXECUTION_ENV } = process.env;
const agent = `aws-sdk-js/3 lang/js md/nodejs#${process.versions.node} api/dynamodb${AWS_EXECUTION_ENV ? ` exec-env/${AWS_EXECUTION_ENV}` : ''}`;

const nameCaller: BuildMiddleware<ServiceInputTypes, ServiceOutputTypes> = (next) => (args) => {
  if (HttpRequest.isInstance(args.request)) args.request.headers['user-agent'] = agent;
  return next(args);
};

/**
 * Says to DynamoDB what calls it, as CloudTrail shows it.
 *
 * The SDK's own also counts which of its features are used, and keeps the table of all partitions for a prefix of it.
 */
export const userAgentPlugin: Pluggable<ServiceInputTypes, ServiceOutputTypes> = {
  applyToStack: (stack) => stack.add(nameCaller, { name: 'getUserAgentMiddleware', step: 'build', priority: 'low' }),
};
