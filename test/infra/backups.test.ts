import { describe, expect, it } from 'vitest';
import {
  allowedTo,
  everySetting,
  flat,
  idOf,
  listed,
  type Properties,
  type Resource,
  type Synthesized,
  statementsOf,
  synthesize,
  withoutBackups,
} from './synthesized.ts';

const synthesized = synthesize();
const { ofType, template } = synthesized;
const own = synthesize(everySetting);
const planOf = ({ propertiesOf }: Synthesized) => (propertiesOf('AWS::Backup::BackupPlan')[0] as Properties).BackupPlan;
const { BackupSelection: selection } = synthesized.propertiesOf('AWS::Backup::BackupSelection')[0] as Properties;
const [[vaultId, vault]] = ofType('AWS::Backup::BackupVault') as [[string, Resource]];
const nameOf = (of: Properties) => of.BackupVaultName['Fn::Join'][1];

it('backs up every table monthly for 400 days, and with backups=daily daily for 7 as well', () => {
  const { BackupPlanName, BackupPlanRule: rules } = planOf(synthesized);
  expect(BackupPlanName).toBe('Levy');
  expect(planOf(own).BackupPlanName).toBe('Levy-staging');
  const timesOf = (of: readonly Properties[]) =>
    of.map((rule) => [rule.ScheduleExpression, rule.Lifecycle.DeleteAfterDays]);
  expect(timesOf(rules)).toEqual([['cron(30 12 1 * ? *)', 400]]);
  expect(timesOf(planOf(own).BackupPlanRule)).toEqual([
    ['cron(30 10 * * ? *)', 7],
    ['cron(30 12 1 * ? *)', 400],
  ]);
  for (const rule of rules) expect(idOf(rule.TargetBackupVault)).toBe(vaultId);
  expect(selection.Resources.map(flat)).toEqual(['TransactionsTable.Arn', 'ContentTable.Arn', 'AccountsTable.Arn']);
});

it('copies each backup to the vault of backupCopyTo, for as long as the backup is kept', () => {
  expect(planOf(synthesized).BackupPlanRule[0]).not.toHaveProperty('CopyActions');
  for (const { CopyActions, Lifecycle } of planOf(own).BackupPlanRule)
    expect(CopyActions).toEqual([{ DestinationBackupVaultArn: everySetting.backupCopyTo, Lifecycle }]);
  const roleId = idOf((own.propertiesOf('AWS::Backup::BackupSelection')[0] as Properties).BackupSelection.IamRoleArn);
  expect(allowedTo(own, roleId).filter((allowed) => allowed.includes(' backup:'))).toEqual([
    'Allow backup:CopyFromBackupVault on arn:AWS::Partition:backup:AWS::Region:AWS::AccountId:recovery-point:*',
    `Allow backup:CopyIntoBackupVault on ${everySetting.backupCopyTo}`,
    `Allow backup:DescribeBackupVault on ${everySetting.backupCopyTo}`,
  ]);
});

it('locks every vault after three days, within the lifetimes of the backups', () => {
  for (const { LockConfiguration } of own.propertiesOf('AWS::Backup::BackupVault'))
    expect(LockConfiguration).toEqual({ MinRetentionDays: 7, MaxRetentionDays: 400, ChangeableForDays: 3 });
});

it('keeps the vault when the stack is deleted, except the empty one of a failed first deployment', () => {
  const { DeletionPolicy, UpdateReplacePolicy } = vault;
  expect([vaultId, DeletionPolicy, UpdateReplacePolicy]).toEqual(['BackupVault', 'RetainExceptOnCreate', 'Retain']);
});

it("names the vault by a part of the stack's id, so that a new stack does not reuse the name of a kept vault", () => {
  const stackId = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
  expect(nameOf(vault.Properties)).toEqual(['Levy-', { 'Fn::Select': [0, { 'Fn::Split': ['-', stackId] }] }]);
});

