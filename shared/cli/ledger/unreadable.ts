import * as z from 'zod/mini';
import type { Fault } from './finding.ts';

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
