import type { GateResult } from '../../catalog/gate-result.ts';
/** Measures a new release for the gates of `shared/importers/updates/gates.ts`. */

import { toDay } from '../../base/calendar.ts';
import { batchesOf } from '../../base/collections.ts';
import type { ReleaseFor } from '../../catalog/content.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import type { Release } from '../../catalog/release.ts';
import { rateDecimals } from '../../catalog/release-values.ts';
import workedCases from '../../catalog/worked-cases.json' with { type: 'json' };
import { now } from '../../config/clock.ts';
import { findHead, readPartKeys } from '../../store/content/content-store.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { applyGates, type GateFigures, type GateName } from '../updates/gates.ts';
import { chainOf } from './active-release.ts';
import { isUnreadable, readCases, type WorkedCase } from './cases.ts';
import { type ChargedRates, chargedRates } from './charged-rates.ts';
import { addressOfKey, changeDays, type Impact, probesOf, type RateStep } from './impact.ts';
import { stepText } from './impact-lines.ts';
import { impactOfChange, loadStored } from './measure-impact.ts';
import type { OpenRelease } from './open-release.ts';
import { releaseForCases, runCase } from './run-case.ts';

/** A combined rate in units of `10^-rateDecimals` as percent. These figures are compared with thresholds, never charged. */
const percentOf = (rate: bigint): number => Number(rate) / 10 ** (rateDecimals - 2);

const pointOfRate = 10n ** BigInt(rateDecimals - 2);

const sizeOf = (left: bigint, right: bigint): bigint => (left > right ? left - right : right - left);

/** Whether goods in the state, or from other states, have another rate by more than a point. */
const isUnlike = (rates: ChargedRates, expected: ChargedRates): boolean =>
  (['general', 'general_interstate'] as const).some((kind) => {
    const [own, known] = [rates.byKind[kind], expected.byKind[kind]];
    return own !== undefined && known !== undefined && sizeOf(own.charged, known.charged) > pointOfRate;
  });

/** How many ZIPs differ from the built-in rates, at the ZIP or at most of its ZIP+4 numbers. */
const compareWithBuiltIn = async (
  keys: readonly string[],
  candidate: OpenRelease,
  builtIn: Release,
  today: string,
): Promise<Pick<GateFigures, 'unlikeBuiltIn' | 'comparedWithBuiltIn'>> => {
  const [load, loadBuiltIn] = [loadStored(candidate.head), loadStored(builtIn)];
  let [unlikeBuiltIn, comparedWithBuiltIn] = [0, 0];
  for await (const block of batchesOf(keys)) {
    const addresses = block.map((key) => ({ key, address: addressOfKey(stateOfJurisdiction(builtIn.state), key) }));
    const all = addresses.map(({ address }) => address);
    const [releaseFor, builtInFor] = [await load(all), await loadBuiltIn(all)];
    for (const { key, address } of addresses) {
      const release = releaseFor(address);
      const known = builtInFor(address);
      // Compares the day of its last change as well: a file can have rates that begin later.
      const days = [...new Set([today, changeDays([release], today).at(-1) ?? today])].filter((day) => day >= today);
      const probes = probesOf(key, address, [release]).filter(({ isMain }) => isMain);
      const pairs = days.flatMap((day) => {
        const expected = chargedRates(address, known, day);
        const found = probes.flatMap((probe) => chargedRates(probe.address, release, day) ?? []);
        return expected === null ? [] : found.map((rates) => ({ rates, expected }));
      });
      if (pairs.length === 0) continue;
      comparedWithBuiltIn += 1;
      if (pairs.some(({ rates, expected }) => isUnlike(rates, expected))) unlikeBuiltIn += 1;
    }
  }
  return { unlikeBuiltIn, comparedWithBuiltIn };
};

const pointsOf = (step: RateStep | null): number => (step === null ? 0 : percentOf(sizeOf(step.before, step.after)));

const undatedRates = async ({ head, parts }: OpenRelease): Promise<number> => {
  const undated = new Set<string>();
  for await (const part of parts())
    for (const { jurisdiction, from } of part.rates) if (from === null) undated.add(jurisdiction);
  for (const { jurisdiction, from } of head.rates) if (from === null) undated.delete(jurisdiction);
  return undated.size;
};

/** How many worked cases of the state fail with the release and do not fail with the active one. */
const newlyFailedCases = async (candidate: OpenRelease, active: OpenRelease, today: string): Promise<number> => {
  const cases = readCases(JSON.stringify(workedCases)).flatMap((worked) => (isUnreadable(worked) ? [] : [worked]));
  const [releaseFor, activeFor] = [
    await releaseForCases(candidate.head, cases),
    await releaseForCases(active.head, cases),
  ];
  const fails = (worked: WorkedCase, { head }: OpenRelease, load: ReleaseFor) =>
    runCase(worked, head, load, today).outcome === 'fail';
  return cases.filter((worked) => fails(worked, candidate, releaseFor) && !fails(worked, active, activeFor)).length;
};

/** The places of the last file of a format in the active release and its fallback releases. */
const previousPlaces = async (format: string | undefined, active: OpenRelease): Promise<readonly string[]> => {
  for (const id of chainOf(active.imported)) {
    const head = id === active.imported?.id ? active.imported : await findHead(id);
    if (head && head.format === format && !isOwnOnly(head)) return readPartKeys(id);
  }
  return [];
};

/**
 * Measure a stored release against the active one and the built-in one of its state, from a day on. `impact` is the
 * comparison with the active one.
 */
export const gateFigures = async (
  candidate: OpenRelease,
  active: OpenRelease,
  builtIn: Release,
  today: string,
  { changed, vanished, largest, largestPast, highest }: Impact,
): Promise<GateFigures> => {
  const keys = await readPartKeys(candidate.head.id);
  const named = new Set(keys);
  const before = await previousPlaces(candidate.imported?.format, active);
  return {
    places: keys.length,
    placesBefore: before.length,
    unnamed: before.filter((key) => !named.has(key)).length,
    vanished,
    changed,
    largestChangePoints: pointsOf(largest),
    largestPastPoints: pointsOf(largestPast),
    highestPercent: percentOf(highest),
    ...(await compareWithBuiltIn(keys, candidate, builtIn, today)),
    undated: await undatedRates(candidate),
    failedCases: await newlyFailedCases(candidate, active, today),
  };
};

/** The gates of a release, and sentences that name changes which fail a gate. */
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
  const today = toDay(now());
  const impact = known ?? (await impactOfChange(active, candidate, today));
  const gates = applyGates(await gateFigures(candidate, active, builtIn, today, impact));
  return { gates, examples: examplesOf(gates, impact) };
};

/** The names of the gates that fail and are not overridden. */
export const failedGates = (gates: readonly GateResult[], overridden: ReadonlySet<string>): readonly string[] =>
  gates.filter(({ name, passed }) => !passed && !overridden.has(name)).map(({ name }) => name);
