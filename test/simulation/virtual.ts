import * as real from 'ulid';
import { below, world } from './world.ts';

/** Replaces `node:timers/promises` and `ulid` for the service. */

/** Pauses take only virtual time. */
export const setTimeout = <Value>(
  ms: number,
  value?: Value,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Value> =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    world.sleep(ms, signal).then(() => resolve(value as Value));
  });

/**
 * Creates ids from the schedule's random numbers, so that a seed always has the same ids. The service has several
 * instances, each with increasing ids. This simulates two.
 */
export const monotonicFactory = (): real.ULIDFactory => {
  let epoch = -1;
  let instances: real.ULIDFactory[] = [];
  return (timeMs) => {
    if (epoch !== world.epoch) {
      epoch = world.epoch;
      instances = [real.monotonicFactory(() => world.random()), real.monotonicFactory(() => world.random())];
    }
    return (instances[below(2)] as real.ULIDFactory)(timeMs ?? world.nowMs);
  };
};

export const ulid = (timeMs = world.nowMs): string => real.ulid(timeMs, () => world.random());

export const { decodeTime, encodeTime, isValid } = real;
