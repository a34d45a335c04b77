import { type ScheduleName, schedules } from '../../../functions/endpoints.ts';
import { assumed, monthSeconds } from './assumed.ts';
import type { Usage } from './bill.ts';
import type { Measures, StepName } from './measure.ts';
import type { PriceName } from './prices.ts';
import type { Asked, Requests, Traffic } from './traffic.ts';

/** What of a deployment a bill depends on beside the traffic. */
export type Deployed = {
  readonly hasWebAcl: boolean;
  /** Whether the ledger's changes go through a pipe onto a bus. */
  readonly hasEvents: boolean;
  /** Whether the tables have a key of the customer's own. */
  readonly hasOwnKey: boolean;
  readonly dailyBackups: number;
  readonly monthlyBackups: number;
  readonly memoryMb: number;
  readonly rowsOfList: number;
  readonly alarmMetrics: number;
  readonly keys: number;
  readonly dashboards: number;
  readonly webAclRules: number;
};
/** A month: what is asked of which deployment, and what that takes. */
export type Month = {
  readonly asked: Asked;
  readonly deployed: Deployed;
  readonly measures: Measures;
  readonly traffic: Traffic;
  readonly requests: Requests;
};

export const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, one) => sum + one, 0n);
export const begun = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
export const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

export const onService =
  (service: string) =>
  (item: string, price: PriceName, quantity: bigint): Usage => ({ service, item, price, quantity });

/** How often each step is done, by its name. */
const timesOf = (traffic: Traffic): Readonly<Record<StepName, bigint>> => ({
  'create draft': traffic.drafts,
  'update draft': traffic.updates,
  finalize: traffic.finalizes,
  'create finalized': traffic.sales,
  credit: traffic.credits,
  expire: traffic.expiries,
  'file sale': traffic.filedSales,
  'file credit': traffic.filedCredits,
});

export const stepsOf = ({ measures, traffic }: Month) =>
  (Object.entries(timesOf(traffic)) as [StepName, bigint][]).map(([name, times]) => ({
    name,
    times,
    step: measures.steps[name],
  }));

/** Microseconds of one invocation of each function, of documents with so many lines. */
export const microsecondsOf = ({ asked }: Month, operation: keyof Requests): number => {
  const { base, line } = assumed.invocation[operation];
  return base + line * asked.lines;
};

/** How many instances a function has on average, one at least while it is asked at all. */
const instancesOf = (month: Month, operation: keyof Requests): bigint => {
  const requests = month.requests[operation];
  return requests === 0n ? 0n : begun(requests * BigInt(microsecondsOf(month, operation)), monthSeconds * 1_000_000n);
};
/** How often its instances do what each does once in so many seconds; no more often than they are asked. */
export const onceIn = (month: Month, operation: keyof Requests, seconds: bigint): bigint =>
  smaller(month.requests[operation], (instancesOf(month, operation) * monthSeconds) / seconds);

/** How often a schedule runs. */
export const runsOf = (name: ScheduleName): bigint => monthSeconds / 60n / BigInt(schedules[name].minutes);

/** How many records of the ledger's stream the pipe lets through, and how many events these are. */
export const toldOf = (month: Month): { readonly records: bigint; readonly events: bigint } => {
  const steps = month.deployed.hasEvents ? stepsOf(month) : [];
  return {
    records: sumOf(steps.map(({ times, step }) => times * BigInt(step.told.records))),
    events: sumOf(steps.map(({ times, step }) => times * BigInt(step.told.events))),
  };
};
