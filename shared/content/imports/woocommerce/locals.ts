import { stateRateOn } from '../../rates.ts';
import type { Release } from '../../release.ts';
import type { Entry } from '../entry.ts';
import { fractionOf, unitsOf } from '../fractions.ts';
import type { Component, PseudoJurisdictions } from '../pseudo-jurisdictions.ts';
import type { WooRate } from './rate-row.ts';

export type LocalContext = {
  readonly pseudo: PseudoJurisdictions;
  readonly base: Release;
  /** Lines that have been said to be bad: a row of many ZIPs is one bad row. */
  readonly bad: Set<number>;
};

/** What rates come to beside the state: codes, entries that say what they are, and the last day of it. */
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

/** Whether a rate is of every place of the state. */
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

/** Say what the rates that apply in a place come to; `null`, with a bad row, where they are less than the state's. */
export const localsOf = (context: LocalContext, rates: readonly WooRate[], place: string): Locals | Entry => {
  const { pseudo, base, bad } = context;
  const state = stateRateOn(base, base.established_from);
  const [{ line }] = rates as readonly [WooRate, ...WooRate[]];
  if (!state || total(rates) < unitsOf(state.rate)) {
    const reason = `file says ${fractionOf(total(rates))} for ${place} in all, the release says ${state?.rate ?? 'nothing'} for the state alone: correct the rate, or choose another base release`;
    bad.add(line);
    return { kind: 'bad', line, reason };
  }
  const entries: Entry[] = [];
  const codes: string[] = [];
  for (const part of partsOf(rates, state.rate, place, base).filter(({ rate }) => rate !== '0')) {
    const dates = { from: null, to: state.to };
    const made = pseudo.codeOf({ ...part, ...dates, label: labels[part.level], distinction: 'OTHER' });
    entries.push(...made.entries);
    codes.push(made.code);
  }
  return { codes, entries, to: state.to };
};
