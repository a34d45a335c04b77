import { toDay } from '../../base/calendar.ts';
import { builtInRelease, builtInReleaseById } from '../../catalog/built-in.ts';
import type { ReleaseHead, ReleasePart } from '../../catalog/content.ts';
import { countsFrom, isInForce } from '../../catalog/effective.ts';
import { isRestUntaxed } from '../../catalog/local/local-table.ts';
import { statesOfZip } from '../../catalog/location/zip-states.ts';
import { releaseWith } from '../../catalog/merge-releases.ts';
import { isOwnCode, isOwnOnly, ownCodesAt, withOwnRates } from '../../catalog/own-rules.ts';
import { combinedRate, rateOn, stateRateOn } from '../../catalog/rates.ts';
import type { Location, Release } from '../../catalog/release.ts';
import { formatFraction, formatPercent } from '../../catalog/release-values.ts';
import { rangeCount } from '../../catalog/streets/street-ranges.ts';
import { now } from '../../config/clock.ts';
import { localRatesOn } from '../../coverage/local-rates.ts';
import { withFallback } from '../../coverage/releases.ts';
import { type OpenRelease, openRelease } from '../../importers/releases/open-release.ts';
import { daysText, zipCode, zipsText } from '../../importers/releases/report.ts';
import { listZipRanges, zipText } from '../../importers/releases/zip-pieces.ts';
import { ownTexts } from '../../importers/rules/describe.ts';
import type { NumberRange } from '../../importers/zips.ts';
import { readActiveReleases } from '../../store/content/content-store.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { parseDay, refuseValue } from '../terminal/arguments.ts';
import { counted, print, printJson } from '../terminal/output.ts';
import { explainError, flag, optional, subcommand } from '../terminal/run-command.ts';

/** Combined rate of a set of jurisdictions on a day; `null` if the rate is unknown or the location is not in force. */
const shownAlternative = (release: Release, codes: readonly string[], date: string, inForce: boolean) => {
  const units = inForce ? combinedRate(release, codes, date) : undefined;
  const names = new Map(release.jurisdictions.map(({ code, name }) => [code, name]));
  return {
    rate: units === undefined ? null : formatFraction(units),
    jurisdictions: codes.map((code) => ({
      code,
      name: names.get(code) ?? code,
      rate: (inForce ? rateOn(release, code, date)?.rate : undefined) ?? null,
    })),
  };
};

const shownLocation = (release: Release, location: Location, zones: readonly NumberRange[], date: string) => {
  const inForce = isInForce(location, date, release.established_from);
  return {
    /** Ranges of nine-digit ZIPs within the ZIP, inclusive. */
    zips: zones.map((zone) => [zipText(zone.low), zipText(zone.high)] as const),
    from: location.from,
    to: location.to,
    in_force: inForce,
    /** The city to which the location is limited; `null` for all addresses. */
    within_city: location.within_city ?? null,
    /** Whether a city that is identified only by name has priority. */
    yields_to_city: location.yields_to_city ?? false,
    /** Whether jurisdiction borders cross the ZIPs, so other taxes may apply. */
    crosses_borders: location.crosses_borders ?? false,
    /**
     * Whether the alternatives come from street ranges, so an address outside the known ranges may have any of them.
     */
    of_streets: location.of_streets ?? false,
    alternatives: location.alternatives.map((codes) =>
      shownAlternative(release, [release.state, ...codes], date, inForce),
    ),
  };
};

/**
 * Returns a release's locations in one ZIP or ZIP+4 (digits only), newest first, with the rates of a day as fractions.
 */
export const showZip = (head: Release, part: ReleasePart | undefined, zip: string, date: string) => {
  const release = withOwnRates(releaseWith(head, part ? [part] : []));
  const [low, high] = [Number(zip.padEnd(9, '0')), Number(zip.padEnd(9, '9'))];
  const locations = release.locations
    .toSorted((a, b) => (b.from ?? '').localeCompare(a.from ?? ''))
    .flatMap((location) => {
      const zones = listZipRanges(zip.slice(0, 5), location).filter((zone) => zone.low <= high && low <= zone.high);
      return zones.length === 0 ? [] : [shownLocation(release, location, zones, date)];
    });
  // Custom jurisdictions are added to every set of an address.
  const own = shownAlternative(release, ownCodesAt(release, zip.slice(0, 5), date), date, true).jurisdictions;
  const street_ranges = Object.values(part?.streets?.names ?? {}).reduce((sum, text) => sum + rangeCount(text), 0);
  return { zip, date, own, locations, street_ranges };
};

type ShownZip = ReturnType<typeof showZip>;

// `content show`: one release, or its locations and rates in one ZIP.

/** The rates of the state and of places in the head. Custom rates are listed with the custom values. */
const rateLines = (head: Release): readonly string[] =>
  head.rates.flatMap((rate) => {
    const { jurisdiction } = rate;
    if (isOwnCode(jurisdiction)) return [];
    const name = jurisdiction === head.state ? 'State rate' : `Rate of ${jurisdiction}`;
    return [`${name}: ${formatPercent(rate.rate)}, ${daysText(rate)}`];
  });

/** Custom rules have the coverage of the releases below them, as in `content list`. */
const coverageText = (head: Release, imported: ReleaseHead | null): string =>
  imported && isOwnOnly(imported)
    ? localRatesOn(withFallback(imported, builtInReleaseById), toDay(now()))
    : head.coverage;

/** Whether the release is active; `null` if unknown, because a built-in release can be shown without a database. */
const activity = async ({ head, imported }: OpenRelease): Promise<boolean | null> => {
  try {
    const active = (await readActiveReleases()).states[head.state]?.release;
    return active ? active === head.id : head.id === builtInRelease(stateOfJurisdiction(head.state))?.id;
  } catch (error) {
    if (imported || explainError(error) === null) throw error;
    return null;
  }
};

