import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { busBatchMax, eventSource, eventsOfRecordMax } from '../shared/events/event.ts';
import { patterns } from '../shared/events/pattern.ts';
import { useOf } from './data-key.ts';
import { deadLetterQueue } from './dead-letter-queue.ts';
import { EndpointFunction } from './endpoint-function.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

/** Publishes the ledger's events: from the table's stream, through a pipe, to an event bus (decision 0018). */
export class Events extends Construct {
  readonly bus: EventBus;
  /** The dead-letter queue: records that could not be published, by sequence number. An operator must handle them. */
  readonly untold: Queue;
  readonly pipe: CfnPipe;

  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    // A name is an account's, and CDK would give every stage the same one.
    this.bus = new EventBus(this, 'Bus', { eventBusName: settings.name, description: 'What the ledger tells' });
    (this.bus.node.defaultChild as CfnElement).overrideLogicalId('EventBus');
    this.untold = deadLetterQueue(this, 'UntoldEvents', 'records');
    const announcer = new EndpointFunction(this, 'announce-changes', { access: { actions: {} }, tables, settings });
    Validations.of(announcer).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'The pipe calls it synchronously, and keeps what failed.',
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
          // All that the stream has: a deployment that puts the pipe back misses nothing of the last day.
          startingPosition: 'TRIM_HORIZON',
          batchSize: busBatchMax / eventsOfRecordMax,
          // A record that fails is soon alone, and holds up the others of its shard for minutes, not for a day.
          onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          maximumRetryAttempts: 20,
          deadLetterConfig: { arn: this.untold.queueArn },
        },
      },
      enrichment: announcer,
      target: this.bus.eventBusArn,
      targetParameters: { eventBridgeEventBusParameters: { source: eventSource, detailType: '$.event_type' } },
    });
    pipe.overrideLogicalId('EventPipe');
    // CloudFormation would make the pipe before its role may do anything, and the pipe looks at that when it is made.
    pipe.node.addDependency(role);
    return pipe;
  }

  #role(stream: string, { key }: Tables, announcer: string): Role {
    const { account } = Stack.of(this);
    const role = new Role(this, 'PipeRole', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        // No other account's pipe may make EventBridge use this role.
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    const allow = (actions: string[], resource: string) =>
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
    allow(
      ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((action) => `dynamodb:${action}`),
      stream,
    );
    allow(['lambda:InvokeFunction'], announcer);
    allow(['events:PutEvents'], this.bus.eventBusArn);
    allow(['sqs:SendMessage'], this.untold.queueArn);
    if (key) role.addToPolicy(useOf(key));
    return role;
  }
}
