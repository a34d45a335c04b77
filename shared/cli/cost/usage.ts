import { type Operation, type ScheduleName, schedules } from '../../../functions/endpoints.ts';
import { decimal, divideHalfUp, powerOfTen } from '../../money/decimal.ts';
import { pageLimitOf } from '../../transactions/page-limit.ts';
import type { PriceName } from './prices.ts';

/**
 * Measured on the emulator for documents in four jurisdictions with a reference, a customer and an Idempotency-Key, with 3
 * and with 100 lines: write units, read units; bytes added to the table, its indexes and the saved answers; bytes of the
 * response. Then stream records that pass the pipe's filter, and events. Other documents are interpolated.
 */
const steps = {
  'create draft': [
    [19, 0, 3071, 4273, 1520, 7006],
    [43, 0, 9166, 4365, 7684, 171_257],
    [1, 1],
  ],
  'update draft': [
    [16, 2, 538, 52, 1535, 7036],
    [40, 4, 536, 32, 7698, 171_325],
    [0, 0],
  ],
  finalize: [
    [21, 2, 1077, -217, 1531, 7040],
    [45, 4, 1087, -225, 7696, 171_329],
    [1, 1],
  ],
  'create finalized': [
    [20, 0, 3526, 4068, 1522, 7010],
    [42, 0, 9639, 4168, 7685, 171_261],
    [1, 2],
  ],
  credit: [
    [33, 2, 4179, 5196, 1328, 3663],
    [45, 3, 4187, 5200, 1328, 3663],
    [1, 2],
  ],
  expire: [
    [13, 1, 568, -181, 0, 0],
    [25, 3, 571, -189, 0, 0],
    [1, 1],
  ],
  'file sale': [
    [16, 2, 688, 172, 0, 0],
    [28, 4, 690, 160, 0, 0],
    [1, 1],
  ],
  'file credit': [
    [17, 2, 740, 215, 0, 0],
    [17, 2, 740, 215, 0, 0],
    [1, 1],
  ],
} as const;
export type StepName = keyof typeof steps;
const stepNames = Object.keys(steps) as StepName[];

/** Bytes with 3 and with 100 lines: of a calculation, a stored sale, its row in an index, and its row in a list response. */
const sizes = { calculation: [6563, 170_811], head: [2180, 8272], row: [951, 974], rowAnswer: [2062, 2110] } as const;

const columns = ['writes', 'reads', 'table', 'indexes', 'saved', 'answer'] as const;
export type Step = Readonly<Record<(typeof columns)[number] | 'records' | 'events', bigint>>;
export type Measures = {
  readonly steps: Readonly<Record<StepName, Step>>;
  readonly bytes: Readonly<Record<keyof typeof sizes, bigint>>;
};

const interpolate = (at3: number, at100: number, lines: number): bigint =>
  BigInt(Math.round(at3 + ((at100 - at3) * (lines - 3)) / 97));

/** The measures of documents with so many lines. */
export const measuresOf = (lines: number): Measures => ({
  steps: Object.fromEntries(
    Object.entries(steps).map(([name, [at3, at100, [records, events]]]) => {
      const values = columns.map((column, at) => [column, interpolate(at3[at] ?? 0, at100[at] ?? 0, lines)]);
      return [name, { ...Object.fromEntries(values), records: BigInt(records), events: BigInt(events) }];
    }),
  ) as Record<StepName, Step>,
  bytes: Object.fromEntries(
    Object.entries(sizes).map(([name, [at3, at100]]) => [name, interpolate(at3, at100, lines)]),
  ) as Measures['bytes'],
});

/** Fixed parts of the stack. A test compares them with the template. */
export const deployment = {
  ...{ alarmMetrics: 44, keys: 1, dashboards: 1, webAclRules: 4, gatewayMetricsByMethod: 5 },
  ...{ memory: 1024, dailyBackups: 7, monthlyBackups: 13 },
} as const;

/** Not measured in a deployment: billed microseconds of a warm invocation with 1 GB, and for each line. */
const invocation = {
  'create-calculation': { base: 5000, line: 5 },
  'create-transaction': { base: 35_000, line: 12 },
  'update-transaction': { base: 45_000, line: 12 },
  'get-transaction': { base: 10_000, line: 3 },
  'list-transactions': { base: 14_000, line: 0 },
} satisfies Partial<Record<Operation, { base: number; line: number }>>;
type Billed = keyof typeof invocation;
const scheduleNames = Object.keys(schedules) as ScheduleName[];
const rowsOfList = BigInt(pageLimitOf({}));

