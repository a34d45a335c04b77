import { setTimeout as pause } from 'node:timers/promises';
import type { Finding } from './finding.ts';

const readings = 3;

type Read<Value> = () => Promise<Value>;

/**
 * Look for what was found again.
 *
 * A ledger that is in use changes between two reads. So a finding counts only if it is found in the same words three times.
 */
export const confirmed = async <Value extends { readonly findings: readonly Finding[] }>(
  read: Read<Value>,
  pauseMs: number,
): Promise<Value> => {
  let value = await read();
  for (let reading = 2; reading <= readings && value.findings.length > 0; reading++) {
    await pause(pauseMs);
    const before = new Set(value.findings.map((finding) => JSON.stringify(finding)));
    const again = await read();
    value = { ...again, findings: again.findings.filter((finding) => before.has(JSON.stringify(finding))) };
  }
  return value;
};
