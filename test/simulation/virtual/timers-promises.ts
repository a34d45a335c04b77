import { world } from '../world.ts';

/** Replaces `node:timers/promises` for the service: pauses take only virtual time. */
export const setTimeout = <Value>(
  ms: number,
  value?: Value,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Value> =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    world.sleep(ms, signal).then(() => resolve(value as Value));
  });
