import { newAccount } from '../../shared/accounts/account.ts';
import { newApiKey } from '../../shared/accounts/api-key.ts';
import { currentVersion } from '../../shared/api/versions.ts';
import { now } from '../../shared/config/clock.ts';
import { findAccount, provisionAccount } from '../../shared/store/accounts/account-store.ts';
import { provisionKey } from '../../shared/store/accounts/api-key-store.ts';

const id = 'acct_demo';

/** Creates the demo account if it is missing, and a key with the read and write scopes. Returns the key. */
export const createDemo = async (apiKey: string | null): Promise<string> => {
  // With DATA_DIR, the account exists from the previous run.
  if (!(await findAccount(id)))
    await provisionAccount(
      newAccount({
        id,
        name: 'Demo',
        serviceVersion: currentVersion,
        createdMs: now(),
        // Otherwise each calculation would warn that registrations are not set.
        settings: { registrations: 'all' },
      }),
    );
  const secret = apiKey ?? newApiKey();
  await provisionKey({
    account: id,
    secret,
    scopes: ['read', 'write', 'settings'],
    expires_at: null,
    label: 'npm start',
  });
  return secret;
};
