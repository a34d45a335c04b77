/** `content discard`: remove what an import left that was broken off. */
import type { Command } from 'commander';
import { builtInReleaseById } from '../../content/built-in.ts';
import { discardParts, findHead } from '../../store/content-store.ts';
import { stateOfRelease } from '../../store/keys.ts';
import { CommandError } from './command-error.ts';
import { counted, print } from './output.ts';

/** Remove the parts of an unfinished release. Refused are finished and built-in ones, which stay for ever. */
const discard = async (id: string): Promise<void> => {
  if (builtInReleaseById(id)) throw new CommandError(`${id} is a built-in release: there is nothing to discard.`);
  if (await findHead(id))
    throw new CommandError(`${id} is finished: it stays, since transactions may have been made with it.`);
  const count = stateOfRelease(id) === undefined ? 0 : await discardParts(id);
  if (count === 0)
    throw new CommandError(`Nothing is there of ${id}. Ids are such as US-MN@2026-11-21.101: an import names its own.`);
  print(`Discarded ${counted(count, 'part')} of ${id}.`);
};

export const addDiscard = (program: Command): void => {
  program
    .command('discard')
    .summary('remove what a broken-off import left')
    .description(
      'Remove the parts of a release that was never finished. A finished release is refused. An import that is still writing this release fails at its end.',
    )
    .argument('<release>', 'such as US-MN@2026-11-21.101')
    .addHelpText('after', '\nExample:\n  npm run content -- discard US-MN@2026-11-21.101')
    .action(discard);
};
