import { rateLimiter, windowMs } from '../../accounts/rate-limiter.ts';
import { monthSeconds } from './assumed.ts';

const start = 1_800_000_000_000;
const windows = 20;
const million = 1_000_000;
const failed = (error: unknown): never => {
  throw error;
};

/**
 * How often the rate limit's counter is written for so many requests of a month, which come evenly and take so long: the
 * limiter itself says it, for one instance of as many as that takes, of an account that uses half of its limit.
 */
export const limiterWrites = async (
  requests: bigint,
  microseconds: number,
  perSecondOfAll: number,
): Promise<bigint> => {
  const perSecond = Number(requests) / Number(monthSeconds);
  const instances = Math.max(1, Math.ceil((perSecond * microseconds) / million));
  const stepMs = (1000 * instances) / perSecond;
  // Who comes less often than once in a window leases one request each time.
  if (requests === 0n || stepMs >= windowMs) return requests;
  const limit = Math.max(2000, Math.ceil((2 * perSecondOfAll * windowMs) / 1000));
  let now = start;
  let writes = 0;
  let asked = 0;
  const { admit } = rateLimiter(async (_, windowStart) => {
    writes += 1;
    return { taken: true, used: Math.floor((perSecondOfAll * (now - windowStart)) / 1000) + 1 };
  }, failed);
  for (; now < start + windows * windowMs; now += stepMs) {
    asked += 1;
    await admit('acct', limit, Math.floor(now));
  }
  return (requests * BigInt(Math.ceil((million * writes) / asked))) / BigInt(million);
};
