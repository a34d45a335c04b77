import { aws, fromAws, fromOthers, infracost, others, type Source, unconfirmed } from './price-sources.ts';

/**
 * The list prices of AWS in us-east-1, as data: this file and no other knows a price.
 *
 * Each says where it was read and when, and how sure that is (`basis`). `page` is AWS' own page of it, where an owner
 * compares before a decision rests on it, and corrects one with `--prices`.
 */
export type Tier = {
  /** Where the tier ends, in units from the month's beginning; `null` is never. */
  readonly upTo: string | null;
  /** Dollars for `per` units. */
  readonly dollars: string;
};
export type Price = {
  readonly unit: string;
  /** How many of what is counted make one unit: 2^30 bytes a GB, 1024 MB times 1000 ms a GB second. */
  readonly counts: bigint;
  readonly per: bigint;
  readonly tiers: readonly Tier[];
  /** What AWS gives every account each month for ever, in units; `null` where it gives nothing. */
  readonly free: string | null;
  readonly page: string;
} & Source;

const million = 1_000_000n;
const gigabyte = 1_073_741_824n;
const flat = (dollars: string): readonly Tier[] => [{ upTo: null, dollars }];
const one = { counts: 1n, per: 1n } as const;
const millions = { counts: 1n, per: million } as const;
const gigabytes = { unit: 'GB', counts: gigabyte, per: 1n } as const;
const gigabyteMonths = { unit: 'GB-month', counts: gigabyte, per: 1n } as const;

const page = {
  gateway: 'https://aws.amazon.com/api-gateway/pricing/',
  lambda: 'https://aws.amazon.com/lambda/pricing/',
  dynamodb: 'https://aws.amazon.com/dynamodb/pricing/on-demand/',
  cloudwatch: 'https://aws.amazon.com/cloudwatch/pricing/',
  xray: 'https://aws.amazon.com/xray/pricing/',
  events: 'https://aws.amazon.com/eventbridge/pricing/',
  kms: 'https://aws.amazon.com/kms/pricing/',
  sns: 'https://aws.amazon.com/sns/pricing/',
  transfer: 'https://aws.amazon.com/ec2/pricing/on-demand/',
  waf: 'https://aws.amazon.com/waf/pricing/',
  backup: 'https://aws.amazon.com/backup/pricing/',
} as const;
// The second has the price of before November 2024, and the third says that it was halved then.
const onDemand = fromOthers(others.dynamodb, infracost('dynamodb_table'), others.dynamodbHalved);
const webAcl = fromOthers(infracost('wafv2_web_acl'), others.waf);

