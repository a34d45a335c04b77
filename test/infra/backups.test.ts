import { expect, it } from 'vitest';
import { flat, type Resource, synthesize, withoutBundling } from './synthesized.ts';

const { ofType } = synthesize();
const [[, plan]] = ofType('AWS::Backup::BackupPlan') as [[string, Resource]];
const [[, selection]] = ofType('AWS::Backup::BackupSelection') as [[string, Resource]];
const [[vaultId, vault]] = ofType('AWS::Backup::BackupVault') as [[string, Resource]];

it('copies every table each day for 7 days and each month for 400', () => {
  const rules = plan.Properties['BackupPlan'].BackupPlanRule;
  expect(rules.map((rule: any) => [rule.ScheduleExpression, rule.Lifecycle.DeleteAfterDays])).toEqual([
    ['cron(30 10 * * ? *)', 7],
    ['cron(30 12 1 * ? *)', 400],
  ]);
  for (const rule of rules) expect(flat(rule.TargetBackupVault)).toBe(`${vaultId}.BackupVaultName`);
  expect(selection.Properties['BackupSelection'].Resources.map(flat)).toEqual([
    'TransactionsTable.Arn',
    'ContentTable.Arn',
    'AccountsTable.Arn',
  ]);
});

it('keeps no copy for less or more than a locked vault takes, which would fail the backup', () => {
  const locked = synthesize({ ...withoutBundling, backupLock: 'governance' }).ofType;
  const [[, { Properties }]] = locked('AWS::Backup::BackupVault') as [[string, Resource]];
  const { MinRetentionDays, MaxRetentionDays } = Properties['LockConfiguration'];
  const [[, lockedPlan]] = locked('AWS::Backup::BackupPlan') as [[string, Resource]];
  const days = lockedPlan.Properties['BackupPlan'].BackupPlanRule.map((rule: any) => rule.Lifecycle.DeleteAfterDays);
  expect([Math.min(...days), Math.max(...days)]).toEqual([MinRetentionDays, MaxRetentionDays]);
});

it('keeps the copies when the stack is gone', () => {
  expect([vaultId, vault.DeletionPolicy, vault.UpdateReplacePolicy]).toEqual(['BackupVault', 'Retain', 'Retain']);
});

it('may copy these tables and nothing else of the account', () => {
  const roleId = flat(selection.Properties['BackupSelection'].IamRoleArn).replace(/\.Arn$/, '');
  const role = ofType('AWS::IAM::Role').find(([id]) => id === roleId)?.[1].Properties;
  expect(role?.['ManagedPolicyArns']).toBeUndefined();
  const resources = ofType('AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties['Roles'].some((at: any) => at.Ref === roleId))
    .flatMap(([, { Properties }]) => Properties['PolicyDocument'].Statement)
    .flatMap(({ Resource: on }: any) => on.map(flat));
  expect(resources.length).toBeGreaterThan(0);
  for (const resource of resources)
    expect(resource).toMatch(/^(Transactions|Content|Accounts)Table\.Arn(\/backup\/\*)?$/);
});
