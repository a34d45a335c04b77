import type { ReleaseHead } from '../../content/content.ts';
import { readPartKeys } from '../../store/content/content-store.ts';
import { CommandError } from '../terminal/errors.ts';
import { counted } from '../terminal/output.ts';
import type { ActiveRelease } from './active-release.ts';
import { chainOf } from './report-impact.ts';

const keysOf = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const keys = new Set<string>();
  for (const id of ids) for (const key of await readPartKeys(id)) keys.add(key);
  return keys;
};

/** What buyers would lose: what is active, and does not lie below the release. */
const lossText = async (head: ReleaseHead, active: ActiveRelease): Promise<string> => {
  const kept = chainOf(head);
  const lost = chainOf(active.head).filter((id) => !kept.includes(id));
  if (lost.length === 0) return `It would answer over ${head.below}, and not over ${active.id}.`;
  const keys = (await keysOf(lost)).difference(await keysOf(kept));
  return `It would take away ${lost.join(', ')}, with ${counted(keys.size, 'ZIP or city', 'ZIPs and cities')} that it does not name.`;
};

/**
 * Refuse to activate a release that was imported over another one than the active one, because what was imported since
 * would be lost. To go back is no such loss: to a release below the active one, or to one that was active before it. Nor
 * is it one to replace a corrupt release.
 */
export const refuseReplacing = async (head: ReleaseHead, active: ActiveRelease): Promise<void> => {
  const { id, below } = head;
  const isBack = chainOf(active.head).includes(id) || active.previous.includes(id);
  if (active.corrupt || below === active.id || isBack || (below === undefined && active.head === null)) return;
  const over = below === undefined ? 'before imports lay over other releases' : `over ${below}`;
  throw new CommandError(
    `${id} was imported ${over}, and ${active.id} is active now. ${await lossText(head, active)} Import its files again, which lays them over ${active.id}, or activate it with --replace.`,
  );
};
