import { effectInWords, seasonInWords, sentence } from '../tax/rule-words.ts';
import type { Decision } from './decisions.ts';

// An import can have a rule for each of many cities.
const namesMax = 6;

/** Names in a sentence, joined by `or`: the first ones alone where they are many. */
export const listed = (names: readonly string[]): string => {
  if (names.length < 2) return names.join('');
  const last = names.length > namesMax ? `one of ${names.length - 2} others` : names.at(-1);
  return `${names.slice(0, names.length > namesMax ? 2 : -1).join(', ')} or ${last}`;
};

const asGeneral = 'not established; taxed as general goods, with a warning';

/** What the rules of all levels do, as sentences. */
export const textOf = (decisions: readonly Decision[]): string => {
  const clause = ({ rule, isUntaxed }: Decision) => {
    if (isUntaxed) return 'no general tax';
    return rule ? [effectInWords(rule.effect), seasonInWords(rule)].filter(Boolean).join(' ') : asGeneral;
  };
  const clauses =
    decisions.length === 1
      ? decisions.map(clause)
      : decisions.map((decision) => `by ${listed(decision.who)}: ${clause(decision)}`);
  return clauses.map(sentence).join(' ');
};
