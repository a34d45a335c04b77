import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type ScheduleName, schedules } from '../functions/endpoints.ts';
import type { Schedule as ScheduleDefinition } from '../shared/http/define-schedule.ts';
import type { Entry } from './bundling.ts';
import { deadLetterQueue } from './dead-letter-queue.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { fixLogicalId, pascalCase } from './logical-id.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

type Props = { readonly tables: Tables; readonly settings: Settings };

/** The role with which schedules invoke a function. The one that LambdaInvoke creates could also invoke every version. */
export const invokerOf = (scope: Construct, name: Entry, { functionArn }: IFunction, failedRuns: Queue): IRole => {
  const role = new Role(scope, `${name}-invoker`, {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      // Prevents the confused deputy: no other account's schedule may use this role.
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] }));
  role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [failedRuns.queueArn] }));
  return role.withoutPolicyUpdates();
};

/** Failed runs of a function go to a failure destination. cdk-nag expects a dead-letter queue of the function. */
export const acknowledgeFailureDestination = (handler: EndpointFunction): void =>
  Validations.of(handler).acknowledge({
    id: 'Serverless-LambdaDLQ',
    reason: 'Its failed runs go to a failure destination, which keeps the error too; a dead-letter queue would not.',
  });

/** The schedules, each with its own function. */
export class Schedules extends Construct {
  readonly #props: Props;
  readonly failedRuns: Queue;
  /** The targets of the schedules. */
  readonly invoked: IFunction[] = [];

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    this.#props = props;
    // The next run repeats the work of a failed one. The queue keeps the error.
    this.failedRuns = deadLetterQueue(this, 'FailedRuns', 'runs');
    for (const definition of Object.values(schedules)) this.#add(definition);
  }

  #add({ name, minutes, timeoutSeconds, access }: ScheduleDefinition<ScheduleName>): void {
    const period = Duration.minutes(minutes);
    const handler = new EndpointFunction(this, name, {
      ...this.#props,
      access,
      timeout: Duration.seconds(timeoutSeconds),
    });
    // No gradual deployment: one run in five minutes cannot be split, and the next run repeats what failed.
    const called = handler.publish({
      // The next run is the retry. A run delayed by a whole period would only run in parallel to it.
      retryAttempts: 0,
      maxEventAge: period,
      onFailure: new SqsDestination(this.failedRuns),
    });
    this.invoked.push(called);
    acknowledgeFailureDestination(handler);
    const schedule = new Schedule(this, `${name}-schedule`, {
      schedule: ScheduleExpression.rate(period),
      target: new LambdaInvoke(called, {
        role: invokerOf(this, name, called, this.failedRuns),
        input: ScheduleTargetInput.fromObject({}),
        retryAttempts: 2,
        maxEventAge: period,
        deadLetterQueue: this.failedRuns,
      }),
    });
    fixLogicalId(schedule, `${pascalCase(name)}Schedule`);
  }
}
