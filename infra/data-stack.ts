import { ArnFormat, Aws, Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { EventBus, Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { tables as definitions, type TableName } from '../shared/store/table-definitions.ts';
import { acknowledge, fixLogicalId, LevyStack, ServiceRole } from './constructs.ts';
import type { Settings } from './settings.ts';
import { Tables, tableId } from './tables.ts';

const dailyDays = 7;
const monthlyDays = 400;

// At this time, it is past midnight everywhere in the United States.
const daily = Schedule.cron({ hour: '10', minute: '30' });
// Within the start window of the daily rule: on the 1st, AWS makes one backup for both, with the longer retention.
const monthly = Schedule.cron({ day: '1', hour: '12', minute: '30' });

/**
 * Creates monthly backups of the tables with 400 days' retention, and with `backups=daily` also daily backups with a
 * week's retention, in addition to point-in-time recovery of 35 days. They protect against a principal that can delete
 * tables, and against losses noticed later. Returns the vault; `null` without backups.
 *
 * Vault and role exist even without backups: AWS Backup expires a backup with the role that created it, and a retained
 * vault outside the template would block its name.
 */
const backUp = (scope: Construct, tables: Tables, settings: Settings): BackupVault | null => {
  const role = backupRole(scope, tables, settings);
  const vault = addVault(scope, tables, settings);
  // A vault with backups would prevent the deletion of a disposable stack.
  if (settings.backups === 'none' || settings.removal === 'destroy') return null;
  const plan = new BackupPlan(scope, 'Backups', {
    backupPlanName: settings.name,
    backupVault: vault,
    backupPlanRules: [
      ...(settings.backups === 'daily' ? [backupRule(scope, settings, 'Daily', daily, dailyDays)] : []),
      backupRule(scope, settings, 'Monthly', monthly, monthlyDays),
    ],
  });
  plan.addSelection('Tables', {
    resources: tables.kept.map((table) => BackupResource.fromArn(table.tableArn)),
    role: role.withoutPolicyUpdates(),
    disableDefaultBackupPolicy: true,
  });
  return vault;
};

/** A rule of the plan. A copy in another account or region has the same retention as its backup. */
const backupRule = (
  scope: Construct,
  { backupCopyTo }: Settings,
  ruleName: string,
  scheduleExpression: Schedule,
  days: number,
): BackupPlanRule => {
  const deleteAfter = Duration.days(days);
  const rule = { ruleName, scheduleExpression, deleteAfter };
  if (backupCopyTo === null) return new BackupPlanRule(rule);
  const destinationBackupVault = BackupVault.fromBackupVaultArn(scope, `${ruleName}Copies`, backupCopyTo);
  return new BackupPlanRule({ ...rule, copyActions: [{ destinationBackupVault, deleteAfter }] });
};

// A vault's key cannot be changed, and CloudFormation cannot replace a named resource. So each key has a separate
// vault, and the vault without a key remains.
const addVault = (scope: Construct, { key }: Tables, settings: Settings): BackupVault => {
  // arn:aws:cloudformation:region:account:stack/name/id
  const vault = newVault(scope, 'BackupVault', settings, Fn.select(2, Fn.split('/', Aws.STACK_ID)));
  return key ? newVault(scope, 'BackupVaultOwnKey', settings, key.keyId, key) : vault;
};

const newVault = (
  scope: Construct,
  id: string,
  { name, removal, backupLock }: Settings,
  unique: string,
  key?: Key,
): BackupVault => {
  const lock = { minRetention: Duration.days(dailyDays), maxRetention: Duration.days(monthlyDays) };
  const properties = {
    // Names are unique in an account, and a vault can outlive its stack, so the name contains a part of the stack id or
    // key id.
    backupVaultName: `${name}-${Fn.select(0, Fn.split('-', unique))}`,
    // If the first deployment fails, the empty vault is deleted.
    removalPolicy: removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    ...(key && { encryptionKey: key }),
    ...(backupLock === 'governance' && { lockConfiguration: lock }),
    // The lock can be removed for three days and never afterwards, not even by AWS.
    ...(backupLock === 'compliance' && { lockConfiguration: { ...lock, changeableFor: Duration.days(3) } }),
  };
  return fixLogicalId(new BackupVault(scope, id, properties), id);
};

// AWS's managed policy covers every AWS Backup resource type in the whole account.
const backupRole = (scope: Construct, tables: Tables, { backupCopyTo }: Settings): ServiceRole => {
  // IfExists: AWS does not document that AWS Backup sends this key (infra/docs/deployment.md).
  const role = new ServiceRole(scope, 'BackupRole', 'backup', {
    StringEqualsIfExists: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  });
  // AWS Backup expires a backup with the role that created it.
  fixLogicalId(role, 'BackupRole');
  const acknowledgeResources = (...resources: readonly string[]) =>
    acknowledge(
      role,
      'AWS generates the name of a backup when it is created.',
      resources.map((resource) => `AwsSolutions-IAM5[Resource::${resource}]`),
    );
  const arns = tables.kept.map((table) => table.tableArn);
  // The actions for backups with and without the advanced features of AWS Backup for DynamoDB.
  role.allow('dynamodb', ['StartAwsBackupJob', 'CreateBackup', 'DescribeTable', 'ListTagsOfResource'], arns);
  const backups = arns.map((arn) => `${arn}/backup/*`);
  role.allow('dynamodb', ['DescribeBackup', 'DeleteBackup'], backups);
  acknowledgeResources(...tables.kept.map((table) => `<${tableId(table.node.id)}.Arn>/backup/*`));
  for (const statement of tables.useOfKey()) role.addToPolicy(statement);
  // AWS Backup describes the key directly, not through DynamoDB.
  if (tables.key) role.allow('kms', ['DescribeKey'], [tables.key.keyArn]);
  if (backupCopyTo === null) return role;
  role.allow('backup', ['DescribeBackupVault', 'CopyIntoBackupVault'], [backupCopyTo]);
  const copied = { service: 'backup', resource: 'recovery-point', resourceName: '*' };
  const copiedArn = Stack.of(scope).formatArn({ ...copied, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  role.allow('backup', ['CopyFromBackupVault'], [copiedArn]);
  acknowledgeResources('arn:<AWS::Partition>:backup:<AWS::Region>:<AWS::AccountId>:recovery-point:*');
  return role;
};

/**
 * The stateful resources, and those that other systems subscribe to: tables, backups, dead-letter queues and the event
 * bus. Their logical ids are fixed, because a resource with a different id would replace the existing one.
 */
export class DataStack extends LevyStack {
  readonly tables: Tables;
  /** `null` without backups. */
  readonly vault: BackupVault | null;
  /** Failed schedule runs. The next run repeats the work; the queue keeps the error. */
  readonly failedRuns: Queue;
  /** Stream positions of transactions that could not be counted for reports. An operator must process them. */
  readonly uncounted: Queue;
  /** The event bus, and the stream positions of changes that could not be published; `null` without events. */
  readonly events: { readonly bus: EventBus; readonly deadLetterQueue: Queue } | null;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, settings, 'tables, backups, dead-letter queues and event bus');
    this.tables = new Tables(this, 'Tables', settings);
    this.vault = backUp(this, this.tables, settings);
    this.failedRuns = this.#deadLetterQueue('FailedRuns', 'runs');
    this.uncounted = this.#deadLetterQueue('UncountedTransactions', 'records');
    this.events = settings.events
      ? { bus: this.#bus(settings.name), deadLetterQueue: this.#deadLetterQueue('UntoldEvents', 'records') }
      : null;
    if (settings.reminderEmail !== null) this.#acceptReminders(settings.name);
    for (const name of Object.keys(definitions) as TableName[])
      this.output(
        tableId(name),
        this.tables.getName(name),
        `TABLE_${name.toUpperCase()} of the commands that work on a deployment`,
      );
  }

  /** Allows rules of the bus to send the reminders that SNS does not accept to the events' dead-letter queue. */
  #acceptReminders(bus: string): void {
    const rules = this.formatArn({ service: 'events', resource: 'rule', resourceName: `${bus}/*` });
    this.events?.deadLetterQueue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.events.deadLetterQueue.queueArn],
        conditions: { ArnLike: { 'aws:SourceArn': rules } },
      }),
    );
  }

  #bus(name: string): EventBus {
    // The name is unique in the account, and the CDK would use the same name for every stage.
    const bus = new EventBus(this, 'Bus', { eventBusName: name, description: 'Ledger changes' });
    fixLogicalId(bus, 'EventBus');
    this.output('EventBus', bus.eventBusName, 'The event bus');
    return bus;
  }

  /**
   * Creates a dead-letter queue with a retention of 14 days and no consumer; an alarm monitors it. `id` is its logical
   * id.
   */
  #deadLetterQueue(id: string, held: string): Queue {
    const queue = new Queue(this, id, {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const reason = `It is the dead-letter queue for failed ${held}, and nothing consumes it.`;
    acknowledge(queue, reason, ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy']);
    return fixLogicalId(queue, id);
  }
}
