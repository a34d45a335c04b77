/** `content activate` and `content rollback`. */
import type { Command } from 'commander';
import { activate, rollBack } from '../../importers/releases/activate.ts';
import { terminal } from '../terminal/progress.ts';

export const addActivate = (program: Command): Command =>
  program
    .command('activate')
    .summary('make calculations use a release')
    .description('Activate a release of its state. Transactions keep the release that they used.')
    .argument('<release>', 'such as US-MN@2026-11-21.101, or the built-in release')
    .option('--replace', 'activate it even if it was imported over a release other than the active one')
    .addHelpText('after', '\nExample:\n  npm run content -- activate US-MN@2026-11-21.101')
    .action((id: string, options: { replace?: boolean }) => activate(id, terminal, options));

export const addRollback = (program: Command): Command =>
  program
    .command('rollback')
    .summary('activate the previous release')
    .description('Roll back to the previously active release; without one, to the built-in release.')
    .requiredOption('--state <state>', 'the state, such as MN')
    .addHelpText('after', '\nExample:\n  npm run content -- rollback --state MN')
    .action(({ state }: { state: string }) => rollBack(state, terminal));
