/**
 * Where the SDK looks for the trace of one of several invocations that run at once in one process.
 *
 * Ours run one at a time, and without this store the SDK takes the trace from the environment.
 */
export const InvokeStore = { getInstanceAsync: async (): Promise<undefined> => undefined };
