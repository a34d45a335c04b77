import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';

/** Whether an error is about stored content: invalid JSON, amounts, fields or compressed bytes. */
const isOfContent = (error: unknown): boolean => {
  if (error instanceof z.core.$ZodError) return true;
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
};

/** The faults of a check, or one fault if the content is not readable. An outage still throws. */
export const orUnreadable = async (
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

type Read<Value> = () => Promise<Value>;

/**
 * Repeat a check that found something. A ledger in use changes between two reads, so a finding counts only if three reads
 * report the same text.
 */
export const confirmed = async <Value extends { readonly findings: readonly Finding[] }>(
  read: Read<Value>,
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

/** The checks of a transaction, in the order of the report. */
export const checks = ['head', 'chain', 'states', 'totals', 'credits', 'claims', 'entries', 'filings'] as const;
export type Check = (typeof checks)[number];

/** An inconsistency of a transaction or a filing. */
export type Finding = {
  /** The id of the transaction or the filing. */
  readonly id: string;
  readonly check: Check;
  readonly what: string;
  readonly actual: string;
  readonly expected: string;
};

/** A finding without its transaction or filing. */
export type Fault = Omit<Finding, 'id' | 'check'>;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** A fault if the values differ, otherwise none. */
export const differing = (what: string, actualValue: unknown, expectedValue: unknown): Fault[] => {
  const [actual, expected] = [textOf(actualValue), textOf(expectedValue)];
  return actual === expected ? [] : [{ what, actual, expected }];
};

export const findingText = ({ id, check, what, actual, expected }: Finding): string =>
  `${id}  ${check}: ${what} is ${actual}, should be ${expected}`;
