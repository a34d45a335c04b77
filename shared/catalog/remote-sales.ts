/** Returns the terms of remote sales on a day, and adds elected rates to releases (decision 0029). */

import { effectDefinition } from '../tax/effects/effects.ts';
import { type Dated, mayBeInForce } from './effective.ts';
import { isOwn, withOwnRates } from './own-rules.ts';
import type { Release, Rule } from './release.ts';
import type { ElectedRate, RemoteElection, RemoteLocalTax } from './release-values.ts';

type Terms = Pick<Release, 'remote_sales' | 'own'>;

/** Returns all elections in a state's law, for any day. */
export const listElections = ({ remote_sales = [] }: Terms): readonly RemoteElection[] => [
  ...new Set(remote_sales.flatMap((terms) => (terms.policy === 'election' ? [terms.election] : []))),
];

const reaches = ({ to }: Dated, day: string): boolean => to === null || day <= to;

/**
 * Returns the rate of an election on a day (`YYYY-MM-DD`). After the last rate on record, returns that rate with
 * `isOutdated`, unless a custom rate replaces it. `null` before the first rate.
 */
export const electedRateOn = (
  { remote_sales = [], own }: Terms,
  election: RemoteElection,
  day: string,
): { readonly elected: ElectedRate; readonly isOutdated: boolean } | null => {
  const begun = remote_sales
    .filter((terms) => terms.policy === 'election')
    .filter((terms) => terms.election === election && terms.from <= day);
  const elected = begun.toSorted((a, b) => (a.from < b.from ? -1 : 1)).at(-1);
  if (!elected) return null;
  const isReplaced = own?.rates.some(
    (rate) => rate.jurisdiction === elected.jurisdiction.code && mayBeInForce(rate, day),
  );
  return { elected, isOutdated: !reaches(elected, day) && !isReplaced };
};

/** Returns the local tax terms of a remote sale without an election on a day; `undefined` if there are none. */
export const remoteLocalTaxOn = ({ remote_sales = [] }: Terms, day: string): RemoteLocalTax | undefined =>
  remote_sales.filter((terms) => terms.policy !== 'election').find((terms) => terms.from <= day && reaches(terms, day));

/** Returns whether a rule is a holiday or an exemption from only the state's tax. */
const isHolidayOrOfState = ({ effect: { type }, levels }: Rule): boolean =>
  type === 'holiday' || (type === 'exempt' && levels?.join() === 'state');

/**
 * Adapts a rule to a flat tax that replaces all taxes of the state: exemptions remain, and special rates no longer
 * apply, except in custom rules for the flat tax. A holiday or an exemption from only the state's tax gets medium
 * confidence, because it is unconfirmed whether it covers the flat tax.
 */
const flatRule = (rule: Rule, { jurisdiction, source, confidence, note }: ElectedRate): Rule => {
  if (rule.jurisdictions?.includes(jurisdiction.code)) return rule;
  const effect = effectDefinition(rule.effect).withoutOwnRate(rule.effect);
  if (effect !== rule.effect) return isOwn(rule) ? { ...rule, effect } : { ...rule, effect, source, confidence };
  return isHolidayOrOfState(rule) && note !== undefined ? { ...rule, confidence: 'medium', note } : rule;
};

/** Adds the jurisdiction and the rate of an election to a release, for the sales that the election applies to. */
export const releaseWithElection = (release: Release, elected: ElectedRate): Release => {
  const { jurisdiction, rate, from, source, confidence, replaces } = elected;
  const { jurisdictions, rates, rules } = release;
  const [state, ...others] = jurisdictions;
  return withOwnRates({
    ...release,
    jurisdictions: [state, ...others, jurisdiction],
    rates: [...rates, { jurisdiction: jurisdiction.code, rate, from, to: null, source, confidence }],
    rules: replaces === 'all' ? rules.map((rule) => flatRule(rule, elected)) : rules,
  });
};
