type Fields = Readonly<Record<string, string>>;

/**
 * Count one of something in CloudWatch: a line in its embedded metric format, with fields to search the log by.
 *
 * The line is written past the console, which would wrap it into a record of its own, where CloudWatch does not look.
 */
export const countMetric = (name: string, fields: Fields, timeMs: number): void => {
  const CloudWatchMetrics = [{ Namespace: 'Levy', Dimensions: [[]], Metrics: [{ Name: name, Unit: 'Count' }] }];
  process.stdout.write(`${JSON.stringify({ _aws: { Timestamp: timeMs, CloudWatchMetrics }, [name]: 1, ...fields })}\n`);
};
