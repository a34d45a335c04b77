import { ArnFormat, CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { BackupVault } from 'aws-cdk-lib/aws-backup';
import { Alarm, type CfnAlarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Events } from '../events.ts';
import type { Settings } from '../settings.ts';
import type { Tables } from '../tables.ts';
import type { AlarmDefinition, Watched } from './alarm.ts';
import { alarmsOf } from './alarms.ts';
import { dashboardRows } from './dashboard.ts';
import { metricsOf } from './metrics.ts';

type Props = {
  readonly tables: Tables;
  readonly settings: Settings;
  /** What holds the runs of schedules that failed. */
  readonly failedRuns: Queue;
  /** `null` where the ledger tells nothing. */
  readonly events: Events | null;
  /** Where copies of the tables are kept; `null` where none are taken. */
  readonly vault: BackupVault | null;
};

const runbook = 'infra/runbook.md';

/** The dashboard, the alarms, and where they are sent (decision 0017). */
export class Monitoring extends Construct {
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, { tables, settings, failedRuns, events, vault }: Props) {
    super(scope, id);
    this.#settings = settings;
    const watched: Watched = {
      metrics: metricsOf(settings),
      ledger: tables.nameOf('transactions'),
      failedRuns: failedRuns.queueName,
      events: events && { pipe: events.pipe.ref, untold: events.untold.queueName },
      copies: vault && { vault: vault.backupVaultName, daily: tables.kept.length },
    };
    const told = new SnsAction(this.#topic());
    for (const definition of alarmsOf(watched)) this.#add(definition, told);
    new Dashboard(this, 'Dashboard', { dashboardName: settings.name, widgets: dashboardRows(watched) });
  }

  #add({ id, runbook: heading, says, evaluationWindow, ...options }: AlarmDefinition, told: SnsAction): void {
    const alarm = new Alarm(this, id, {
      ...options,
      alarmName: `${this.#settings.name}-${id}`,
      alarmDescription: `${says} What to do: ${runbook}#${heading.toLowerCase()}`,
    });
    const inTemplate = alarm.node.defaultChild as CfnAlarm;
    inTemplate.overrideLogicalId(`${id}Alarm`);
    inTemplate.evaluationWindow = evaluationWindow;
    alarm.addAlarmAction(told);
    alarm.addOkAction(told);
  }

  #topic(): Topic {
    const { alarmEmail, name } = this.#settings;
    const principals = [new ServicePrincipal('cloudwatch.amazonaws.com')];
    // The key that AWS has for topics lets no alarm in.
    const key = new Key(this, 'Key', {
      description: `Alarms of ${name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Without a condition: with one that KMS does not receive, every alarm would be dropped silently (decision 0017).
    key.addToResourcePolicy(
      new PolicyStatement({ principals, actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] }),
    );
    const topic = new Topic(this, 'Alarms', { displayName: `Alarms of ${name}`, masterKey: key, enforceSSL: true });
    // A policy of its own takes the place of the one that lets the account's alarms in.
    const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
    const arn = Stack.of(this).formatArn({ ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals,
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { ArnLike: { 'aws:SourceArn': arn } },
      }),
    );
    const output = new CfnOutput(this, 'AlarmTopic', { value: topic.topicArn, description: 'Where alarms are sent' });
    output.overrideLogicalId('AlarmTopic');
    if (alarmEmail === null) {
      Validations.of(topic).addWarning(
        'levy:AlarmsReachNobody',
        'No alarm wakes anybody: give alarmEmail, or subscribe to the topic of the output AlarmTopic.',
      );
      return topic;
    }
    Validations.of(topic.addSubscription(new EmailSubscription(alarmEmail))).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'SNS keeps what endpoints fail to take, and sends mail without hearing of its end.',
    });
    return topic;
  }
}
