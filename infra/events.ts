import { Stack, Validations } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { busBatchMax, eventSource, eventsOfRecordMax } from '../shared/events/event.ts';
import { patterns } from '../shared/events/item-events.ts';
import { useOf } from './data-key.ts';
import { deadLetterQueue } from './dead-letter-queue.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { fixLogicalId } from './logical-id.ts';
import type { Settings } from './settings.ts';
import { streamReads } from './stream-reads.ts';
import type { Tables } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

/** Publishes the ledger's events: from the table's stream, through a pipe, to an event bus (decision 0018). */
export class Events extends Construct {
  readonly bus: EventBus;
  /** The dead-letter queue: the stream positions of changes that could not be published. An operator must handle them. */
  readonly deadLetterQueue: Queue;
  readonly pipe: CfnPipe;

  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    // The name is unique in the account, and CDK would give every stage the same one.
    this.bus = new EventBus(this, 'Bus', { eventBusName: settings.name, description: 'Changes of the ledger' });
    fixLogicalId(this.bus, 'EventBus');
    this.deadLetterQueue = deadLetterQueue(this, 'UntoldEvents', 'records');
    const announcer = new EndpointFunction(this, 'announce-changes', { access: { actions: {} }, tables, settings });
    Validations.of(announcer).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'The pipe calls it synchronously, and sends failed records to its own dead-letter queue.',
    });
    this.pipe = this.#pipe(tables, announcer.publish().functionArn);
  }

  #pipe(tables: Tables, announcer: string): CfnPipe {
    const source = tables.streamArn;
    const role = this.#role(source, tables, announcer);
    const pipe = new CfnPipe(this, 'Pipe', {
      description: 'Changes of status of transactions, and finished filings, as events',
      roleArn: role.roleArn,
      source,
      sourceParameters: {
        filterCriteria: { filters: patterns.map((pattern) => ({ pattern: JSON.stringify(pattern) })) },
        dynamoDbStreamParameters: {
          // TRIM_HORIZON: a deployment that recreates the pipe does not miss records of the last 24 hours.
          startingPosition: 'TRIM_HORIZON',
          batchSize: busBatchMax / eventsOfRecordMax,
          // Bisecting isolates a failing record, so that it delays its shard for minutes instead of a day.
          onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          maximumRetryAttempts: 20,
          deadLetterConfig: { arn: this.deadLetterQueue.queueArn },
        },
      },
      enrichment: announcer,
      target: this.bus.eventBusArn,
      targetParameters: { eventBridgeEventBusParameters: { source: eventSource, detailType: '$.event_type' } },
    });
    fixLogicalId(pipe, 'EventPipe');
    // Without it, CloudFormation creates the pipe before the policy of its role, and the pipe checks its permissions on creation.
    pipe.node.addDependency(role);
    return pipe;
  }

  #role(stream: string, { key }: Tables, announcer: string): Role {
    const { account } = Stack.of(this);
    const role = new Role(this, 'PipeRole', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        // Prevents the confused deputy: no other account's pipe may use this role.
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    const allow = (actions: string[], resource: string) =>
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
    for (const statement of streamReads(role, stream)) role.addToPolicy(statement);
    allow(['lambda:InvokeFunction'], announcer);
    allow(['events:PutEvents'], this.bus.eventBusArn);
    allow(['sqs:SendMessage'], this.deadLetterQueue.queueArn);
    if (key) role.addToPolicy(useOf(key));
    return role;
  }
}
