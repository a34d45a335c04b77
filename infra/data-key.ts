import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { fixLogicalId } from './logical-id.ts';
import type { Settings } from './settings.ts';

/** The customer-managed key of the tables and their backups; `null` where the AWS-managed key is used. */
export const dataKey = (scope: Construct, { encryption, removal, name }: Settings): Key | null => {
  if (encryption === 'aws-owned') return null;
  const key = new Key(scope, 'Key', {
    description: `The tables of ${name} and their backups`,
    enableKeyRotation: true,
    // Without the key, retained tables cannot be read.
    removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  fixLogicalId(key, 'DataKey');
  return key;
};

/**
 * The key permissions that DynamoDB needs to read or write a table for a caller (documented list), without the grants
 * that only the creator of a table needs. They apply through DynamoDB only: the key is unusable for anything else.
 */
export const useOf = (key: Key): PolicyStatement =>
  new PolicyStatement({
    actions: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
      (action) => `kms:${action}`,
    ),
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(key).region}.amazonaws.com` } },
  });
