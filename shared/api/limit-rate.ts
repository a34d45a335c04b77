import { rateLimiter } from '../accounts/rate-limiter.ts';
import type { Problem } from '../base/result.ts';
import { now } from '../config/clock.ts';
import { failureLine } from '../observability/failure-line.ts';
import { countMetric } from '../observability/metric.ts';
import { takeRequests } from '../store/accounts/rate-window.ts';
import { type Caller, Refusal, type RequestContext, requireCaller } from './request-context.ts';

const limiter = rateLimiter(takeRequests, (error) => {
  countMetric('RateLimitOpen', { error: failureLine(error).error }, now());
});

const nameLimit = ({ responseHeaders }: RequestContext, limit: number, remaining: number): void => {
  responseHeaders['X-RateLimit-Limit'] = String(limit);
  responseHeaders['X-RateLimit-Remaining'] = String(remaining);
};

/** Adds the rate limit headers to a response that is sent before the request is counted. */
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
 * Counts this request in its account's ten-second window, and refuses it with 429 if the limit is exhausted. If the
 * counter cannot be reached, the request is admitted and counted in the metric RateLimitOpen.
 */
export const limitRate = async (context: RequestContext): Promise<void> => {
  const caller = requireCaller(context);
  const { account } = caller;
  const limit = account.settings.rate_limit;
  // Sets the headers first, because the response to a timeout during counting needs them.
  showRate(context, caller);
  const { admitted, remaining, retryAfterSeconds } = await limiter.admit(account.id, limit, now());
  nameLimit(context, limit, remaining);
  if (admitted) return;
  throw new Refusal([overLimit(limit, retryAfterSeconds)], { 'Retry-After': String(retryAfterSeconds) });
};
