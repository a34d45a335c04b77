import { codePart } from '../../catalog/location/city-name.ts';
import { stateRateOn } from '../../catalog/rates.ts';
import type { Release } from '../../catalog/release.ts';
import { formatFraction, formatPercent, parseUnits, rateDecimals } from '../../catalog/release-values.ts';
import type { Entry } from '../entry.ts';
import type { Component, PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import { isSplit } from '../state-splits.ts';
import { isStateWide } from './matching.ts';
import type { WooRate } from './rate-row.ts';

export type LocalContext = {
  readonly pseudo: PseudoJurisdictions;
  readonly base: Release;
  /** The first day of all rates; `null` for `established_from` of the base. */
  readonly from: string | null;
  /** Lines already reported as bad: a row of many ZIPs is one bad row. */
  readonly bad: Set<number>;
  /** Lines that already have a remark. */
  readonly remarked: Set<number>;
};

/** The local taxes of combined rates: codes, entries of new jurisdictions, and the last day. */
export type Locals = {
  readonly codes: readonly string[];
  readonly entries: readonly Entry[];
  readonly to: string | null;
};

const one = 10n ** BigInt(rateDecimals);

/** The addition of a rate to the tax on a price, in units of `10^-rateDecimals`. */
type Share = { readonly rate: WooRate; readonly units: bigint };

const total = (shares: readonly Share[]): bigint => shares.reduce((sum, { units }) => sum + units, 0n);

/**
 * The shares of rates that apply together: those that are not compound add up, and each compound one applies on the price
 * with all taxes before it (`WC_Tax::calc_exclusive_tax`). `null` if one needs more decimals than a rate may have.
 */
const sharesOf = (rates: readonly WooRate[]): readonly Share[] | null => {
  const shares: Share[] = rates
    .filter(({ isCompound }) => !isCompound)
    .map((rate) => ({ rate, units: parseUnits(rate.rate) }));
  for (const rate of rates.filter(({ isCompound }) => isCompound)) {
    const product = parseUnits(rate.rate) * (one + total(shares));
    if (product % one !== 0n) return null;
    shares.push({ rate, units: product / one });
  }
  return shares;
};

/** The rate of rates that apply together, as a fraction; `null` as in `sharesOf`. */
export const combinedOf = (rates: readonly WooRate[]): string | null => {
  const shares = sharesOf(rates);
  return shares && formatFraction(total(shares));
};

/** The state's rate in the base release on the first day of the file's rates. */
export const stateRateOf = ({ base, from }: Pick<LocalContext, 'base' | 'from'>) =>
  stateRateOn(base, from ?? base.established_from);

/** Whether a combined rate is the state's rate, or its part without the mandatory local taxes. */
export const isRateOfState = (state: string, combined: string | null, stateRate: string | undefined): boolean =>
  combined !== null && stateRate !== undefined && (combined === stateRate || isSplit(state, combined, stateRate));

/**
 * The level of a local tax of which nothing else is known. Where the state has rules for its counties alone (North
 * Carolina's 2 % on food), it is theirs: every place there has a county, and what is above it is little.
 */
const unnamedLevel = ({ rules }: Release): Component['level'] =>
  rules.some(({ levels }) => levels?.includes('county') && !levels.includes('district')) ? 'county' : 'district';

const levelOf = (name: string, base: Release): Component['level'] => {
  if (/\bcounty\b/i.test(name)) return 'county';
  return /\bcity\b/i.test(name) ? 'city' : unnamedLevel(base);
};

const labels = { county: 'COUNTY', city: 'CITY', district: 'LOCAL' } as const;

/**
 * If one share is the state's rate, the others are local taxes; otherwise what is above the state's rate is one. Shares of
 * one name are one tax, because its code is made from the name.
 */
const partsOf = (shares: readonly Share[], stateUnits: bigint, place: string, base: Release) => {
  const state = shares.find(({ rate, units }) => isStateWide(rate) && units === stateUnits);
  if (!state) return [{ level: unnamedLevel(base), place, units: total(shares) - stateUnits }];
  const locals = shares.filter((share) => share !== state);
  return [...Map.groupBy(locals, ({ rate }) => codePart(rate.name))].map(([, ofName]) => {
    const name = ofName[0]?.rate.name ?? '';
    return { level: levelOf(name, base), place: `${name} ${place}`, units: total(ofName) };
  });
};

/** The local taxes of the rates that apply at a place; a bad row where they cannot be determined. */
export const localsOf = (context: LocalContext, rates: readonly WooRate[], place: string): Locals | Entry => {
  const { pseudo, base, from, bad } = context;
  const refuse = (row: WooRate | undefined, reason: string): Entry => {
    const line = row?.line ?? 0;
    bad.add(line);
    return { kind: 'bad', line, reason };
  };
  const state = stateRateOf(context);
  const known = state ? formatPercent(state.rate) : 'nothing';
  const shares = sharesOf(rates);
  if (shares === null)
    return refuse(
      rates.find(({ isCompound }) => isCompound),
      `compounds to a rate of more than ${rateDecimals} decimals: write the rate that it comes to, and 0 in the column Compound`,
    );
  const wide = combinedOf(rates.filter(isStateWide));
  if (wide !== '0' && !isRateOfState(pseudo.state, wide, state?.rate))
    return refuse(
      rates.find(isStateWide),
      `is of the whole state, which has ${wide ? formatPercent(wide) : 'no rate'} in the file and ${known} in the release: correct it, because other rows add to it`,
    );
  if (!state || total(shares) < parseUnits(state.rate))
    return refuse(
      rates[0],
      `the file has ${formatPercent(formatFraction(total(shares)))} for ${place} in all, the release has ${known} for the state alone: correct the rate, or choose another base release`,
    );
  const entries: Entry[] = [];
  const codes: string[] = [];
  for (const { units, ...part } of partsOf(shares, parseUnits(state.rate), place, base)) {
    if (units === 0n) continue;
    const component = { ...part, rate: formatFraction(units), from, to: state.to };
    const made = pseudo.codeOf({ ...component, label: labels[part.level], distinction: 'OTHER' });
    entries.push(...made.entries);
    codes.push(made.code);
  }
  return { codes, entries, to: state.to };
};
