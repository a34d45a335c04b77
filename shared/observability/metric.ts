import { environment } from '../config/environment.ts';

/** Metrics of a log line, and the field that is their dimension, if they have one. */
type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly [readonly string[]];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
};
type Fields = Readonly<Record<string, string | number | undefined>>;

/** Whether all metrics are published (setting `metrics=full`), or those that alarms and the dashboard's first row read. */
export const published = { areAll: environment.publishesAllMetrics };

/** Counted failures (`countMetric`) are always published. */
const essential: ReadonlySet<string> = new Set([...['Duration', 'Recorded', 'Refused', 'Complete', 'Failed', 'Stale']]);

/**
 * Metrics without a unit. Each name is a numeric field of the line; `by` is the field of the dimension. Metrics that the
 * setting does not publish stay fields of the line.
 */
export const metrics = (names: readonly string[], by?: string): Directive => ({
  Namespace: environment.metricsNamespace,
  Dimensions: [by === undefined ? [] : [by]],
  Metrics: names.filter((name) => published.areAll || essential.has(name)).map((Name) => ({ Name })),
});

/**
 * Write a log line in CloudWatch's embedded metric format: fields for log searches, some of which are metrics.
 *
 * Lambda's JSON format would wrap a line of the console in a record, where CloudWatch finds no metrics.
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

/** Count one event, with fields for log searches. */
export const countMetric = (name: Counted, fields: Fields, timeMs: number): void => {
  writeMetrics(
    [{ Namespace: environment.metricsNamespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }],
    { [name]: 1, ...fields },
    timeMs,
  );
};
