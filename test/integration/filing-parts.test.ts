import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import type { Account } from '../../shared/accounts/account.ts';
import { filingLines } from '../../shared/cli/ledger/format.ts';
import { itemsOf } from '../../shared/cli/ledger/read-export.ts';
import { verifyFiling } from '../../shared/cli/ledger/verify-account.ts';
import { environment } from '../../shared/config/environment.ts';
import { deleteAccountItems } from '../../shared/store/accounts/account-items.ts';
import { database } from '../../shared/store/client/client.ts';
import { decompress } from '../../shared/store/client/compressed.ts';
import { allFilings } from '../../shared/store/filings/entry-places.ts';
import { close, filingOf, levies, newFiler, post } from '../support/filing-ledger.ts';

const TableName = environment.tables.transactions;

/** The items with the parts of a filing's totals, which the ports of these tests make small. */
const partItems = async (account: string, filing: string) => {
  const shards = await Promise.all(
    [0, 1, 2, 3, 4, 5, 6, 7].map(async (shard) => {
      const { Items = [] } = await database.send(
        new QueryCommand({
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': `F#${account}#${filing}#${shard}#TOTALS` },
        }),
      );
      return Items;
    }),
  );
  return shards.flat();
};

const closed = async (): Promise<{ account: Account; id: string }> => {
  const account = newFiler();
  for (const cents of [1001, 209, 4]) await post(account, { day: '2026-10-08', levies: levies('MI', cents) });
  return { account, id: filingOf(await close(account)).id };
};

it('verification adds up the parts of the totals, and names a wrong one', async () => {
  const { account, id } = await closed();
  expect(await verifyFiling(account.id, id)).toEqual({ findings: [] });
  const [first, second] = await partItems(account.id, id);
  await database.send(new PutCommand({ TableName, Item: { ...first, sums: second?.['sums'] } }));
  const { findings } = await verifyFiling(account.id, id);
  expect(findings).toMatchObject([{ id }]);
});

it('an export has the parts of the totals, and an import writes the same items', async () => {
  const { account, id } = await closed();
  const stored = await partItems(account.id, id);
  // Two jurisdictions in each shard that has a sale.
  expect(stored.length).toBeGreaterThanOrEqual(2);
  const lines = await Array.fromAsync(filingLines(account.id, await allFilings(account.id), ['US-MI']));
  const imported = lines.filter(({ kind }) => kind === 'filing_totals').flatMap((line) => itemsOf('acct_other', line));
  const renamed = stored.map((item) => ({ ...item, pk: String(item['pk']).replace(account.id, 'acct_other') }));
  // The database returns bytes as another type.
  const withText = (item: Record<string, unknown>) => ({ ...item, sums: decompress(item['sums'] as Uint8Array) });
  expect(imported.map(withText)).toEqual(renamed.map(withText));
});

it('deleting an account deletes the parts of its totals', async () => {
  const { account, id } = await closed();
  await deleteAccountItems(account.id, () => {});
  expect(await partItems(account.id, id)).toEqual([]);
});
