import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { type Account, defaultSettings, type Settings } from './account.ts';

type Terms = {
  readonly name: string;
  /** What the account is pinned to: the current version, when it is created. */
  readonly serviceVersion: string;
  /** In milliseconds since 1970. */
  readonly createdMs: number;
  /** Other than the defaults. */
  readonly settings?: Partial<Settings>;
  /** `acct_` + ULID, unless the account has a name of its own, as the demo account has. */
  readonly id?: string;
};

/** Make an account, with an id and a cursor secret that no other one has. Nothing is stored yet. */
export const newAccount = ({ name, serviceVersion, createdMs, settings, id }: Terms): Account => ({
  id: id ?? `acct_${ulid(createdMs)}`,
  name,
  created_at: new Date(createdMs).toISOString(),
  cursor_secret: randomBytes(32).toString('base64url'),
  settings: { ...defaultSettings(serviceVersion), ...settings },
});
