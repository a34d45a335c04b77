import {
  type CfnAlarm,
  ComparisonOperator,
  type CreateAlarmOptions,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Metrics } from './metrics.ts';

/** What a person is woken up for. `runbook` is the heading of its paragraph in decision 0017. */
export type AlarmDefinition = {
  readonly id: string;
  readonly runbook: string;
  /** The problem in one sentence, for the reader of the alarm mail. */
  readonly says: string;
  readonly metric: IMetric;
  /** The evaluated periods; by default those that end now. */
  readonly evaluationWindow?: CfnAlarm.EvaluationWindowProperty;
} & Pick<
  CreateAlarmOptions,
  'threshold' | 'evaluationPeriods' | 'comparisonOperator' | 'treatMissingData' | 'evaluateLowSampleCountPercentile'
>;

/** What alarms and dashboard look at. */
export type Watched = {
  readonly metrics: Metrics;
  readonly ledger: string;
  /** The queue of runs that failed. */
  readonly failedRuns: string;
  /** The event pipe and its dead-letter queue; `null` without events. */
  readonly events: { readonly pipe: string; readonly untold: string } | null;
  /** The vault of backups, and how many copies it gets a day; `null` where none are taken. */
  readonly copies: { readonly vault: string; readonly daily: number } | null;
};

/** At or above the threshold. No data is no requests, and nothing is the matter with that. */
export const above = {
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
};
/** Below the threshold. A schedule or a backup that does not run writes nothing: here it is the silence that matters. */
export const silent = {
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.BREACHING,
};
