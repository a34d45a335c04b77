import { randomBytes } from 'node:crypto';
import { defaultSettings } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { now } from '../../shared/config/clock.ts';
import { currentVersion } from '../../shared/http/versions.ts';
import { findAccount, provisionAccount, provisionKey } from '../../shared/store/account-store.ts';

const id = 'acct_demo';

/** See that the demo account is there, with a key that may read and write; answers the key. */
export const createDemo = async (apiKey: string | null): Promise<string> => {
  // With DATA_DIR it is there from the last run, with a secret of its own.
  if (!(await findAccount(id)))
    await provisionAccount({
      id,
      name: 'Demo',
      created_at: new Date(now()).toISOString(),
      cursor_secret: randomBytes(32).toString('base64url'),
      settings: defaultSettings(currentVersion),
    });
  const secret = apiKey ?? newApiKey();
  await provisionKey({ account: id, secret, scopes: ['read', 'write'], expires_at: null });
  return secret;
};
