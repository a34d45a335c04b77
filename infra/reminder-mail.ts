import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { eventSource } from '../shared/events/bus.ts';
import { reminderTypes } from '../shared/events/event.ts';
import type { DataStack } from './data-stack.ts';
import { notificationTopic } from './notification-topic.ts';
import type { Settings } from './settings.ts';

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
