import { Duration, Validations } from 'aws-cdk-lib';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { countTransactions } from '../functions/count-transactions.ts';
import { deadLetterQueue } from './dead-letter-queue.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { fixLogicalId } from './logical-id.ts';
import type { Settings } from './settings.ts';
import { streamReads } from './stream-reads.ts';
import type { Tables } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

/** Keeps the sums of reports from the ledger's stream (decision 0025). */
export class Reports extends Construct {
  /** The stream positions of transactions that could not be counted. An operator must handle them. */
  readonly deadLetterQueue: Queue;
  /** The name of the function, for its metrics. */
  readonly functionName: string;

  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    this.deadLetterQueue = deadLetterQueue(this, 'UncountedTransactions', 'records');
    const { name, access, timeoutSeconds, patterns } = countTransactions;
    const timeout = Duration.seconds(timeoutSeconds);
    const handler = new EndpointFunction(this, name, { access, tables, settings, timeout });
    this.functionName = handler.functionName;
    Validations.of(handler).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Its event source sends failed records to its own dead-letter queue.',
    });
    const role = handler.role as NonNullable<typeof handler.role>;
    for (const statement of streamReads(role, tables.streamArn)) handler.addToRolePolicy(statement);
    const mapping = new EventSourceMapping(this, 'Stream', {
      target: handler.publish(),
      eventSourceArn: tables.streamArn,
      // TRIM_HORIZON: a deployment that recreates the mapping does not miss records of the last 24 hours.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Sums are written once for each batch, so that fewer and larger batches cost less.
      maxBatchingWindow: Duration.seconds(30),
      bisectBatchOnError: true,
      retryAttempts: 20,
      onFailure: new SqsDlq(this.deadLetterQueue),
      filters: patterns.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
    });
    fixLogicalId(mapping, 'ReportsStream');
    // Without it, CloudFormation creates the mapping before the policy of the role, and Lambda checks its permissions on creation.
    mapping.node.addDependency(role);
  }
}