describe('backups with customer-managed encryption', () => {
  it('backs up to a vault of its own with that key, because a vault cannot change its key', () => {
    for (const rule of planOf(own).BackupPlanRule) expect(idOf(rule.TargetBackupVault)).toBe('BackupVaultOwnKey');
    expect(nameOf(own.at('BackupVaultOwnKey'))).toEqual([
      'Levy-staging-',
      { 'Fn::Select': [0, { 'Fn::Split': ['-', { Ref: 'DataKey' }] }] },
    ]);
    expect(idOf(own.at('BackupVaultOwnKey').EncryptionKeyArn)).toBe('DataKey');
  });

  it('keeps the other vault and its name, for older backups', () => {
    expect(nameOf(own.at('BackupVault')).slice(1)).toEqual(nameOf(vault.Properties).slice(1));
    expect(own.at('BackupVault').EncryptionKeyArn).toBeUndefined();
    expect(vault.Properties['EncryptionKeyArn']).toBeUndefined();
  });
});

it('the setting backups=none takes no backups, and keeps point-in-time recovery, the vault and the role that expires backups', () => {
  const none = synthesize(withoutBackups);
  expect([none.ofType('AWS::Backup::BackupPlan'), none.ofType('AWS::Backup::BackupSelection')]).toEqual([[], []]);
  expect(none.template.Resources['BackupVault']).toEqual(vault);
  const roleId = idOf(selection.IamRoleArn);
  expect(none.template.Resources[roleId]).toEqual(template.Resources[roleId]);
  const recovery = none
    .propertiesOf('AWS::DynamoDB::GlobalTable')
    .map(({ Replicas }) => Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled);
  expect(recovery).toEqual([true, true, true]);
});

it('allows the role to describe a customer-managed key, which AWS Backup does not do through DynamoDB', () => {
  const roleId = idOf((own.propertiesOf('AWS::Backup::BackupSelection')[0] as Properties).BackupSelection.IamRoleArn);
  const ofKey = statementsOf(own, roleId).filter(({ Resource: on }) => flat(listed(on)[0]) === 'DataKey.Arn');
  expect(ofKey.filter(({ Condition }) => Condition === undefined).map(({ Action }) => Action)).toEqual([
    'kms:DescribeKey',
  ]);
  expect(ofKey).toHaveLength(2);
});

it('allows the role only these tables and their backups', () => {
  const roleId = idOf(selection.IamRoleArn);
  expect(synthesized.at(roleId).ManagedPolicyArns).toBeUndefined();
  const resources = allowedTo(synthesized, roleId).map((allowed) => allowed.replace(/.* on /, ''));
  expect(resources.length).toBeGreaterThan(0);
  for (const resource of resources)
    expect(resource).toMatch(/^(Transactions|Content|Accounts)Table\.Arn(\/backup\/\*)?$/);
});

/** Whether every condition of the trust policy is true, as IAM evaluates it: without the key, only `…IfExists` is true. */
const isTrusted = (sourceAccount: string | undefined): boolean => {
  const { Statement: statements } = synthesized.at(idOf(selection.IamRoleArn)).AssumeRolePolicyDocument;
  expect(statements.map(({ Principal, Action, Effect }: Properties) => [Principal, Action, Effect])).toEqual([
    [{ Service: 'backup.amazonaws.com' }, 'sts:AssumeRole', 'Allow'],
  ]);
  return Object.entries(statements[0]?.Condition ?? {}).every(([operator, keys]) => {
    expect([operator.replace(/IfExists$/, ''), keys]).toEqual([
      'StringEquals',
      { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
    ]);
    return sourceAccount === undefined ? operator.endsWith('IfExists') : sourceAccount === 'own';
  });
};

it('lets AWS Backup assume the role for this account, whether or not it names the account', () => {
  expect([isTrusted(undefined), isTrusted('own'), isTrusted('other')]).toEqual([true, true, false]);
});
