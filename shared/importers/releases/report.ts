import { counted, countsInWords, zipsAndCities } from '../../base/texts.ts';
import type { ReleaseHead } from '../../catalog/content.ts';
import type { Dated } from '../../catalog/effective.ts';
import { ContentCorrupt, catchCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import { formatFraction, formatPercent, type RateKind } from '../../catalog/release-values.ts';
import { badRowsNamed, type Summary } from '../summary.ts';
import { getSize, type Impact, type RateStep } from './impact.ts';
import type { ZipRange } from './zip-pieces.ts';

/** The progress of a long task with a known size, in any unit. */
export type Progress = {
  /** `done` is the completed part of the total, in its unit. */
  readonly reach: (done: number, message: string) => void;
  readonly finish: (message: string) => void;
  readonly fail: (message: string) => void;
};

/** The output of imports and updates: the terminal of a command, or the log of a function. */
export type Reporter = {
  readonly print: (line: string) => void;
  /** Shows the progress of a task. An error ends it with the text `failed`. */
  readonly withProgress: <Value>(
    title: string,
    total: number,
    failed: string,
    run: (progress: Progress) => Promise<Value>,
  ) => Promise<Value>;
};

/** The output of a task without progress. */
export type Printer = Pick<Reporter, 'print'>;

// Formats days, rates and ZIP codes for the output of commands.

export const percentOrNone = (fraction: string | null): string =>
  fraction === null ? 'none' : formatPercent(fraction);

/** Formats days as `2024-04-01 to 2026-12-31` or `from 2024-04-01`. */
export const daysText = ({ from, to }: Dated): string => {
  if (from === null) return to === null ? 'all known days' : `up to ${to}`;
  return to === null ? `from ${from}` : `${from} to ${to}`;
};

/** The labels of the kinds of rates; empty for the general one. */
export const kindTexts: Readonly<Record<RateKind, string>> = {
  general: '',
  food: 'food',
  general_interstate: 'from other states',
  food_interstate: 'food, from other states',
};

/** Five digits, or ZIP+4 with a hyphen. */
export const zipCode = (digits: string): string =>
  digits.length > 5 ? `${digits.slice(0, 5)}-${digits.slice(5)}` : digits;

const rangeText = ([low, high]: ZipRange): string => {
  if (low.endsWith('0000') && high.endsWith('9999') && low.slice(0, 5) === high.slice(0, 5)) return low.slice(0, 5);
  return low === high ? zipCode(low) : `${zipCode(low)} to ${zipCode(high)}`;
};

const rangesNamed = 3;

/** Lists the first ranges of nine-digit ZIPs, and the number of further ones. */
export const zipsText = (zips: readonly ZipRange[]): string => {
  const more = zips.length - rangesNamed;
  const named = zips.slice(0, rangesNamed).map(rangeText).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
};

/** Returns the heading of the list of bad rows and of problems with whole files. */
const badHeading = ({ count, rows }: Summary['bad'], skipsBadRows: boolean): string => {
  const found = countsInWords(
    [rows, 'bad row'],
    [count - rows, 'problem with a file as a whole', 'problems with files as a whole'],
  );
  return `${skipsBadRows ? 'Skipped ' : ''}${found}:`;
};

/** Lists the rows that were read, kept and skipped, with the first line for each reason. */
export const summaryLines = (summary: Summary, skipsBadRows: boolean): readonly string[] => {
  const { files, rowsRead, rowsKept, skipped, remarks, bad, notes } = summary;
  const place = ({ file, firstLine }: { readonly file: string; readonly firstLine: number }) =>
    `first in ${file}, line ${firstLine}`;
  return [
    ...files.map(({ name, rows }) => `${name}: ${counted(rows, 'row')}`),
    `Read ${counted(rowsRead, 'row')}, kept ${rowsKept.toLocaleString('en-US')}.`,
    ...skipped.map((group) => `Skipped ${counted(group.count, 'row')}, ${place(group)}: ${group.reason}`),
    ...remarks.map((group) => `Kept ${counted(group.count, 'row')}, ${place(group)}: ${group.reason}`),
    ...(bad.count > 0 ? [badHeading(bad, skipsBadRows)] : []),
    ...bad.first.map(({ file, line, reason }) => `  ${file}, line ${line}: ${reason}`),
    ...(bad.count > badRowsNamed ? [`  and ${(bad.count - badRowsNamed).toLocaleString('en-US')} more`] : []),
    ...notes,
  ];
};

const points = ({ before, after }: RateStep): string =>
  formatPercent(formatFraction(getSize(before, after))).replace('%', ' percentage points');

export const stepText = (step: RateStep): string =>
  `${[step.key, kindTexts[step.kind]].filter(Boolean).join(', ')} from ${formatPercent(formatFraction(step.before))} to ${formatPercent(formatFraction(step.after))} on ${step.day}`;

const changesText = ({ changed, gained, lost, largest }: Impact, against: string, today: string): string => {
  if (changed === 0) return `No combined rate changes compared with ${against}, starting ${today}.`;
  const most = largest === null ? '' : `, by at most ${points(largest)} (${stepText(largest)})`;
  const unknown = [
    ...(gained > 0 ? [`${counted(gained, 'rate')} were not known before`] : []),
    ...(lost > 0 ? [`${counted(lost, 'rate')} would no longer be known`] : []),
  ];
  return `Combined rates of ${counted(changed, 'ZIP or city', 'ZIPs and cities')} change compared with ${against}, starting ${today}${most}${unknown.length > 0 ? `; ${unknown.join(', ')}` : ''}.`;
};

/** Describes changes on past days, which calculations may have used; `null` if there are none. */
const pastText = ({ past }: Impact, today: string): string | null => {
  if (past.changed === 0) return null;
  const most = past.largest === null ? '' : `, by at most ${points(past.largest)} (${stepText(past.largest)})`;
  return `Results for days before ${today} also change, starting ${past.firstDay}, at ${counted(past.changed, 'ZIP or city', 'ZIPs and cities')}${most}. Stored transactions keep their release.`;
};

/** Names the fallback release, which covers the places and days that are not in the release. */
const fallbackText = (head: ReleaseHead, { firstDay, inForce }: Impact, today: string): string => {
  const { below } = head;
  if (isOwnOnly(head)) return `The fallback releases, ${below} first, cover all addresses.`;
  if (firstDay !== null && inForce === 0)
    return `The fallback release ${below} covers all addresses today, ${today}: no value of this release is in force.`;
  return `The fallback release ${below} covers all other ZIPs and cities.`;
};

const stepJson = (step: RateStep | null) => {
  if (step === null) return null;
  const { before, after, ...change } = step;
  return { ...change, old: formatFraction(before), new: formatFraction(after) };
};

/** The impact for scripts; rates are fractions. */
export const impactJson = ({ firstDay, lastDay, largest, past, ...impact }: Impact): object => {
  const { zips, cities, changed, gained, lost, vanished } = impact;
  const counts = { zips, cities, changed, gained, lost, vanished };
  return {
    ...counts,
    first_day: firstDay,
    last_day: lastDay,
    largest: stepJson(largest),
    past: { changed: past.changed, first_day: past.firstDay, largest: stepJson(past.largest) },
  };
};

/** Returns the impact, or `null` and prints the reason if a compared release is corrupt. */
export const impactOrCorruption = async (
  compare: () => Promise<Impact>,
  { print }: Printer,
): Promise<Impact | null> => {
  const impact = await catchCorrupt(compare());
  if (!(impact instanceof ContentCorrupt)) return impact;
  print(`Combined rates cannot be compared. ${corruptionText(impact)}`);
  return null;
};

/** Describes a release's content, its changes from a different release, and its fallback release. */
export const impactLines = (
  imported: ReleaseHead | null,
  impact: Impact | null,
  { subject, against, today }: { readonly subject?: string; readonly against: string; readonly today: string },
): readonly string[] => {
  if (impact === null) return [];
  const { firstDay: from, lastDay: to, zips, cities } = impact;
  const places = zipsAndCities(zips, cities);
  const days = from === null ? '' : `, ${daysText({ from, to })}`;
  const past = pastText(impact, today);
  return [
    ...(imported && places !== '' ? [`${subject ?? `${imported.id} names`} ${places}${days}.`] : []),
    changesText(impact, against, today),
    ...(past === null ? [] : [past]),
    ...(imported ? [fallbackText(imported, impact, today)] : []),
  ];
};
