import { environment } from '../config/environment.ts';

/** The metrics of a log line, and the field used as their dimension, if any. */
type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly [readonly string[]];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
};
type Fields = Readonly<Record<string, string | number | undefined>>;

/**
 * Whether all metrics are published (setting `metrics=full`), or only those that alarms and the dashboard's first row
 * use.
 */
export const published = { areAll: environment.publishesAllMetrics };

/** Metrics published under every setting, like counted failures (`countMetric`). */
const essential: ReadonlySet<string> = new Set(['Duration', 'Recorded', 'Refused', 'Complete', 'Failed', 'Stale']);

/**
 * Declares metrics without a unit. Each name is a numeric field of the line; `by` is the field used as the dimension. A
 * metric that is not published remains a field of the line.
 */
export const metrics = (names: readonly string[], by?: string): Directive => ({
  Namespace: environment.metricsNamespace,
  Dimensions: [by === undefined ? [] : [by]],
  Metrics: names.filter((name) => published.areAll || essential.has(name)).map((Name) => ({ Name })),
});

/**
 * Writes a log line in CloudWatch's embedded metric format: fields for log searches, some of which are metrics.
 *
 * Writes to stdout because Lambda's JSON log format wraps console output in a record, where CloudWatch finds no
 * metrics.
 */
export const writeMetrics = (directives: readonly Directive[], fields: Fields, timeMs: number): void => {
  const CloudWatchMetrics = directives.filter(({ Metrics }) => Metrics.length > 0);
  process.stdout.write(`${JSON.stringify({ _aws: { Timestamp: timeMs, CloudWatchMetrics }, ...fields })}\n`);
};

/** Metrics that count events, without a dimension. */
export const counted = [
  'ContentCorrupt',
  'CredentialsUnread',
  'IssuerUnavailable',
  'KeyUseUnrecorded',
  'RateLimitOpen',
] as const;
export type Counted = (typeof counted)[number];

/** Counts one event, with fields for log searches. */
export const countMetric = (name: Counted, fields: Fields, timeMs: number): void => {
  writeMetrics(
    [{ Namespace: environment.metricsNamespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }],
    { [name]: 1, ...fields },
    timeMs,
  );
};
