/** `accounts keys list`: the keys of an account, and what became of them. */
import type { Command } from 'commander';
import { now } from '../../../config/clock.ts';
import { type ListedKey, listKeys } from '../../../store/accounts/api-key-store.ts';
import { counted, instantText, print, printJson, textTable } from '../../terminal/output.ts';
import { stateOf } from '../key-terms.ts';
import { requireAccount } from '../require.ts';

/** A key as scripts get it, every field always there; neither the secret nor its digest. */
const listed = (key: ListedKey, nowMs: number) => ({
  id: key.id,
  label: key.label ?? null,
  scopes: key.scopes,
  state: stateOf(key, nowMs),
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  revoked_at: key.revoked_at ?? null,
  replaced_by: key.replaced_by ?? null,
});
type Listed = ReturnType<typeof listed>;

const stateText = ({ state, expires_at, revoked_at }: Listed): string => {
  if (state === 'overlapping') return `overlapping until ${instantText(expires_at ?? '')}`;
  return state === 'revoked' ? `revoked ${instantText(revoked_at ?? '')}` : state;
};

const row = (key: Listed): readonly string[] => [
  key.id,
  key.label ?? '',
  key.scopes.join(', '),
  instantText(key.created_at),
  key.expires_at === null ? 'never' : instantText(key.expires_at),
  key.last_used_at === null ? 'never' : instantText(key.last_used_at),
  stateText(key),
];
const headings = ['key', 'label', 'scopes', 'created', 'expires', 'last used', 'state'];

export const addList = (keys: Command): void => {
  keys
    .command('list')
    .summary('the keys there are, and whether they are in use')
    .description(
      'List the API keys of an account, the oldest first: active, overlapping (rotated, and valid until it ends), expired or revoked. The last use is right to the hour.',
    )
    .requiredOption('--account <id>', 'the account, such as acct_demo')
    .option('--json', 'one JSON array')
    .action(async ({ account, json }: { account: string; json?: boolean }) => {
      const { id } = await requireAccount(account);
      const found = (await listKeys(id)).map((key) => listed(key, now()));
      if (json) return printJson(found);
      print(textTable([headings, ...found.map(row)]));
      print(`${counted(found.length, 'key')}. Times are in UTC.`);
    });
};
