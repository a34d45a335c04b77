/** The fixed costs in `npm run cost` match the template. */
import { expect, it } from 'vitest';
import { deployment } from '../bench/cost/usage.ts';
import { everySetting, type Properties, synthesize } from './synthesized.ts';

const synthesized = synthesize();
const { ofType, propertiesOf } = synthesized;
const all = synthesize(everySetting);

type AlarmMetrics = { readonly MetricName?: string; readonly Metrics?: readonly { readonly MetricStat?: unknown }[] };
/** Returns the number of metrics that an alarm reads. */
const readBy = ({ MetricName, Metrics = [] }: AlarmMetrics): number =>
  MetricName ? 1 : Metrics.filter(({ MetricStat }) => MetricStat).length;

it('counts alarm metrics, dashboards and firewall rules', () => {
  const read = propertiesOf('AWS::CloudWatch::Alarm').map(readBy);
  expect(Math.min(...read)).toBeGreaterThan(0);
  expect(read.reduce((sum, one) => sum + one, 0)).toBe(deployment.alarmMetrics);
  // Composite alarms have a different price.
  expect(ofType('AWS::CloudWatch::CompositeAlarm')).toEqual([]);
  expect(ofType('AWS::CloudWatch::Dashboard').length).toBe(deployment.dashboards);
  expect(all.propertiesOf('AWS::WAFv2::WebACL').map(({ Rules }) => Rules.length)).toEqual([deployment.webAclRules]);
});

it('counts KMS keys, one more with customer-managed encryption, and one for the topic of reminders', () => {
  expect(ofType('AWS::KMS::Key').length).toBe(deployment.keys);
  expect(all.ofType('AWS::KMS::Key').length).toBe(deployment.keys + 2);
});

const dayMs = 86_400_000;
/** Returns the average number of backups in the vault over four years: one per day on which the rule's cron fires. */
const copiesOf = ({ ScheduleExpression, Lifecycle }: Properties): number => {
  const [, dayOfMonth] = /^cron\(\d+ \d+ (\*|\d+) \* \? \*\)$/.exec(ScheduleExpression) ?? [];
  const first = Date.UTC(2026, 0, 1);
  const taken = Array.from({ length: 6 * 365 }, (_, day) => first + day * dayMs).filter(
    (time) => dayOfMonth === '*' || new Date(time).getUTCDate() === Number(dayOfMonth),
  );
  // After two years, the first backups have expired.
  const looks = Array.from({ length: 4 * 365 }, (_, day) => first + (2 * 365 + day) * dayMs);
  const alive = looks.map(
    (now) => taken.filter((time) => time <= now && now < time + Lifecycle.DeleteAfterDays * dayMs).length,
  );
  return alive.reduce((sum, count) => sum + count, 0) / looks.length;
};

it('counts monthly backups, and daily ones with backups=daily', () => {
  const keptBy = ({ propertiesOf: of }: typeof all) =>
    of('AWS::Backup::BackupPlan').flatMap(({ BackupPlan }) =>
      BackupPlan.BackupPlanRule.map((rule: Properties) => [rule.RuleName, Math.round(copiesOf(rule))]),
    );
  const monthly = ['Monthly', deployment.monthlyBackups];
  expect(keptBy(synthesized)).toEqual([monthly]);
  expect(keptBy(all)).toEqual([['Daily', deployment.dailyBackups], monthly]);
});

it('keeps every backup in warm storage, as the price assumes', () => {
  const [plan] = all.propertiesOf('AWS::Backup::BackupPlan');
  const lifecycles = plan?.['BackupPlan'].BackupPlanRule.map(({ Lifecycle }: Properties) => Object.keys(Lifecycle));
  expect(lifecycles).toEqual([['DeleteAfterDays'], ['DeleteAfterDays']]);
});

it('has the memory size of every function, and per-method metrics with methodMetrics=true', () => {
  const memory = new Set(propertiesOf('AWS::Lambda::Function').map(({ MemorySize }) => MemorySize));
  expect([...memory]).toEqual([deployment.memory]);
  const isOn = ({ propertiesOf: of }: typeof all) =>
    new Set(of('AWS::ApiGateway::Stage')[0].MethodSettings.map(({ MetricsEnabled }: Properties) => MetricsEnabled));
  expect([isOn(synthesized), isOn(all)]).toEqual([new Set([false]), new Set([true])]);
});
