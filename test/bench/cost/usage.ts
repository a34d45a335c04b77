import { type ScheduleName, schedules } from '../../../functions/endpoints.ts';
import { readPageLimit } from '../../../shared/ledger/page-limit.ts';
import { decimal, multiply } from '../../../shared/money/decimal.ts';
import measured from './measured.json' with { type: 'json' };
import type { PriceName } from './prices.ts';

export type StepName = keyof typeof measured.steps;
const stepNames = Object.keys(measured.steps) as StepName[];
type Step = Readonly<Record<keyof (typeof measured.steps)[StepName], bigint>>;
export type Measures = {
  readonly steps: Readonly<Record<StepName, Step>>;
  readonly bytes: Readonly<Record<keyof typeof measured.bytes, bigint>>;
};

/**
 * Measurements of documents with this many lines, interpolated between the 3-line and 100-line documents in
 * measured.json (four jurisdictions, a reference, a customer and an Idempotency-Key). Steps: write and read units;
 * bytes added to the table, its indexes and the saved responses; bytes of the response; stream records that pass the
 * pipe's filter; events. Bytes: of a calculation, a stored sale, its row in an index, and its row in a list response.
 */
export const getMeasures = (lines: number): Measures => {
  const interpolated = <Name extends string>(pairs: Readonly<Record<Name, number[]>>) =>
    Object.fromEntries(
      Object.entries<number[]>(pairs).map(([name, [at3 = 0, at100 = 0]]) => [
        name,
        BigInt(Math.round(at3 + ((at100 - at3) * (lines - 3)) / 97)),
      ]),
    ) as Record<Name, bigint>;
  const steps = stepNames.map((name) => [name, interpolated(measured.steps[name])]);
  return { steps: Object.fromEntries(steps), bytes: interpolated(measured.bytes) };
};

/** Fixed resources of the stack. A test compares them with the template. */
export const deployment = {
  alarmMetrics: 76,
  keys: 1,
  dashboards: 1,
  webAclRules: 4,
  gatewayMetricsByMethod: 5,
  memory: 1024,
  dailyBackups: 7,
  monthlyBackups: 13,
  /**
   * Custom metrics of a month without failures, as series of names and dimension values, excluding `Duration`, which
   * has one series per operation in use. `full` adds the series below for each refusal code and taxed state.
   */
  essentialSeries: 6,
  fullSeries: 15,
} as const;

/** Assumed, not measured in a deployment: billed microseconds of a warm invocation with 1 GB, and per line. */
const invocation = {
  'create-calculation': { base: 5000, line: 5 },
  'create-transaction': { base: 35_000, line: 12 },
  'update-transaction': { base: 45_000, line: 12 },
  'get-transaction': { base: 10_000, line: 3 },
  'list-transactions': { base: 14_000, line: 0 },
};
type Billed = keyof typeof invocation;
const operations = Object.keys(invocation) as Billed[];
const scheduleNames = Object.keys(schedules) as ScheduleName[];
const rowsOfList = BigInt(readPageLimit({}));

/** Assumed, not measured in a deployment: microseconds, bytes and monthly counts. */
const assumed = {
  run: { 'sweep-drafts': 100_000n, 'close-periods': 300_000n } satisfies Record<ScheduleName, bigint>,
  runItem: 5000n,
  announcement: 10_000n,
  coldStart: 250_000n,
  coldStartsPerThousand: 10n,
  markWrites: 2n,
  refusalCodes: 10n,
  taxedStates: 46n,
  keyRequests: 100_000n,
  mails: 10n,
  // Counting for reports: writes and half read units per transaction, bytes of its mark, time per run and per record.
  countWrites: 4n,
  countReads: 4n,
  countBytes: 330n,
  countRun: 40_000n,
  countRecord: 5000n,
  streamShards: 4n,
  accessLog: 500n,
  functionLog: 1400n,
  logMonths: 3n,
  headers: 700n,
  otherTables: 100_000_000n,
  savedDays: 3n,
  tracedPerSecond: 1n,
  tracedOneOf: 20n,
  idleReads: 9n,
} as const;

