/** `content diff`: the changes if one release replaces another. */
import { toDay } from '../../base/calendar.ts';
import { canonicalJson } from '../../base/json.ts';
import { isOwn } from '../../catalog/own-rules.ts';
import { type Release, type Rule, settingNames } from '../../catalog/release.ts';
import { now } from '../../config/clock.ts';
import { compareReleases, type RateChange } from '../../importers/releases/compare-rates.ts';
import type { PlaceChange } from '../../importers/releases/impact.ts';
import { impactOfChange } from '../../importers/releases/measure-impact.ts';
import { type OpenRelease, openCompared } from '../../importers/releases/open-release.ts';
import {
  daysText,
  impactJson,
  impactLines,
  impactOrCorruption,
  kindTexts,
  percentOrNone,
  zipsText,
} from '../../importers/releases/report.ts';
import { isZip } from '../../importers/releases/zip-pieces.ts';
import { ownTexts } from '../../importers/rules/describe.ts';
import { limitsInWords } from '../../tax/rule-words.ts';
import { counted, print, printJson, textTable } from '../terminal/output.ts';
import { CommandError, flag, subcommand } from '../terminal/run-command.ts';

/** A rule that differs between two releases; `null` if a release does not have it. */
type RuleChange = { readonly id: string; readonly old: Rule | null; readonly new: Rule | null };

/** Differences that affect tax, except rates and places. */
type OtherChanges = {
  readonly rules: readonly RuleChange[];
  /** Names of settings, such as `shipping`. `coverage` is the coverage of addresses without a location. */
  readonly settings: readonly string[];
};

// The source of a rule does not change the tax.
const working = ({ source: _source, confidence: _confidence, note: _note, ...rule }: Rule): string =>
  canonicalJson(rule);

const rulesById = ({ rules }: Release): ReadonlyMap<string, Rule> => new Map(rules.map((rule) => [rule.id, rule]));

const policies = (values: Release['settings'][keyof Release['settings']]): string =>
  canonicalJson((values ?? []).map(({ from, to, policy }) => ({ from, to, policy })));

const fieldNames = ['coverage', 'established_from', 'approximate_from', 'established_to'] as const;

/** Returns the differences of rules and settings between two releases of a state. */
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

/** The changes in a ZIP or city, or in consecutive ZIPs whose whole areas have the same changes. */
type Run = { readonly keys: string[]; readonly changes: readonly PlaceChange[] };

const isWhole = ({ key, zips }: PlaceChange): boolean =>
  isZip(key) && zips.length === 1 && zips[0]?.[0] === `${key}0000` && zips[0][1] === `${key}9999`;

const sameText = (changes: readonly PlaceChange[]): string =>
  JSON.stringify(changes.map(({ from, to, old, new: next }) => [from, to, old, next]));

const continues = (run: Run, key: string, changes: readonly PlaceChange[]): boolean =>
  Number(key) === Number(run.keys.at(-1)) + 1 &&
  [...run.changes, ...changes].every(isWhole) &&
  sameText(run.changes) === sameText(changes);

/** Joins consecutive ZIPs with the same changes. */
const listRuns = (places: Iterable<readonly PlaceChange[]>): readonly Run[] => {
  const runs: Run[] = [];
  for (const changes of places) {
    const [key, last] = [changes[0]?.key ?? '', runs.at(-1)];
    if (last && continues(last, key, changes)) last.keys.push(key);
    else runs.push({ keys: [key], changes });
  }
  return runs;
};

const printRun = ({ keys, changes }: Run): void => {
  const all = keys.length === 1 ? null : `${keys[0]} to ${keys.at(-1)} (${keys.length} ZIPs)`;
  for (const { key, zips, old, new: next, ...days } of changes) {
    const where = all ?? (zips.length > 0 ? zipsText(zips) : key);
    print(`${where}: ${percentOrNone(old)} -> ${percentOrNone(next)}, ${daysText(days)}`);
  }
};

const ruleText = (rule: Rule | null): string => {
  if (!rule) return 'none';
  const { type, ...figures } = rule.effect;
  const details = Object.entries(figures).map(([name, value]) => ` ${name} ${JSON.stringify(value)}`);
  const own = isOwn(rule) ? ['custom rule'] : [];
  return [`${type}${details.join('')}`, daysText(rule), ...limitsInWords(rule), ...own].join(', ');
};

