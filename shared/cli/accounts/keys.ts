import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type ApiKey, hashKey, newApiKey, scopes } from '../../accounts/api-key.ts';
import { assert } from '../../base/assert.ts';
import { now } from '../../config/clock.ts';
import {
  findKey,
  findNamedKey,
  type KeyTerms,
  type ListedKey,
  listKeys,
  newKey,
  provisionKey,
  revokeKey,
  rotateKey,
} from '../../store/accounts/api-key-store.ts';
import {
  overlapMs,
  parseExpiry,
  parseName,
  refuseValue,
  requireAccount,
  requireOpenAccount,
} from '../terminal/arguments.ts';
import { type Columns, counted, formatTable, instantText, print, printJson } from '../terminal/output.ts';
import {
  account,
  CommandError,
  createProgram,
  flag,
  optional,
  required,
  subcommand,
  withDefault,
} from '../terminal/run-command.ts';

/** The options and output that the commands for API keys share. */

/**
 * The state of a key at `nowMs` (milliseconds since 1970). A revoked or expired key does not authenticate. An
 * overlapping key was rotated and is still valid until it expires.
 */
export const getState = ({ revoked_at, expires_at, replaced_by }: ApiKey, nowMs: number) => {
  if (revoked_at !== undefined) return 'revoked';
  if (expires_at !== null && Date.parse(expires_at) <= nowMs) return 'expired';
  return replaced_by === undefined ? 'active' : 'overlapping';
};

/** Parses scopes: one or more, separated by commas. */
export const parseScopes = (text: string): ApiKey['scopes'] => {
  const named = text.split(',').map((scope) => scope.trim());
  const known = scopes.filter((scope) => named.includes(scope));
  if (known.length === 0 || known.length < new Set(named).size)
    refuseValue('Pass one or more of read, write and settings, separated by commas.');
  return known;
};

/** The options of every command that creates a key. */
export const termOptions = {
  // A forgotten key expires, and a quarterly rotation is frequent enough.
  expires: withDefault('90d', '<when>', 'a duration (12h, 90d, 8w), an ISO timestamp, or never'),
  label: optional('<text>', 'the user of the key; shown by `keys list`', parseName),
};
type TermOptions = { readonly expires: string; readonly label: string | undefined };

/** Returns the expiry and label of a new key. */
export const getTerms = ({ expires, label }: TermOptions, nowMs: number): Pick<KeyTerms, 'expires_at' | 'label'> => ({
  expires_at: parseExpiry(expires, nowMs),
  ...(label !== undefined && { label }),
});

/** Returns a new key as JSON output, with its secret. */
export const withSecret = ({ id, account, label, created_at, expires_at, ...key }: ApiKey, secret: string) => {
  const output = { id, account, label: label ?? null, scopes: key.scopes };
  return { ...output, created_at, expires_at, secret };
};

/** Prints a new key. */
export const printKey = ({ id, label, expires_at, ...key }: ApiKey, secret: string): void => {
  print(`Key      ${secret}`);
  print(`Id       ${id}${label === undefined ? '' : ` (${label})`}`);
  print(`Scopes   ${key.scopes.join(', ')}`);
  print(`Expires  ${expires_at ?? 'never'}`);
  print('The key is not shown again. Store it in your vault now. Send it in the header X-API-Key.');
};

/** Returns the key with this id. Refuses the secret key itself, and warns that it is now in the shell history. */
const requireKey = async (accountId: string, id: string) => {
  if (id.startsWith('levy_'))
    throw new CommandError(
      'Pass the id of the key (key_…), not the key itself, which is now in your shell history. If you have only the key, pass it to `npm run accounts -- keys revoke --leaked` on standard input.',
    );
  const account = await requireAccount(accountId);
  const key = await findNamedKey(account.id, id);
  if (key) return key;
  throw new CommandError(
    `The account ${account.id} has no key ${id}. List them with \`npm run accounts -- keys list --account ${account.id}\`.`,
  );
};

/** `accounts keys`: create, list, revoke and rotate the API keys of an account. */

