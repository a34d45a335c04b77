import { stateRateOn } from '../../rates.ts';
import type { Release } from '../../release.ts';
import type { Entry } from '../entry.ts';
import { fractionOf, unitsOf } from '../fractions.ts';
import type { Component, PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import type { WooRate } from './rate-row.ts';

export type LocalContext = {
  readonly pseudo: PseudoJurisdictions;
  readonly base: Release;
  /** The first day of all rates; `null` for `established_from` of the base. */
  readonly from: string | null;
  /** Lines already reported as bad: a row of many ZIPs is one bad row. */
  readonly bad: Set<number>;
};

/** The local taxes of combined rates: codes, entries of new jurisdictions, and the last day. */
export type Locals = {
  readonly codes: readonly string[];
  readonly entries: readonly Entry[];
  readonly to: string | null;
};

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

const total = (rates: readonly WooRate[]): bigint => rates.reduce((sum, { rate }) => sum + unitsOf(rate), 0n);

/** Whether a rate applies to the whole state. */
export const isStateWide = ({ zips, cities }: WooRate): boolean => zips === null && cities === null;

/** A rate of the whole state that is the state's rate leaves the others as local taxes; else what is above it is one. */
const partsOf = (rates: readonly WooRate[], stateRate: string, place: string, base: Release) => {
  const state = rates.find((rate) => isStateWide(rate) && rate.rate === stateRate);
  if (state)
    return rates
      .filter((rate) => rate !== state)
      .map(({ name, rate }) => ({ level: levelOf(name, base), place: `${name} ${place}`, rate }));
  return [{ level: unnamedLevel(base), place, rate: fractionOf(total(rates) - unitsOf(stateRate)) }];
};

/** The local taxes of the rates that apply in a place; `null`, with a bad row, if they are less than the state's rate. */
export const localsOf = (context: LocalContext, rates: readonly WooRate[], place: string): Locals | Entry => {
  const { pseudo, base, bad, from } = context;
  const state = stateRateOn(base, from ?? base.established_from);
  const [{ line }] = rates as readonly [WooRate, ...WooRate[]];
  if (!state || total(rates) < unitsOf(state.rate)) {
    const reason = `the file has ${fractionOf(total(rates))} for ${place} in all, the release has ${state?.rate ?? 'nothing'} for the state alone: correct the rate, or choose another base release`;
    bad.add(line);
    return { kind: 'bad', line, reason };
  }
  const entries: Entry[] = [];
  const codes: string[] = [];
  for (const part of partsOf(rates, state.rate, place, base).filter(({ rate }) => rate !== '0')) {
    const dates = { from, to: state.to };
    const made = pseudo.codeOf({ ...part, ...dates, label: labels[part.level], distinction: 'OTHER' });
    entries.push(...made.entries);
    codes.push(made.code);
  }
  return { codes, entries, to: state.to };
};
