import { rateLimiter } from '../accounts/rate-limiter.ts';
import type { Problem } from '../base/problem.ts';
import { now } from '../config/clock.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import { takeRequests } from '../store/accounts/rate-window.ts';
import { type Caller, Refusal, type RequestContext, requireCaller } from './request-context.ts';

const limiter = rateLimiter(takeRequests, (error) => {
  countMetric('RateLimitOpen', { error: failureLine(error).error }, now());
});

const nameLimit = ({ replyHeaders }: RequestContext, limit: number, remaining: number): void => {
  replyHeaders['X-RateLimit-Limit'] = String(limit);
  replyHeaders['X-RateLimit-Remaining'] = String(remaining);
};

/** Add the rate limit headers to a response that comes before the request is counted. */
export const showRate = (context: RequestContext, { account }: Caller): void => {
  const limit = account.settings.rate_limit;
  nameLimit(context, limit, limiter.remaining(account.id, limit, now()));
};

export const overLimit = (limit: number, retryAfterSeconds: number): Problem => ({
  code: 'rate_limit_error',
  title: 'Too Many Requests',
  detail: `The account exceeded its rate limit of ${limit} requests per 10 s. Retry in ${retryAfterSeconds} s.`,
});

/**
 * Count this request in its account's window of ten seconds, and refuse it with 429 if the window is used up.
 *
 * If the counter cannot be reached, the request passes and counts in the metric RateLimitOpen.
 */
export const limitRate = async (context: RequestContext): Promise<void> => {
  const caller = requireCaller(context);
  const { account } = caller;
  const limit = account.settings.rate_limit;
  // Set the headers first, because the invocation may time out while the request is counted, and that response needs
  // them.
  showRate(context, caller);
  const { admitted, remaining, retryAfterSeconds } = await limiter.admit(account.id, limit, now());
  nameLimit(context, limit, remaining);
  if (admitted) return;
  throw new Refusal([overLimit(limit, retryAfterSeconds)], { 'Retry-After': String(retryAfterSeconds) });
};
