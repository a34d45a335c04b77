/** The options of a new API key, and its output: the secret is shown once. */
import type { Command } from 'commander';
import type { ApiKey } from '../../accounts/api-key.ts';
import type { KeyTerms } from '../../store/accounts/api-key-store.ts';
import { expiryOf, nameFrom } from '../terminal/arguments.ts';
import { CommandError } from '../terminal/errors.ts';
import { print } from '../terminal/output.ts';

/** `overlapping`: another key has its place, and it ends soon. */
export type KeyState = 'active' | 'overlapping' | 'expired' | 'revoked';

/** The state of a key at `nowMs` (milliseconds since 1970). A revoked or expired key does not authenticate. */
export const stateOf = ({ revoked_at, expires_at, replaced_by }: ApiKey, nowMs: number): KeyState => {
  if (revoked_at !== undefined) return 'revoked';
  if (expires_at !== null && Date.parse(expires_at) <= nowMs) return 'expired';
  return replaced_by === undefined ? 'active' : 'overlapping';
};

/** Short enough that a forgotten key ends, long enough to be rotated once a quarter. */
export const expiresByDefault = '90d';

const scopes = ['read', 'write'] as const;

/** Read scopes: one, or both with a comma. */
export const scopesOf = (text: string): ApiKey['scopes'] => {
  const named = text.split(',').map((scope) => scope.trim());
  const known = scopes.filter((scope) => named.includes(scope));
  if (known.length === 0 || !named.every((scope) => known.some((one) => one === scope)))
    throw new CommandError(`"${text}" are no scopes. Send read, write, or read,write.`);
  return known;
};

export type TermOptions = { readonly expires: string; readonly label?: string };

/** The options of every command that makes a key. */
export const addTermOptions = (command: Command): Command =>
  command
    .option('--expires <when>', 'a span of time (12h, 90d, 8w), an ISO instant, or never', expiresByDefault)
    .option('--label <text>', 'who or what has the key; shown by `keys list`');

/** When a key ends and what it is called. */
export const termsOf = ({ expires, label }: TermOptions, nowMs: number): Pick<KeyTerms, 'expires_at' | 'label'> => ({
  expires_at: expiryOf(expires, nowMs),
  ...(label !== undefined && { label: nameFrom(label, '--label') }),
});

/** A new key as scripts get it, with the secret that is shown here and never again. */
export const withSecret = ({ id, account, label, scopes: its, created_at, expires_at }: ApiKey, secret: string) => ({
  id,
  account,
  label: label ?? null,
  scopes: its,
  created_at,
  expires_at,
  secret,
});

/** Print a new key for people. */
export const printKey = ({ id, label, scopes: its, expires_at }: ApiKey, secret: string): void => {
  print(`Key      ${secret}`);
  print(`Id       ${id}${label === undefined ? '' : ` (${label})`}`);
  print(`Scopes   ${its.join(', ')}`);
  print(`Expires  ${expires_at ?? 'never'}`);
  print('The key is not shown again: store it now, where secrets are kept. It is sent in the header X-API-Key.');
};