const originText = (imported: ReleaseHead | null): string => {
  if (!imported) return 'built-in';
  return isOwnOnly(imported)
    ? 'custom rules'
    : `imported from ${imported.format}${imported.own ? ', with custom rules' : ''}`;
};

const printHead = ({ head, imported }: OpenRelease, isActive: boolean | null): void => {
  print(`${head.id}: ${head.name}, ${originText(imported)}`);
  print(`Active: ${isActive === null ? 'unknown, because no database is available' : isActive ? 'yes' : 'no'}`);
  print(`Coverage: ${coverageText(head, imported)}`);
  const since = countsFrom(head);
  const approximate = since < head.established_from ? `, and as approximations from ${since}` : '';
  print(`Days: values without a first day apply from ${head.established_from}${approximate}`);
  if (head.established_to !== null) print(`No values after ${head.established_to}`);
  for (const line of rateLines(head)) print(line);
  print(`Rules: ${head.rules.length}`);
  for (const text of ownTexts(head.own)) print(`Own: ${text}`);
  if (imported) {
    const { parts, jurisdictions, rates, locations } = imported.counts;
    print(`Built-in: ${imported.bottom}, the source of its rules and settings`);
    print(`Fallback: ${imported.below}, which covers all other ZIPs and cities`);
    print(`Imported: ${imported.imported_at}`);
    print(`Hash: ${imported.content_hash}`);
    print(
      `Contains: ${counted(parts, 'ZIP or city', 'ZIPs and cities')}, ${counted(jurisdictions, 'jurisdiction')}, ${counted(rates, 'rate')}, ${counted(locations, 'location')}`,
    );
  }
  for (const [key, source] of Object.entries(head.sources)) print(`Source ${key}: ${source}`);
};

const printLocation = (location: ShownZip['locations'][number], date: string): void => {
  const { zips, from, to, in_force, within_city, yields_to_city, crosses_borders, of_streets, alternatives } = location;
  const where = `${zips.length > 0 ? zipsText(zips) : 'by name'}${within_city === null ? '' : `, only ${within_city}`}`;
  print(`\n${where}: ${daysText({ from, to })}${in_force ? '' : `; not on ${date}`}`);
  if (yields_to_city) print('  A city identified only by name has priority.');
  if (of_streets) print('  Some street addresses there have these jurisdictions.');
  if (crosses_borders) print('  Jurisdiction borders cross the ZIP, so other taxes may apply.');
  if (alternatives.length > 1) print(`  One of ${alternatives.length} sets of jurisdictions:`);
  for (const { rate, jurisdictions } of alternatives) {
    print(in_force ? `  ${rate === null ? 'no rate known' : formatPercent(rate)} on ${date}` : '  Its jurisdictions:');
    for (const { code, name, rate: own } of jurisdictions)
      print(`    ${in_force ? `${own === null ? '-' : formatPercent(own)}  ` : ''}${name} (${code})`);
  }
};

/** Explains how a calculation treats a ZIP without a location in a release. */
const withoutLocation = (head: Release & Partial<ReleaseHead>, zip: string, date: string): string => {
  const states = statesOfZip(zip.slice(0, 5));
  if (!states.includes(stateOfJurisdiction(head.state)))
    return states.length === 0 ? 'The ZIP does not exist.' : `The ZIP is in ${states.join(', ')}.`;
  if (head.below !== undefined) return `This release has no location there; ${head.below} applies.`;
  const rate = stateRateOn(head, date);
  if (!rate) return 'This release has no location there.';
  const all = isRestUntaxed(head) ? 'with no local rates' : 'and the built-in local rates';
  return `This release has no location there: the state rate of ${formatPercent(rate.rate)} applies, ${all}.`;
};

const printZip = (head: Release, { zip, date, own, locations, street_ranges }: ShownZip): void => {
  const streets = street_ranges > 0 ? `, ${counted(street_ranges, 'street range')}` : '';
  print(`\n${zipCode(zip)}: ${counted(locations.length, 'location')}${streets}`);
  if (locations.length === 0) print(withoutLocation(head, zip, date));
  for (const location of locations) printLocation(location, date);
  for (const { code, name, rate } of own)
    print(`Custom rules add ${name} (${code}): ${rate === null ? 'no rate' : formatPercent(rate)} on ${date}`);
};

const parseZip = (text: string): string =>
  /^\d{5}(-?\d{4})?$/.test(text) ? text.replace('-', '') : refuseValue('Pass five digits, or ZIP+4: 55401-1234.');

export const show = subcommand({
  name: 'show',
  summary: 'one release, or its locations and rates in one ZIP',
  description: 'Show the sources and counts of a release, and all rates of one ZIP.',
  arguments: [['<release>', 'such as US-MN@2026-11-22.1']],
  options: {
    zip: optional('<zip>', 'also show the locations and rates of this ZIP (55401) or ZIP+4 (55401-1234)', parseZip),
    date: optional('<date>', 'the tax day of the rates; the default is today', parseDay),
    json: flag('one JSON object'),
  },
  examples: ['content -- show US-MN@2026-11-21.101 --zip 55401 --date 2026-12-01'],
  run: async ({ zip, date, json }, id: string) => {
    const release = await openRelease(id);
    const { head, imported } = release;
    const isActive = await activity(release);
    const day = date ?? toDay(now());
    const shown = zip === undefined ? null : showZip(head, await release.readPart(zip.slice(0, 5)), zip, day);
    if (json) return printJson({ release: imported ?? head, active: isActive, zip: shown });
    printHead(release, isActive);
    if (!stateRateOn(head, day)) print(`The release has no state rate on ${day}.`);
    if (shown) printZip(head, shown);
  },
});