const newKeyOptions = {
  ...termOptions,
  quiet: flag('print only the new key'),
  json: flag('one JSON object, with the new key in `secret`'),
};

const create = subcommand({
  name: 'create',
  summary: 'create a key and show it once',
  description: 'Create an API key and print it. It is not shown again: Levy stores only its SHA-256 digest.',
  options: {
    account,
    scopes: required('<scopes>', 'read, write or settings, or several separated by commas', parseScopes),
    ...newKeyOptions,
  },
  examples: ['accounts -- keys create --account acct_demo --scopes read --label "web shop"'],
  run: async ({ account: id, scopes, json, quiet, ...options }) => {
    const createdMs = now();
    const terms = { scopes, ...getTerms(options, createdMs) };
    const account = await requireOpenAccount(id);
    const secret = newApiKey();
    const key = await provisionKey({ account: account.id, secret, createdMs, ...terms });
    if (json) return printJson(withSecret(key, secret));
    if (quiet) return print(secret);
    print(`Account  ${account.id} (${account.name})`);
    printKey(key, secret);
  },
});

/** Returns a key as JSON output, without the secret and its digest. */
const listed = (key: ListedKey, nowMs: number) => {
  const { id, label = null, scopes, created_at, expires_at, last_used_at, revoked_at = null, replaced_by = null } = key;
  const state = getState(key, nowMs);
  return { id, label, scopes, state, created_at, expires_at, last_used_at, revoked_at, replaced_by };
};
type Listed = ReturnType<typeof listed>;

const stateText = ({ state, expires_at, revoked_at }: Listed): string => {
  if (state === 'overlapping') return `overlapping until ${instantText(expires_at ?? '')}`;
  return state === 'revoked' ? `revoked ${instantText(revoked_at ?? '')}` : state;
};

const columns: Columns<Listed> = [
  ['key', ({ id }) => id],
  ['label', ({ label }) => label],
  ['scopes', ({ scopes }) => scopes.join(', ')],
  ['created', ({ created_at }) => instantText(created_at)],
  ['expires', ({ expires_at }) => (expires_at === null ? 'never' : instantText(expires_at))],
  ['last used', ({ last_used_at }) => (last_used_at === null ? 'never' : instantText(last_used_at))],
  ['state', stateText],
];

const list = subcommand({
  name: 'list',
  summary: 'all keys with their status',
  description:
    'List the API keys of an account, oldest first: active, overlapping (rotated, valid until it expires), expired or revoked. The last use is accurate to the hour.',
  options: { account, json: flag('one JSON array') },
  run: async ({ account: named, json }) => {
    const { id } = await requireAccount(named);
    const found = (await listKeys(id)).map((key) => listed(key, now()));
    if (json) return printJson(found);
    print(formatTable(columns, found));
    print(`${counted(found.length, 'key')}. Times are in UTC.`);
  },
});

// A leaked key is usually found without its id and account.
const leakedKey = async (): Promise<ApiKey> => {
  if (process.stdin.isTTY) process.stderr.write('Paste the key, press Enter, then Ctrl-D.\n');
  const key = await findKey(hashKey((await text(process.stdin)).trim()));
  if (key) return key;
  throw new CommandError('No account has the key from standard input. Check the AWS account and the region.');
};

const namedKey = async (id: string | undefined, account: string | undefined): Promise<ApiKey> => {
  if (id === undefined || account === undefined)
    throw new CommandError('Pass the id of the key and --account, or pass the key on standard input with --leaked.');
  return (await requireKey(account, id)).key;
};