export const prices = {
  gatewayRequest: {
    ...millions,
    unit: 'requests',
    tiers: [
      { upTo: '333000000', dollars: '3.50' },
      { upTo: '1000000000', dollars: '2.80' },
      { upTo: '20000000000', dollars: '2.38' },
      { upTo: null, dollars: '1.51' },
    ],
    free: null,
    page: page.gateway,
    ...fromAws(aws.gateway),
  },
  lambdaRequest: {
    ...{ ...millions, unit: 'requests', tiers: flat('0.20'), free: '1000000', page: page.lambda },
    ...fromOthers(infracost('lambda_function'), others.lambda),
  },
  // Of arm64; x86_64 is a quarter more. AWS' own words have the ends of the tiers, and 10 and 20 % off.
  lambdaTime: {
    unit: 'GB-seconds',
    counts: 1_024_000n,
    per: 1n,
    tiers: [
      { upTo: '7500000000', dollars: '0.0000133334' },
      { upTo: '18750000000', dollars: '0.0000120001' },
      { upTo: null, dollars: '0.0000106667' },
    ],
    free: '400000',
    page: page.lambda,
    ...fromOthers(infracost('lambda_function'), others.lambdaTiers, others.lambda, aws.lambdaTiers),
  },
  writeUnit: { ...millions, unit: 'write units', tiers: flat('0.625'), free: null, page: page.dynamodb, ...onDemand },
  // Counted in halves: what need not be the newest is read for half a unit.
  readUnit: {
    unit: 'read units',
    counts: 2n,
    per: million,
    tiers: flat('0.125'),
    free: null,
    page: page.dynamodb,
    ...onDemand,
  },
  tableStorage: {
    ...{ ...gigabyteMonths, tiers: flat('0.25'), free: '25', page: page.dynamodb },
    ...fromAws(aws.dynamodb, infracost('dynamodb_table')),
  },
  pointInTimeRecovery: {
    ...{ ...gigabyteMonths, tiers: flat('0.20'), free: null, page: page.dynamodb },
    ...fromOthers(infracost('dynamodb_table'), others.backups),
  },
  // AWS' own words: copies in a vault cost what DynamoDB's own do.
  backupStorage: {
    ...{ ...gigabyteMonths, tiers: flat('0.10'), free: null, page: page.backup },
    ...fromOthers(infracost('dynamodb_table'), others.backups, aws.backup),
  },
  // Since May 2025 what functions log costs less beyond 10 TB. What the gateway logs may as well, and is taken not to.
  functionLogBytes: {
    ...gigabytes,
    tiers: [
      { upTo: '10240', dollars: '0.50' },
      { upTo: '30720', dollars: '0.25' },
      { upTo: '51200', dollars: '0.10' },
      { upTo: null, dollars: '0.05' },
    ],
    // For all logs together, of which these are the most.
    free: '5',
    page: page.cloudwatch,
    ...fromOthers(others.functionLogs, infracost('cloudwatch_log_group')),
  },
  accessLogBytes: {
    ...{ ...gigabytes, tiers: flat('0.50'), free: null, page: page.cloudwatch },
    ...fromOthers(infracost('cloudwatch_log_group'), others.cloudwatch, others.logs),
  },
  logStorage: {
    ...{ ...gigabyteMonths, tiers: flat('0.03'), free: null, page: page.cloudwatch },
    ...fromOthers(infracost('cloudwatch_log_group'), others.logs),
  },
  // The first 10,000; we have a hundred.
  metric: {
    ...{ ...one, unit: 'metrics', tiers: flat('0.30'), free: '10', page: page.cloudwatch },
    ...fromOthers(others.metrics, others.metricsAgain),
  },
  // By the metrics that alarms read. The second computes two for an expression of two; the last shows the words of a bill.
  alarm: {
    ...{ ...one, unit: 'alarm metrics', tiers: flat('0.10'), free: '10', page: page.cloudwatch },
    ...fromOthers(others.alarms, infracost('cloudwatch_metric_alarm'), others.alarmMetrics),
  },
  dashboard: {
    ...{ ...one, unit: 'dashboards', tiers: flat('3.00'), free: '3', page: page.cloudwatch },
    ...fromOthers(infracost('cloudwatch_dashboard'), others.cloudwatch),
  },
  trace: {
    ...{ ...millions, unit: 'traces', tiers: flat('5.00'), free: '100000', page: page.xray },
    ...fromAws(aws.xray),
  },
  // Each 64 KB of an event counts as one, and ours are smaller.
  pipeRequest: {
    ...{ ...millions, unit: 'requests', tiers: flat('0.40'), free: null, page: page.events },
    ...fromOthers(others.events, others.pipes),
  },
  busEvent: {
    ...{ ...millions, unit: 'events', tiers: flat('1.00'), free: null, page: page.events },
    ...fromOthers(infracost('cloudwatch_event_bus'), others.events),
  },
  // The second has them for nothing.
  scheduledRun: {
    ...{ ...millions, unit: 'runs', tiers: flat('1.00'), free: '14000000', page: page.events },
    ...unconfirmed(others.events, others.eventsAgain),
  },
  key: { ...one, unit: 'keys', tiers: flat('1.00'), free: null, page: page.kms, ...fromAws(aws.kms) },
  keyRequest: {
    ...{ counts: 1n, per: 10_000n, unit: 'requests', tiers: flat('0.03'), free: '20000', page: page.kms },
    ...fromOthers(infracost('kms_key'), others.kms),
  },
  mail: {
    ...{ counts: 1n, per: 100_000n, unit: 'mails', tiers: flat('2.00'), free: '1000', page: page.sns },
    ...fromOthers(infracost('sns_topic'), others.sns),
  },
  transferOut: {
    ...gigabytes,
    tiers: [
      { upTo: '10240', dollars: '0.09' },
      { upTo: '51200', dollars: '0.085' },
      { upTo: '153600', dollars: '0.07' },
      { upTo: null, dollars: '0.05' },
    ],
    free: '100',
    page: page.transfer,
    ...fromOthers(infracost('data_transfer'), others.transfer),
  },
  webAcl: { ...one, unit: 'web ACLs', tiers: flat('5.00'), free: null, page: page.waf, ...webAcl },
  webAclRule: { ...one, unit: 'rules', tiers: flat('1.00'), free: null, page: page.waf, ...webAcl },
  webAclRequest: { ...millions, unit: 'requests', tiers: flat('0.60'), free: null, page: page.waf, ...webAcl },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof prices;
export type Prices = Readonly<Record<PriceName, Price>>;
