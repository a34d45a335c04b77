import { world } from '../world.ts';

/** In the place of `node:timers/promises`, for the service's code: pauses take the schedule's time, and none of ours. */
export const setTimeout = <Value>(
  ms: number,
  value?: Value,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Value> =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    world.sleep(ms, signal).then(() => resolve(value as Value));
  });
