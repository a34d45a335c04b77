type Timers = typeof import('node:timers/promises');

/**
 * Timers without contention backoff: a sleep without an abort signal ends immediately, because the model has no
 * concurrent writers. A sleep with a signal waits as usual.
 */
export const withoutPauses = async (load: () => Promise<unknown>): Promise<object> => {
  const timers = (await load()) as Timers;
  const setTimeout: Timers['setTimeout'] = async (delayMs, value, options) =>
    options?.signal ? timers.setTimeout(delayMs, value, options) : (value as NonNullable<typeof value>);
  return { ...timers, setTimeout };
};
