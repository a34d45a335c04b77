/** `npm run content -- …`: import, show, compare, check and activate releases of tax content. */
import { builtInReleaseById } from '../catalog/built-in.ts';
import { activate, rollBack } from '../importers/releases/activate.ts';
import { discardImport, findHead } from '../store/content/content-store.ts';
import { addCheck } from './content/check.ts';
import { addCoverage, addTaxability } from './content/coverage.ts';
import { addDiff } from './content/diff.ts';
import { addImport } from './content/import.ts';
import { addList } from './content/list.ts';
import { addShow } from './content/show.ts';
import { addSources } from './content/sources.ts';
import { addUpdate } from './content/update.ts';
import { addVerify } from './content/verify.ts';
import { counted, print } from './terminal/output.ts';
import { terminal } from './terminal/progress.ts';
import { accepted, CommandError, LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

const addActivate = (program: LevyCommand): LevyCommand =>
  program
    .command('activate')
    .summary('make calculations use a release')
    .description('Activate a release of its state. Transactions keep the release that they used.')
    .argument('<release>', 'such as US-MN@2026-11-21.101, or the built-in release')
    .option('--replace', 'activate it even if it was imported over a release other than the active one')
    .examples('content -- activate US-MN@2026-11-21.101')
    .action((id: string, options: { replace?: boolean }) => activate(id, terminal, options));

const addRollback = (program: LevyCommand): LevyCommand =>
  program
    .command('rollback')
    .summary('activate the previous release')
    .description('Roll back to the previously active release; without one, to the built-in release.')
    .requiredOption('--state <state>', 'the state, such as MN')
    .examples('content -- rollback --state MN')
    .action(({ state }: { state: string }) => rollBack(state, terminal));

/** Removes the parts of an unfinished import. Refuses finished and built-in releases. */
const discard = async (id: string): Promise<void> => {
  if (builtInReleaseById(id)) throw new CommandError(`${id} is a built-in release and cannot be discarded.`);
  if (await findHead(id))
    throw new CommandError(`${id} is a complete release and cannot be removed, because transactions may use it.`);
  print(`Discarded ${counted(accepted(await discardImport(id)), 'part')} of ${id}.`);
};

const addDiscard = (program: LevyCommand): LevyCommand =>
  program
    .command('discard')
    .summary('remove the parts of an unfinished import')
    .description(
      'Discard an unfinished import and delete its parts. Its release id is never reused. Finished releases are refused. An import that is still writing the release fails when it ends, and deletes its parts.',
    )
    .argument('<release>', 'such as US-MN@2026-11-21.101')
    .examples('content -- discard US-MN@2026-11-21.101')
    .action(discard);

export const contentProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('content').description(
      'Tax content in releases, one per state, in the Content table on AWS, or in the emulator at DYNAMODB_ENDPOINT.',
    ),
    'content -- list --state MN',
    [
      ...[addImport, addUpdate, addSources, addList, addShow, addDiff, addCheck, addVerify, addCoverage, addTaxability],
      ...[addActivate, addRollback, addDiscard],
    ],
  );

if (import.meta.main) await runCommand(contentProgram());
