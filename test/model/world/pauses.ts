type Timers = typeof import('node:timers/promises');

/**
 * The timers without the pauses that somebody makes who has met another, for the other's sake: here there is none. Who
 * can be called back waits as ever.
 */
export const withoutPauses = async (load: () => Promise<unknown>): Promise<object> => {
  const timers = (await load()) as Timers;
  const setTimeout: Timers['setTimeout'] = async (delayMs, value, options) =>
    options?.signal ? timers.setTimeout(delayMs, value, options) : (value as never);
  return { ...timers, setTimeout };
};
