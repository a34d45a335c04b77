import { RemovalPolicy } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { eventSource } from '../shared/events/bus.ts';
import { reminderTypes } from '../shared/events/event.ts';
import { acknowledge } from './constructs.ts';
import type { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';

type Props = {
  readonly displayName: string;
  /** The first label of the service that publishes, such as `cloudwatch`, and the ARN pattern of its resources. */
  readonly service: string;
  readonly sourceArn: string;
  /** `null` without a subscription. */
  readonly email: string | null;
};

/** Creates a topic with its own key, to which only resources of one service publish. `id` is the id of the topic. */
export const notificationTopic = (
  scope: Construct,
  id: string,
  { displayName, service, sourceArn, email }: Props,
): Topic => {
  const principals = [new ServicePrincipal(`${service}.amazonaws.com`)];
  // The AWS-managed key of SNS does not allow other services.
  const key = new Key(scope, 'Key', {
    description: displayName,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  // No condition: if KMS does not receive the condition key, every message would be dropped silently (decision 0017).
  key.addToResourcePolicy(
    new PolicyStatement({ principals, actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] }),
  );
  const topic = new Topic(scope, id, { displayName, masterKey: key, enforceSSL: true });
  // A topic policy replaces the default policy, which grants the account access.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals,
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { ArnLike: { 'aws:SourceArn': sourceArn } },
    }),
  );
  if (email !== null)
    acknowledge(
      topic.addSubscription(new EmailSubscription(email)),
      'A dead-letter queue stores messages that an endpoint rejects, and mail is never rejected.',
      ['Serverless-SNSRedrivePolicy'],
    );
  return topic;
};

/** Sends the reminders of returns that are due soon or overdue to `reminderEmail`: a rule of the event bus, and a topic. */
export class ReminderMail extends Construct {
  constructor(scope: Construct, id: string, { name, reminderEmail: email }: Settings, { events }: DataStack) {
    super(scope, id);
    if (email === null || events === null) return;
    const { bus, deadLetterQueue } = events;
    const rule = new Rule(this, 'Rule', {
      description: 'Reminders of returns by e-mail',
      eventBus: bus,
      eventPattern: { source: [eventSource], detailType: [...reminderTypes] },
    });
    const displayName = `Tax returns of ${name}`;
    const topic = notificationTopic(this, 'Topic', { displayName, service: 'events', sourceArn: rule.ruleArn, email });
    const text = `${EventField.fromPath('$.detail.text')} Account: ${EventField.fromPath('$.detail.account')}.`;
    // SnsTopic would also allow every rule of the account to publish.
    rule.addTarget({
      bind: () => ({
        arn: topic.topicArn,
        input: RuleTargetInput.fromText(text),
        deadLetterConfig: { arn: deadLetterQueue.queueArn },
      }),
    });
  }
}
