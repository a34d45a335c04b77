import { ArnFormat, CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, type CfnAlarm, ComparisonOperator, Dashboard, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { runsOfNight } from '../../functions/update-content.ts';
import { fixLogicalId } from '../constructs.ts';
import type { DataStack } from '../data-stack.ts';
import { notificationTopic } from '../notifications.ts';
import type { Settings } from '../settings.ts';
import { type AlarmDefinition, type AlarmSources, listAlarms } from './alarms.ts';
import { dashboardRows } from './dashboard.ts';
import { listMetrics } from './metrics.ts';

type Props = {
  readonly settings: Settings;
  readonly data: DataStack;
  /** `null` without events. */
  readonly pipe: CfnPipe | null;
  /** Name of the function that counts transactions for reports. */
  readonly counter: string;
};

const runbook = 'infra/runbook.md';

/** The dashboard, the alarms, and their notification topic (decision 0017). */
export class Monitoring extends Construct {
  readonly #settings: Settings;

  constructor(scope: Construct, id: string, { settings, data, pipe, counter }: Props) {
    super(scope, id);
    this.#settings = settings;
    const { tables, events, vault } = data;
    const watched: AlarmSources = {
      metrics: listMetrics(settings),
      ledger: tables.nameOf('transactions'),
      tables: tables.names,
      indexes: tables.indexes,
      failedRuns: data.failedRuns.queueName,
      updates: settings.contentUpdates === 'off' ? null : runsOfNight,
      events: pipe && events && { pipe: pipe.ref, deadLetterQueue: events.deadLetterQueue.queueName },
      reports: { counter, deadLetterQueue: data.uncounted.queueName },
      backups: vault && {
        vault: vault.backupVaultName,
        isDaily: settings.backups === 'daily',
        tables: tables.kept.length,
      },
      isFull: settings.metrics === 'full',
    };
    const notification = new SnsAction(this.#topic());
    for (const definition of listAlarms(watched)) this.#add(definition, notification);
    new Dashboard(this, 'Dashboard', { dashboardName: settings.name, widgets: dashboardRows(watched) });
  }

  #add(definition: AlarmDefinition, notification: SnsAction): void {
    const { id, runbook: heading = id, description, evaluationWindow, ...options } = definition;
    const alarm = new Alarm(this, id, {
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // A period without requests is not a failure.
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...options,
      alarmName: `${this.#settings.name}-${id}`,
      alarmDescription: `${description} What to do: ${this.#settings.runbookUrl ?? runbook}#${heading.toLowerCase()}`,
    });
    fixLogicalId(alarm, `${id}Alarm`);
    (alarm.node.defaultChild as CfnAlarm).evaluationWindow = evaluationWindow;
    alarm.addAlarmAction(notification);
    alarm.addOkAction(notification);
  }

  #topic(): Topic {
    const { alarmEmail, name } = this.#settings;
    const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
    const sourceArn = Stack.of(this).formatArn({ ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    const displayName = `Alarms of ${name}`;
    const topic = notificationTopic(this, 'Alarms', {
      ...{ displayName, service: 'cloudwatch', sourceArn, email: alarmEmail },
    });
    const output = new CfnOutput(this, 'AlarmTopic', { value: topic.topicArn, description: 'The topic for alarms' });
    fixLogicalId(output, 'AlarmTopic');
    if (alarmEmail === null)
      Validations.of(topic).addWarning(
        'levy:AlarmsReachNobody',
        'Alarms notify no one. Set alarmEmail, or subscribe to the topic in the output AlarmTopic.',
      );
    return topic;
  }
}
