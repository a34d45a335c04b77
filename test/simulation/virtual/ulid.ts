import * as real from 'ulid';
import { below, world } from '../world.ts';

/**
 * In the place of `ulid`, for the service's code: the same ids, made of the schedule's numbers.
 *
 * A service has several instances, each of them with ids in order: two take turns here.
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
