import type { Command } from 'commander';
import { addCreate } from './keys/create.ts';
import { addList } from './keys/list.ts';
import { addRevoke } from './keys/revoke.ts';
import { addRotate } from './keys/rotate.ts';

/** `accounts keys`: the API keys of an account. */
export const addKeys = (program: Command): void => {
  const keys = program
    .command('keys')
    .usage('[command] [options]')
    .summary("an account's API keys: create, list, revoke, rotate")
    .description(
      'The API keys of an account. A key is shown once, at its creation. Levy stores only its SHA-256 digest.',
    )
    .addHelpText('after', '\nExample:\n  npm run accounts -- keys list --account acct_demo');
  for (const add of [addCreate, addList, addRevoke, addRotate]) add(keys);
};
