import { type CfnElement, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** The key of the tables and their backups, where the deployment wants one of its own; `null` where AWS's is enough. */
export const dataKey = (scope: Construct, { encryption, removal, name }: Settings): Key | null => {
  if (encryption === 'aws-owned') return null;
  const key = new Key(scope, 'Key', {
    description: `The tables of ${name} and their backups`,
    enableKeyRotation: true,
    // Without the key, tables that are retained are noise.
    removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  (key.node.defaultChild as CfnElement).overrideLogicalId('DataKey');
  return key;
};

/**
 * What DynamoDB asks of a key in the name of whoever reads or writes a table: what its documentation lists, but for the
 * grants that only who makes a table needs, and through DynamoDB alone. Nobody can use the key on anything else.
 */
export const useOf = (key: Key): PolicyStatement =>
  new PolicyStatement({
    actions: ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
      (action) => `kms:${action}`,
    ),
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(key).region}.amazonaws.com` } },
  });
