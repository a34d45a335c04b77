import { Aws, Duration, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
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
 * Copies of the tables apart from the tables: each day for a week, each month for a year and what a late return takes.
 *
 * Point-in-time recovery goes back to any second of 35 days, and AWS keeps a deleted table for as long. These are for who
 * may delete that as well, and for what is noticed later. Each is a full copy and is paid as one, so they are few.
 *
 * Vault and role stand whether or not copies are taken: AWS Backup deletes a copy when its time has come in the name of
 * the role that made it, and a vault with copies that left the template would bar its name to the next one.
 */
export class Backups extends Construct {
  /** Where copies are kept; `null` where none are taken. */
  readonly vault: BackupVault | null;
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    this.#settings = settings;
    const role = this.#role(tables);
    const vault = this.#vaultOf(tables);
    // Copies would keep the stack that may lose its data from being deleted.
    this.vault = settings.backups === 'plan' && settings.removal === 'retain' ? vault : null;
    if (this.vault) this.#copy(tables, this.vault, role);
  }

  #copy(tables: Tables, vault: BackupVault, role: Role): void {
    const plan = new BackupPlan(this, 'Plan', {
      backupPlanName: this.#settings.name,
      backupVault: vault,
      backupPlanRules: [
        // After midnight everywhere in the United States.
        new BackupPlanRule({
          ruleName: 'Daily',
          scheduleExpression: Schedule.cron({ hour: '10', minute: '30' }),
          deleteAfter: Duration.days(dailyDays),
        }),
        // Within the start window of the daily one, so that on the 1st AWS takes one copy for both, and keeps it for longer.
        new BackupPlanRule({
          ruleName: 'Monthly',
          scheduleExpression: Schedule.cron({ day: '1', hour: '12', minute: '30' }),
          deleteAfter: Duration.days(monthlyDays),
        }),
      ],
    });
    plan.addSelection('Tables', {
      resources: tables.kept.map((table) => BackupResource.fromArn(table.tableArn)),
      role: role.withoutPolicyUpdates(),
      disableDefaultBackupPolicy: true,
    });
  }

  // A vault cannot change its key, and CloudFormation replaces nothing that has a name. So each key has its own vault, and
  // the one without stays for a deployment that goes back to it.
  #vaultOf({ key }: Tables): BackupVault {
    // arn:aws:cloudformation:region:account:stack/name/id
    const vault = this.#vault('BackupVault', Fn.select(2, Fn.split('/', Aws.STACK_ID)));
    return key ? this.#vault('BackupVaultOwnKey', key.keyId, key) : vault;
  }

  #vault(id: string, unique: string, key?: Key): BackupVault {
    const { name, removal, backupLock } = this.#settings;
    const lock = { minRetention: Duration.days(dailyDays), maxRetention: Duration.days(monthlyDays) };
    const vault = new BackupVault(this, id, {
      // An account has a name once, and a vault may outlive its stack: a part of what no other stack or key has.
      backupVaultName: `${name}-${Fn.select(0, Fn.split('-', unique))}`,
      // But for one that a failed deployment has just made, which is empty.
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
