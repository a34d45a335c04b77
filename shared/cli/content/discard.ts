/** `content discard`: remove the parts of an unfinished import. */
import type { Command } from 'commander';
import { builtInReleaseById } from '../../catalog/built-in.ts';
import { discardImport, findHead } from '../../store/content/content-store.ts';
import { accepted, CommandError } from '../terminal/errors.ts';
import { counted, print } from '../terminal/output.ts';

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
