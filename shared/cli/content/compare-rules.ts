import { canonicalJson } from '../../canonical-json.ts';
import type { Release, Rule } from '../../content/release.ts';

/** A rule that one release has otherwise than the other, or not at all (`null`). */
export type RuleChange = { readonly id: string; readonly old: Rule | null; readonly new: Rule | null };

/** What in a release decides about tax beside rates and places. */
export type OtherChanges = {
  readonly rules: readonly RuleChange[];
  /** Such as `shipping`; `coverage` is what an address has that no location names. */
  readonly settings: readonly string[];
};

// Where a rule comes from does not change anybody's tax.
const working = ({ source: _source, confidence: _confidence, note: _note, ...rule }: Rule): string =>
  canonicalJson(rule);

const rulesById = ({ rules }: Release): ReadonlyMap<string, Rule> => new Map(rules.map((rule) => [rule.id, rule]));

const policies = (values: Release['settings'][keyof Release['settings']]): string =>
  canonicalJson(values.map(({ from, to, policy }) => ({ from, to, policy })));

const settingNames = ['sourcing', 'shipping', 'rounding'] as const;
const fieldNames = ['coverage', 'locals', 'established_from', 'established_to'] as const;

/** What differs between two releases of a state in rules and settings. */
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
