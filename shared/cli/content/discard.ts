/** `content discard`: remove the parts of an unfinished import. */
import type { Command } from 'commander';
import { dayMs } from '../../calendar.ts';
import { now } from '../../config/clock.ts';
import { builtInReleaseById } from '../../content/built-in.ts';
import {
  discardImport,
  findHead,
  type UnfinishedImport,
  unfinishedImports,
} from '../../store/content/content-store.ts';
import { accepted, CommandError } from '../terminal/errors.ts';
import { counted, instantText, print } from '../terminal/output.ts';

/** The command that removes the parts of an unfinished import. */
export const remedyOf = ({ id }: UnfinishedImport): string => `npm run content -- discard ${id}`;

/** Print the unfinished imports, which run or were interrupted, with the remedy. */
export const printUnfinished = (imports: readonly UnfinishedImport[]): void => {
  for (const unfinished of imports)
    print(
      `${unfinished.id} is not finished. Its import began at ${instantText(unfinished.began_at)} UTC. If it no longer runs, remove its parts with \`${remedyOf(unfinished)}\`.`,
    );
};

/** No import takes this long: one that began earlier was interrupted. */
const abandonedMs = dayMs;

/** Discard the interrupted imports of a state (`US-MN`). Returns the others, which may run. */
export const discardAbandoned = async (state: string): Promise<readonly UnfinishedImport[]> => {
  const imports = await unfinishedImports(state);
  const isAbandoned = ({ began_at }: UnfinishedImport) => now() - Date.parse(began_at) > abandonedMs;
  for (const { id } of imports.filter(isAbandoned)) {
    const discarded = await discardImport(id);
    // It is refused if another process discarded it meanwhile.
    if (discarded.ok) print(`Discarded ${counted(discarded.value, 'part')} of ${id}, whose import was interrupted.`);
  }
  return imports.filter((one) => !isAbandoned(one));
};

/** Remove the parts of an unfinished import. Refuses finished and built-in releases. */
const discard = async (id: string): Promise<void> => {
  if (builtInReleaseById(id)) throw new CommandError(`${id} is a built-in release: there is nothing to discard.`);
  if (await findHead(id))
    throw new CommandError(`${id} is finished and cannot be removed, because transactions may use it.`);
  print(`Discarded ${counted(accepted(await discardImport(id)), 'part')} of ${id}.`);
};

export const addDiscard = (program: Command): Command =>
  program
    .command('discard')
    .summary('remove the parts of an unfinished import')
    .description(
      'Discard an unfinished import and delete its parts. Its release id is never reused. Finished releases are refused. An import that is still writing the release fails when it ends, and deletes its parts.',
    )
    .argument('<release>', 'such as US-MN@2026-11-21.101')
    .addHelpText('after', '\nExample:\n  npm run content -- discard US-MN@2026-11-21.101')
    .action(discard);
