/** `npm run content -- …`: import, show, compare, check and activate releases of tax content. */
import { builtInReleaseById } from '../catalog/built-in.ts';
import { activate, rollBack } from '../importers/releases/activate.ts';
import { discardImport, findHead } from '../store/content/content-store.ts';
import { check } from './content/check.ts';
import { coverage, taxability } from './content/coverage.ts';
import { diff } from './content/diff.ts';
import { importCommand } from './content/import.ts';
import { list } from './content/list.ts';
import { show } from './content/show.ts';
import { sources } from './content/sources.ts';
import { update } from './content/update.ts';
import { verify } from './content/verify.ts';
import { counted, print } from './terminal/output.ts';
import { terminal } from './terminal/progress.ts';
import {
  accepted,
  CommandError,
  createProgram,
  flag,
  required,
  runCommand,
  subcommand,
} from './terminal/run-command.ts';

const activateCommand = subcommand({
  name: 'activate',
  summary: 'make calculations use a release',
  description: 'Activate a release for its state. Transactions keep the release that they used.',
  arguments: [['<release>', 'such as US-MN@2026-11-21.101, or the built-in release']],
  options: { replace: flag('activate it even if it was imported on top of a release other than the active one') },
  examples: ['content -- activate US-MN@2026-11-21.101'],
  run: ({ replace = false }, id: string) => activate(id, terminal, { replace }),
});

const rollback = subcommand({
  name: 'rollback',
  summary: 'activate the previous release',
  description: 'Roll back to the previously active release; without one, to the built-in release.',
  options: { state: required('<state>', 'the state, such as MN') },
  examples: ['content -- rollback --state MN'],
  run: ({ state }) => rollBack(state, terminal),
});

const discard = subcommand({
  name: 'discard',
  summary: 'remove the parts of an unfinished import',
  description:
    'Discard an unfinished import and delete its parts. Its release id is never reused. Finished releases are refused. An import that is still writing the release fails when it ends, and deletes its parts.',
  arguments: [['<release>', 'such as US-MN@2026-11-21.101']],
  options: {},
  examples: ['content -- discard US-MN@2026-11-21.101'],
  run: async (_options, id: string) => {
    if (builtInReleaseById(id)) throw new CommandError(`${id} is a built-in release and cannot be discarded.`);
    if (await findHead(id))
      throw new CommandError(`${id} is a complete release and cannot be removed, because transactions may use it.`);
    print(`Discarded ${counted(accepted(await discardImport(id)), 'part')} of ${id}.`);
  },
});

export const contentProgram = () =>
  createProgram(
    'content',
    'Tax content in releases, one per state, in the Content table on AWS, or in the emulator at DYNAMODB_ENDPOINT.',
    'content -- list --state MN',
    [
      ...[importCommand, update, sources, list, show, diff, check, verify, coverage, taxability],
      ...[activateCommand, rollback, discard],
    ],
  );

if (import.meta.main) await runCommand(contentProgram());
