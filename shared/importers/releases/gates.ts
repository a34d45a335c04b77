/** The gates that a release of files must pass before `update` or `import --activate` activates it. */
import { toDay } from '../../base/calendar.ts';
import { toBatches } from '../../base/collections.ts';
import type { GateResult } from '../../catalog/content.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import type { Release } from '../../catalog/release.ts';
import { rateDecimals } from '../../catalog/release-values.ts';
import workedCases from '../../catalog/worked-cases.json' with { type: 'json' };
import { now } from '../../config/clock.ts';
import { findHead, readPartKeys } from '../../store/content/content-store.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import thresholds from './gates.json' with { type: 'json' };
import {
  type ChargedRates,
  chargedRates,
  examplesMax,
  getSize,
  type Impact,
  listBoth,
  listProbes,
  type RateStep,
  rateTimes,
} from './impact.ts';
import { impactOfChange, loadStored } from './measure-impact.ts';
import { getChain, type OpenRelease } from './open-release.ts';
import { stepText } from './report.ts';
import { releaseForCases, runCase, type WorkedCase } from './worked-cases.ts';

type GateName = keyof typeof thresholds;

/** A gate passes if its measured value is at most `most`. */
type Gate = Pick<GateResult, 'describe' | 'most' | 'unit'> & { readonly name: GateName };

/**
 * The thresholds. A quarterly update changes the rates of a few places; a wrong column, a truncated file or a different
 * state's file changes most of them. The cap is above every combined city rate in the Tax Foundation's tables (midyear
 * 2026).
 */
export const gates = Object.entries(thresholds).map(([name, gate]) => ({ name, ...gate })) as readonly Gate[];

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);

/**
 * Returns a combined rate in units of `10^-rateDecimals` as percent. The result is compared with thresholds, never
 * charged.
 */
const toPercent = (rate: bigint): number => Number(rate) / 10 ** (rateDecimals - 2);

const pointOfRate = 10n ** BigInt(rateDecimals - 2);

/** Returns whether the rate on goods from the state, or from other states, differs by more than a percentage point. */
const isUnlike = (rates: ChargedRates, expected: ChargedRates): boolean =>
  (['general', 'general_interstate'] as const).some((kind) => {
    const [own, known] = [rates.byKind[kind], expected.byKind[kind]];
    return own !== undefined && known !== undefined && getSize(own.charged, known.charged) > pointOfRate;
  });

/**
 * Returns the percentage of ZIPs that differ from the built-in rates, at the ZIP or at most of its ZIP+4 numbers. Only
 * ZIPs with both rates count.
 */
const unlikeBuiltIn = async (
  keys: readonly string[],
  candidate: OpenRelease,
  builtIn: Release,
  today: string,
): Promise<number> => {
  let [unlike, compared] = [0, 0];
  const state = stateOfJurisdiction(builtIn.state);
  const [before, after] = [loadStored(builtIn), loadStored(candidate.head)];
  for await (const { key, address, releases } of listBoth({ state, blocks: toBatches(keys), before, after })) {
    const { before: known, after: release } = releases;
    // Also compares the last day on which rates change: the rates of a file can begin later.
    const days = [...new Set([today, rateTimes([release], today).at(-1)?.from ?? today])].filter((day) => day >= today);
    const probes = listProbes(key, address, [release]).filter(({ isMain }) => isMain);
    const pairs = days.flatMap((day) => {
      const expected = chargedRates(address, known, day);
      const found = probes.flatMap((probe) => chargedRates(probe.address, release, day) ?? []);
      return expected === null ? [] : found.map((rates) => ({ rates, expected }));
    });
    if (pairs.length === 0) continue;
    compared += 1;
    if (pairs.some(({ rates, expected }) => isUnlike(rates, expected))) unlike += 1;
  }
  return percent(unlike, compared);
};

const toPoints = (step: RateStep | null): number => (step === null ? 0 : toPercent(getSize(step.before, step.after)));

const undatedRates = async ({ head, parts }: OpenRelease): Promise<number> => {
  const undated = new Set<string>();
  for await (const part of parts())
    for (const { jurisdiction, from } of part.rates) if (from === null) undated.add(jurisdiction);
  for (const { jurisdiction, from } of head.rates) if (from === null) undated.delete(jurisdiction);
  return undated.size;
};

