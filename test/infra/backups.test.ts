import { describe, expect, it } from 'vitest';
import { flat, type Resource, synthesize, withoutBundling } from './synthesized.ts';

const { ofType, template } = synthesize();
const own = synthesize({ ...withoutBundling, encryption: 'customer-managed', stage: 'staging' });
const [[, plan]] = ofType('AWS::Backup::BackupPlan') as [[string, Resource]];
const [[, selection]] = ofType('AWS::Backup::BackupSelection') as [[string, Resource]];
const [[vaultId, vault]] = ofType('AWS::Backup::BackupVault') as [[string, Resource]];
const nameOf = (vault?: Resource) => vault?.Properties['BackupVaultName']['Fn::Join'][1];

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

it('keeps the copies when the stack is gone, but not the empty vault of a first deployment that failed', () => {
  const { DeletionPolicy, UpdateReplacePolicy } = vault;
  expect([vaultId, DeletionPolicy, UpdateReplacePolicy]).toEqual(['BackupVault', 'RetainExceptOnCreate', 'Retain']);
});

it("names its vault by a part of the stack's id, so that a stack never meets the vault of one before it", () => {
  const stackId = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
  expect(nameOf(vault)).toEqual(['Levy-', { 'Fn::Select': [0, { 'Fn::Split': ['-', stackId] }] }]);
});

describe('with a key of its own', () => {
  const { Resources } = own.template;

  it('copies to a vault of that key and of no other name, as a vault cannot change its key', () => {
    const [[, ownPlan]] = own.ofType('AWS::Backup::BackupPlan') as [[string, Resource]];
    for (const rule of ownPlan.Properties['BackupPlan'].BackupPlanRule)
      expect(flat(rule.TargetBackupVault)).toBe('BackupVaultOwnKey.BackupVaultName');
    expect(nameOf(Resources['BackupVaultOwnKey'])).toEqual([
      'Levy-staging-',
      { 'Fn::Select': [0, { 'Fn::Split': ['-', { Ref: 'DataKey' }] }] },
    ]);
    expect(nameOf(Resources['BackupVaultOwnKey'])).not.toEqual(nameOf(Resources['BackupVault']));
  });

  it('keeps the other vault and its name, for copies from before and for the way back', () => {
    expect(nameOf(Resources['BackupVault']).slice(1)).toEqual(nameOf(vault).slice(1));
    expect(Resources['BackupVault']?.Properties['EncryptionKeyArn']).toBeUndefined();
    expect(vault.Properties['EncryptionKeyArn']).toBeUndefined();
  });
});

it('names its plan after its stage', () => {
  const planned = own.ofType('AWS::Backup::BackupPlan').map(([, { Properties }]) => Properties['BackupPlan']);
  expect(planned.map(({ BackupPlanName }) => BackupPlanName)).toEqual(['Levy-staging']);
  expect(plan.Properties['BackupPlan'].BackupPlanName).toBe('Levy');
});

it('takes no copies where it is told to take none, and leaves recovery, and what deletes old copies, as they are', () => {
  const none = synthesize({ ...withoutBundling, backups: 'none' });
  expect(none.ofType('AWS::Backup::BackupPlan')).toEqual([]);
  expect(none.ofType('AWS::Backup::BackupSelection')).toEqual([]);
  expect(none.template.Resources['BackupVault']).toEqual(vault);
  const roleId = flat(selection.Properties['BackupSelection'].IamRoleArn).replace(/\.Arn$/, '');
  expect(none.template.Resources[roleId]).toEqual(template.Resources[roleId]);
  const tables = none.ofType('AWS::DynamoDB::GlobalTable');
  expect(tables).toHaveLength(3);
  for (const [, { Properties }] of tables)
    expect(Properties['Replicas'][0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true);
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