/** The options of `npm run cost`. Shares and rates are decimal strings. */
export type CostOptions = Readonly<
  Record<'calculations' | 'transactions', bigint> &
    Record<'drafts' | 'finalized' | 'updates' | 'credits' | 'gets' | 'lists', string> &
    Record<'lines' | 'months' | 'dailyBackups' | 'monthlyBackups' | 'memory', number> &
    Record<'filings' | 'events' | 'backups', boolean>
> &
  Readonly<Partial<Record<'waf' | 'ownKey' | 'fullMetrics' | 'methodMetrics' | 'tracing', true>>>;

const monthSeconds = 2_628_000n;
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const ceil = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
const listRuns = (name: ScheduleName): bigint => monthSeconds / 60n / BigInt(schedules[name].minutes);
const part = (units: bigint, share: string): bigint => multiply({ units, scale: 0 }, decimal(share), 0);

/** The monthly number of each step and each request. */
const getCounts = (options: CostOptions) => {
  const credits = part(options.transactions, options.credits);
  const drafts = part(options.transactions - credits, options.drafts);
  const finalized = part(drafts, options.finalized);
  const updates = part(drafts, options.updates);
  const sales = options.transactions - credits - drafts;
  const steps: Readonly<Record<StepName, bigint>> = {
    'create draft': drafts,
    'update draft': updates,
    finalize: finalized,
    'create finalized': sales,
    credit: credits,
    expire: drafts - finalized,
    'file sale': options.filings ? sales + finalized : 0n,
    'file credit': options.filings ? credits : 0n,
  };
  const requests: Readonly<Record<Billed, bigint>> = {
    'create-calculation': options.calculations,
    'create-transaction': options.transactions,
    'update-transaction': updates + finalized,
    'get-transaction': part(options.transactions, options.gets),
    'list-transactions': part(options.transactions, options.lists),
  };
  return { steps, requests };
};
type Counts = ReturnType<typeof getCounts>;

/**
 * Returns the number of stream records counted for reports: one per final transaction, and one for the sale of a
 * credit, whose mark is written.
 */
const getCounting = ({ steps }: Counts) => {
  const transactions = steps['create finalized'] + steps.finalize + steps.credit;
  const records = transactions + steps.credit;
  // Runs start after at most 30 seconds (infra/stream-consumers.ts), and each reads its accounts.
  const runs = least(records, (assumed.streamShards * monthSeconds) / 30n);
  const writes = transactions * assumed.countWrites + steps.credit * assumed.markWrites;
  const [readHalves, bytes] = [transactions * assumed.countReads + runs * 2n, transactions * assumed.countBytes];
  return { runs, writes, readHalves, bytes, ms: ceil(runs * assumed.countRun + records * assumed.countRecord, 1000n) };
};

const microseconds = (name: Billed, lines: number) => BigInt(invocation[name].base + invocation[name].line * lines);

/** Returns the billed milliseconds of all functions. */
const lambdaMs = (lines: number, { steps, requests }: Counts, records: bigint): bigint => {
  const runItems = { 'sweep-drafts': steps.expire, 'close-periods': steps['file sale'] + steps['file credit'] };
  return sum([
    ...operations.map((name) => requests[name] * ceil(microseconds(name, lines), 1000n)),
    ...operations.map((name) => (requests[name] * assumed.coldStartsPerThousand * assumed.coldStart) / 1_000_000n),
    ...scheduleNames.map((name) => ceil(listRuns(name) * assumed.run[name] + runItems[name] * assumed.runItem, 1000n)),
    records * ceil(assumed.announcement, 1000n),
    getCounting({ steps, requests }).ms,
  ]);
};

/** Returns the bytes of the tables and of their backups. */
const storage = (options: CostOptions, newBytes: bigint, savedBytes: bigint) => {
  const inTable = (months: number) => BigInt(Math.max(0, months)) * newBytes;
  const tables = inTable(options.months) + (savedBytes * assumed.savedDays) / 30n + assumed.otherTables;
  const [daily, monthly] = options.backups ? [options.dailyBackups, options.monthlyBackups] : [0, 0];
  const copies = Array.from({ length: monthly }, (_, age) => inTable(options.months - age) + assumed.otherTables);
  return { tables, backups: tables * BigInt(daily) + sum(copies) };
};

