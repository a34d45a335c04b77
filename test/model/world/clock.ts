import { afterAll, vi } from 'vitest';

const start = '11-01T00:00:00.000Z';

/**
 * How many milliseconds there are to the next 1 November: every run begins on one, so that it meets the same ends of
 * months when it is repeated alone.
 */
export const untilStart = (nowMs: number): number => {
  const year = new Date(nowMs).getUTCFullYear();
  const [here, next] = [year, year + 1].map((one) => Date.parse(`${one}-${start}`)) as [number, number];
  return (here >= nowMs ? here : next) - nowMs;
};

/**
 * Have the clock stand still unless a command moves it, so that a model can know every instant. It only ever goes
 * forward, from run to run too: ids sort by time, and one instance makes none that sorts before its last.
 */
export const stillClock = (): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`2026-${start}`) });
  // Of every sweep.
  vi.spyOn(console, 'info').mockImplementation(() => {});
};

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
