import type { Command } from 'commander';
import { toDay } from '../../base/calendar.ts';
import { isOwn } from '../../catalog/own-rules.ts';
import type { Release, Rule } from '../../catalog/release.ts';
import { now } from '../../config/clock.ts';
import { compareReleases, type RateChange } from '../../importers/releases/compare-rates.ts';
import { impactJson, impactLines, impactOrCorruption } from '../../importers/releases/impact-lines.ts';
import { impactOfChange } from '../../importers/releases/measure-impact.ts';
import { type OpenRelease, openCompared } from '../../importers/releases/open-release.ts';
import { daysText, kindTexts, percentOrNone, zipsText } from '../../importers/releases/texts.ts';
import { isZip } from '../../importers/releases/zip-pieces.ts';
import { ownTexts } from '../../importers/rules/describe.ts';
import { limitsInWords } from '../../tax/rule-words.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted, print, printJson, textTable } from '../terminal/output.ts';
import { compareLocations, type LocationChange } from './compare-locations.ts';
import { compareRules, type OtherChanges, type RuleChange } from './compare-rules.ts';

/** Consecutive ZIPs with the same changes in the whole ZIP. */
type Run = { readonly first: string; last: string; zips: number; readonly changes: readonly LocationChange[] };

const isWhole = ({ key, zips }: LocationChange): boolean =>
  isZip(key) && zips.length === 1 && zips[0]?.[0] === `${key}0000` && zips[0][1] === `${key}9999`;

const sameText = (changes: readonly LocationChange[]): string =>
  JSON.stringify(changes.map(({ from, to, old, new: next }) => [from, to, old, next]));

const locationLine = (where: string, { old, new: next, ...days }: LocationChange): string =>
  `${where}: ${percentOrNone(old)} -> ${percentOrNone(next)}, ${daysText(days)}`;

const printRun = ({ first, last, zips, changes }: Run): void => {
  const all = zips === 1 ? null : `${first} to ${last} (${zips} ZIPs)`;
  for (const change of changes)
    print(locationLine(all ?? (change.zips.length > 0 ? zipsText(change.zips) : change.key), change));
};

/** Prints the changes of one ZIP or city after another, with one line for consecutive ZIPs with the same changes. */
const locationPrinter = () => {
  let run: Run | null = null;
  const end = (): void => {
    if (run) printRun(run);
    run = null;
  };
  const add = (changes: readonly LocationChange[]): void => {
    const key = changes[0]?.key ?? '';
    const continues =
      run !== null &&
      Number(key) === Number(run.last) + 1 &&
      [...run.changes, ...changes].every(isWhole) &&
      sameText(run.changes) === sameText(changes);
    if (run && continues) {
      run.last = key;
      run.zips += 1;
      return;
    }
    end();
    run = { first: key, last: key, zips: 1, changes };
  };
  return { add, end };
};

const ruleText = (rule: Rule | null): string => {
  if (!rule) return 'none';
  const { type, ...figures } = rule.effect;
  const details = Object.entries(figures).map(([name, value]) => ` ${name} ${JSON.stringify(value)}`);
  const own = isOwn(rule) ? ['own rule'] : [];
  return [`${type}${details.join('')}`, daysText(rule), ...limitsInWords(rule), ...own].join(', ');
};

const ruleLine = ({ id, old, new: next }: RuleChange): string => {
  const [was, is] = [ruleText(old), ruleText(next)];
  const codes = (next ?? old)?.ptcs.join(', ');
  return `Rule ${id} (${codes}): ${was === is ? `${is}, for other goods or places` : `${was} -> ${is}`}`;
};

/** Print the differences of rules and settings, if any. */
const printRules = ({ rules, settings }: OtherChanges): void => {
  if (rules.length + settings.length > 0) print();
  for (const change of rules) print(ruleLine(change));
  for (const name of settings) print(`Setting ${name} changes.`);
};

/** Print the own rules of a release with their sources. */
const printOwn = ({ own, id }: Release): void => {
  if (!own) return;
  print(`\nOwn rules in ${id}:`);
  for (const text of ownTexts(own)) print(text);
  for (const [key, source] of Object.entries(own.sources)) print(`Source ${key}: ${source}`);
};

type Report = (changes: readonly LocationChange[]) => void;

/** Compare two releases. `report` is called for each ZIP or city with changes. */
const compare = (before: OpenRelease, after: OpenRelease, report: Report | null) =>
  compareReleases(before, after, (key, left, right) => {
    if (!report) return;
    const changes = compareLocations(key, { head: before.head, part: left }, { head: after.head, part: right });
    if (changes.length > 0) report(changes);
  });

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

const printed = async (before: OpenRelease, after: OpenRelease, withLocations: boolean): Promise<void> => {
  print(`From ${before.head.id} to ${after.head.id}`);
  const { add, end } = locationPrinter();
  let places = 0;
  const report = (found: readonly LocationChange[]) => {
    if (places === 0) print('\nCombined rates, by ZIP or city:');
    places += 1;
    add(found);
  };
  const changes = await compare(before, after, withLocations ? report : null);
  end();
  if (withLocations) print(places === 0 ? '\nNo combined rate changes.' : changed(places));
  print();
  printRates(changes);
  printRules(compareRules(before.head, after.head));
  printOwn(after.head);
  print();
  const today = toDay(now());
  const impact = await impactOrCorruption(() => impactOfChange(before, after, today), { print });
  for (const line of impactLines(after.imported, impact, { against: before.head.id, today })) print(line);
};

const changed = (places: number): string =>
  places === 1
    ? 'Combined rates of 1 ZIP or city change.'
    : `Combined rates of ${counted(places, '', 'ZIPs and cities')} change.`;

const diff = async (ids: readonly [string, string], { rates = false, json }: { rates?: boolean; json?: boolean }) => {
  const [before, after] = [await openCompared(ids[0]), await openCompared(ids[1])];
  if (before.head.state !== after.head.state)
    throw new CommandError(`${ids[0]} and ${ids[1]} are of different states. Compare two releases of one state.`);
  if (!json) return printed(before, after, rates);
  const locations: LocationChange[] = [];
  const changes = await compare(before, after, rates ? (found) => locations.push(...found) : null);
  const others = compareRules(before.head, after.head);
  const impact = impactJson(await impactOfChange(before, after, toDay(now())));
  printJson({
    from: ids[0],
    to: ids[1],
    rates: changes,
    locations: rates ? locations : null,
    ...others,
    own_rules: after.head.own ?? null,
    impact,
  });
};

export const addDiff = (program: Command): Command =>
  program
    .command('diff')
    .summary('the differences of two releases')
    .description(
      'Print the changes if the second release replaces the first: old and new rates with their days (`none` means unknown), rules and settings.',
    )
    .argument('<from>', 'a release, such as the active one')
    .argument('<to>', 'the release that would replace it')
    .option('--rates', 'also print each ZIP and city whose combined rate changes')
    .option('--json', 'one JSON object; rates are fractions')
    .addHelpText('after', '\nExample:\n  npm run content -- diff US-MN@2026-11-21.101 US-MN@2026-12-20.101 --rates')
    .action((from: string, to: string, options) => diff([from, to], options));
