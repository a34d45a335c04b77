/** The steps of the test, printed as one line each with the elapsed time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A failed check or command. The message is for the user who runs the test. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

export const holds = (condition: boolean, words: string): void => {
  if (!condition) throw new Failed(words);
};

export const same = (what: string, actual: unknown, expected: unknown): void => {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  holds(a === b, `${what} is ${a}, expected ${b}`);
};

/** Runs `attempt`, by default each second, until it returns a value or the time limit in seconds is reached. */
export const eventually = async <Value>(
  what: string,
  seconds: number,
  attempt: () => Promise<Value | null>,
  pauseMs = 1000,
) => {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await attempt();
    if (value !== null) return value;
    if (Date.now() > end) throw new Failed(`${what}: not within ${seconds} s`);
    await sleep(pauseMs);
  }
};

const getReason = (error: unknown): string => {
  const { name, message, stack } = error as Error;
  return name === 'Failed' || name === 'LevyRefused' ? message : String(stack ?? error);
};

export const newRun = (print: (line: string) => void) => {
  let failures = 0;
  /**
   * Runs a step on which later steps depend: a failure ends the test. Prints the returned string, or the `words` of the
   * result.
   */
  const need = async <Value>(title: string, step: () => Promise<Value>): Promise<Value> => {
    const start = performance.now();
    const line = (word: string) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      return `${word.padEnd(6)} ${seconds.padStart(6)} s  ${title}`;
    };
    try {
      const value = await step();
      const words = typeof value === 'string' ? value : (value as { words?: string } | null | undefined)?.words;
      print(line('ok') + (words === undefined ? '' : `: ${words}`));
      return value;
    } catch (error) {
      failures += 1;
      print(line('FAILED'));
      print(getReason(error).replace(/^/gm, '                 '));
      throw error;
    }
  };
  /** Runs an independent step: the test continues after a failure. */
  const check = async (title: string, step: () => Promise<unknown>): Promise<void> => {
    await need(title, step).catch(() => {});
  };
  return { need, check, failures: () => failures };
};
export type Run = ReturnType<typeof newRun>;
