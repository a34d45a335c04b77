import { newAccount } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { now } from '../../shared/config/clock.ts';
import { currentVersion } from '../../shared/http/versions.ts';
import { findAccount, provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey } from '../../shared/store/accounts/api-key-store.ts';

const id = 'acct_demo';

/** See that the demo account is there, with a key that may read and write; answers the key. */
export const createDemo = async (apiKey: string | null): Promise<string> => {
  // With DATA_DIR it is there from the last run, with a secret of its own.
  if (!(await findAccount(id)))
    await provisionAccount(newAccount({ id, name: 'Demo', serviceVersion: currentVersion, createdMs: now() }));
  const secret = apiKey ?? newApiKey();
  await provisionKey({ account: id, secret, scopes: ['read', 'write'], expires_at: null, label: 'npm start' });
  return secret;
};
