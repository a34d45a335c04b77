/** The consumers of the ledger's stream: the event pipe, and the function that counts transactions for reports. */
import { Aws, Duration } from 'aws-cdk-lib';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { Construct } from 'constructs';
import { countTransactions } from '../functions/count-transactions.ts';
import { patterns } from '../shared/events/announce.ts';
import { busBatchMax, eventSource } from '../shared/events/bus.ts';
import { eventsOfRecordMax } from '../shared/events/event.ts';
import { acknowledge, fixLogicalId, ServiceRole, starFindings } from './constructs.ts';
import type { DataStack } from './data-stack.ts';
import { type Deployment, EndpointFunction } from './endpoint-function.ts';

/**
 * Allows a pipe or an event source mapping to read the stream. `ListStreams` has no resource type in IAM, so a
 * statement with the stream's ARN would not allow it
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/list_amazondynamodb.html).
 */
const allowStreamReads = (role: ServiceRole, { tables }: DataStack): void => {
  acknowledge(role, 'ListStreams does not support resource-level permissions.', starFindings);
  role.allow('dynamodb', ['DescribeStream', 'GetRecords', 'GetShardIterator'], [tables.streamArn]);
  role.allow('dynamodb', ['ListStreams'], ['*']);
};

/** Publishes the ledger's events: from the table's stream, through a pipe, to the event bus (decision 0018). */
export const addEventPipe = (scope: Construct, deployment: Deployment): CfnPipe | null => {
  const { data } = deployment;
  if (!data.events) return null;
  const { bus, deadLetterQueue } = data.events;
  const announcer = new EndpointFunction(scope, 'announce-changes', deployment);
  const published = announcer.publish(
    'The pipe calls it synchronously and sends failed records to a separate dead-letter queue.',
  );
  const enrichment = published.functionArn;
  // Prevents the confused deputy: no other account's pipe can use this role.
  const condition = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } };
  const role = new ServiceRole(scope, 'PipeRole', 'pipes', condition);
  allowStreamReads(role, data);
  role.allow('lambda', ['InvokeFunction'], [enrichment]);
  role.allow('events', ['PutEvents'], [bus.eventBusArn]);
  role.allow('sqs', ['SendMessage'], [deadLetterQueue.queueArn]);
  for (const statement of data.tables.useOfKey()) role.addToPolicy(statement);
  const pipe = new CfnPipe(scope, 'EventPipe', {
    description: 'Events for transaction status changes, finished filings and reminders',
    roleArn: role.roleArn,
    source: data.tables.streamArn,
    sourceParameters: {
      filterCriteria: { filters: patterns.map((pattern) => ({ pattern: JSON.stringify(pattern) })) },
      dynamoDbStreamParameters: {
        // TRIM_HORIZON: a deployment that recreates the pipe does not miss records of the last 24 hours.
        startingPosition: 'TRIM_HORIZON',
        batchSize: busBatchMax / eventsOfRecordMax,
        // Bisecting isolates a failing record, so it delays its shard for minutes instead of a day.
        onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
        maximumRetryAttempts: 20,
        deadLetterConfig: { arn: deadLetterQueue.queueArn },
      },
    },
    enrichment,
    target: bus.eventBusArn,
    targetParameters: { eventBridgeEventBusParameters: { source: eventSource, detailType: '$.event_type' } },
  });
  return fixLogicalId(pipe, 'EventPipe');
};

/** Updates the report sums from the ledger's stream (decision 0025). Returns the name of the function, for its metrics. */
export const addReportCounter = (scope: Construct, deployment: Deployment): string => {
  const { data } = deployment;
  const { name, access, timeoutSeconds, patterns: filters } = countTransactions;
  const timeout = Duration.seconds(timeoutSeconds);
  const handler = new EndpointFunction(scope, name, deployment, { access, timeout });
  allowStreamReads(handler.role, data);
  const mapping = new EventSourceMapping(scope, 'ReportsStream', {
    target: handler.publish('Its event source sends failed records to a separate dead-letter queue.'),
    eventSourceArn: data.tables.streamArn,
    // TRIM_HORIZON: a deployment that recreates the mapping does not miss records of the last 24 hours.
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    // Sums are written once per batch, so fewer and larger batches cost less.
    maxBatchingWindow: Duration.seconds(30),
    bisectBatchOnError: true,
    retryAttempts: 20,
    onFailure: new SqsDlq(data.uncounted),
    filters: filters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
  });
  fixLogicalId(mapping, 'ReportsStream');
  return handler.functionName;
};
