import type { Time } from '../../shared/backoff.ts';

/** Virtual time, which passes only during sleeps, and the recorded sleeps; `random` is what is drawn each time. */
export const virtualTime = (random = 0.5) => {
  const pauses: number[] = [];
  const clock = { ms: 0 };
  const time: Time = {
    now: () => clock.ms,
    sleep: async (milliseconds) => {
      pauses.push(milliseconds);
      clock.ms += milliseconds;
    },
    random: () => random,
  };
  /** As an attempt does. */
  const pass = (milliseconds: number) => {
    clock.ms += milliseconds;
  };
  /** What is left of an invocation that lasts so long. */
  const remainingOf = (milliseconds: number) => () => milliseconds - clock.ms;
  return { time, pauses, pass, remainingOf };
};
