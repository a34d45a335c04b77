import type { Context } from 'aws-lambda';
import { now } from '../config/clock.ts';
import { errorWithoutStack, failureLine } from '../observability/failure-line.ts';
import { metrics, writeMetrics } from '../observability/metric.ts';
import { millisecondsSince } from '../observability/request-line.ts';
import { requestLines, tallied } from '../observability/tally.ts';
import type { TableAccess } from '../store/table-access.ts';

type Run<Done> = (context: Context, event: unknown) => Promise<Done>;

// Metric names begin with a capital letter; `true` becomes 1.
const toFigures = (done: Readonly<Record<string, number | boolean>>) =>
  Object.fromEntries(
    Object.entries(done).map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, Number(value)]),
  );

/**
 * Creates the handler of a schedule. It logs the returned values as metrics, and the name and stack frames of a
 * failure.
 *
 * Lambda logs the message and all fields of a thrown error and copies them to the dead-letter queue, so the handler
 * throws an error that contains only the name.
 */
export const scheduled =
  <Done extends Readonly<Record<string, number | boolean>>>(schedule: string, run: Run<Done>) =>
  async (event: unknown, context: Context): Promise<Done> => {
    const start = performance.now();
    try {
      const [done, { calls, units }] = await tallied(() => run(context, event));
      const figures = toFigures(done);
      const used = { Duration: millisecondsSince(start), database_calls: calls, database_units: units };
      if (requestLines.areOn)
        writeMetrics([metrics(Object.keys(figures), 'schedule')], { schedule, ...figures, ...used }, now());
      return done;
    } catch (error) {
      const line = failureLine(error);
      console.error({ schedule, ...line });
      throw errorWithoutStack(`The schedule ${schedule} failed with ${line.error}.`);
    }
  };

/** A function that EventBridge Scheduler starts. The CDK app, the alarms and the local service use this definition. */
export type Schedule<Name extends string = string> = {
  /** The name of the file in functions/, the metric dimension and the Lambda function. */
  readonly name: Name;
  readonly minutes: number;
  readonly timeoutSeconds: number;
  readonly access: TableAccess;
};

/** Defines a schedule and its Lambda handler. `run` returns values that become metrics. */
export const defineSchedule = <const Name extends string, Done extends Readonly<Record<string, number | boolean>>>({
  run,
  ...schedule
}: Schedule<Name> & { readonly run: Run<Done> }) => ({ schedule, handler: scheduled(schedule.name, run) });
