import type { Time } from '../../shared/base/contention.ts';

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
  const pass = (milliseconds: number) => {
    clock.ms += milliseconds;
  };
  /** The remaining time of an invocation with this timeout. */
  const remainingOf = (milliseconds: number) => () => milliseconds - clock.ms;
  return { time, pauses, pass, remainingOf };
};
