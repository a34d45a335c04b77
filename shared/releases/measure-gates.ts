/** Applies the gates to a stored release that is not active yet. */
import { dayOf } from '../base/calendar.ts';
import { now } from '../config/clock.ts';
import type { Release } from '../content/release.ts';
import { applyGates, type GateName, type GateResult } from '../content/updates/gates.ts';
import { gateFigures } from './gate-figures.ts';
import type { Impact, RateStep } from './impact.ts';
import { stepText } from './impact-lines.ts';
import { impactOfChange } from './measure-impact.ts';
import type { OpenRelease } from './open-release.ts';

/** The gates of a release, and sentences with examples of the changes because of which gates fail. */
export type Measured = { readonly gates: readonly GateResult[]; readonly examples: readonly string[] };

const stepsOf = ({ largest, largestPast, examples }: Impact): Partial<Record<GateName, readonly RateStep[]>> => ({
  ...examples,
  largest: largest === null ? [] : [largest],
  past: largestPast === null ? [] : [largestPast],
});

const examplesOf = (gates: readonly GateResult[], impact: Impact): readonly string[] => {
  const steps = new Map<string, readonly RateStep[]>(Object.entries(stepsOf(impact)));
  return gates.flatMap(({ name, passed }) => {
    const found = passed ? [] : (steps.get(name) ?? []);
    return found.length === 0 ? [] : [`${name}: ${found.map(stepText).join('; ')}.`];
  });
};

/**
 * Apply the gates to a release over the active one of its state. `known` is the comparison of both, if the import has made
 * it. Rejects with `ContentCorrupt` if one of the releases is corrupt.
 */
export const measureGates = async (
  candidate: OpenRelease,
  active: OpenRelease,
  builtIn: Release,
  known: Impact | null,
): Promise<Measured> => {
  const today = dayOf(now());
  const impact = known ?? (await impactOfChange(active, candidate, today));
  const gates = applyGates(await gateFigures(candidate, active, builtIn, today, impact));
  return { gates, examples: examplesOf(gates, impact) };
};

/** The names of the gates that fail and are not overridden. */
export const failedGates = (gates: readonly GateResult[], overridden: ReadonlySet<string>): readonly string[] =>
  gates.filter(({ name, passed }) => !passed && !overridden.has(name)).map(({ name }) => name);