/** Not measured in a deployment either. Microseconds, bytes, and counts for a month. */
const assumed = {
  run: { 'sweep-drafts': 100_000n, 'close-periods': 300_000n } satisfies Record<ScheduleName, bigint>,
  ...{ runItem: 5000n, announcement: 10_000n, coldStart: 250_000n, coldStartsPerThousand: 10n },
  ...{ ownMetrics: 60n, keyRequests: 100_000n, mails: 10n, accessLog: 500n, functionLog: 1400n, logMonths: 3n },
  ...{ headers: 700n, otherTables: 100_000_000n, savedDays: 3n, tracedPerSecond: 1n, tracedOneOf: 20n },
} as const;

/** The options of `npm run cost`. Shares and rates are decimal strings. */
export type CostOptions = Readonly<
  Record<'calculations' | 'transactions', bigint> &
    Record<'drafts' | 'finalized' | 'updates' | 'credits' | 'gets' | 'lists', string> &
    Record<'lines' | 'months' | 'dailyBackups' | 'monthlyBackups' | 'memory', number> &
    Record<'filings' | 'events' | 'backups', boolean>
> & { readonly waf?: true; readonly ownKey?: true };

export type Usage = {
  readonly service: string;
  readonly item: string;
  readonly price: PriceName;
  /** In what the price counts: bytes for a price in GB. */
  readonly quantity: bigint;
};

const monthSeconds = 2_628_000n;
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const ceil = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
const runsOf = (name: ScheduleName): bigint => monthSeconds / 60n / BigInt(schedules[name].minutes);
const part = (of: bigint, share: string): bigint => {
  const { units, scale } = decimal(share);
  return divideHalfUp(of * units, powerOfTen(scale));
};

/** How often each step happens in a month. */
const stepCounts = (options: CostOptions): Readonly<Record<StepName, bigint>> => {
  const credits = part(options.transactions, options.credits);
  const drafts = part(options.transactions - credits, options.drafts);
  const finalized = part(drafts, options.finalized);
  const sales = options.transactions - credits - drafts;
  return {
    ...{ 'create draft': drafts, 'update draft': part(drafts, options.updates), finalize: finalized },
    ...{ 'create finalized': sales, credit: credits, expire: drafts - finalized },
    'file sale': options.filings ? sales + finalized : 0n,
    'file credit': options.filings ? credits : 0n,
  };
};

type Lines = readonly (readonly [item: string, price: PriceName, quantity: bigint])[];
const usageIn = (service: string, lines: Lines): Usage[] =>
  lines.map(([item, price, quantity]) => ({ service, item, price, quantity }));

const monthOf = (options: CostOptions, measures: Measures) => {
  const counts = stepCounts(options);
  const requests: Readonly<Record<Billed, bigint>> = {
    'create-calculation': options.calculations,
    'create-transaction': counts['create draft'] + counts['create finalized'] + counts.credit,
    'update-transaction': counts['update draft'] + counts.finalize,
    'get-transaction': part(options.transactions, options.gets),
    'list-transactions': part(options.transactions, options.lists),
  };
  const operations = Object.keys(requests) as Billed[];
  const done = stepNames.map((name) => ({ name, count: counts[name], ...measures.steps[name] }));
  const total = (column: keyof Step): bigint => sum(done.map((step) => step.count * step[column]));
  const micros = (name: Billed) => BigInt(invocation[name].base + invocation[name].line * options.lines);
  const instances = (name: Billed) => ceil(requests[name] * micros(name), monthSeconds * 1_000_000n);
  /** How often all instances together do something that each does once in so many seconds. */
  const onceIn = (seconds: bigint): bigint =>
    sum(operations.map((name) => least(requests[name], (instances(name) * monthSeconds) / seconds)));
  const [records, events] = options.events ? [total('records'), total('events')] : [0n, 0n];
  const allRequests = sum(Object.values(requests));
  return { options, measures, counts, requests, operations, done, total, micros, onceIn, records, events, allRequests };
};
type Month = ReturnType<typeof monthOf>;

const lambdaUsage = ({ options, counts, requests, operations, micros, records }: Month): Usage[] => {
  const memory = BigInt(options.memory);
  const billedMs = (name: Billed): bigint =>
    requests[name] * ceil(micros(name), 1000n) +
    (requests[name] * assumed.coldStartsPerThousand * assumed.coldStart) / 1_000_000n;
  const runItems = { 'sweep-drafts': counts.expire, 'close-periods': counts['file sale'] + counts['file credit'] };
  const runMs = (name: ScheduleName): bigint =>
    ceil(runsOf(name) * assumed.run[name] + runItems[name] * assumed.runItem, 1000n);
  return usageIn('Lambda', [
    ...operations.map((name) => [`${name}, requests`, 'lambdaRequest', requests[name]] as const),
    ...scheduleNames.map((name) => [`${name}, runs`, 'lambdaRequest', runsOf(name)] as const),
    ['announce-changes, requests', 'lambdaRequest', records],
    ...operations.map((name) => [`${name}, time`, 'lambdaTime', billedMs(name) * memory] as const),
    ...scheduleNames.map((name) => [`${name}, time`, 'lambdaTime', runMs(name) * memory] as const),
    ['announce-changes, time', 'lambdaTime', records * ceil(assumed.announcement, 1000n) * memory],
  ]);
};

