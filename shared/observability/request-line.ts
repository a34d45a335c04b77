import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { now } from '../config/clock.ts';
import { metrics, writeMetrics } from './metric.ts';
import { requestLines } from './request-lines.ts';
import { type Tally, tallied } from './tally.ts';

type Handle<Context> = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Milliseconds since then, to a tenth: nothing finer is alike twice. */
export const millisecondsSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;

// The first problem's, which sets the status. Every refusal is in the envelope (shared/http/reply.ts).
const codeOf = ({ statusCode, body }: APIGatewayProxyResult): string | undefined =>
  statusCode < 400 ? undefined : JSON.parse(body).errors[0].code;

const write = (
  { requestId, operation, Duration }: { requestId: string; operation: string; Duration: number },
  response: APIGatewayProxyResult,
  { account, calls, units, kept, taxes = [] }: Tally,
): void => {
  const code = codeOf(response);
  const lookUps = Object.keys(kept);
  const [first, ...others] = taxes;
  const timeMs = now();
  writeMetrics(
    [
      { ...metrics([], 'operation'), Metrics: [{ Name: 'Duration', Unit: 'Milliseconds' }] },
      ...(lookUps.length > 0 ? [metrics(lookUps)] : []),
      ...(code ? [metrics(['Refused'], 'code')] : []),
      ...(first ? [metrics(['Tax'], 'state')] : []),
    ],
    {
      request_id: requestId,
      operation,
      status: response.statusCode,
      account,
      Duration,
      database_calls: calls,
      database_units: units,
      ...kept,
      ...(code && { code, Refused: 1 }),
      ...(first && { state: first[0], Tax: first[1] }),
    },
    timeMs,
  );
  // A line has one value of a dimension. A document of several states, which is rare, has a line for each.
  for (const [state, Tax] of others)
    writeMetrics([metrics(['Tax'], 'state')], { request_id: requestId, state, Tax }, timeMs);
};

/** Give each request of a handler its one line in the log, which is its metrics, too (decision 0017). */
export const observed =
  <Context>(operation: string, handle: Handle<Context>): Handle<Context> =>
  async (event, context) => {
    const start = performance.now();
    const [response, tally] = await tallied(() => handle(event, context));
    const { requestId } = event.requestContext;
    if (requestLines.areOn) write({ requestId, operation, Duration: millisecondsSince(start) }, response, tally);
    return response;
  };
