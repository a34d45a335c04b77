import type { Context } from 'aws-lambda';
import type { TableAccess } from './store/table-access.ts';

/** A function that EventBridge Scheduler starts. The CDK app, the alarms and the local service derive from it. */
export type Schedule<Name extends string = string> = {
  /** Also the name of the file in functions/, of the metric dimension and of the Lambda function. */
  readonly name: Name;
  readonly minutes: number;
  readonly timeoutSeconds: number;
  readonly access: TableAccess;
};

type Run<Done> = (context: Context) => Promise<Done>;

/** Define a schedule, whose `run` returns figures that become metrics. */
export const defineSchedule = <const Name extends string, Done extends Readonly<Record<string, number | boolean>>>(
  schedule: Schedule<Name> & { readonly run: Run<Done> },
): Schedule<Name> & { readonly run: Run<Done> } => schedule;
