import { ArnFormat, Aws, Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { useOf } from './data-key.ts';
import { fixLogicalId } from './logical-id.ts';
import type { Settings } from './settings.ts';
import { type Tables, tableId } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

const dailyDays = 7;
const monthlyDays = 400;

/**
 * Monthly backups of the tables for 400 days, and with `backups=daily` daily ones for a week, in addition to
 * point-in-time recovery of 35 days. They survive a principal that may delete tables, and losses that are noticed
 * later.
 *
 * Vault and role exist even without backups: AWS Backup expires a backup with the role that made it, and a retained
 * vault outside the template would block its name.
 */
export class Backups extends Construct {
  /** `null` without backups. */
  readonly vault: BackupVault | null;
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    this.#settings = settings;
    const role = this.#role(tables);
    const vault = this.#vaultOf(tables);
    // A vault with backups would prevent the deletion of a disposable stack.
    this.vault = settings.backups !== 'none' && settings.removal === 'retain' ? vault : null;
    if (this.vault) this.#backUp(tables, this.vault, role);
  }

  #backUp(tables: Tables, vault: BackupVault, role: Role): void {
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: this.#settings.name,
      backupVault: vault,
      backupPlanRules: [
        // After midnight everywhere in the United States.
        ...(this.#settings.backups === 'daily'
          ? [this.#rule('Daily', Schedule.cron({ hour: '10', minute: '30' }), dailyDays)]
          : []),
        // Within the start window of the daily rule: on the 1st, AWS makes one backup for both, with the longer retention.
        this.#rule('Monthly', Schedule.cron({ day: '1', hour: '12', minute: '30' }), monthlyDays),
      ],
    });
    plan.addSelection('Tables', {
      resources: tables.kept.map((table) => BackupResource.fromArn(table.tableArn)),
      role: role.withoutPolicyUpdates(),
      disableDefaultBackupPolicy: true,
    });
  }

  /** A rule of the plan. A copy in another account or region is kept as long as its backup. */
  #rule(ruleName: string, scheduleExpression: Schedule, days: number): BackupPlanRule {
    const { backupCopyTo } = this.#settings;
    const deleteAfter = Duration.days(days);
    const rule = { ruleName, scheduleExpression, deleteAfter };
    if (backupCopyTo === null) return new BackupPlanRule(rule);
    const destinationBackupVault = BackupVault.fromBackupVaultArn(this, `${ruleName}Copies`, backupCopyTo);
    return new BackupPlanRule({ ...rule, copyActions: [{ destinationBackupVault, deleteAfter }] });
  }

  // A vault cannot change its key, and CloudFormation cannot replace a named resource. So each key has its own vault, and
  // the vault without a key stays.
  #vaultOf({ key }: Tables): BackupVault {
    // arn:aws:cloudformation:region:account:stack/name/id
    const vault = this.#vault('BackupVault', Fn.select(2, Fn.split('/', Aws.STACK_ID)));
    return key ? this.#vault('BackupVaultOwnKey', key.keyId, key) : vault;
  }

  #vault(id: string, unique: string, key?: Key): BackupVault {
    const { name, removal, backupLock } = this.#settings;
    const lock = { minRetention: Duration.days(dailyDays), maxRetention: Duration.days(monthlyDays) };
    const vault = new BackupVault(this, id, {
      // Names are unique in an account, and a vault can outlive its stack: a part of the id of the stack or the key.
      backupVaultName: `${name}-${Fn.select(0, Fn.split('-', unique))}`,
      // On failure of the first deployment, the empty vault is deleted.
      removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
      ...(key && { encryptionKey: key }),
      ...(backupLock === 'governance' && { lockConfiguration: lock }),
      // The lock can be removed for three days, and never afterwards, not even by AWS.
      ...(backupLock === 'compliance' && { lockConfiguration: { ...lock, changeableFor: Duration.days(3) } }),
    });
    fixLogicalId(vault, id);
    return vault;
  }

  // AWS's managed policy covers every resource type of AWS Backup in the whole account.
  #role({ kept, key }: Tables): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com', {
        // IfExists: AWS does not document that AWS Backup sends it (infra/docs/deployment.md).
        conditions: { StringEqualsIfExists: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    const arns = kept.map((table) => table.tableArn);
    const backups = arns.map((arn) => `${arn}/backup/*`);
    const allow = (actions: readonly string[], resources: readonly string[]) =>
      role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
    // With and without the advanced features of AWS Backup for DynamoDB.
    allow(
      ['StartAwsBackupJob', 'CreateBackup', 'DescribeTable', 'ListTagsOfResource'].map(
        (action) => `dynamodb:${action}`,
      ),
      arns,
    );
    allow(['dynamodb:DescribeBackup', 'dynamodb:DeleteBackup'], backups);
    if (key) {
      role.addToPolicy(useOf(key));
      // AWS Backup describes the key itself, not through DynamoDB.
      role.addToPolicy(new PolicyStatement({ actions: ['kms:DescribeKey'], resources: [key.keyArn] }));
    }
    const { backupCopyTo } = this.#settings;
    if (backupCopyTo !== null) {
      allow(['backup:DescribeBackupVault', 'backup:CopyIntoBackupVault'], [backupCopyTo]);
      const backup = { service: 'backup', resource: 'recovery-point', resourceName: '*' };
      allow(
        ['backup:CopyFromBackupVault'],
        [Stack.of(this).formatArn({ ...backup, arnFormat: ArnFormat.COLON_RESOURCE_NAME })],
      );
      Validations.of(role).acknowledge({
        id: 'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:backup:<AWS::Region>:<AWS::AccountId>:recovery-point:*]',
        reason: 'AWS Backup generates the name of a backup when it is made.',
      });
    }
    for (const table of kept) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${tableId(table.node.id)}.Arn>/backup/*]`,
        reason: 'DynamoDB generates the name of a backup when it is made.',
      });
    }
    return role;
  }
}
