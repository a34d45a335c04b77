import type { Context } from 'aws-lambda';

/** A function took longer than its time limit. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

type Invocation = { readonly functionName: string; readonly requestId: string; readonly timeoutMs: number };
type Invocable<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;

// Only the fields that handlers read: there is no log group and no ARN here.
const newContext = ({ functionName, requestId, timeoutMs }: Invocation): Context => {
  const deadline = performance.now() + timeoutMs;
  return {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  } as Context;
};

/** Call a handler as Lambda does: with a context that counts down, and a time limit. */
export const invoke = async <Event, Answer>(
  handler: Invocable<Event, Answer>,
  event: Event,
  invocation: Invocation,
): Promise<Answer> => {
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => expired.reject(new TimedOut(invocation.functionName)), invocation.timeoutMs);
  try {
    const answer = (async () => handler(event, newContext(invocation)))();
    return await Promise.race([answer, expired.promise]);
  } finally {
    clearTimeout(timer);
  }
};
