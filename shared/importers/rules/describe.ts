/** Describes custom rules in sentences, for the output of commands. */

import { countsInWords } from '../../base/texts.ts';
import type { Dated } from '../../catalog/effective.ts';
import { type OwnRules, type Rule, settingNames } from '../../catalog/release.ts';
import { formatPercent } from '../../catalog/release-values.ts';
import { effectInWords, limitsInWords } from '../../tax/rule-words.ts';

const daysText = ({ from, to }: Dated): string => (to === null ? `from ${from}` : `${from} to ${to}`);

const zipsText = (zips: readonly (readonly [string, string])[]): string =>
  zips.map(([low, high]) => (low === high ? low : `${low} to ${high}`)).join(', ');

const listPlaces = ({ levels, jurisdictions, zips }: Rule): readonly string[] => [
  ...(levels ? [`only of type ${levels.join(', ')}`] : []),
  ...(jurisdictions ? [`only of ${jurisdictions.join(', ')}`] : []),
  ...(zips ? [`only in ZIPs ${zipsText(zips)}`] : []),
];

const ruleText = (rule: Rule): string =>
  [
    `Rule ${rule.id} (${rule.ptcs.join(', ')}): ${effectInWords(rule.effect)}`,
    daysText(rule),
    ...listPlaces(rule),
    ...limitsInWords(rule),
  ].join(', ');

const rateTexts = ({ rates, jurisdictions }: OwnRules): readonly string[] =>
  rates.map(({ jurisdiction, rate, ...days }) => {
    const own = jurisdictions.find(({ code }) => code === jurisdiction);
    const name = own ? `${own.name} (${jurisdiction})` : jurisdiction;
    const where = own ? `, in ZIPs ${zipsText(own.zips)}` : '';
    return `Rate of ${name}: ${formatPercent(rate)}, ${daysText(days)}${where}`;
  });

const policyText = (policy: object | string): string => (typeof policy === 'string' ? policy : JSON.stringify(policy));

/** Describes every value of custom rules, without its source. */
export const ownTexts = (own: OwnRules | undefined): readonly string[] =>
  own
    ? [
        ...own.rules.map(ruleText),
        ...rateTexts(own),
        ...settingNames.flatMap((name) =>
          (own.settings[name] ?? []).map(
            ({ policy, ...days }) => `Setting ${name}: ${policyText(policy)}, ${daysText(days)}`,
          ),
        ),
      ]
    : [];

/** `2 rules and 1 rate`; empty if there are none. */
export const ownCounts = (own: OwnRules | undefined): string => {
  if (!own) return '';
  const settings = settingNames.reduce((sum, name) => sum + (own.settings[name]?.length ?? 0), 0);
  const { rules, rates } = own;
  return countsInWords([rules.length, 'rule'], [rates.length, 'rate'], [settings, 'setting']);
};
