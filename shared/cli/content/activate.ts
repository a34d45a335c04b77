import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { dayOf } from '../../calendar.ts';
import { now } from '../../config/clock.ts';
import { builtInRelease } from '../../content/built-in.ts';
import type { ReleaseHead } from '../../content/content.ts';
import { stateOfJurisdiction } from '../../jurisdiction.ts';
import {
  type ActiveReleases,
  activateRelease,
  readActiveReleases,
  readPartKeys,
  rollBackRelease,
} from '../../store/content/content-store.ts';
import { accepted, CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';
import { type ActiveRelease, readActiveRelease } from './active-release.ts';
import { impactOrCorruption, printImpact } from './print-impact.ts';
import { openRelease } from './releases.ts';
import { chainOf, impactOfChange } from './report-impact.ts';
import { stateOf } from './state-option.ts';

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
const refuseReplacing = async (head: ReleaseHead, active: ActiveRelease): Promise<void> => {
  const { id, below } = head;
  const isBack = chainOf(active.head).includes(id) || active.previous.includes(id);
  if (active.corrupt || below === active.id || isBack || (below === undefined && active.head === null)) return;
  const over = below === undefined ? 'before imports lay over other releases' : `over ${below}`;
  throw new CommandError(
    `${id} was imported ${over}, and ${active.id} is active now. ${await lossText(head, active)} Import its files again, which lays them over ${active.id}, or activate it with --replace.`,
  );
};

/** `content activate` and `content rollback`: which release a state's calculations rest on. */

const notice = 'Running instances notice within 60 seconds.';

/** All states share one directory: that another one's release was activated meanwhile is no reason to give up. */
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

/**
 * Make a release the active one of its state, and say so. Refused are unknown ids, old built-in releases, and, without
 * `replace`, a release that was imported over another one than the active one.
 */
export const activate = async (id: string, { replace = false }: { readonly replace?: boolean } = {}): Promise<void> => {
  const opened = await openRelease(id);
  const { head, imported } = opened;
  const newest = builtInRelease(stateOfJurisdiction(head.state));
  if (!imported && newest?.id !== id)
    throw new CommandError(`${id} is an older built-in release. The one that can be active is ${newest?.id}.`);
  const seen = await readActiveReleases();
  const active = await readActiveRelease(stateOfJurisdiction(head.state));
  const before = active.id;
  if (before === id) return print(`${id} is the active release of ${head.state} already.`);
  if (imported && !replace) await refuseReplacing(imported, active);
  const today = dayOf(now());
  const impact = await impactOrCorruption(async () => impactOfChange(await openRelease(before), opened, today));
  printImpact(imported, impact, { against: before, today });
  await change(head.state, seen, (current, at) => activateRelease(head.state, imported ? id : null, current, at));
  print(`${id} is now the active release of ${head.state}; before it was ${before}. ${notice}`);
};

const rollBack = async (stateText: string): Promise<void> => {
  const { code, builtIn } = stateOf(stateText);
  const seen = await readActiveReleases();
  const current = seen.states[code];
  if (!current || (current.release === null && current.previous.length === 0))
    throw new CommandError(`${code} rests on its built-in release ${builtIn.id}: there is nothing to go back to.`);
  await change(code, seen, (directory, at) => rollBackRelease(code, directory, at));
  const previous = current.previous[0]?.release ?? builtIn.id;
  print(`${previous} is active again for ${code}, instead of ${current.release ?? builtIn.id}. ${notice}`);
};

export const addActivate = (program: Command): void => {
  program
    .command('activate')
    .summary('make a release the one that calculations rest on')
    .description('Make a release the active one of its state. Transactions keep the release that they were made with.')
    .argument('<release>', 'such as US-MN@2026-11-21.101; the built-in one is possible too')
    .option('--replace', 'also if it was imported over another release than the active one, which it would replace')
    .addHelpText('after', '\nExample:\n  npm run content -- activate US-MN@2026-11-21.101')
    .action((id: string, options: { replace?: boolean }) => activate(id, options));
};

export const addRollback = (program: Command): void => {
  program
    .command('rollback')
    .summary('go back to the release before the active one')
    .description('Make the release before the active one active again; before the first one, that is the built-in one.')
    .requiredOption('--state <state>', 'whose release, such as MN')
    .addHelpText('after', '\nExample:\n  npm run content -- rollback --state MN')
    .action(({ state }: { state: string }) => rollBack(state));
};
