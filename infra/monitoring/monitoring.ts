import { type CfnElement, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Tables } from '../tables.ts';
import { type AlarmDefinition, alarmsOf, type Watched } from './alarms.ts';
import { dashboardRows } from './dashboard.ts';
import { metricsOf } from './metrics.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

const runbook = 'infra/decisions/0017-what-wakes-a-person.md';

// By their ids in the template, which are fixed: other constructs keep their queues to themselves.
const queueName = (id: 'FailedRuns' | 'UntoldEvents') => Fn.getAtt(id, 'QueueName').toString();

/** The dashboard, the alarms, and where they are sent (decision 0017). */
export class Monitoring extends Construct {
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, { tables, settings }: Props) {
    super(scope, id);
    this.#settings = settings;
    const watched: Watched = {
      metrics: metricsOf(settings),
      ledger: tables.nameOf('transactions'),
      untold: settings.events ? queueName('UntoldEvents') : null,
    };
    const told = new SnsAction(this.#topic());
    for (const definition of alarmsOf(watched)) this.#add(definition, told);
    const widgets = dashboardRows(watched, queueName('FailedRuns'));
    new Dashboard(this, 'Dashboard', { dashboardName: settings.name, widgets });
  }

  #add({ id, runbook: heading, says, ...options }: AlarmDefinition, told: SnsAction): void {
    const alarm = new Alarm(this, id, {
      ...options,
      alarmName: `${this.#settings.name}-${id}`,
      alarmDescription: `${says} What to do: ${runbook}#${heading.toLowerCase()}`,
    });
    (alarm.node.defaultChild as CfnElement).overrideLogicalId(`${id}Alarm`);
    alarm.addAlarmAction(told);
    alarm.addOkAction(told);
  }

  #topic(): Topic {
    const { alarmEmail, name } = this.#settings;
    const cloudWatch = (actions: string[], resources: string[]) =>
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions,
        resources,
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      });
    // The key that AWS has for topics lets no alarm in.
    const key = new Key(this, 'Key', {
      description: `Alarms of ${name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    key.addToResourcePolicy(cloudWatch(['kms:Decrypt', 'kms:GenerateDataKey*'], ['*']));
    const topic = new Topic(this, 'Alarms', { displayName: `Alarms of ${name}`, masterKey: key, enforceSSL: true });
    // A policy of its own takes the place of the one that lets the account's alarms in.
    topic.addToResourcePolicy(cloudWatch(['sns:Publish'], [topic.topicArn]));
    if (alarmEmail === null) return topic;
    Validations.of(topic.addSubscription(new EmailSubscription(alarmEmail))).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'SNS keeps what endpoints fail to take, and sends mail without hearing of its end.',
    });
    return topic;
  }
}
