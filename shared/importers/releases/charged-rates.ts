/** The combined rates that a release charges at an address: every figure that a new release may change. */

import type { TaxAddress } from '../../catalog/location/address.ts';
import { combinedRate, placeRate } from '../../catalog/location/combined-rate.ts';
import { locate } from '../../catalog/location/place.ts';
import { rateOn } from '../../catalog/rates.ts';
import type { Release } from '../../catalog/release.ts';
import { type RateKind, rateKinds } from '../../catalog/release-values.ts';

/**
 * Combined rates in units of `10^-rateDecimals`: the charged one, and the least and most that an address there may
 * have.
 */
type Combined = { readonly charged: bigint; readonly lowest: bigint; readonly highest: bigint };

export type ChargedRates = {
  /** The rates on food are there only if a jurisdiction has one that differs. */
  readonly byKind: Readonly<Partial<Record<RateKind, Combined>>>;
  readonly hasLocals: boolean;
  /** Whether an import has the address. The least and most are of its ranges and streets. */
  readonly isImported: boolean;
  /** Whether no rate is missing or approximate. */
  readonly isComplete: boolean;
};

const isOfFood = (kind: RateKind): boolean => kind.startsWith('food');

const hasFoodRate = (release: Release, codes: readonly string[], day: string): boolean =>
  codes.some((code) => {
    const rate = rateOn(release, code, day);
    return rate?.food_rate !== undefined || rate?.interstate?.food_rate !== undefined;
  });

/** The rates of an address on a day; `null` if its general rate is not known. */
export const chargedRates = (address: TaxAddress, active: Release | undefined, day: string): ChargedRates | null => {
  const { place, choice, resolution } = locate(address, () => active, day, false);
  const { release, jurisdictions } = place;
  if (release === null || resolution.coverage === 'none') return null;
  const isImported = choice !== null && choice.byPlace === null;
  const sets = isImported ? choice.possible : [];
  const codesOfSets = new Set(sets.flatMap(({ codes }) => codes));
  const others = jurisdictions.filter(({ code }) => !codesOfSets.has(code));
  const codes = [...new Set([...jurisdictions.map(({ code }) => code), ...codesOfSets])];
  const hasFood = hasFoodRate(release, codes, day);
  const byKind: Partial<Record<RateKind, Combined>> = {};
  for (const kind of rateKinds) {
    if (isOfFood(kind) && !hasFood) continue;
    const charged = placeRate(release, jurisdictions, day, kind);
    const beside = placeRate(release, others, day, kind);
    if (charged === undefined || beside === undefined) return null;
    const sums = sets.flatMap((set) => combinedRate(release, set.codes, day, kind) ?? []).map((sum) => beside + sum);
    const [least, most] = [
      [charged, ...sums].reduce((a, b) => (b < a ? b : a)),
      [charged, ...sums].reduce((a, b) => (b > a ? b : a)),
    ];
    byKind[kind] = { charged, lowest: least, highest: most };
  }
  const locals = jurisdictions.filter(({ type }) => type !== 'state').map(({ code }) => code);
  return {
    byKind,
    hasLocals: (combinedRate(release, locals, day) ?? 0n) > 0n,
    isImported,
    isComplete: resolution.coverage === 'complete',
  };
};

/** A difference of two releases, in units of `10^-rateDecimals`. */
export type RatePair = { readonly kind: RateKind; readonly before: bigint; readonly after: bigint };

const goodsKindOf = (kind: RateKind): RateKind => (kind === 'food_interstate' ? 'general_interstate' : 'general');

/**
 * The rates of one kind in two releases. If only one of them has rates on food, a rule of the state may decide in the
 * other. Food that was without a rate of its own had at most the general rate.
 */
const combinedPair = (kind: RateKind, before: ChargedRates, after: ChargedRates) => {
  const [old, next] = [before.byKind[kind], after.byKind[kind]];
  if (!old && !next) return null;
  const [oldGoods, nextGoods] = [before.byKind[goodsKindOf(kind)], after.byKind[goodsKindOf(kind)]];
  if (!old && next && oldGoods && next.highest <= oldGoods.highest) return null;
  const pair = [old ?? oldGoods, next ?? nextGoods] as const;
  return pair[0] && pair[1] ? ([pair[0], pair[1]] as const) : null;
};

/**
 * The rates of an address that differ: the charged ones, and between two imports the least and most of the ranges and
 * streets around it.
 */
export const differentRates = (before: ChargedRates, after: ChargedRates): readonly RatePair[] =>
  rateKinds.flatMap((kind) => {
    const pair = combinedPair(kind, before, after);
    if (!pair) return [];
    const names =
      before.isImported && after.isImported ? (['charged', 'lowest', 'highest'] as const) : (['charged'] as const);
    return names.flatMap((name) => {
      const [old, next] = [pair[0][name], pair[1][name]];
      return old === next ? [] : [{ kind, before: old, after: next }];
    });
  });

/** The highest rate of any kind that an address there may have. */
export const highestRate = ({ byKind }: ChargedRates): bigint =>
  Object.values(byKind).reduce((most, { highest }) => (highest > most ? highest : most), 0n);
