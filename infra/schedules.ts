import { Aws, Duration, Size } from 'aws-cdk-lib';
import { Effect, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventInvokeConfigOptions, IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { ContextAttribute, Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import { type ScheduleName, schedules } from '../functions/endpoints.ts';
import { night, updateContent } from '../functions/update-content.ts';
import type { Schedule as ScheduleDefinition } from '../shared/api/define-schedule.ts';
import { activeReleasesKey } from '../shared/store/keys.ts';
import { fixLogicalId, pascalCase, ServiceRole } from './constructs.ts';
import { type Deployment, EndpointFunction } from './endpoint-function.ts';

/** A function that schedules start, and the role that they use. */
type Scheduled = { readonly called: IFunction; readonly role: IRole; readonly maxEventAge: Duration };

/** The schedules: draft sweep, closing of periods, and nightly updates of the states' tax content (decision 0022). */
export class Schedules extends Construct {
  readonly #deployment: Deployment;
  /** The targets of the schedules. */
  readonly invoked: IFunction[] = [];

  constructor(scope: Construct, id: string, deployment: Deployment) {
    super(scope, id);
    this.#deployment = deployment;
    for (const definition of Object.values(schedules)) this.#addRegular(definition);
    if (deployment.settings.contentUpdates !== 'off') this.#addContentUpdates();
  }

  #addRegular({ name, minutes, timeoutSeconds, access }: ScheduleDefinition<ScheduleName>): void {
    const timeout = Duration.seconds(timeoutSeconds);
    const handler = new EndpointFunction(this, name, this.#deployment, { access, timeout });
    const period = Duration.minutes(minutes);
    // The next run is the retry. A run delayed by a whole period would only overlap with the next one.
    const scheduled = this.#publish(handler, { retryAttempts: 0, maxEventAge: period });
    this.#schedule(`${pascalCase(name)}Schedule`, scheduled, ScheduleExpression.rate(period), {});
  }

  #addContentUpdates(): void {
    const { data, settings } = this.#deployment;
    const { name, access, timeoutSeconds, memoryMegabytes, storageMegabytes } = updateContent;
    const bus = data.events?.bus;
    const handler = new EndpointFunction(this, name, this.#deployment, {
      access,
      timeout: Duration.seconds(timeoutSeconds),
      memorySize: memoryMegabytes,
      ephemeralStorageSize: Size.mebibytes(storageMegabytes),
      environment: {
        CONTENT_UPDATES: settings.contentUpdates,
        ...(settings.contentMirror !== null && { LEVY_CONTENT_MIRROR: settings.contentMirror }),
        ...(bus && { EVENT_BUS: bus.eventBusName }),
      },
    });
    if (bus) handler.role.allow('events', ['PutEvents'], [bus.eventBusArn]);
    if (settings.contentUpdates === 'propose') this.#forbidActivation(handler);
    // A second attempt for a run that failed with a bug or an outage; publisher failures are retried the next night.
    const scheduled = this.#publish(handler, { retryAttempts: 1, maxEventAge: Duration.hours(6) });
    const { firstHour, hours, minutes } = night;
    const when = ScheduleExpression.cron({ hour: `${firstHour}-${firstHour + hours - 1}`, minute: `0/${minutes}` });
    this.#schedule('UpdateContentSchedule', scheduled, when, { scheduled_time: ContextAttribute.scheduledTime });
  }

  /** Prevents a function that only proposes releases from changing which releases are active. */
  #forbidActivation(handler: EndpointFunction): void {
    handler.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
        resources: [this.#deployment.data.tables.getArn('content')],
        conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:LeadingKeys': [activeReleasesKey.pk] } },
      }),
    );
  }

  /**
   * Publishes a function for schedules. No gradual deployment: one run in five minutes cannot be split, and the next
   * run repeats failed work. The role that LambdaInvoke creates could also invoke every version.
   */
  #publish(handler: EndpointFunction, options: EventInvokeConfigOptions & Pick<Scheduled, 'maxEventAge'>): Scheduled {
    const { failedRuns } = this.#deployment.data;
    const called = handler.publish(
      'Failed runs go to a failure destination, which also records the error; a dead-letter queue would not.',
      { ...options, onFailure: new SqsDestination(failedRuns) },
    );
    this.invoked.push(called);
    // Prevents the confused deputy: no other account's schedule can use this role.
    const condition = { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } };
    const role = new ServiceRole(this, `${handler.node.id}-invoker`, 'scheduler', condition);
    role.allow('lambda', ['InvokeFunction'], [called.functionArn]);
    role.allow('sqs', ['SendMessage'], [failedRuns.queueArn]);
    return { called, role: role.withoutPolicyUpdates(), maxEventAge: options.maxEventAge };
  }

  #schedule(id: string, { called, role, maxEventAge }: Scheduled, when: ScheduleExpression, input: object): void {
    const schedule = new Schedule(this, id, {
      schedule: when,
      target: new LambdaInvoke(called, {
        role,
        input: ScheduleTargetInput.fromObject(input),
        retryAttempts: 2,
        maxEventAge,
        deadLetterQueue: this.#deployment.data.failedRuns,
      }),
    });
    fixLogicalId(schedule, id);
  }
}
