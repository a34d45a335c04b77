import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/**
 * A log that is kept as long as the deployment says. It goes with the stack: what must outlive it is in the tables. Only a
 * log that AWS would else make by itself, and keep for ever, has a name.
 */
export const logGroup = (
  scope: Construct,
  id: string,
  { logRetention }: Pick<Settings, 'logRetention'>,
  logGroupName?: string,
): LogGroup =>
  new LogGroup(scope, id, {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(logGroupName !== undefined && { logGroupName }),
  });
