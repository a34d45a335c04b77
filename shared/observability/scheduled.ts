import type { Context } from 'aws-lambda';
import { failureLine } from './failure-line.ts';

type Run<Done> = (context: Context) => Promise<Done>;

/**
 * Make the handler of a schedule: it logs what was done, in figures, and of a failure the name and the place.
 *
 * Lambda itself logs what a handler throws with its message and all of its fields, and hands them on to the queue of
 * failed runs; so what it gets to see says nothing but the name.
 */
export const scheduled =
  <Done extends Readonly<Record<string, number | boolean>>>(schedule: string, run: Run<Done>) =>
  async (_event: unknown, context: Context): Promise<Done> => {
    try {
      const done = await run(context);
      console.info({ schedule, ...done });
      return done;
    } catch (error) {
      const line = failureLine(error);
      console.error({ schedule, ...line });
      const failed = new Error(`The schedule ${schedule} failed with ${line.error}.`);
      delete failed.stack;
      throw failed;
    }
  };