const ruleLine = ({ id, old, new: next }: RuleChange): string => {
  const [was, is] = [ruleText(old), ruleText(next)];
  const codes = (next ?? old)?.ptcs.join(', ');
  return `Rule ${id} (${codes}): ${was === is ? `${is}, for different goods or places` : `${was} -> ${is}`}`;
};

/** Prints the differences of rules and settings, if any. */
const printRules = ({ rules, settings }: OtherChanges): void => {
  if (rules.length + settings.length > 0) print();
  for (const change of rules) print(ruleLine(change));
  for (const name of settings) print(`Setting ${name} changes.`);
};

/** Prints the custom rules of a release with their sources. */
const printOwn = ({ own, id }: Release): void => {
  if (!own) return;
  print(`\nCustom rules in ${id}:`);
  for (const text of ownTexts(own)) print(text);
  for (const [key, source] of Object.entries(own.sources)) print(`Source ${key}: ${source}`);
};

const printRates = (changes: readonly RateChange[]): void => {
  if (changes.length === 0) {
    print('No rate of a jurisdiction changes.');
    return;
  }
  const rows = changes.map((change) => [
    change.jurisdiction,
    change.name,
    kindTexts[change.kind],
    daysText(change),
    `${percentOrNone(change.old)} -> ${percentOrNone(change.new)}`,
  ]);
  print(textTable([['jurisdiction', 'name', 'rate', 'days', 'change'], ...rows]));
  print(`${counted(changes.length, 'rate')} of jurisdictions ${changes.length === 1 ? 'changes' : 'change'}.`);
};

/** Prints the changes by ZIP or city. Consecutive ZIPs with the same changes share one line. */
const printPlaces = (places: readonly (readonly PlaceChange[])[]): void => {
  print(places.length === 0 ? '\nNo combined rate changes.' : '\nCombined rates, by ZIP or city:');
  for (const run of listRuns(places)) printRun(run);
  if (places.length > 0) print(`Combined rates of ${counted(places.length, 'ZIP or city', 'ZIPs and cities')} change.`);
};

const printed = async (before: OpenRelease, after: OpenRelease, withLocations: boolean): Promise<void> => {
  print(`From ${before.head.id} to ${after.head.id}`);
  const today = toDay(now());
  const places: (readonly PlaceChange[])[] = [];
  const onChanges = withLocations ? (found: readonly PlaceChange[]) => places.push(found) : undefined;
  const compareRates = () => impactOfChange(before, after, today, onChanges);
  const impact = await impactOrCorruption(compareRates, { print });
  if (withLocations && impact) printPlaces(places);
  print();
  printRates(await compareReleases(before, after));
  printRules(compareRules(before.head, after.head));
  printOwn(after.head);
  print();
  for (const line of impactLines(after.imported, impact, { against: before.head.id, today })) print(line);
};

/** The JSON of `--json`; `locations` is null without `--rates`. */
const diffJson = async (before: OpenRelease, after: OpenRelease, rates: boolean) => {
  const locations: PlaceChange[] = [];
  const impact = await impactOfChange(before, after, toDay(now()), (found) => locations.push(...found));
  return {
    from: before.head.id,
    to: after.head.id,
    rates: await compareReleases(before, after),
    locations: rates ? locations : null,
    ...compareRules(before.head, after.head),
    own_rules: after.head.own ?? null,
    impact: impactJson(impact),
  };
};

export const diff = subcommand({
  name: 'diff',
  summary: 'the differences between two releases',
  description:
    'Print what changes if the second release replaces the first: old and new rates with their dates (`none` means unknown), rules and settings.',
  arguments: [
    ['<from>', 'a release, such as the active one'],
    ['<to>', 'the release that would replace it'],
  ],
  options: {
    rates: flag('also print each ZIP and city whose combined rate changes'),
    json: flag('one JSON object; rates are fractions'),
  },
  examples: ['content -- diff US-MN@2026-11-21.101 US-MN@2026-12-20.101 --rates'],
  run: async ({ rates = false, json }, from: string, to: string) => {
    const [before, after] = [await openCompared(from), await openCompared(to)];
    if (before.head.state !== after.head.state)
      throw new CommandError(`${from} and ${to} belong to different states. Compare two releases of the same state.`);
    if (json) printJson(await diffJson(before, after, rates));
    else await printed(before, after, rates);
  },
});
