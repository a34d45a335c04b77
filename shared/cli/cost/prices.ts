/**
 * The list prices of AWS in us-east-1, as data: this file and no other knows a price.
 *
 * `basis` says how sure one is. `published`: read in something that was published and is named in `source`, with the day
 * on which it was read. `memory`: the list price as it is commonly known; nobody has compared it with the page since. The
 * page is where to compare: an owner does that before a decision rests on it, and corrects one with `--prices`.
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
  readonly basis: 'published' | 'memory';
  readonly source: string;
};

const million = 1_000_000n;
const gigabyte = 1_073_741_824n;
const flat = (dollars: string): readonly Tier[] => [{ upTo: null, dollars }];
const memory = { basis: 'memory', source: 'list price as of 2026-11, not compared with its page' } as const;
const published = (source: string) => ({ basis: 'published', source }) as const;
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
const onDemand = published('AWS blog on the change of 2024-11-01, read in 2026-11');

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
    ...memory,
  },
  lambdaRequest: { ...millions, unit: 'requests', tiers: flat('0.20'), free: '1000000', page: page.lambda, ...memory },
  // Of arm64; x86_64 is a quarter more.
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
    ...memory,
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
  tableStorage: { ...gigabyteMonths, tiers: flat('0.25'), free: '25', page: page.dynamodb, ...memory },
  pointInTimeRecovery: { ...gigabyteMonths, tiers: flat('0.20'), free: null, page: page.dynamodb, ...memory },
  backupStorage: { ...gigabyteMonths, tiers: flat('0.10'), free: null, page: page.backup, ...memory },
  logBytes: { ...gigabytes, tiers: flat('0.50'), free: '5', page: page.cloudwatch, ...memory },
  logStorage: { ...gigabyteMonths, tiers: flat('0.03'), free: null, page: page.cloudwatch, ...memory },
  metric: { ...one, unit: 'metrics', tiers: flat('0.30'), free: '10', page: page.cloudwatch, ...memory },
  alarm: { ...one, unit: 'alarms', tiers: flat('0.10'), free: '10', page: page.cloudwatch, ...memory },
  dashboard: { ...one, unit: 'dashboards', tiers: flat('3.00'), free: '3', page: page.cloudwatch, ...memory },
  trace: { ...millions, unit: 'traces', tiers: flat('5.00'), free: '100000', page: page.xray, ...memory },
  pipeRequest: { ...millions, unit: 'requests', tiers: flat('0.40'), free: null, page: page.events, ...memory },
  busEvent: { ...millions, unit: 'events', tiers: flat('1.00'), free: null, page: page.events, ...memory },
  scheduledRun: { ...millions, unit: 'runs', tiers: flat('1.00'), free: '14000000', page: page.events, ...memory },
  key: { ...one, unit: 'keys', tiers: flat('1.00'), free: null, page: page.kms, ...memory },
  keyRequest: {
    counts: 1n,
    per: 10_000n,
    unit: 'requests',
    tiers: flat('0.03'),
    free: '20000',
    page: page.kms,
    ...memory,
  },
  mail: { counts: 1n, per: 100_000n, unit: 'mails', tiers: flat('2.00'), free: '1000', page: page.sns, ...memory },
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
    ...memory,
  },
  webAcl: { ...one, unit: 'web ACLs', tiers: flat('5.00'), free: null, page: page.waf, ...memory },
  webAclRule: { ...one, unit: 'rules', tiers: flat('1.00'), free: null, page: page.waf, ...memory },
  webAclRequest: { ...millions, unit: 'requests', tiers: flat('0.60'), free: null, page: page.waf, ...memory },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof prices;
export type Prices = Readonly<Record<PriceName, Price>>;
