import { isDeepStrictEqual } from 'node:util';
import type { Account, Settings } from '../accounts/account.ts';
import { settingsTag } from '../accounts/answer.ts';
import { assert } from '../base/assert.ts';
import { Contention } from '../base/contention.ts';
import type { Problem } from '../base/problem.ts';
import { accept, type Result, refuse } from '../base/result.ts';
import { changeSettings, findAccount } from '../store/accounts/account-store.ts';

export const otherSettings: Problem = {
  code: 'precondition_failed',
  title: 'Precondition Failed',
  detail: 'The settings changed after you read them. Read the account again, then retry with the new ETag.',
  source: { header: 'If-Match' },
};

const attempts = 3;

/**
 * Changes settings of an account, and records the change with who made it. Settings that already have the value do not
 * change. Refused with `precondition_failed` if `ifMatch` is not `null` and lacks the tag of the settings. Throws
 * `Contention` if others keep changing the same settings.
 */
export const updateAccount = async (
  id: string,
  requested: Partial<Settings>,
  { by, ifMatch }: { readonly by: string; readonly ifMatch: readonly string[] | null },
): Promise<Result<Account>> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const account = await findAccount(id);
    assert(account !== undefined, 'The credential was checked, so the account exists.');
    if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(settingsTag(account))) return refuse(otherSettings);
    const changed = Object.fromEntries(
      Object.entries(requested).filter(
        ([name, value]) => !isDeepStrictEqual(value, account.settings[name as keyof Settings]),
      ),
    );
    if (Object.keys(changed).length === 0) return accept(account);
    const isUnchanged = ifMatch !== null && !ifMatch.includes('*');
    if (await changeSettings(account, changed, { by, isUnchanged })) {
      const after = await findAccount(id);
      assert(after !== undefined, 'An account with credentials is not deleted.');
      return accept(after);
    }
  }
  throw new Contention('Other requests are changing the same settings.');
};
