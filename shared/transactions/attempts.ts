import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangePorts } from './ports.ts';

const pauseMs = { least: 10, most: 80 };
// What one attempt may take, and the answer after it.
const reserveMs = 2000;

/**
 * Attempt a change until what it rests on stays as it was read, with jitter between, so that those who met once do not
 * meet again. Gives up while there is still time to say so.
 */
export const untilSettled = async <Value>(
  attempt: () => Promise<Value | 'stale'>,
  ports: Pick<ChangePorts, 'attemptsMax' | 'giveUp' | 'remainingMs'>,
): Promise<Value> => {
  for (let left = ports.attemptsMax; left > 0; left--) {
    const result = await attempt();
    if (result !== 'stale') return result;
    if (ports.remainingMs() < reserveMs) break;
    await sleep(pauseMs.least + Math.random() * (pauseMs.most - pauseMs.least));
  }
  return ports.giveUp();
};
