import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';

/** Whether an error says that what was read is not what the service writes: no JSON, no amounts, other fields, other bytes. */
const isOfContent = (error: unknown): boolean => {
  if (error instanceof z.core.$ZodError) return true;
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
};

/** What a check finds, or that what it looks at cannot be read. An outage is still one. */
export const orUnreadable = async (
  what: string,
  check: () => Promise<readonly Fault[]> | readonly Fault[],
): Promise<readonly Fault[]> => {
  try {
    return await check();
  } catch (error) {
    if (!isOfContent(error)) throw error;
    return [{ what, is: 'not readable', should_be: 'what the service writes' }];
  }
};

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

/** What is looked at of a transaction, in the order of the report. */
export const checks = ['head', 'chain', 'states', 'totals', 'credits', 'claims', 'entries', 'filings'] as const;
export type Check = (typeof checks)[number];

/** Something that is not as it should be: which transaction or filing, what of it, how it is, and how it should be. */
export type Finding = {
  /** Of the transaction, or of the filing. */
  readonly id: string;
  readonly check: Check;
  readonly what: string;
  readonly is: string;
  readonly should_be: string;
};

/** A finding whose transaction or filing is known by then. */
export type Fault = Omit<Finding, 'id' | 'check'>;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** The fault that a value is not the one that it should be; nothing where it is. */
export const differing = (what: string, is: unknown, shouldBe: unknown): Fault[] => {
  const [one, other] = [textOf(is), textOf(shouldBe)];
  return one === other ? [] : [{ what, is: one, should_be: other }];
};

export const findingText = ({ id, check, what, is, should_be }: Finding): string =>
  `${id}  ${check}: ${what} is ${is}, should be ${should_be}`;
