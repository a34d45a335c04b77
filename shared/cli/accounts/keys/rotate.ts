/** `accounts keys rotate`: replace a key, with an overlap in which both are valid. */
import type { Command } from 'commander';
import { type ApiKey, newApiKey } from '../../../accounts/api-key.ts';
import { now } from '../../../config/clock.ts';
import { newKey, rotateKey } from '../../../store/accounts/api-key-store.ts';
import { overlapMs } from '../../terminal/arguments.ts';
import { CommandError } from '../../terminal/errors.ts';
import { print, printJson } from '../../terminal/output.ts';
import { addTermOptions, printKey, requireKey, stateOf, type TermOptions, termsOf, withSecret } from '../key-terms.ts';

type Options = TermOptions & {
  readonly account: string;
  readonly overlap: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
};

const refuseUnlessActive = (key: ApiKey, nowMs: number): void => {
  const state = stateOf(key, nowMs);
  if (key.replaced_by !== undefined && state !== 'revoked')
    throw new CommandError(`${key.id} was already rotated. Rotate its successor ${key.replaced_by}.`);
  if (state !== 'active')
    throw new CommandError(`${key.id} is ${state}. Create a key with \`npm run accounts -- keys create\`.`);
};

const rotate = async (id: string, { account, overlap, json, quiet, ...options }: Options): Promise<void> => {
  const nowMs = now();
  const terms = termsOf(options, nowMs);
  const lastMs = nowMs + overlapMs(overlap);
  const old = await requireKey(account, id);
  refuseUnlessActive(old.key, nowMs);
  // A rotation never extends the old key.
  const oldEndMs = old.key.expires_at === null ? lastMs : Math.min(lastMs, Date.parse(old.key.expires_at));
  const oldEndsAt = new Date(oldEndMs).toISOString();
  const { scopes, label } = old.key;
  const key = newKey({ account: old.key.account, scopes, ...(label !== undefined && { label }), ...terms }, nowMs);
  const secret = newApiKey();
  if (!(await rotateKey({ old, key, secret, oldEndsAt })))
    throw new CommandError(
      `${id} was rotated or revoked concurrently; nothing was changed. See \`npm run accounts -- keys list --account ${account}\`.`,
    );
  // Scripts read the new key from standard output, so the warning goes to standard error.
  if (old.key.expires_at === null && key.expires_at !== null)
    process.stderr.write(
      `${id} never expired, and the new key expires at ${key.expires_at}. Send --expires never for a key that does not expire.\n`,
    );
  if (json) return printJson({ ...withSecret(key, secret), replaces: { id, expires_at: oldEndsAt } });
  if (quiet) return print(secret);
  printKey(key, secret);
  print(`It replaces ${id}, which expires at ${oldEndsAt}. Running instances notice within 60 seconds.`);
};

export const addRotate = (keys: Command): void => {
  const command = keys
    .command('rotate')
    .summary('replace a key, with an overlap')
    .description(
      'Create an API key with the scopes and the label of an old one, and print it. The old key expires after the overlap, or at its own expiry if that is sooner. Both happen in one database transaction. The new key expires 90 days from now, even if the old one never expired, unless you send --expires.',
    )
    .argument('<key>', 'the id of the old key, such as key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X')
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--overlap <span>', 'how long both keys are valid: 30m, 24h, 7d, or 0', '24h');
  addTermOptions(command)
    .option('--quiet', 'print only the new key')
    .option('--json', 'one JSON object, with the new key in `secret`')
    .addHelpText(
      'after',
      '\nExample:\n  npm run accounts -- keys rotate key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X --account acct_demo --overlap 7d',
    )
    .action(rotate);
};
