import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { fixLogicalId } from './logical-id.ts';
import type { Settings } from './settings.ts';

/** A log group with the deployment's retention, deleted with the stack. Only groups that AWS would create itself have a name. */
export const logGroup = (
  scope: Construct,
  id: string,
  { logRetention }: Pick<Settings, 'logRetention'>,
  logGroupName?: string,
): LogGroup => {
  const group = new LogGroup(scope, id, {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(logGroupName !== undefined && { logGroupName }),
  });
  fixLogicalId(group, id);
  return group;
};
