import type { Operation, ScheduleName } from '../../../functions/endpoints.ts';

/**
 * What only a deployment could tell, and nobody has measured in one: time in Lambda, bytes of logs, and what else the
 * stack has. The database's units and sizes are not here: they are measured.
 */
export const assumed = {
  /**
   * Billed microseconds of a warm invocation with 1 GB, of the smallest document, and for each line beside. Published
   * for the database (November 2026): a transaction of five items takes 25 ms at the median, an item 8 ms. The core's time
   * for a line is 2 µs on a whole core; a GB has little more than half of one.
   */
  invocation: {
    'create-calculation': { base: 5000, line: 5 },
    'create-transaction': { base: 35_000, line: 12 },
    'update-transaction': { base: 45_000, line: 12 },
    'get-transaction': { base: 10_000, line: 3 },
    'list-transactions': { base: 14_000, line: 0 },
  } satisfies Partial<Record<Operation, { base: number; line: number }>>,
  /** Microseconds of a run that finds nothing to do, and of each draft voided or entry moved and marked. */
  run: {
    'sweep-drafts': { base: 100_000, each: 5000 },
    'close-periods': { base: 300_000, each: 5000 },
  } satisfies Record<ScheduleName, { base: number; each: number }>,
  /** Microseconds of the pipe's function for each record, which at the most comes alone. */
  announcement: 10_000n,
  /** Series of our own metrics beside one of each operation: tax by state, refusals by code, the caches and the limiter. */
  metrics: 60n,
  /** What the database asks of a key of the customer's own in a month; it keeps what it gets for five minutes. */
  keyRequests: 100_000n,
  /** Of 1,000 invocations, how many start an instance, and the microseconds of the start that are billed. */
  coldStarts: { ofThousand: 10n, microseconds: 250_000n },
  /** Bytes for each request: the gateway's access log, and a function's lines (its own, and those that Lambda writes of it). */
  logBytes: { access: 500n, invocation: 1400n },
  /** The months for which logs are kept. */
  logMonths: 3n,
  /** Bytes of an answer's headers. */
  headerBytes: 700n,
  /** X-Ray's default rule: one request a second, and this part of the others. */
  traced: { perSecond: 1n, oneOf: 20n },
  /** Content that was imported, and accounts: bytes at rest. */
  otherTablesBytes: 100_000_000n,
  /** An answer's record is kept for a day, and tidied away within two more: three days of a month's. */
  recordDays: 3n,
  /** Mails of alarms in a month. */
  mails: 10n,
} as const;

/** Hours of a month, as AWS counts them: 730. */
export const monthSeconds = 2_628_000n;
export const monthDays = 30n;
