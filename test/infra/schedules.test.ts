import { describe, expect, it } from 'vitest';
import { schedules } from '../../functions/endpoints.ts';
import { publishers } from '../../shared/importers/updates/publishers.ts';
import {
  allowedTo,
  disposable,
  everySetting,
  flat,
  functionAt,
  functionOf,
  idOf,
  statementsOf,
  synthesize,
  withoutBackups,
} from './synthesized.ts';

const synthesized = synthesize();
const { propertiesOf, template } = synthesized;

const all = propertiesOf('AWS::Scheduler::Schedule');
const ofUpdates = all.filter(({ Target }) => functionAt(synthesized, Target.Arn) === 'UpdateContent');

it('has the defined schedules and no others', () => {
  expect(all.length - ofUpdates.length).toBe(Object.keys(schedules).length);
});

describe.each(Object.entries(schedules))('%s', (name, { minutes, timeoutSeconds }) => {
  const [handlerId, handler] = functionOf(synthesized, name);
  const schedule = propertiesOf('AWS::Scheduler::Schedule').find(
    ({ Target }) => functionAt(synthesized, Target.Arn) === handlerId,
  );
  const roleId = idOf(schedule?.['Target'].RoleArn);

  it('is enabled, runs at its rate, and ends before the next run', () => {
    expect(schedule).toMatchObject({
      State: 'ENABLED',
      ScheduleExpression: `rate(${minutes} minutes)`,
      FlexibleTimeWindow: { Mode: 'OFF' },
    });
    expect(handler.Properties['Timeout']).toBe(timeoutSeconds);
    expect(timeoutSeconds).toBeLessThan(minutes * 60);
  });

  it('may invoke only its function, for this account only', () => {
    expect(allowedTo(synthesized, roleId)).toEqual([
      `Allow lambda:InvokeFunction on ${handlerId}Live`,
      'Allow sqs:SendMessage on FailedRuns.Arn',
    ]);
    const role = template.Resources[roleId]?.Properties;
    expect(role?.['ManagedPolicyArns']).toBeUndefined();
    expect(role?.['AssumeRolePolicyDocument'].Statement).toEqual([
      expect.objectContaining({
        Principal: { Service: 'scheduler.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  it('sends failed runs to the dead-letter queue, whether they could not start or did not finish, without retries', () => {
    const invoke = propertiesOf('AWS::Lambda::EventInvokeConfig').find((of) => flat(of['FunctionName']) === handlerId);
    // A configuration of the function itself does not apply to calls of the alias.
    expect(flat(schedule?.['Target'].Arn)).toBe(`${handlerId}Live`);
    expect(JSON.stringify(invoke?.['Qualifier'])).toContain(`"Ref":"${handlerId}Live"`);
    expect(flat(schedule?.['Target'].DeadLetterConfig.Arn)).toBe('FailedRuns.Arn');
    expect(flat(invoke?.['DestinationConfig'].OnFailure.Destination)).toBe('FailedRuns.Arn');
    expect(invoke?.['MaximumRetryAttempts']).toBe(0);
  });
});

describe('the updates of content', () => {
  const [, handler] = functionOf(synthesized, 'update-content');
  const startOf = ({ ScheduleExpression }: (typeof ofUpdates)[number]) =>
    /^cron\((\d+) (\d+) \* \* \? \*\)$/.exec(ScheduleExpression)?.slice(1).map(Number) ?? [];

  it('start once a night for each state whose files Levy imports, no two in the same minute', () => {
    const states = ofUpdates.map(({ Target }) => JSON.parse(Target.Input).state);
    expect(states).toEqual(publishers.filter(({ format }) => format !== null).map(({ state }) => state));
    for (const { State, FlexibleTimeWindow, ScheduleExpressionTimezone } of ofUpdates)
      expect([State, FlexibleTimeWindow, ScheduleExpressionTimezone]).toEqual(['ENABLED', { Mode: 'OFF' }, 'Etc/UTC']);
    const starts = ofUpdates.map(startOf);
    expect(new Set(starts.map(String)).size).toBe(states.length);
    for (const [minute = 60, hour = 24] of starts) {
      expect(minute).toBeLessThan(60);
      expect([6, 7, 8, 9]).toContain(hour);
    }
  });

  it('may invoke only the function, and failed runs go to the dead-letter queue', () => {
    const roles = new Set(ofUpdates.map(({ Target }) => idOf(Target.RoleArn)));
    expect(roles.size).toBe(1);
    expect(allowedTo(synthesized, [...roles][0])).toEqual([
      'Allow lambda:InvokeFunction on UpdateContentLive',
      'Allow sqs:SendMessage on FailedRuns.Arn',
    ]);
    for (const { Target } of ofUpdates) {
      expect([flat(Target.Arn), flat(Target.DeadLetterConfig.Arn)]).toEqual(['UpdateContentLive', 'FailedRuns.Arn']);
      expect(Target.RetryPolicy.MaximumRetryAttempts).toBeGreaterThan(0);
    }
    const invoke = propertiesOf('AWS::Lambda::EventInvokeConfig').find(
      (of) => flat(of['FunctionName']) === 'UpdateContent',
    );
    expect(flat(invoke?.['DestinationConfig'].OnFailure.Destination)).toBe('FailedRuns.Arn');
    expect(invoke?.['MaximumRetryAttempts']).toBe(1);
  });

  it("have the measured memory and storage, and Lambda's longest timeout", () => {
    const { MemorySize, EphemeralStorage, Timeout } = handler.Properties;
    expect([MemorySize, EphemeralStorage, Timeout]).toEqual([1024, { Size: 2048 }, 900]);
  });

  it.each([
    ['propose', {}],
    ['activate', disposable],
  ])('%s is passed to the function, which only with activate may change the active releases', (setting, context) => {
    const of = synthesize(context);
    const { Environment, Role } = functionOf(of, 'update-content')[1].Properties;
    expect(Environment.Variables).toMatchObject({
      TABLE_CONTENT: { Ref: 'ContentTable' },
      CONTENT_UPDATES: setting,
      ...(setting === 'propose' && { EVENT_BUS: { Ref: 'EventBus' } }),
    });
    const denied = statementsOf(of, idOf(Role)).filter(({ Effect }) => Effect === 'Deny');
    expect(denied).toEqual(
      setting === 'activate'
        ? []
        : [
            {
              ...{
                Effect: 'Deny',
                Action: ['PutItem', 'UpdateItem', 'DeleteItem'].map((action) => `dynamodb:${action}`),
                Resource: expect.anything(),
              },
              Condition: { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': ['ACTIVE'] } },
            },
          ],
    );
    expect(denied.map(({ Resource: on }) => flat([on].flat()[0]))).toEqual(denied.map(() => 'ContentTable.Arn'));
  });

  it.each([
    ['the publishers', {}, undefined],
    ['a mirror', everySetting, 'https://mirror.example.com:8443/rates/'],
  ])('read from %s', (_from, context, mirror) => {
    const { Environment } = functionOf(synthesize(context), 'update-content')[1].Properties;
    expect(Environment.Variables.LEVY_CONTENT_MIRROR).toBe(mirror);
  });

  it('publish nothing without the bus', () => {
    const of = synthesize(disposable);
    const { Environment, Role } = functionOf(of, 'update-content')[1].Properties;
    expect(Environment.Variables).not.toHaveProperty('EVENT_BUS');
    expect(allowedTo(of, idOf(Role)).filter((allowed) => allowed.includes('events:'))).toEqual([]);
  });

  it.each([withoutBackups, { sam: '1' }])('the updates of content do not exist with %j', (context) => {
    const of = synthesize(context);
    expect(of.propertiesOf('AWS::Scheduler::Schedule')).toHaveLength(Object.keys(schedules).length);
    const left = Object.keys(of.template.Resources).filter((id) =>
      /UpdateContent|ContentUpdates|ContentStale/.test(id),
    );
    expect(left).toEqual([]);
  });
});
