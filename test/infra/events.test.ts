import { describe, expect, it } from 'vitest';
import { patterns } from '../../shared/events/announce.ts';
import { eventsOfRecordMax } from '../../shared/events/event.ts';
import {
  allowedTo,
  disposable,
  everySetting,
  flat,
  idOf,
  listed,
  type Properties,
  statementsOf,
  synthesize,
} from './synthesized.ts';

const synthesized = synthesize();
const { at, ofType, propertiesOf, template } = synthesized;
const { SourceParameters, TargetParameters, ...between } = propertiesOf('AWS::Pipes::Pipe')[0] as Properties;
const stream = SourceParameters.DynamoDBStreamParameters;
const roleId = idOf(between['RoleArn']);

describe('the pipe', () => {
  it("leads from the ledger's stream through the function announce-changes to the bus", () => {
    expect([flat(between['Source']), flat(between['Target'])]).toEqual(['TransactionsTable.StreamArn', 'EventBus.Arn']);
    expect(flat(at(flat(between['Enrichment'])).FunctionName)).toBe('AnnounceChanges');
    const { StreamSpecification } = at('TransactionsTable');
    expect(StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });

  it('has the filters that other tests match records with, at most five', () => {
    const filters = SourceParameters.FilterCriteria.Filters.map(({ Pattern }: Properties) => JSON.parse(Pattern));
    expect(filters).toEqual(patterns);
    expect(filters.length).toBeLessThanOrEqual(5);
  });

  it('never sends more than ten events at once, which the bus would silently drop', () => {
    expect(stream.BatchSize * eventsOfRecordMax).toBeLessThanOrEqual(10);
  });

  it('starts at the oldest record, and sends a failing record to the dead-letter queue', () => {
    expect(stream).toMatchObject({ StartingPosition: 'TRIM_HORIZON', OnPartialBatchItemFailure: 'AUTOMATIC_BISECT' });
    expect(stream.MaximumRetryAttempts).toBeGreaterThan(0);
    // With parallel batches, a finalization could overtake its creation.
    expect(stream.ParallelizationFactor).toBeUndefined();
    expect(idOf(stream.DeadLetterConfig.Arn)).toBe('UntoldEvents');
    const queue = at('UntoldEvents');
    expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 24 * 3600 });
  });

  it('names each event by its own type, from the documented source', () => {
    expect(TargetParameters).toEqual({
      EventBridgeEventBusParameters: { Source: 'levy', DetailType: '$.event_type' },
    });
  });

  it('is allowed only this stream, this function, this bus and this queue, for this account only', () => {
    const reads = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
    expect(allowedTo(synthesized, roleId)).toEqual(
      [
        ...reads.map((action) => `Allow dynamodb:${action} on TransactionsTable.StreamArn`),
        // IAM defines no resource for it.
        'Allow dynamodb:ListStreams on *',
        `Allow lambda:InvokeFunction on ${flat(between['Enrichment'])}`,
        'Allow events:PutEvents on EventBus.Arn',
        'Allow sqs:SendMessage on UntoldEvents.Arn',
      ].sort(),
    );
    const role = at(roleId);
    // In the role itself, so that the pipe, which checks its permissions when it is created, is created after them.
    expect([role['ManagedPolicyArns'], role['Policies'].length]).toEqual([undefined, 1]);
    expect(role['AssumeRolePolicyDocument'].Statement).toEqual([
      expect.objectContaining({
        Principal: { Service: 'pipes.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  it('may use a customer-managed key through DynamoDB only', () => {
    const [used] = statementsOf(synthesize(everySetting), roleId).filter(({ Action }) =>
      listed(Action).includes('kms:Decrypt'),
    );
    expect(listed(used?.Resource).map(flat)).toEqual(['DataKey.Arn']);
    expect(JSON.stringify(used?.Condition)).toContain('kms:ViaService');
  });
});

it('the bus has the name of the stage, is an output, and admits no other account', () => {
  expect(at('EventBus')['Name']).toBe('Levy');
  expect(synthesize(everySetting).at('EventBus')['Name']).toBe('Levy-staging');
  expect(template.Outputs['EventBus']?.Value).toEqual({ Ref: 'EventBus' });
  expect(ofType('AWS::Events::EventBusPolicy')).toEqual([]);
});

it.each([disposable, { sam: '1' }])('there is no bus, pipe, function or queue with %j', (context) => {
  const without = synthesize(context);
  expect([without.ofType('AWS::Pipes::Pipe'), without.ofType('AWS::Events::EventBus')]).toEqual([[], []]);
  expect(without.template.Resources).not.toHaveProperty('AnnounceChanges');
  expect(without.template.Resources).not.toHaveProperty('UntoldEvents');
});
