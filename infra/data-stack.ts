import { Duration, Validations } from 'aws-cdk-lib';
import type { BackupVault } from 'aws-cdk-lib/aws-backup';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { tables as definitions, type TableName } from '../shared/store/table-definitions.ts';
import { backUp } from './backups.ts';
import { fixLogicalId, LevyStack } from './constructs.ts';
import type { Settings } from './settings.ts';
import { Tables, tableId } from './tables.ts';

/**
 * The stateful resources, and those that other systems subscribe to: tables, backups, dead-letter queues and the event
 * bus. Their logical ids are fixed, because a resource with a different id would replace the existing one.
 */
export class DataStack extends LevyStack {
  readonly tables: Tables;
  /** `null` without backups. */
  readonly vault: BackupVault | null;
  /** Failed schedule runs. The next run repeats the work; the queue keeps the error. */
  readonly failedRuns: Queue;
  /** Stream positions of transactions that could not be counted for reports. An operator must process them. */
  readonly uncounted: Queue;
  /** The event bus, and the stream positions of changes that could not be published; `null` without events. */
  readonly events: { readonly bus: EventBus; readonly deadLetterQueue: Queue } | null;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, settings, 'tables, backups, dead-letter queues and event bus');
    this.tables = new Tables(this, 'Tables', settings);
    this.vault = backUp(this, this.tables, settings);
    this.failedRuns = this.#deadLetterQueue('FailedRuns', 'runs');
    this.uncounted = this.#deadLetterQueue('UncountedTransactions', 'records');
    this.events = settings.events
      ? { bus: this.#bus(settings.name), deadLetterQueue: this.#deadLetterQueue('UntoldEvents', 'records') }
      : null;
    if (settings.reminderEmail !== null) this.#acceptReminders(settings.name);
    for (const name of Object.keys(definitions) as TableName[])
      this.output(
        tableId(name),
        this.tables.nameOf(name),
        `TABLE_${name.toUpperCase()} of the commands that work on a deployment`,
      );
  }

  /** Allows rules of the bus to send the reminders that SNS does not accept to the events' dead-letter queue. */
  #acceptReminders(bus: string): void {
    const rules = this.formatArn({ service: 'events', resource: 'rule', resourceName: `${bus}/*` });
    this.events?.deadLetterQueue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.events.deadLetterQueue.queueArn],
        conditions: { ArnLike: { 'aws:SourceArn': rules } },
      }),
    );
  }

  #bus(name: string): EventBus {
    // The name is unique in the account, and the CDK would use the same name for every stage.
    const bus = new EventBus(this, 'Bus', { eventBusName: name, description: 'Ledger changes' });
    fixLogicalId(bus, 'EventBus');
    this.output('EventBus', bus.eventBusName, 'The event bus');
    return bus;
  }

  /**
   * Creates a dead-letter queue with a retention of 14 days and no consumer; an alarm monitors it. `id` is its logical
   * id.
   */
  #deadLetterQueue(id: string, held: string): Queue {
    const queue = new Queue(this, id, {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    fixLogicalId(queue, id);
    const reason = `It is the dead-letter queue for failed ${held}, and nothing consumes it.`;
    Validations.of(queue).acknowledge(
      { id: 'AwsSolutions-SQS3', reason },
      { id: 'Serverless-SQSRedrivePolicy', reason },
    );
    return queue;
  }
}
