/** `content discard`: remove what an import left that was broken off. */
import type { Command } from 'commander';
import { builtInReleaseById } from '../../content/built-in.ts';
import { discardImport, findHead, type UnfinishedImport } from '../../store/content/content-store.ts';
import { accepted, CommandError } from '../terminal/errors.ts';
import { counted, instantText, print } from '../terminal/output.ts';

/** What removes what an import left that was broken off. */
export const remedyOf = ({ id }: UnfinishedImport): string => `npm run content -- discard ${id}`;

/** Say which imports were not finished, be it that they are running or were broken off, and what to do about them. */
export const printUnfinished = (imports: readonly UnfinishedImport[]): void => {
  for (const one of imports)
    print(
      `${one.id} is not finished. Its import began at ${instantText(one.began_at)} UTC: if it is not running any more, remove what it left with \`${remedyOf(one)}\`.`,
    );
};

/** Remove the parts of an unfinished import. Refused are finished and built-in releases, which stay for ever. */
const discard = async (id: string): Promise<void> => {
  if (builtInReleaseById(id)) throw new CommandError(`${id} is a built-in release: there is nothing to discard.`);
  if (await findHead(id))
    throw new CommandError(`${id} is finished: it stays, since transactions may have been made with it.`);
  print(`Discarded ${counted(accepted(await discardImport(id)), 'part')} of ${id}.`);
};

export const addDiscard = (program: Command): void => {
  program
    .command('discard')
    .summary('remove what a broken-off import left')
    .description(
      'Remove the parts of a release that was never finished; no import gets its id again. A finished release is refused. An import that is still writing this release fails at its end, and removes what it wrote since.',
    )
    .argument('<release>', 'such as US-MN@2026-11-21.101')
    .addHelpText('after', '\nExample:\n  npm run content -- discard US-MN@2026-11-21.101')
    .action(discard);
};
