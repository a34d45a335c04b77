import { type CfnElement, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { useOf } from './data-key.ts';
import type { Settings } from './settings.ts';
import { type Tables, tableId } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

const dailyDays = 7;
const monthlyDays = 400;

/**
 * Copies of the tables apart from the tables: each day for a week, each month for a year and what a late return takes.
 *
 * Point-in-time recovery goes back to any second of 35 days, and AWS keeps a deleted table for as long. These are for who
 * may delete that as well, and for what is noticed later. Each is a full copy and is paid as one, so they are few.
 */
export class Backups extends Construct {
  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    const vault = this.#vault(tables, settings);
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: vault,
      backupPlanRules: [
        // After midnight everywhere in the United States.
        new BackupPlanRule({
          ruleName: 'Daily',
          scheduleExpression: Schedule.cron({ hour: '10', minute: '30' }),
          deleteAfter: Duration.days(dailyDays),
        }),
        new BackupPlanRule({
          ruleName: 'Monthly',
          scheduleExpression: Schedule.cron({ day: '1', hour: '12', minute: '30' }),
          deleteAfter: Duration.days(monthlyDays),
        }),
      ],
    });
    const role = this.#role(tables);
    plan.addSelection('Tables', {
      resources: tables.kept.map((table) => BackupResource.fromArn(table.tableArn)),
      role: role.withoutPolicyUpdates(),
      disableDefaultBackupPolicy: true,
    });
  }

  #vault({ key }: Tables, { backupLock, name }: Settings): BackupVault {
    const lock = { minRetention: Duration.days(dailyDays), maxRetention: Duration.days(monthlyDays) };
    const vault = new BackupVault(this, 'Vault', {
      // The name that the CDK makes is the same in every stage, and an account has it once.
      backupVaultName: name,
      removalPolicy: RemovalPolicy.RETAIN,
      ...(key && { encryptionKey: key }),
      ...(backupLock === 'governance' && { lockConfiguration: lock }),
      // For three days it can be taken back, and then by nobody, not even by AWS.
      ...(backupLock === 'compliance' && { lockConfiguration: { ...lock, changeableFor: Duration.days(3) } }),
    });
    (vault.node.defaultChild as CfnElement).overrideLogicalId('BackupVault');
    return vault;
  }

  // AWS's own policy for it reaches everything that AWS Backup knows how to copy, in the whole account.
  #role({ kept, key }: Tables): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    const arns = kept.map((table) => table.tableArn);
    const copies = arns.map((arn) => `${arn}/backup/*`);
    const allow = (actions: readonly string[], resources: readonly string[]) =>
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
    // Those with features of AWS Backup, and those of an account that has not switched these on, which DynamoDB keeps.
    allow(
      ['StartAwsBackupJob', 'CreateBackup', 'DescribeTable', 'ListTagsOfResource'].map(
        (action) => `dynamodb:${action}`,
      ),
      arns,
    );
    allow(['dynamodb:DescribeBackup', 'dynamodb:DeleteBackup'], copies);
    if (key) role.addToPolicy(useOf(key));
    for (const table of kept) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${tableId(table.node.id)}.Arn>/backup/*]`,
        reason: 'A backup has a name that DynamoDB makes when it is taken.',
      });
    }
    return role;
  }
}
