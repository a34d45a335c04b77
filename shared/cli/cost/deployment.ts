import type { Operation } from '../../../functions/endpoints.ts';

/**
 * What the stack has whatever is asked of it; a test compares it with the synthesized template.
 *
 * A metric costs by its series: an operation that was asked in the month has those below.
 */
export const deployment = {
  /** An alarm is charged by the metrics that it reads: an expression of four is four. */
  alarmMetrics: 44,
  /** KMS keys beside one of the customer's own: the one of the alarms' topic. */
  keys: 1,
  dashboards: 1,
  /** Rules of the web ACL, where there is one. */
  webAclRules: 4,
  /** Count, Latency, IntegrationLatency, 4XXError and 5XXError: the gateway's detailed metrics of each method. */
  gatewayMetricsByMethod: 5,
  /** Megabytes of every function. */
  memoryMb: 1024,
  /** Copies of the tables that the backup plan keeps, each of the whole: of so many days, and of so many months. */
  dailyBackups: 7,
  monthlyBackups: 13,
} as const;

/** Those of the operations that a bill knows of. */
export const billedOperations = [
  'create-calculation',
  'create-transaction',
  'update-transaction',
  'get-transaction',
  'list-transactions',
] as const satisfies readonly Operation[];
