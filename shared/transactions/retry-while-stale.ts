import { pauseBefore, realTime, type Time } from '../backoff.ts';
import type { ChangePorts } from './ports.ts';

const pauses = { firstMs: 20, mostMs: 320 };
// The time reserved for one attempt and the answer.
const reserveMs = 2000;

/**
 * Retry a change while concurrent writes make it stale, with backoff and full jitter. Throws contention while there is
 * still time to answer.
 */
export const retryWhileStale = async <Value>(
  attempt: () => Promise<Value | 'stale'>,
  ports: Pick<ChangePorts, 'attemptsMax' | 'throwContention' | 'remainingMs'>,
  time: Time = realTime,
): Promise<Value> => {
  for (let retry = 0; retry < ports.attemptsMax; retry++) {
    const result = await attempt();
    if (result !== 'stale') return result;
    const pauseMs = pauseBefore(retry, pauses, time);
    if (pauseMs > ports.remainingMs() - reserveMs) break;
    await time.sleep(pauseMs);
  }
  return ports.throwContention();
};
