import { environment } from '../config/environment.ts';

/** What CloudWatch takes from a line: metrics, and by which field it tells their series apart, if by one. */
type Directive = {
  readonly Namespace: string;
  readonly Dimensions: readonly [readonly string[]];
  readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
};
type Fields = Readonly<Record<string, string | number | undefined>>;

/** Metrics without a unit: their names are fields of the line, each a number. */
export const metrics = (names: readonly string[], by?: string): Directive => ({
  Namespace: environment.metricsNamespace,
  Dimensions: [by === undefined ? [] : [by]],
  Metrics: names.map((Name) => ({ Name })),
});

/**
 * Write a line in CloudWatch's embedded metric format: fields to search the log by, some of which are metrics.
 *
 * It is written past the console, which would wrap it into a record of its own, where CloudWatch does not look.
 */
export const writeMetrics = (CloudWatchMetrics: readonly Directive[], fields: Fields, timeMs: number): void => {
  process.stdout.write(`${JSON.stringify({ _aws: { Timestamp: timeMs, CloudWatchMetrics }, ...fields })}\n`);
};

/** What is counted apart from the requests that it happens in. */
export const counted = [
  'ContentCorrupt',
  'CredentialsUnread',
  'IssuerUnavailable',
  'KeyUseUnrecorded',
  'RateLimitOpen',
] as const;
export type Counted = (typeof counted)[number];

/** Count one of something, with fields to search the log by. */
export const countMetric = (name: Counted, fields: Fields, timeMs: number): void => {
  writeMetrics(
    [{ Namespace: environment.metricsNamespace, Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }],
    { [name]: 1, ...fields },
    timeMs,
  );
};
