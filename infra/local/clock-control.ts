import type { APIGatewayProxyResult } from 'aws-lambda';
import { instantMs } from '../../shared/calendar.ts';
import { advanceClock, now } from '../../shared/config/clock.ts';
import type { Problem } from '../../shared/problem.ts';
import { json, refusal } from './refusal.ts';

// Ids and keys sort by time as text, so a year has four digits.
const latestMs = Date.UTC(9999, 11, 31);

export const readClock = (requestId: string): APIGatewayProxyResult =>
  json(200, { now: new Date(now()).toISOString() }, requestId);

/** Milliseconds of a UTC instant or date as the API takes them, NaN for anything else. */
const timeMsOf = (value: unknown): number => (typeof value === 'string' ? instantMs(value) : null) ?? Number.NaN;

const secondsAheadMs = (value: unknown): number => (typeof value === 'number' ? now() + value * 1000 : Number.NaN);

const parse = (body: Buffer): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return null;
  }
};

const malformed: Problem = {
  code: 'validation_malformed_json',
  title: 'Malformed JSON',
  detail: 'The body is not JSON.',
};

const invalid = (pointer: string, detail: string): Problem => ({
  code: 'validation_invalid_format',
  title: 'Invalid Format',
  detail,
  source: { pointer },
});

/** Set the service's clock to `now`, or move it by `advance_seconds`, which may be negative. */
export const moveClock = (body: Buffer, requestId: string): APIGatewayProxyResult => {
  const parsed = parse(body);
  if (!parsed) return refusal(malformed, requestId);
  const fields = Object(parsed.value) as Readonly<Record<string, unknown>>;
  const given = ['now', 'advance_seconds'].filter((field) => fields[field] !== undefined);
  if (given.length !== 1) return refusal(invalid('', 'Send an object with now or advance_seconds.'), requestId);
  const targetMs = given[0] === 'now' ? timeMsOf(fields['now']) : secondsAheadMs(fields['advance_seconds']);
  if (!(targetMs >= 0 && targetMs <= latestMs)) {
    const detail = 'Send an instant in UTC, or a number of seconds, that leads to a time from 1970 to 9999.';
    return refusal(invalid(`/${given[0]}`, detail), requestId);
  }
  advanceClock(Math.round(targetMs - now()));
  return readClock(requestId);
};
