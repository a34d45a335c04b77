import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { type Fault, faultText } from '../../ledger/invariants.ts';

/** The checks of a ledger, in the order of the report. */
export const checks = ['head', 'chain', 'states', 'totals', 'credits', 'claims', 'entries', 'filings'] as const;
export type Check = (typeof checks)[number];

/** An inconsistency of a transaction or a filing. */
export type Finding = Fault & {
  /** The id of the transaction or the filing. */
  readonly id: string;
  readonly check: Check;
};

export const findingsOf = (id: string, check: Check, faults: readonly Fault[]): Finding[] =>
  faults.map((fault) => ({ id, check, ...fault }));

export const findingText = ({ id, check, ...fault }: Finding): string => `${id}  ${check}: ${faultText(fault)}`;

/** The parsed value, or `null` if the stored item cannot be parsed. */
export const parseOrNull = <Value>(read: () => Value): Value | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Whether an error is about stored content: invalid JSON, amounts, fields or compressed bytes. */
const isOfContent = (error: unknown): boolean => {
  if (error instanceof z.core.$ZodError) return true;
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
};

/** The faults of a check, or one fault if the content is not readable. An outage still throws. */
export const findingIfUnreadable = async (
  what: string,
  check: () => Promise<readonly Fault[]> | readonly Fault[],
): Promise<readonly Fault[]> => {
  try {
    return await check();
  } catch (error) {
    if (!isOfContent(error)) throw error;
    return [{ what, actual: 'not readable', expected: 'what the service writes' }];
  }
};

const readings = 3;

/**
 * Repeat a check that has findings. A ledger in use changes between two reads, so a finding counts only if three reads
 * report the same text.
 */
export const confirmed = async <Value extends { readonly findings: readonly Finding[] }>(
  read: () => Promise<Value>,
  pauseMs: number,
): Promise<Value> => {
  let value = await read();
  for (let reading = 2; reading <= readings && value.findings.length > 0; reading++) {
    await pause(pauseMs);
    const before = new Set(value.findings.map((finding) => JSON.stringify(finding)));
    const next = await read();
    value = { ...next, findings: next.findings.filter((finding) => before.has(JSON.stringify(finding))) };
  }
  return value;
};
