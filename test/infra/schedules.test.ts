import { describe, expect, it } from 'vitest';
import { schedules } from '../../functions/endpoints.ts';
import { flat, functionAt, synthesize } from './synthesized.ts';

const synthesized = synthesize();
const { ofType, template } = synthesized;
const handlerOf = (name: string) =>
  ofType('AWS::Lambda::Function').find(([id]) => id.toLowerCase() === name.replaceAll('-', '')) ?? ['none', null];

it('has the defined schedules and no others', () => {
  expect(ofType('AWS::Scheduler::Schedule')).toHaveLength(Object.keys(schedules).length);
});

describe.each(Object.entries(schedules))('%s', (name, { minutes, timeoutSeconds }) => {
  const [handlerId, handler] = handlerOf(name);
  const schedule = ofType('AWS::Scheduler::Schedule')
    .map(([, { Properties }]) => Properties)
    .find(({ Target }) => functionAt(synthesized, Target.Arn) === handlerId);
  const role = template.Resources[flat(schedule?.['Target'].RoleArn).replace(/\.Arn$/, '')];

  it('runs its function, switched on, in its rhythm', () => {
    expect(schedule).toMatchObject({ State: 'ENABLED', ScheduleExpression: `rate(${minutes} minutes)` });
    expect(schedule?.['FlexibleTimeWindow']).toEqual({ Mode: 'OFF' });
  });

  it('has its own time limit, and is over before it starts again', () => {
    expect(handler?.Properties['Timeout']).toBe(timeoutSeconds);
    expect(timeoutSeconds).toBeLessThan(minutes * 60);
  });

  it('may invoke exactly its function, for this account only', () => {
    const statements = ofType('AWS::IAM::Policy')
      .filter(([, { Properties }]) => Properties['Roles'].some((at: any) => template.Resources[at.Ref] === role))
      .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement);
    expect(statements.map(({ Action, Resource }: any) => [Action, flat(Resource)])).toEqual([
      ['lambda:InvokeFunction', `${handlerId}Live`],
      ['sqs:SendMessage', 'FailedRuns.Arn'],
    ]);
    expect(role?.Properties['ManagedPolicyArns']).toBeUndefined();
    expect(role?.Properties['AssumeRolePolicyDocument'].Statement).toEqual([
      expect.objectContaining({
        Principal: { Service: 'scheduler.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  it('keeps what failed, whether it was not started or did not finish, and lets the next run make it good', () => {
    const invoke = ofType('AWS::Lambda::EventInvokeConfig').find(
      ([, { Properties }]) => flat(Properties['FunctionName']) === handlerId,
    );
    // What is said of the function itself holds for nobody who calls the alias.
    expect(flat(schedule?.['Target'].Arn)).toBe(`${handlerId}Live`);
    expect(JSON.stringify(invoke?.[1].Properties['Qualifier'])).toContain(`"Ref":"${handlerId}Live"`);
    expect(flat(schedule?.['Target'].DeadLetterConfig.Arn)).toBe('FailedRuns.Arn');
    expect(flat(invoke?.[1].Properties['DestinationConfig'].OnFailure.Destination)).toBe('FailedRuns.Arn');
    expect(invoke?.[1].Properties['MaximumRetryAttempts']).toBe(0);
  });
});