/**
 * Series in addition to the `Duration` of each operation in use. CloudWatch bills only hours with data, so nightly
 * series cost less.
 */
const listMetrics = ({ fullMetrics, methodMetrics }: CostOptions, called: bigint): bigint =>
  BigInt(fullMetrics ? deployment.fullSeries : deployment.essentialSeries) +
  (fullMetrics ? assumed.refusalCodes + assumed.taxedStates : 0n) +
  (methodMetrics ? called * BigInt(deployment.gatewayMetricsByMethod) : 0n);

/** The monthly quantity for every price, in the counted unit, such as bytes for a price per GB. */
export type Usage = Readonly<Record<PriceName, bigint>>;

/** Calculates the usage of a month. */
export const getUsage = (options: CostOptions, { steps, bytes }: Measures = getMeasures(options.lines)): Usage => {
  const counts = getCounts(options);
  const { requests } = counts;
  const allRequests = sum(Object.values(requests));
  const total = (column: keyof Step): bigint => sum(stepNames.map((name) => counts.steps[name] * steps[name][column]));
  const [records, events] = options.events ? [total('records'), total('events')] : [0n, 0n];
  const runs = sum(scheduleNames.map(listRuns));
  const counting = getCounting(counts);
  const called = BigInt(operations.filter((name) => requests[name] > 0n).length);
  const instances = (name: Billed) =>
    ceil(requests[name] * microseconds(name, options.lines), monthSeconds * 1_000_000n);
  /** Returns the monthly number of runs of a task that each instance runs once per given number of seconds. */
  const onceIn = (seconds: bigint) =>
    sum(operations.map((name) => least(requests[name], (instances(name) * monthSeconds) / seconds)));
  const { tables, backups } = storage(options, total('table') + counting.bytes, total('saved'));
  const traced = least(allRequests, monthSeconds * assumed.tracedPerSecond);
  const [waf, ownKey] = [options.waf ? 1n : 0n, options.ownKey ? 1n : 0n];
  return {
    gatewayRequest: allRequests,
    lambdaRequest: allRequests + runs + records + counting.runs,
    lambdaTime: BigInt(options.memory) * lambdaMs(options.lines, counts, records),
    // Steps, the rate limit, and the last use of keys.
    writeUnit: total('writes') + counting.writes + onceIn(2n) + onceIn(1800n),
    // In half units: steps, customers of calculations, retrievals, lists, the key, account and releases, idle closing
    // runs.
    readUnit:
      2n * total('reads') +
      counting.readHalves +
      2n * requests['create-calculation'] +
      requests['get-transaction'] * 2n * ceil(bytes.head, 4096n) +
      requests['list-transactions'] * ceil(rowsOfList * bytes.row, 4096n) +
      6n * onceIn(60n) +
      2n * assumed.idleReads * listRuns('close-periods'),
    tableStorage: tables + BigInt(options.months) * total('indexes'),
    pointInTimeRecovery: tables,
    backupStorage: backups,
    functionLogBytes: allRequests * assumed.functionLog,
    accessLogBytes: allRequests * assumed.accessLog,
    logStorage: allRequests * (assumed.accessLog + assumed.functionLog) * assumed.logMonths,
    metric: called + listMetrics(options, called),
    alarm: BigInt(deployment.alarmMetrics),
    dashboard: BigInt(deployment.dashboards),
    trace: options.tracing ? traced + (allRequests - traced) / assumed.tracedOneOf : 0n,
    pipeRequest: records,
    busEvent: events,
    scheduledRun: runs,
    key: BigInt(deployment.keys) + ownKey,
    keyRequest: ownKey * assumed.keyRequests,
    mail: assumed.mails,
    transferOut:
      requests['create-calculation'] * bytes.calculation +
      total('response') +
      requests['get-transaction'] * steps['create finalized'].response +
      requests['list-transactions'] * rowsOfList * bytes.toFilingRow +
      allRequests * assumed.headers,
    webAcl: waf,
    webAclRule: waf * BigInt(deployment.webAclRules),
    webAclRequest: waf * allRequests,
  };
};
