import type { Rule } from '../../content/release.ts';
import { limitsInWords } from '../../tax/rule-words.ts';
import type { OtherChanges, RuleChange } from './compare-rules.ts';
import { print } from './output.ts';
import { daysText } from './texts.ts';

const ruleText = (rule: Rule | null): string => {
  if (!rule) return 'none';
  const { type, ...figures } = rule.effect;
  const details = Object.entries(figures).map(([name, value]) => ` ${name} ${JSON.stringify(value)}`);
  return [`${type}${details.join('')}`, daysText(rule), ...limitsInWords(rule)].join(', ');
};

const lineOf = ({ id, old, new: next }: RuleChange): string => {
  const [was, is] = [ruleText(old), ruleText(next)];
  const codes = (next ?? old)?.ptcs.join(', ');
  return `Rule ${id} (${codes}): ${was === is ? `${is}, for other goods or places than before` : `${was} -> ${is}`}`;
};

/** Prints what changes beside rates and places; nothing where nothing does. */
export const printRules = ({ rules, settings }: OtherChanges): void => {
  if (rules.length + settings.length > 0) print();
  for (const change of rules) print(lineOf(change));
  for (const name of settings) print(`Setting ${name} changes.`);
};
