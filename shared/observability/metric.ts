import { environment } from '../config/environment.ts';

/** Metrics of a log line, and the field that is their dimension, if they have one. */
type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly [readonly string[]];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
};
type Fields = Readonly<Record<string, string | number | undefined>>;

/** Metrics without a unit. Each name is a numeric field of the line; `by` is the field of the dimension. */
export const metrics = (names: readonly string[], by?: string): Directive => ({
  Namespace: environment.metricsNamespace,
  Dimensions: [by === undefined ? [] : [by]],
  Metrics: names.map((Name) => ({ Name })),
});

/**
 * Write a log line in CloudWatch's embedded metric format: fields for log searches, some of which are metrics.
 *
 * Lambda's JSON format would wrap a line of the console in a record, where CloudWatch finds no metrics.
 */
export const writeMetrics = (CloudWatchMetrics: readonly Directive[], fields: Fields, timeMs: number): void => {
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
