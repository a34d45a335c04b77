import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Account, Registration } from '../../shared/accounts/account.ts';
import type { Accepted } from '../../shared/base/result.ts';
import { filingLines } from '../../shared/cli/ledger/format.ts';
import { toItems } from '../../shared/cli/ledger/read-export.ts';
import { verifyFiling } from '../../shared/cli/ledger/verify-account.ts';
import { environment } from '../../shared/config/environment.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { listFilings } from '../../shared/filings/read-filings.ts';
import type { FilingList } from '../../shared/filings/response.ts';
import { workOn } from '../../shared/filings/work-on.ts';
import { deleteAccountItems } from '../../shared/store/accounts/account-items.ts';
import { database } from '../../shared/store/client/client.ts';
import { decompress } from '../../shared/store/client/compressed.ts';
import { allFilings } from '../../shared/store/filings/entry-places.ts';
import {
  cancelIt,
  close,
  fileIt,
  itemsIn,
  judge,
  levies,
  listCodes,
  newFiler,
  type Posted,
  portsFor,
  post,
  read,
  readPlaces,
  requireFiling,
  resume,
  shards,
} from '../support/filing-ledger.ts';

const state = 'US-MI';
const on = (day: string, cents: number, others: { type?: 'credit'; currency?: string } = {}) => ({
  day,
  levies: levies('MI', cents),
  ...others,
});

it('starts with a new filing frequency after the first period was canceled', async () => {
  const account = newFiler();
  const posted = [await post(account, on('2026-09-05', 1001))];
  const { id } = requireFiling(await close(account, { period_end: '2026-09-30' }));
  requireFiling(await cancelIt(account, id));
  const registrations = [{ state: 'MI', from: '2026-01-01', to: null, frequency: 'quarter' as const }];
  const quarterly = { ...account, settings: { ...account.settings, registrations } };
  const quarter = requireFiling(await close(quarterly, { period_end: '2026-09-30' }));
  expect(quarter).toMatchObject({ period_start: '2026-07-01', frequency: 'quarter' });
  await judge(account, state, posted);
});

describe('a dry run', () => {
  it('returns an existing filing of the period without continuing its work', async () => {
    const account = newFiler();
    const posted = [await post(account, on('2026-10-08', 1001))];
    const { id } = requireFiling(await close(account, {}, portsFor(account, { remainingMs: () => 2000 })));
    const dry = requireFiling(await close(account, { dry_run: true }));
    expect(dry).toMatchObject({ id, status: 'closing', progress: { entries_moved: 0, complete: false } });
    expect(await read(account, id)).toMatchObject({ status: 'closing', progress: { entries_moved: 0 } });
    await resume(account);
    await judge(account, state, posted);
  });

  it('is rejected if there is not enough time', async () => {
    const account = newFiler();
    await post(account, on('2026-10-08', 1001));
    const ports = portsFor(account, { remainingMs: () => 1999 });
    expect(listCodes(await close(account, { dry_run: true }, ports))).toEqual(['validation_too_many_entries']);
    expect((await readPlaces(account, state)).filings).toEqual([]);
  });
});

describe('the transactions of a filing', () => {
  it('are marked in smaller batches if they are large, each once', async () => {
    const account = newFiler();
    const posted: Posted[] = [];
    for (let at = 0; at < 30; at++) posted.push(await post(account, on('2026-10-08', 100 + at)));
    const { id } = requireFiling(await close(account));
    const heads: number[] = [];
    const { filings } = portsFor(account);
    const ports = portsFor(account, {
      stepEntriesMax: 49,
      // Every transaction counts as 1 MB.
      storedSize: () => 1_000_000,
      filings: {
        ...filings,
        commit: (commit) => {
          heads.push(commit.heads?.length ?? 0);
          return filings.commit(commit);
        },
      },
    });
    await fileIt(account, id, ports);
    await resume(account, ports);
    await judge(account, state, posted);
    expect(Math.max(...heads)).toBe(3);
  });
});

