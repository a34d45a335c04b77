import { Account } from '../../accounts/account.ts';
import { environment } from '../../config/environment.ts';
import { batchGet } from '../client/batch-get.ts';
import { accountKey } from '../keys.ts';
import { listAccountIds } from './account-store.ts';

/** Every account, ordered by id. Makes two database calls for each hundred. */
export async function* allAccounts(): AsyncGenerator<Account> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listAccountIds>> = await listAccountIds(after);
    const items = page.ids.length > 0 ? await batchGet(environment.tables.accounts, page.ids.map(accountKey)) : [];
    const accounts = items.map((item) => Account.parse(item));
    yield* accounts.sort((a, b) => (a.id < b.id ? -1 : 1));
    after = page.next;
  } while (after !== null);
}
