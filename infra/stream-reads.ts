import { Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/**
 * The permissions of a pipe or an event source mapping to read a stream. `ListStreams` has no resource in IAM: a
 * statement that names a stream does not allow it
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/list_amazondynamodb.html).
 */
export const streamReads = (role: IConstruct, streamArn: string): PolicyStatement[] => {
  for (const id of ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'])
    Validations.of(role).acknowledge({ id, reason: 'ListStreams has no resource that a policy could name.' });
  return [
    new PolicyStatement({
      actions: ['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => `dynamodb:${action}`),
      resources: [streamArn],
    }),
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
  ];
};
