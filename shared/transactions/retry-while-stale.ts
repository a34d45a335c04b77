import { pauseBefore, realTime, type Time } from '../backoff.ts';
import type { ChangePorts } from './ports.ts';

const pauses = { firstMs: 20, mostMs: 320 };
// What one attempt may take, and the answer after it.
const reserveMs = 2000;

/**
 * Attempt a change until what it rests on stays as it was read, with full jitter in between. Gives up while there is
 * still time to say so.
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
