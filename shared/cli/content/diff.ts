import type { Command } from 'commander';
import { toDay } from '../../base/calendar.ts';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { ReleasePart } from '../../catalog/content.ts';
import { inForce } from '../../catalog/effective.ts';
import { formatFraction } from '../../catalog/fractions.ts';
import { isRestUntaxed } from '../../catalog/local/load.ts';
import { combinedRate } from '../../catalog/location/combined-rate.ts';
import { isOwn, ownCodesAt, withOwnRates } from '../../catalog/own-rules.ts';
import { type Location, type Release, type Rule, settingNames } from '../../catalog/release.ts';
import { now } from '../../config/clock.ts';
import { compareReleases, type RateChange } from '../../importers/releases/compare-rates.ts';
import { impactJson, impactLines, impactOrCorruption } from '../../importers/releases/impact-lines.ts';
import { impactOfChange } from '../../importers/releases/measure-impact.ts';
import { type OpenRelease, openCompared } from '../../importers/releases/open-release.ts';
import { daysText, kindTexts, percentOrNone, zipsText } from '../../importers/releases/texts.ts';
import { type Change, changesOver, establishedSpan, piecesOf, type Span } from '../../importers/releases/timeline.ts';
import {
  isZip,
  overlayLocations,
  type Piece,
  splitPieces,
  type ZipRange,
  zipRangesOf,
  zipText,
} from '../../importers/releases/zip-pieces.ts';
import { ownTexts } from '../../importers/rules/describe.ts';
import { limitsInWords } from '../../tax/rule-words.ts';
import { counted, print, printJson, textTable } from '../terminal/output.ts';
import { CommandError } from '../terminal/run-command.ts';

/** A release's head, and its part for one ZIP or city; without a part it names no location there. */
export type Side = { readonly head: Release; readonly part: ReleasePart | undefined };

/** A change of a combined rate. Rates are fractions; `null` is not known. */
export type LocationChange = Change & {
  /** A five-digit ZIP, or a city. */
  readonly key: string;
  /** The ranges of the ZIP; empty for a city that is known by its name. */
  readonly zips: readonly ZipRange[];
};

/** All inputs of a combined rate as text, to skip the ZIPs that do not change. */
const decisiveOf = ({ head, part }: Side): string => {
  const { state, rates, coverage, local, established_from, established_to, own } = head;
  const ofOwn = [own?.jurisdictions, own?.rates];
  return JSON.stringify([state, rates, coverage, local, established_from, established_to, part, ofOwn]);
};

/** The release with the rates and locations of one ZIP or city. */
const releaseOf = ({ head, part }: Side): Release => {
  if (!part) return { ...head, locations: [] };
  const jurisdictions: Release['jurisdictions'] = [...head.jurisdictions, ...part.jurisdictions];
  return withOwnRates({ ...head, jurisdictions, rates: [...head.rates, ...part.rates], locations: part.locations });
};

/** The combined rate on a day: the lowest of several sets of jurisdictions (SSUTA section 305). */
const combined = (key: string, release: Release, locations: readonly Location[], day: string): string | null => {
  if (release.established_to !== null && release.established_to < day) return null;
  // The state rate alone is right only if the release states that the rest has no local taxes.
  if (locations.length === 0 && !isRestUntaxed(release)) return null;
  const usual = locations.filter(({ of_addresses }) => !of_addresses);
  const sets = locations.length > 0 ? usual.flatMap(({ alternatives }) => alternatives) : [[]];
  const own = ownCodesAt(release, isZip(key) ? key : null, day);
  const rates = sets.map((codes) => combinedRate(release, [release.state, ...codes, ...own], day));
  const known = rates.filter((rate) => rate !== undefined);
  return known.length === 0 ? null : formatFraction(known.reduce((least, rate) => (rate < least ? rate : least)));
};

type Overlaid = { readonly inForce: string; readonly pieces: readonly (readonly Location[])[] };

/** The combined rate of each piece of the ZIP, for each piece of time. */
const ratesOver = (key: string, release: Release, pieces: readonly Piece[], times: readonly Span[]) => {
  const numbers = new Map(release.locations.map((location, index) => [location, index]));
  const numbersOf = (locations: readonly Location[]) => locations.map((location) => numbers.get(location)).join(' ');
  const zones = release.locations.flatMap((location) => zipRangesOf(key, location)).sort((a, b) => a.width - b.width);
  let overlaid: Overlaid | null = null;
  return times.map(({ from: day }) => {
    const current = new Set(inForce(release.locations, day, release.established_from));
    const name = numbersOf([...current]);
    // Rates change more often than borders, so most pieces of time have the same locations as the previous one.
    if (overlaid?.inForce !== name) {
      const now = zones.filter(({ location }) => current.has(location));
      overlaid = { inForce: name, pieces: overlayLocations(pieces, now) };
    }
    const known = new Map<string, string | null>();
    return overlaid.pieces.map((found) => {
      const place = numbersOf(found);
      if (!known.has(place)) known.set(place, combined(key, release, found, day));
      return known.get(place) ?? null;
    });
  });
};

const spansOf = ({ state, established_from, established_to, rates, locations, own }: Release, part?: ReleasePart) => {
  const dated = [
    ...rates.filter(({ jurisdiction }) => jurisdiction === state),
    ...(part?.rates ?? []),
    ...(own?.rates ?? []),
    ...locations,
  ];
  return [
    { from: established_from, to: established_to },
    ...dated.map((value) => establishedSpan(value, established_from)),
  ];
};

/**
 * All differences of combined rates in one ZIP or city, with ranges and days. Ranges with the same change are one
 * entry.
 */
export const compareLocations = (key: string, before: Side, after: Side): readonly LocationChange[] => {
  if (decisiveOf(before) === decisiveOf(after)) return [];
  const [was, is] = [releaseOf(before), releaseOf(after)];
  const pieces = splitPieces(
    key,
    [...was.locations, ...is.locations].flatMap((location) => zipRangesOf(key, location)),
  );
  const times = piecesOf([...spansOf(was, before.part), ...spansOf(is, after.part)]);
  const [old, next] = [ratesOver(key, was, pieces, times), ratesOver(key, is, pieces, times)];
  const found = new Map<string, { change: Change; zips: [number, number][] }>();
  for (const [index, { low, high }] of pieces.entries()) {
    const at = (rates: typeof old) => (_: Span, time: number) => rates[time]?.[index] ?? null;
    for (const change of changesOver(times, at(old), at(next))) {
      const text = JSON.stringify(change);
      const zips = found.get(text)?.zips ?? [];
      const last = zips.at(-1);
      if (last && last[1] === low - 1) last[1] = high;
      else zips.push([low, high]);
      found.set(text, { change, zips });
    }
  }
  return [...found.values()].map(({ change, zips }) => ({
    key,
    zips: isZip(key) ? zips.map(([low, high]): ZipRange => [zipText(low), zipText(high)]) : [],
    ...change,
  }));
};

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