const revoke = subcommand({
  name: 'revoke',
  summary: 'revoke a key permanently',
  description: 'Revoke an API key. It stops working within 60 seconds and cannot be restored.',
  arguments: [['[key]', 'the id of the key, such as key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X']],
  options: {
    account: optional('<id>', 'the account, such as acct_demo'),
    leaked: flag('read the key from standard input instead of passing its id and account'),
    json: flag('one JSON object'),
  },
  examples: [
    'accounts -- keys revoke key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X --account acct_demo',
    'accounts -- keys revoke --leaked < found-key.txt',
  ],
  run: async ({ account: owner, leaked, json }, named: string | undefined) => {
    if (leaked && (named !== undefined || owner !== undefined))
      throw new CommandError('--leaked reads the key from standard input. Leave out the id and --account.');
    const key = leaked ? await leakedKey() : await namedKey(named, owner);
    const { id, account, label, revoked_at } = key;
    assert(await revokeKey(account, id), `The index entry of the key ${id} is missing.`);
    if (json) return printJson({ id, account, label: label ?? null, was_revoked_at: revoked_at ?? null });
    const name = `${id}${label === undefined ? '' : ` (${label})`} of ${account}`;
    if (revoked_at !== undefined) return print(`${name} was already revoked at ${revoked_at}.`);
    print(`${name} is revoked. Running instances apply this within 60 seconds.`);
  },
});

const refuseUnlessActive = (key: ApiKey, nowMs: number): void => {
  const state = getState(key, nowMs);
  if (key.replaced_by !== undefined && state !== 'revoked')
    throw new CommandError(`${key.id} was already rotated. Rotate its successor ${key.replaced_by}.`);
  if (state !== 'active')
    throw new CommandError(`${key.id} is ${state}. Create a key with \`npm run accounts -- keys create\`.`);
};

const rotate = subcommand({
  name: 'rotate',
  summary: 'replace a key, with an overlap',
  description:
    'Create an API key with the scopes and the label of an old one, and print it. The old key expires after the overlap, or at its own expiry if that is sooner. Both happen in one database transaction. The new key expires 90 days from now, even if the old one never expired, unless you pass --expires.',
  arguments: [['<key>', 'the id of the old key, such as key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X']],
  options: {
    account,
    overlap: withDefault('24h', '<span>', 'how long both keys are valid: 30m, 24h, 7d, or 0'),
    ...newKeyOptions,
  },
  examples: ['accounts -- keys rotate key_01K6ZV5N5M3V7C8Z2Y4T6R9W0X --account acct_demo --overlap 7d'],
  run: async ({ account, overlap, json, quiet, ...options }, id: string) => {
    const nowMs = now();
    const terms = getTerms(options, nowMs);
    const lastMs = nowMs + overlapMs(overlap);
    const old = await requireKey(account, id);
    refuseUnlessActive(old.key, nowMs);
    // A rotation never extends the life of the old key.
    const oldEndMs = old.key.expires_at === null ? lastMs : Math.min(lastMs, Date.parse(old.key.expires_at));
    const oldEndsAt = new Date(oldEndMs).toISOString();
    const { scopes, label } = old.key;
    const key = newKey({ account: old.key.account, scopes, ...(label !== undefined && { label }), ...terms }, nowMs);
    const secret = newApiKey();
    if (!(await rotateKey({ old, key, secret, oldEndsAt })))
      throw new CommandError(
        `${id} was rotated or revoked concurrently, or its account was closed; nothing was changed. See \`npm run accounts -- keys list --account ${account}\`.`,
      );
    // Scripts read the new key from standard output, so the warning goes to standard error.
    if (old.key.expires_at === null && key.expires_at !== null)
      process.stderr.write(
        `${id} had no expiry, but the new key expires at ${key.expires_at}. Pass --expires never for a key that does not expire.\n`,
      );
    if (json) return printJson({ ...withSecret(key, secret), replaces: { id, expires_at: oldEndsAt } });
    if (quiet) return print(secret);
    printKey(key, secret);
    print(`It replaces ${id}, which expires at ${oldEndsAt}. Running instances apply this within 60 seconds.`);
  },
});

export const keys = (program: Command): void => {
  const group = createProgram(
    'keys',
    'Manage the API keys of an account. A key is shown only when it is created. Levy stores only its SHA-256 digest.',
    'accounts -- keys list --account acct_demo',
    [create, list, revoke, rotate],
  );
  program.addCommand(group.summary("an account's API keys: create, list, revoke, rotate"));
};
