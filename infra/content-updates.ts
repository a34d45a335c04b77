import { Duration, Size } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { updateContent } from '../functions/update-content.ts';
import { importable } from '../shared/content/updates/publishers.ts';
import { activeReleasesKey } from '../shared/store/keys.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { fixLogicalId } from './logical-id.ts';
import { acknowledgeFailureDestination, invokerOf } from './schedules.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = {
  readonly tables: Tables;
  readonly settings: Settings;
  readonly failedRuns: Queue;
  /** `null` without events. */
  readonly bus: EventBus | null;
};

/** The hours (UTC) in which the updates begin: 1 to 5 a.m. in New York, and 10 p.m. to 2 a.m. in Los Angeles. */
const night = { firstHour: 6, minutes: 240 };

/** The minute of the night at which the update of each state begins, spread evenly. No two are the same. */
const startOf = (index: number): { readonly hour: string; readonly minute: string } => {
  const minute = Math.floor((index * night.minutes) / importable.length);
  return { hour: String(night.firstHour + Math.floor(minute / 60)), minute: String(minute % 60) };
};

/** Daily updates of tax content from the publishers: one function, and a schedule for each state (decision 0022). */
export class ContentUpdates extends Construct {
  /** The target of the schedules. */
  readonly invoked: IFunction;

  constructor(scope: Construct, id: string, { tables, settings, failedRuns, bus }: Props) {
    super(scope, id);
    const { name, access, timeoutSeconds, memoryMegabytes, storageMegabytes } = updateContent;
    const handler = new EndpointFunction(this, name, {
      ...{ tables, settings, access },
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMegabytes,
      ephemeralStorageSize: Size.mebibytes(storageMegabytes),
      environment: {
        CONTENT_UPDATES: settings.contentUpdates,
        ...(settings.contentMirror !== null && { LEVY_CONTENT_MIRROR: settings.contentMirror }),
        ...(bus && { EVENT_BUS: bus.eventBusName }),
      },
    });
    if (bus)
      handler.addToRolePolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }));
    if (settings.contentUpdates === 'propose') forbidActivation(handler, tables);
    acknowledgeFailureDestination(handler);
    // A second attempt of a run that failed with a bug or an outage; failures of publishers wait for the next night.
    const maxEventAge = Duration.hours(6);
    const onFailure = new SqsDestination(failedRuns);
    const called = handler.publish({ retryAttempts: 1, maxEventAge, onFailure });
    this.invoked = called;
    const role = invokerOf(this, name, called, failedRuns);
    for (const [index, { state }] of importable.entries()) {
      const input = ScheduleTargetInput.fromObject({ state });
      const schedule = new Schedule(this, `${name}-${state}`, {
        description: `Updates the tax content of ${state}`,
        schedule: ScheduleExpression.cron(startOf(index)),
        target: new LambdaInvoke(called, { role, input, retryAttempts: 2, maxEventAge, deadLetterQueue: failedRuns }),
      });
      fixLogicalId(schedule, `UpdateContent${state}Schedule`);
    }
  }
}

/** A function that only proposes cannot change which releases are active. */
const forbidActivation = (handler: EndpointFunction, tables: Tables): void =>
  handler.addToRolePolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
      resources: [tables.arnOf('content')],
      conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': [activeReleasesKey.pk] } },
    }),
  );