const cases = workedCases as readonly WorkedCase[];

/** Returns the state's worked cases that fail with a release. */
const failedCases = async ({ head }: OpenRelease, today: string): Promise<ReadonlySet<WorkedCase>> => {
  const releaseFor = await releaseForCases(head, cases);
  return new Set(cases.filter((worked) => runCase(worked, head, releaseFor, today).outcome === 'fail'));
};

/** Returns the worked cases that fail with a release and not with the active one. */
const newlyFailedCases = async (candidate: OpenRelease, active: OpenRelease, today: string) => [
  ...(await failedCases(candidate, today)).difference(await failedCases(active, today)),
];

/** Returns the places of the newest release of the format among the active release and its fallback releases. */
const previousPlaces = async (format: string | undefined, active: OpenRelease): Promise<readonly string[]> => {
  for (const id of getChain(active.imported)) {
    const head = id === active.imported?.id ? active.imported : await findHead(id);
    if (head && head.format === format && !isOwnOnly(head)) return readPartKeys(id);
  }
  return [];
};

/**
 * Measures a stored release against the state's active and built-in releases, for a day and all later days. `impact` is
 * the comparison with the active release.
 */
const measureFigures = async (
  candidate: OpenRelease,
  active: OpenRelease,
  builtIn: Release,
  today: string,
  { changed, vanished, largest, largestPast, highest }: Impact,
  failed: readonly WorkedCase[],
): Promise<Readonly<Record<GateName, number>>> => {
  const keys = await readPartKeys(candidate.head.id);
  const before = await previousPlaces(candidate.imported?.format, active);
  const unnamed = new Set(before).difference(new Set(keys)).size;
  return {
    vanished: Math.max(percent(unnamed, before.length), percent(vanished, keys.length)),
    changed: percent(changed, keys.length),
    largest: toPoints(largest),
    past: toPoints(largestPast),
    cap: toPercent(highest),
    undated: await undatedRates(candidate),
    'built-in': await unlikeBuiltIn(keys, candidate, builtIn, today),
    cases: failed.length,
  };
};

const listExamples = (
  results: readonly GateResult[],
  { largest, largestPast, examples }: Impact,
  failed: readonly WorkedCase[],
): readonly string[] => {
  const texts = (steps: readonly (RateStep | null)[]) => steps.filter((step) => step !== null).map(stepText);
  const found: Readonly<Record<string, readonly string[]>> = {
    changed: texts(examples.changed),
    vanished: texts(examples.vanished),
    largest: texts([largest]),
    past: texts([largestPast]),
    cases: failed.slice(0, examplesMax).map(({ id }) => id),
  };
  return results.flatMap(({ name, passed }) => {
    const named = passed ? [] : (found[name] ?? []);
    return named.length === 0 ? [] : [`${name}: ${named.join('; ')}.`];
  });
};

/**
 * Applies the gates to a release that would replace the active one. Returns the results, and sentences that list
 * changes which fail a gate. `known` is the comparison of the two releases, if the import has already made it. Rejects
 * with `ContentCorrupt` if either release is corrupt.
 */
export const measureGates = async (
  candidate: OpenRelease,
  active: OpenRelease,
  builtIn: Release,
  known: Impact | null,
) => {
  const today = toDay(now());
  const impact = known ?? (await impactOfChange(active, candidate, today));
  const failed = await newlyFailedCases(candidate, active, today);
  const figures = await measureFigures(candidate, active, builtIn, today, impact, failed);
  const results = gates.map((gate) => ({
    ...gate,
    figure: figures[gate.name],
    passed: figures[gate.name] <= gate.most,
  }));
  return { gates: results, examples: listExamples(results, impact, failed) };
};

/** Returns the names of the gates that fail and are not overridden. */
export const failedGates = (results: readonly GateResult[], overridden: ReadonlySet<string>): readonly string[] =>
  results.filter(({ name, passed }) => !passed && !overridden.has(name)).map(({ name }) => name);
