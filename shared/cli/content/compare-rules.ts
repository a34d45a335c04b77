import { canonicalJson } from '../../base/canonical-json.ts';
import { type Release, type Rule, settingNames } from '../../catalog/release.ts';

/** A rule that differs between two releases; `null` if a release does not have it. */
export type RuleChange = { readonly id: string; readonly old: Rule | null; readonly new: Rule | null };

/** Differences that affect tax other than rates and places. */
export type OtherChanges = {
  readonly rules: readonly RuleChange[];
  /** Such as `shipping`; `coverage` applies to addresses without a location. */
  readonly settings: readonly string[];
};

// The source of a rule does not change the tax.
const working = ({ source: _source, confidence: _confidence, note: _note, ...rule }: Rule): string =>
  canonicalJson(rule);

const rulesById = ({ rules }: Release): ReadonlyMap<string, Rule> => new Map(rules.map((rule) => [rule.id, rule]));

const policies = (values: Release['settings'][keyof Release['settings']]): string =>
  canonicalJson((values ?? []).map(({ from, to, policy }) => ({ from, to, policy })));

const fieldNames = ['coverage', 'established_from', 'approximate_from', 'established_to'] as const;

/** The differences of two releases of a state in rules and settings. */
export const compareRules = (before: Release, after: Release): OtherChanges => {
  const [old, next] = [rulesById(before), rulesById(after)];
  const rules = [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((id) => {
    const [was, is] = [old.get(id) ?? null, next.get(id) ?? null];
    return was && is && working(was) === working(is) ? [] : [{ id, old: was, new: is }];
  });
  const settings = settingNames.filter((name) => policies(before.settings[name]) !== policies(after.settings[name]));
  const fields = fieldNames.filter((name) => before[name] !== after[name]);
  return { rules, settings: [...settings, ...fields] };
};
