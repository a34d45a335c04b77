import type { Outcome } from './connection.ts';
import type { Kind } from './requests.ts';

type Seen = { readonly status: string; readonly atMs: number; readonly latencyMs: number; readonly isGood: boolean };

export type Latencies = { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };

/** The value that so large a part of the sorted values does not exceed (nearest rank). */
export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;

export const latenciesOf = (values: readonly number[]): Latencies => {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => Number(percentile(sorted, part).toFixed(1));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
};

type End = {
  readonly unanswered: number;
  readonly elapsedMs: number;
};

/** What became of a phase's requests. */
export const newTally = () => {
  const seen: Record<Kind, Seen[]> = { calculation: [], create: [] };
  let end: End = { unanswered: 0, elapsedMs: 0 };
  const all = () => [...seen.calculation, ...seen.create];
  return {
    record: (kind: Kind, outcome: Outcome, expected: number, atMs: number, latencyMs: number): void => {
      const status = 'failure' in outcome ? outcome.failure : String(outcome.status);
      seen[kind].push({ status, atMs, latencyMs, isGood: status === String(expected) });
    },
    finish: (how: End): void => {
      end = how;
    },
    end: (): End => end,
    /** How many were answered with each status, or failed in each way. */
    statuses: (): Record<string, number> =>
      Object.fromEntries([...Map.groupBy(all(), ({ status }) => status)].map(([status, of]) => [status, of.length])),
    good: (): number => all().filter(({ isGood }) => isGood).length,
    latencies: (kind: Kind): Latencies =>
      latenciesOf(seen[kind].filter(({ isGood }) => isGood).map(({ latencyMs }) => latencyMs)),
    /** When the last request was due that was refused or failed, or took longer than this; 0 if there is none. */
    troubledUntilMs: (slowMs = Number.POSITIVE_INFINITY): number =>
      all()
        .filter(({ isGood, latencyMs }) => !isGood || latencyMs > slowMs)
        .reduce((latest, { atMs }) => Math.max(latest, atMs), 0),
  };
};

export type Tally = ReturnType<typeof newTally>;