const databaseUsage = ({ options, measures, requests, done, total, onceIn }: Month): Usage[] => {
  const inTable = (months: number) => BigInt(Math.max(0, months)) * total('table');
  const tables = inTable(options.months) + (total('saved') * assumed.savedDays) / 30n + assumed.otherTables;
  const [daily, monthly] = options.backups ? [options.dailyBackups, options.monthlyBackups] : [0, 0];
  const ages = Array.from({ length: monthly }, (_, age) => age);
  const monthlyBytes = sum(ages.map((age) => inTable(options.months - age) + assumed.otherTables));
  return usageIn('DynamoDB', [
    ...done.map(({ name, count, writes }) => [`${name}, writes`, 'writeUnit', count * writes] as const),
    ['rate limit, writes', 'writeUnit', onceIn(2n)],
    ['last use of keys, writes', 'writeUnit', onceIn(1800n)],
    ...done.map(({ name, count, reads }) => [`${name}, reads`, 'readUnit', 2n * count * reads] as const),
    ['get, reads', 'readUnit', requests['get-transaction'] * 2n * ceil(measures.bytes.head, 4096n)],
    ['list, reads', 'readUnit', requests['list-transactions'] * ceil(rowsOfList * measures.bytes.row, 4096n)],
    // The key, its account, and the active releases.
    ['callers and content, reads', 'readUnit', 6n * onceIn(60n)],
    ['tables, storage', 'tableStorage', tables],
    ['indexes, storage', 'tableStorage', BigInt(options.months) * total('indexes')],
    ['point-in-time recovery', 'pointInTimeRecovery', tables],
    ['backups', 'backupStorage', tables * BigInt(daily) + monthlyBytes],
  ]);
};

const monitoringUsage = ({ requests, operations, allRequests }: Month): Usage[] => {
  const called = BigInt(operations.filter((name) => requests[name] > 0n).length);
  const traced = least(allRequests, monthSeconds * assumed.tracedPerSecond);
  const logBytes = assumed.accessLog + assumed.functionLog;
  return [
    ...usageIn('CloudWatch', [
      ['access log', 'accessLogBytes', allRequests * assumed.accessLog],
      ['function logs', 'functionLogBytes', allRequests * assumed.functionLog],
      ['stored logs', 'logStorage', allRequests * logBytes * assumed.logMonths],
      ['gateway metrics', 'metric', called * BigInt(deployment.gatewayMetricsByMethod)],
      ['own metrics', 'metric', called + assumed.ownMetrics],
      ['alarms', 'alarm', BigInt(deployment.alarmMetrics)],
      ['dashboards', 'dashboard', BigInt(deployment.dashboards)],
    ]),
    ...usageIn('X-Ray', [['traces', 'trace', traced + (allRequests - traced) / assumed.tracedOneOf]]),
  ];
};

/** Usage of every AWS service in a month, in the order of the bill. Unused items have the quantity 0. */
export const usageOf = (options: CostOptions, measures = measuresOf(options.lines)): Usage[] => {
  const month = monthOf(options, measures);
  const { requests, operations, total, records, events, allRequests } = month;
  const [ownKey, waf] = [options.ownKey ? 1n : 0n, options.waf ? 1n : 0n];
  const responseBytes =
    requests['create-calculation'] * measures.bytes.calculation +
    total('answer') +
    requests['get-transaction'] * measures.steps['create finalized'].answer +
    requests['list-transactions'] * rowsOfList * measures.bytes.rowAnswer +
    allRequests * assumed.headers;
  return [
    ...usageIn(
      'API Gateway',
      operations.map((name) => [name, 'gatewayRequest', requests[name]]),
    ),
    ...lambdaUsage(month),
    ...databaseUsage(month),
    ...monitoringUsage(month),
    ...usageIn('EventBridge', [
      ['pipe', 'pipeRequest', records],
      ['bus', 'busEvent', events],
      ['schedules', 'scheduledRun', sum(scheduleNames.map(runsOf))],
    ]),
    ...usageIn('KMS', [
      ['keys', 'key', BigInt(deployment.keys) + ownKey],
      ['requests of the table key', 'keyRequest', ownKey * assumed.keyRequests],
    ]),
    ...usageIn('SNS', [['alarm mails', 'mail', assumed.mails]]),
    ...usageIn('Data transfer', [['responses', 'transferOut', responseBytes]]),
    ...usageIn('WAF', [
      ['web ACL', 'webAcl', waf],
      ['rules', 'webAclRule', waf * BigInt(deployment.webAclRules)],
      ['requests', 'webAclRequest', waf * allRequests],
    ]),
  ];
};
