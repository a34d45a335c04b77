import { describe, expect, it } from 'vitest';
import { eventsOfRecordMax } from '../../shared/events/event.ts';
import { patterns } from '../../shared/events/pattern.ts';
import { flat, type Synthesized, synthesize, withoutBundling } from './synthesized.ts';

const { ofType, template } = synthesize();
const [[, pipe] = ['none', null]] = ofType('AWS::Pipes::Pipe');
const { SourceParameters, TargetParameters, ...between } = pipe?.Properties ?? {};
const stream = SourceParameters?.DynamoDBStreamParameters;
const roleId = flat(between['RoleArn']).replace(/\.Arn$/, '');
const listed = (value: any): any[] => (Array.isArray(value) ? value : [value]);

const statementsOf = (of: Pick<Synthesized, 'ofType'>, role: string) =>
  of
    .ofType('AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties['Roles'].some(({ Ref }: any) => Ref === role))
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement);

describe('the pipe', () => {
  it("leads from the ledger's stream through the announcer to the bus", () => {
    expect([flat(between['Source']), flat(between['Target'])]).toEqual(['TransactionsTable.StreamArn', 'EventBus.Arn']);
    const alias = template.Resources[flat(between['Enrichment'])];
    expect(flat(alias?.Properties['FunctionName'])).toBe('AnnounceChanges');
    const { StreamSpecification } = template.Resources['TransactionsTable']?.Properties ?? {};
    expect(StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });

  it('lets through what the tests let through', () => {
    const filters = SourceParameters.FilterCriteria.Filters.map(({ Pattern }: any) => JSON.parse(Pattern));
    expect(filters).toEqual(patterns);
    expect(filters.length).toBeLessThanOrEqual(5);
  });

  it('never has more events at once than the bus takes, which it would drop without a word', () => {
    expect(stream.BatchSize * eventsOfRecordMax).toBeLessThanOrEqual(10);
  });

  it('begins with all that the stream has, and sets aside the one record that fails, where a person looks', () => {
    expect(stream).toMatchObject({ StartingPosition: 'TRIM_HORIZON', OnPartialBatchItemFailure: 'AUTOMATIC_BISECT' });
    expect(stream.MaximumRetryAttempts).toBeGreaterThan(0);
    expect(flat(stream.DeadLetterConfig.Arn)).toBe('UntoldEvents.Arn');
    // One shard after another: side by side, a finalization could overtake its creation.
    expect(stream.ParallelizationFactor).toBeUndefined();
    const queue = template.Resources['UntoldEvents']?.Properties;
    expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 24 * 3600 });
  });

  it('names each event by its own type, from the source of the documentation', () => {
    expect(TargetParameters).toEqual({
      EventBridgeEventBusParameters: { Source: 'levy', DetailType: '$.event_type' },
    });
  });

  it('may read this stream, ask this function, and write to this bus and this queue, for this account only', () => {
    const allowed = statementsOf({ ofType }, roleId).flatMap(({ Effect, Action, Resource, Condition }: any) =>
      listed(Action).map((action) => `${Effect} ${action} on ${flat(Resource)}${Condition ? ' if' : ''}`),
    );
    const on = (where: string, actions: string[]) => actions.map((action) => `Allow ${action} on ${where}`);
    expect(allowed.sort()).toEqual(
      [
        ...on(
          'TransactionsTable.StreamArn',
          ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((action) => `dynamodb:${action}`),
        ),
        ...on(flat(between['Enrichment']), ['lambda:InvokeFunction']),
        ...on('EventBus.Arn', ['events:PutEvents']),
        ...on('UntoldEvents.Arn', ['sqs:SendMessage']),
      ].sort(),
    );
    const role = template.Resources[roleId]?.Properties ?? {};
    expect([role['ManagedPolicyArns'], role['Policies']]).toEqual([undefined, undefined]);
    expect(role['AssumeRolePolicyDocument'].Statement).toEqual([
      expect.objectContaining({
        Principal: { Service: 'pipes.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  it('is made after its role may do what it does', () => {
    const policies = ofType('AWS::IAM::Policy').filter(([, { Properties }]) =>
      Properties['Roles'].some(({ Ref }: any) => Ref === roleId),
    );
    expect((pipe as any).DependsOn).toEqual(expect.arrayContaining(policies.map(([id]) => id)));
  });
});

it('says where the bus is, by a name that no other stage has, and lets no other account in', () => {
  expect(template.Resources['EventBus']?.Properties['Name']).toBe('Levy');
  const staging = synthesize({ ...withoutBundling, stage: 'staging' });
  expect(staging.template.Resources['EventBus']?.Properties['Name']).toBe('Levy-staging');
  expect(template.Outputs['EventBus'].Value).toEqual({ Ref: 'EventBus' });
  expect(ofType('AWS::Events::EventBusPolicy')).toEqual([]);
});

const kinds = (of: ReturnType<typeof synthesize>) =>
  ['AWS::Pipes::Pipe', 'AWS::Events::EventBus'].flatMap((type) => of.ofType(type));

it.each([{ events: 'false' }, { sam: '1' }])('is left out with %j, and its function too', (context) => {
  const without = synthesize({ ...withoutBundling, ...context });
  expect(kinds(without)).toEqual([]);
  expect(without.template.Resources).not.toHaveProperty('AnnounceChanges');
  expect(without.template.Resources).not.toHaveProperty('UntoldEvents');
});

it('may use the key of the deployment where there is one, through DynamoDB alone', () => {
  const own = synthesize({ ...withoutBundling, encryption: 'customer-managed' });
  const [used] = statementsOf(own, roleId).filter(({ Action }: any) => listed(Action).includes('kms:Decrypt'));
  expect(flat(used.Resource)).toBe('DataKey.Arn');
  expect(JSON.stringify(used.Condition)).toContain('kms:ViaService');
});
