import type { Context } from 'aws-lambda';
import { now } from '../config/clock.ts';
import { failureLine } from './failure-line.ts';
import { metrics, writeMetrics } from './metric.ts';
import { millisecondsSince } from './request-line.ts';
import { requestLines } from './request-lines.ts';
import { tallied } from './tally.ts';

type Run<Done> = (context: Context) => Promise<Done>;

// As CloudWatch's metrics are called; a yes is 1.
const figuresOf = (done: Readonly<Record<string, number | boolean>>) =>
  Object.fromEntries(
    Object.entries(done).map(([name, value]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, Number(value)]),
  );

/**
 * Make the handler of a schedule: it logs what was done, in figures that are its metrics, and of a failure the name and
 * the place.
 *
 * Lambda itself logs what a handler throws with its message and all of its fields, and hands them on to the queue of
 * failed runs; so what it gets to see says nothing but the name.
 */
export const scheduled =
  <Done extends Readonly<Record<string, number | boolean>>>(schedule: string, run: Run<Done>) =>
  async (_event: unknown, context: Context): Promise<Done> => {
    const start = performance.now();
    try {
      const [done, { calls, units }] = await tallied(() => run(context));
      const figures = figuresOf(done);
      const used = { Duration: millisecondsSince(start), database_calls: calls, database_units: units };
      if (requestLines.areOn)
        writeMetrics([metrics(Object.keys(figures), 'schedule')], { schedule, ...figures, ...used }, now());
      return done;
    } catch (error) {
      const line = failureLine(error);
      console.error({ schedule, ...line });
      const failed = new Error(`The schedule ${schedule} failed with ${line.error}.`);
      delete failed.stack;
      throw failed;
    }
  };
