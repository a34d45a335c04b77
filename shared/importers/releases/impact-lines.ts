import { counted } from '../../base/texts.ts';
import type { ReleaseHead } from '../../catalog/content.ts';
import { formatFraction, formatPercent } from '../../catalog/fractions.ts';
import { ContentCorrupt, corruptionText } from '../../catalog/loading/content-errors.ts';
import { isOwnOnly } from '../../catalog/own-rules.ts';
import type { Impact, RateStep } from './impact.ts';
import type { Reporter } from './reporter.ts';
import { daysText, kindTexts } from './texts.ts';

const placesText = ({ zips, cities }: Pick<Impact, 'zips' | 'cities'>): string =>
  [...(zips > 0 ? [counted(zips, 'ZIP')] : []), ...(cities > 0 ? [counted(cities, 'city', 'cities')] : [])].join(
    ' and ',
  ) || 'no ZIP or city';

const points = ({ before, after }: RateStep): string =>
  formatPercent(formatFraction(after > before ? after - before : before - after)).replace('%', ' percentage points');

export const stepText = (step: RateStep): string =>
  `${[step.key, kindTexts[step.kind]].filter(Boolean).join(', ')} from ${formatPercent(formatFraction(step.before))} to ${formatPercent(formatFraction(step.after))} on ${step.day}`;

const changesText = ({ changed, gained, lost, largest }: Impact, against: string, today: string): string => {
  if (changed === 0) return `No combined rate changes against ${against} from ${today} on.`;
  const most = largest === null ? '' : `, by at most ${points(largest)} (${stepText(largest)})`;
  const unknown = [
    ...(gained > 0 ? [`${counted(gained, 'rate')} were not known before`] : []),
    ...(lost > 0 ? [`${counted(lost, 'rate')} would no longer be known`] : []),
  ];
  return `Combined rates of ${counted(changed, 'ZIP or city', 'ZIPs and cities')} change against ${against} from ${today} on${most}${unknown.length > 0 ? `; ${unknown.join(', ')}` : ''}.`;
};

/** The changes of days that calculations may have answered already; `null` without any. */
const pastText = ({ past }: Impact, today: string): string | null => {
  if (past.changed === 0) return null;
  const most = past.largest === null ? '' : `, by at most ${points(past.largest)} (${stepText(past.largest)})`;
  return `Answers of days before ${today} change, too: at ${counted(past.changed, 'ZIP or city', 'ZIPs and cities')}, from ${past.firstDay} on${most}. Stored transactions keep their release.`;
};

/** The fallback release, which covers the places that a release does not name. */
const fallbackText = (head: ReleaseHead, { firstDay }: Impact, today: string): string => {
  const { below } = head;
  if (isOwnOnly(head)) return `The fallback releases, ${below} first, cover all addresses.`;
  const future =
    firstDay !== null && today < firstDay
      ? ` It begins in the future: until ${firstDay}, the fallback release applies everywhere.`
      : '';
  return `The fallback release ${below} covers what it does not name.${future}`;
};

const stepJson = (step: RateStep | null) =>
  step && {
    key: step.key,
    kind: step.kind,
    day: step.day,
    old: formatFraction(step.before),
    new: formatFraction(step.after),
  };

/** The impact for scripts; rates are fractions. */
export const impactJson = ({
  firstDay,
  lastDay,
  largest,
  past,
  highest: _highest,
  largestPast: _largestPast,
  examples: _examples,
  ...counts
}: Impact): object => ({
  ...counts,
  first_day: firstDay,
  last_day: lastDay,
  largest: stepJson(largest),
  past: { changed: past.changed, first_day: past.firstDay, largest: stepJson(past.largest) },
});

/** The impact, or `null` and a line with the reason if a compared release is corrupt. */
export const impactOrCorruption = async (
  compare: () => Promise<Impact>,
  { print }: Pick<Reporter, 'print'>,
): Promise<Impact | null> => {
  try {
    return await compare();
  } catch (error) {
    if (!(error instanceof ContentCorrupt)) throw error;
    print(`Combined rates cannot be compared. ${corruptionText(error)}`);
    return null;
  }
};

/** The content of a release, its changes against another one, and its fallback release. */
export const impactLines = (
  imported: ReleaseHead | null,
  impact: Impact | null,
  { subject, against, today }: { readonly subject?: string; readonly against: string; readonly today: string },
): readonly string[] => {
  if (impact === null) return [];
  const { firstDay: from, lastDay: to } = impact;
  const days = from === null ? '' : `, ${daysText({ from, to })}`;
  const past = pastText(impact, today);
  return [
    ...(imported && !isOwnOnly(imported) ? [`${subject ?? `${imported.id} names`} ${placesText(impact)}${days}.`] : []),
    changesText(impact, against, today),
    ...(past === null ? [] : [past]),
    ...(imported ? [fallbackText(imported, impact, today)] : []),
  ];
};
