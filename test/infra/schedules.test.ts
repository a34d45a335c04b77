import { describe, expect, it } from 'vitest';
import { schedules } from '../../functions/endpoints.ts';
import { allowedTo, flat, functionAt, functionOf, idOf, synthesize } from './synthesized.ts';

const synthesized = synthesize();
const { propertiesOf, template } = synthesized;

it('has the defined schedules and no others', () => {
  expect(propertiesOf('AWS::Scheduler::Schedule')).toHaveLength(Object.keys(schedules).length);
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
