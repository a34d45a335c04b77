import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { type Account, defaultSettings, type Settings } from './account.ts';

type Terms = {
  readonly name: string;
  /** The version that the account is pinned to: the current one at its creation. */
  readonly serviceVersion: string;
  /** In milliseconds since 1970. */
  readonly createdMs: number;
  /** Settings that differ from the defaults. */
  readonly settings?: Partial<Settings>;
  /** Default: `acct_` + ULID. The demo account has a fixed id. */
  readonly id?: string;
};

/** Make an account with a new id and a random cursor secret. Does not store it. */
export const newAccount = ({ name, serviceVersion, createdMs, settings, id }: Terms): Account => ({
  id: id ?? `acct_${ulid(createdMs)}`,
  name,
  created_at: new Date(createdMs).toISOString(),
  cursor_secret: randomBytes(32).toString('base64url'),
  settings: { ...defaultSettings(serviceVersion), ...settings },
});
