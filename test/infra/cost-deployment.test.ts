/** What `npm run cost` takes for granted of the stack is what the template has. */
import { expect, it } from 'vitest';
import { deployment } from '../../shared/cli/cost/deployment.ts';
import { synthesize, withoutBundling } from './synthesized.ts';

const { ofType } = synthesize({ ...withoutBundling, waf: 'true' });
const propertiesOf = (type: string) => ofType(type).map(([, { Properties }]) => Properties);

/** An alarm reads a metric of its own, or those that its expression is made of. */
const readBy = ({ MetricName, Metrics = [] }: any): number =>
  MetricName ? 1 : Metrics.filter(({ MetricStat }: any) => MetricStat).length;

it('has alarms that read so many metrics, and so many dashboards and rules before the API', () => {
  const read = propertiesOf('AWS::CloudWatch::Alarm').map(readBy);
  expect(Math.min(...read)).toBeGreaterThan(0);
  expect(read.reduce((all, one) => all + one, 0)).toBe(deployment.alarmMetrics);
  // They cost five times as much as others.
  expect(ofType('AWS::CloudWatch::CompositeAlarm')).toEqual([]);
  expect(ofType('AWS::CloudWatch::Dashboard').length).toBe(deployment.dashboards);
  expect(propertiesOf('AWS::WAFv2::WebACL').map(({ Rules }) => Rules.length)).toEqual([deployment.webAclRules]);
});

it('has so many keys, and one more where the customer wants one', () => {
  expect(ofType('AWS::KMS::Key').length).toBe(deployment.keys);
  const withOwn = synthesize({ ...withoutBundling, encryption: 'customer-managed' });
  expect(withOwn.ofType('AWS::KMS::Key').length).toBe(deployment.keys + 1);
});

const dayMs = 86_400_000;
/** How many copies lie in the vault on average of four years, by a calendar: one for each day on which the rule's cron fires. */
const copiesOf = ({ ScheduleExpression, Lifecycle }: any): number => {
  const [, dayOfMonth] = /^cron\(\d+ \d+ (\*|\d+) \* \? \*\)$/.exec(ScheduleExpression) ?? [];
  const first = Date.UTC(2026, 0, 1);
  const taken = Array.from({ length: 6 * 365 }, (_, day) => first + day * dayMs).filter(
    (time) => dayOfMonth === '*' || new Date(time).getUTCDate() === Number(dayOfMonth),
  );
  // Two years in, the oldest copies have begun to be deleted.
  const looks = Array.from({ length: 4 * 365 }, (_, day) => first + (2 * 365 + day) * dayMs);
  const alive = looks.map(
    (now) => taken.filter((time) => time <= now && now < time + Lifecycle.DeleteAfterDays * dayMs).length,
  );
  return alive.reduce((all, count) => all + count, 0) / looks.length;
};

it('keeps so many copies of days and of months', () => {
  const [plan] = propertiesOf('AWS::Backup::BackupPlan');
  const kept = plan?.['BackupPlan'].BackupPlanRule.map((rule: any) => [rule.RuleName, Math.round(copiesOf(rule))]);
  expect(kept).toEqual([
    ['Daily', deployment.dailyBackups],
    ['Monthly', deployment.monthlyBackups],
  ]);
});

it('keeps every copy as warm as its price is', () => {
  const [plan] = propertiesOf('AWS::Backup::BackupPlan');
  const lifecycles = plan?.['BackupPlan'].BackupPlanRule.map(({ Lifecycle }: any) => Object.keys(Lifecycle));
  expect(lifecycles).toEqual([['DeleteAfterDays'], ['DeleteAfterDays']]);
});

it('gives every function so much memory, and every method its own metrics', () => {
  const memory = new Set(propertiesOf('AWS::Lambda::Function').map(({ MemorySize }) => MemorySize));
  expect([...memory]).toEqual([deployment.memoryMb]);
  const [stage] = propertiesOf('AWS::ApiGateway::Stage');
  expect(stage?.['MethodSettings']).toEqual([expect.objectContaining({ MetricsEnabled: true, ResourcePath: '/*' })]);
});
