/** What `npm run cost` takes for granted of the stack is what the template has. */
import { expect, it } from 'vitest';
import { deployment } from '../../shared/cli/cost/deployment.ts';
import { synthesize, withoutBundling } from './synthesized.ts';

const { ofType } = synthesize({ ...withoutBundling, waf: 'true' });
const propertiesOf = (type: string) => ofType(type).map(([, { Properties }]) => Properties);

it('has so many alarms, dashboards and rules before the API', () => {
  expect(ofType('AWS::CloudWatch::Alarm').length).toBe(deployment.alarms);
  // They cost five times as much as others.
  expect(ofType('AWS::CloudWatch::CompositeAlarm')).toEqual([]);
  expect(ofType('AWS::CloudWatch::Dashboard').length).toBe(deployment.dashboards);
  expect(propertiesOf('AWS::WAFv2::WebACL').map(({ Rules }) => Rules.length)).toEqual([deployment.webAclRules]);
});

it('keeps so many copies of days and of months', () => {
  const [plan] = propertiesOf('AWS::Backup::BackupPlan');
  const kept = plan?.['BackupPlan'].BackupPlanRule.map(({ RuleName, Lifecycle }: any) => [
    RuleName,
    Lifecycle.DeleteAfterDays,
  ]);
  expect(kept).toEqual([
    ['Daily', deployment.dailyBackups],
    // The last month's is taken before the first one's 400 days are over.
    ['Monthly', expect.toSatisfy((days: number) => Math.floor(days / 30) === deployment.monthlyBackups)],
  ]);
});

it('gives every function so much memory, and every method its own metrics', () => {
  const memory = new Set(propertiesOf('AWS::Lambda::Function').map(({ MemorySize }) => MemorySize));
  expect([...memory]).toEqual([deployment.memoryMb]);
  const [stage] = propertiesOf('AWS::ApiGateway::Stage');
  expect(stage?.['MethodSettings']).toEqual([expect.objectContaining({ MetricsEnabled: true, ResourcePath: '/*' })]);
});
