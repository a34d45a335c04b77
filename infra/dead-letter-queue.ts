import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { fixLogicalId } from './logical-id.ts';

/** A dead-letter queue with a retention of 14 days and no consumer: an alarm monitors it. `id` is its logical id. */
export const deadLetterQueue = (scope: Construct, id: string, held: string): Queue => {
  const queue = new Queue(scope, id, {
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
  });
  fixLogicalId(queue, id);
  const reason = `It is where failed ${held} end up, and nothing consumes it.`;
  Validations.of(queue).acknowledge({ id: 'AwsSolutions-SQS3', reason }, { id: 'Serverless-SQSRedrivePolicy', reason });
  return queue;
};
