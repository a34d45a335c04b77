import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Code } from '../base/error-codes.ts';
import { now } from '../config/clock.ts';
import { metrics, published, writeMetrics } from './metric.ts';
import { requestLines, type Tally, tallied } from './tally.ts';

/** Codes that an alarm uses (infra/monitoring/alarms.ts). */
const alarmedCodes: ReadonlySet<Code> = new Set(['system_internal_error']);

type Handle<Context> = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Returns the milliseconds since a `performance.now()` value, rounded to a tenth. */
export const millisecondsSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;

const write = (
  { requestId, operation, Duration }: { requestId: string; operation: string; Duration: number },
  { statusCode }: APIGatewayProxyResult,
  { account, calls, units, code, caches, isRecorded, taxes = [] }: Tally,
): void => {
  const lookUps = Object.keys(caches);
  const [first, ...others] = taxes;
  const timeMs = now();
  writeMetrics(
    [
      { ...metrics([], 'operation'), Metrics: [{ Name: 'Duration', Unit: 'Milliseconds' }] },
      ...(lookUps.length > 0 ? [metrics(lookUps)] : []),
      ...(isRecorded ? [metrics(['Recorded'])] : []),
      ...(code && (published.areAll || alarmedCodes.has(code)) ? [metrics(['Refused'], 'code')] : []),
      ...(first ? [metrics(['Tax'], 'state')] : []),
    ],
    {
      request_id: requestId,
      operation,
      status: statusCode,
      account,
      Duration,
      database_calls: calls,
      database_units: units,
      ...caches,
      ...(isRecorded && { Recorded: 1 }),
      ...(code && { code, Refused: 1 }),
      ...(first && { state: first[0], Tax: first[1] }),
    },
    timeMs,
  );
  // A line has one value per dimension, so each further state gets a separate line with only the metric.
  if (!published.areAll) return;
  for (const [state, Tax] of others)
    writeMetrics([metrics(['Tax'], 'state')], { request_id: requestId, state, Tax }, timeMs);
};

/** Writes one log line, with metrics, for each request of a handler (decision 0017). */
export const observed =
  <Context>(operation: string, handle: Handle<Context>): Handle<Context> =>
  async (event, context) => {
    const start = performance.now();
    const [response, tally] = await tallied(() => handle(event, context));
    const { requestId } = event.requestContext;
    if (requestLines.areOn) write({ requestId, operation, Duration: millisecondsSince(start) }, response, tally);
    return response;
  };