describe('filing periods', () => {
  const registered = (...registrations: Omit<Registration, 'state'>[]) =>
    newFiler({ registrations: registrations.map((registration) => ({ state: 'MI', ...registration })) });

  it('follow the registration: an error lists the valid ends or the next period', async () => {
    const account = registered(
      { from: '2026-01-01', to: '2026-09-30', frequency: 'quarter' },
      { from: '2026-10-01', to: null, frequency: 'month' },
    );
    await post(account, on('2026-05-08', 1));
    const readProblem = async (period_end: string) => {
      const answered = await close(account, { period_end });
      return answered.ok
        ? null
        : [answered.problems[0].code, answered.problems[0].meta?.['period_end'] ?? answered.problems[0].detail];
    };
    expect(await readProblem('2026-08-31')).toEqual([
      'validation_invalid_format',
      expect.stringMatching(/US-MI.*2026-06-30.*2026-09-30/),
    ]);
    expect(await readProblem('2026-11-30')).toEqual(['conflict_period_order', '2026-06-30']);
    expect(await readProblem('2026-12-31')).toEqual(['conflict_period_not_over', '2026-12-31']);
    for (const period_end of ['2026-06-30', '2026-09-30', '2026-10-31', '2026-11-30'])
      expect(requireFiling(await close(account, { period_end }))).toMatchObject({ period_end });
    expect(await readProblem('2026-03-31')).toEqual(['conflict_period_order', '2026-12-31']);
  });

  it('are closed by the schedule in order, until the end of the last registration', async () => {
    const account = {
      ...registered(
        { from: '2026-01-15', to: '2026-04-30', frequency: 'quarter' },
        { from: '2026-08-10', to: '2026-10-05', frequency: 'month' },
      ),
      created_at: '2026-02-01T00:00:00.000Z',
    };
    const posted = [await post(account, on('2026-11-08', 77))];
    expect(await closePeriods(portsFor(account))).toEqual({
      created: 5,
      worked: 5,
      finished: 5,
      complete: true,
      failed: 0,
    });
    const { filings } = await readPlaces(account, state);
    expect(filings.map(({ head }) => `${head['period_start']} ${head['period_end']} ${head['frequency']}`)).toEqual([
      '2026-01-01 2026-03-31 quarter',
      '2026-04-01 2026-04-30 quarter',
      '2026-08-01 2026-08-31 month',
      '2026-09-01 2026-09-30 month',
      '2026-10-01 2026-10-31 month',
    ]);
    expect(new Set(filings.map(({ head }) => head['asked_by']))).toEqual(new Set(['close-periods']));
    await judge(account, state, posted, 3);
    expect(await closePeriods(portsFor(account))).toMatchObject({ created: 0, complete: true });
  });

  it('are closed even if another account fails', async () => {
    const good = registered({ from: '2026-10-01', to: '2026-10-31', frequency: 'month' });
    const bad = newFiler(good.settings);
    const failures: unknown[] = [];
    const throwUnreadable = () => {
      throw new Error('unreadable');
    };
    const ports = portsFor(good, {
      accountIds: async () => ({ ids: [bad.id, good.id], next: null }),
      findAccounts: async (ids) => new Map(ids.map((id) => [id, id === bad.id ? throwUnreadable : () => good])),
      onFailure: (error) => failures.push(error),
    });
    expect(await closePeriods(ports)).toEqual({ created: 1, worked: 1, finished: 1, complete: false, failed: 1 });
    expect(failures).toHaveLength(1);
    await judge(good, state, []);
  });
});

it('does not change a finished filing', async () => {
  const account = newFiler();
  await post(account, on('2026-10-08', 1001));
  const { id } = requireFiling(await close(account));
  const filing = await portsFor(account).filings.find(account.id, id);
  if (!filing) throw new Error('There is none.');
  const before = await readPlaces(account, state);
  expect(await workOn(filing, portsFor(account), 0)).toBe(true);
  // A worker could have read the filing before it was closed.
  expect(
    await workOn(
      { ...filing, status: 'closing', isUnfinished: true, version: filing.version - 1 },
      portsFor(account),
      0,
    ),
  ).toBe(true);
  expect(await readPlaces(account, state)).toEqual(before);
});

it('works on every unfinished filing, even next to a very large one', async () => {
  const account = newFiler();
  for (const of of ['MI', 'OH']) {
    for (let at = 0; at < 12; at++) await post(account, { day: '2026-10-08', levies: levies(of, 100 + at) });
    requireFiling(await close(account, { state: `US-${of}` }, portsFor(account, { remainingMs: () => 2000 })));
  }
  // Each write takes a second, so neither filing can be finished.
  let remainingMs = 12_000;
  const { filings } = portsFor(account);
  const ports = {
    stepMsMax: 1000,
    remainingMs: () => remainingMs,
    filings: {
      ...filings,
      commit: (commit: Parameters<typeof filings.commit>[0]) => {
        remainingMs -= 1000;
        return filings.commit(commit);
      },
    },
  };
  expect(await resume(account, ports)).toMatchObject({ finished: 0, complete: false, failed: 0 });
  const { data } = ((await listFilings({ limit: 9 }, account, portsFor(account))) as Accepted<FilingList>).value;
  for (const { progress } of data) expect(progress.entries_moved).toBeGreaterThan(0);
});

describe('filing totals split into parts', () => {
  const TableName = environment.tables.transactions;

  /** Returns the items with the parts of a filing's totals. The ports of these tests make the parts small. */
  const partItems = async (account: string, filing: string) =>
    (await Promise.all(shards.map((shard) => itemsIn(`F#${account}#${filing}#${shard}#TOTALS`)))).flat();

  const closed = async (): Promise<{ account: Account; id: string }> => {
    const account = newFiler();
    for (const cents of [1001, 209, 4]) await post(account, { day: '2026-10-08', levies: levies('MI', cents) });
    return { account, id: requireFiling(await close(account)).id };
  };

  it('are added up by the verification, which reports a wrong part', async () => {
    const { account, id } = await closed();
    expect(await verifyFiling(account.id, id)).toEqual({ findings: [] });
    const [first, second] = await partItems(account.id, id);
    await database.send(new PutCommand({ TableName, Item: { ...first, sums: second?.['sums'] } }));
    const { findings } = await verifyFiling(account.id, id);
    expect(findings).toMatchObject([{ id }]);
  });

  it('are exported, and an import writes the same items', async () => {
    const { account, id } = await closed();
    const stored = await partItems(account.id, id);
    // Two jurisdictions in each shard that has a sale.
    expect(stored.length).toBeGreaterThanOrEqual(2);
    const lines = await Array.fromAsync(filingLines(account.id, await allFilings(account.id), ['US-MI']));
    const imported = lines
      .filter(({ kind }) => kind === 'filing_totals')
      .flatMap((line) => toItems('acct_other', line));
    const renamed = stored.map((item) => ({ ...item, pk: String(item['pk']).replace(account.id, 'acct_other') }));
    // The database returns bytes as a different type.
    const withText = (item: Record<string, unknown>) => ({ ...item, sums: decompress(item['sums'] as Uint8Array) });
    expect(imported.map(withText)).toEqual(renamed.map(withText));
  });

  it('are deleted with the account', async () => {
    const { account, id } = await closed();
    await deleteAccountItems(account.id, () => {});
    expect(await partItems(account.id, id)).toEqual([]);
  });
});
