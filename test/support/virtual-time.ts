import type { Time } from '../../shared/base/contention.ts';

/** Virtual time that passes only during sleeps, with the recorded sleeps. `random` is the fixed random value. */
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
  /** Returns the remaining time of an invocation with this timeout. */
  const remainingOf = (milliseconds: number) => () => milliseconds - clock.ms;
  return { time, pauses, pass, remainingOf };
};
