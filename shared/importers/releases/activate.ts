/** Changes the release that a state's calculations use. */
import { isDeepStrictEqual } from 'node:util';
import { toDay } from '../../base/calendar.ts';
import { accepted, CommandError } from '../../base/command-error.ts';
import { counted } from '../../base/texts.ts';
import type { ReleaseHead } from '../../catalog/content.ts';
import { ContentCorrupt, catchCorrupt } from '../../catalog/loading/content-errors.ts';
import { now } from '../../config/clock.ts';
import {
  type ActiveReleases,
  activateRelease,
  readActiveReleases,
  rollBackRelease,
} from '../../store/content/content-store.ts';
import { stateOfJurisdiction } from '../../vocabulary/jurisdiction.ts';
import { ownTexts } from '../rules/describe.ts';
import { impactOfChange, keysOfAll } from './measure-impact.ts';
import { type ActiveRelease, getChain, getState, openRelease, readActiveRelease } from './open-release.ts';
import { impactLines, impactOrCorruption, type Printer } from './report.ts';

/** Returns the custom rules of the active release that the given release does not have. */
const lostOwn = (head: ReleaseHead | null, { head: active }: Pick<ActiveRelease, 'head'>): readonly string[] => {
  const kept = ownTexts(head?.own);
  return ownTexts(active?.own).filter((text) => !kept.includes(text));
};

/** Describes the active releases and places that an activation would remove, because they are not below the release. */
const lossText = async (head: ReleaseHead, active: ActiveRelease): Promise<string> => {
  const kept = getChain(head);
  const lost = getChain(active.head).filter((id) => !kept.includes(id));
  const texts = lostOwn(head, active);
  const own = texts.length > 0 ? ` Custom rules would no longer apply: ${texts.join('; ')}.` : '';
  if (lost.length === 0) return `It is an overlay on ${head.below}, not on ${active.id}.${own}`;
  const keys = (await keysOfAll(lost)).difference(await keysOfAll(kept));
  return `Activating it would drop ${lost.join(', ')}, including ${counted(keys.size, 'ZIP or city', 'ZIPs and cities')} that it does not contain.${own}`;
};

/**
 * Refuses to activate a release that was imported on top of a release other than the active one, because later imports
 * would be lost. Allows releases that are below the active one or were active before, and the replacement of a corrupt
 * release.
 */
const refuseReplacing = async (head: ReleaseHead, active: ActiveRelease): Promise<void> => {
  const { id, below } = head;
  const isBack = getChain(active.head).includes(id) || active.previous.includes(id);
  if (active.corrupt || below === active.id || isBack) return;
  throw new CommandError(
    `${id} was imported on top of ${below}, but ${active.id} is active now. ${await lossText(head, active)} Import its files again on top of ${active.id}, or activate it with --replace.`,
  );
};

const notice = 'Running instances apply the change within 60 seconds.';

/** Retries if only a different state changed: all states share one directory item. */
const change = async (
  state: string,
  seen: ActiveReleases,
  write: (seen: ActiveReleases, at: string) => ReturnType<typeof activateRelease>,
): Promise<void> => {
  const result = await write(seen, new Date(now()).toISOString());
  if (result.ok) return;
  const current = await readActiveReleases();
  const isOther = current.version !== seen.version && isDeepStrictEqual(current.states[state], seen.states[state]);
  if (!isOther) accepted(result);
  await change(state, current, write);
};

type Activation = {
  /** Whether releases that are not below this release may be lost. */
  readonly replace?: boolean;
  /** Whether the caller has compared the release with the active one: the effect is not printed again. */
  readonly isMeasured?: boolean;
};

/**
 * Activates a release of its state. Refuses unknown ids and, without `replace`, a release that was imported on top of a
 * release other than the active one.
 */
export const activate = async (
  id: string,
  reporter: Printer,
  { replace = false, isMeasured = false }: Activation = {},
): Promise<void> => {
  const opened = await openRelease(id);
  const { head, imported } = opened;
  const seen = await readActiveReleases();
  const active = await readActiveRelease(stateOfJurisdiction(head.state));
  const before = active.id;
  if (before === id) return reporter.print(`${id} is already the active release of ${head.state}.`);
  if (imported && !replace) await refuseReplacing(imported, active);
  const today = toDay(now());
  const compare = async () => impactOfChange(await openRelease(before), opened, today);
  const impact = isMeasured ? null : await impactOrCorruption(compare, reporter);
  for (const line of impactLines(imported, impact, { against: before, today })) reporter.print(line);
  await change(head.state, seen, (current, at) => activateRelease(head.state, imported ? id : null, current, at));
  for (const text of lostOwn(imported, active)) reporter.print(`No longer applies: ${text}.`);
  reporter.print(`${id} is now the active release of ${head.state}; the previous one was ${before}. ${notice}`);
};

/** Activates the state's (`MN`) previously active release, or its built-in release if there is none. */
export const rollBack = async (stateText: string, { print }: Printer): Promise<void> => {
  const { letters, code, builtIn } = getState(stateText);
  const seen = await readActiveReleases();
  const current = seen.states[code];
  if (!current || (current.release === null && current.previous.length === 0))
    throw new CommandError(`${code} uses its built-in ${builtIn.id}. There is no earlier release to roll back to.`);
  const active = await readActiveRelease(letters);
  const before = current.previous[0]?.release ?? null;
  const opened = before === null ? null : await catchCorrupt(openRelease(before));
  const head = opened instanceof ContentCorrupt ? null : (opened?.imported ?? null);
  await change(code, seen, (directory, at) => rollBackRelease(code, directory, at));
  for (const text of lostOwn(head, active)) print(`No longer applies: ${text}.`);
  for (const text of lostOwn(active.head, { head })) print(`Applies again: ${text}.`);
  const previous = before ?? builtIn.id;
  print(`${previous} is active again for ${code}, instead of ${current.release ?? builtIn.id}. ${notice}`);
};
