import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Decimal } from 'decimal.js';
import { ulid } from 'ulid';
import { expect } from 'vitest';
import { type Account, defaultSettings, type Settings } from '../../shared/accounts/account.ts';
import type { TaxRowResponse } from '../../shared/calculations/response.ts';
import { environment } from '../../shared/config/environment.ts';
import { closePeriods } from '../../shared/filings/close-periods.ts';
import { createFiling } from '../../shared/filings/create-filing.ts';
import type { Closed, ClosePorts, DueIndex } from '../../shared/filings/ports.ts';
import { getFiling } from '../../shared/filings/read-filings.ts';
import type { Filing, FilingEntry } from '../../shared/filings/response.ts';
import { updateFiling } from '../../shared/filings/update-filing.ts';
import { listLiabilityEntries } from '../../shared/ledger/entries/entries.ts';
import type { StoredTransaction, Transaction } from '../../shared/ledger/transaction.ts';
import { database } from '../../shared/store/client/client.ts';
import { closePorts } from '../../shared/store/filings/filing-ports.ts';
import { ledger } from '../../shared/store/ledger/ledger-store.ts';
import { type Part, returnSums, sum } from './entry-texts.ts';
import { answerFrom, type Command, getInput, type Input, MemoryDatabase, sendAny } from './memory-database.ts';
import { buildCommit, changed, created, finalized, line, newTransactionId, voided } from './transactions.ts';

/** The day on which these tests close periods, after the end of November. */
const closingMs = Date.parse('2026-12-05T08:00:00.000Z');

export const newFiler = (settings: Partial<Settings> = {}): Account => ({
  id: `acct_${ulid()}`,
  name: 'A filer',
  created_at: '2026-10-01T00:00:00.000Z',
  cursor_secret: 'secret',
  settings: { ...defaultSettings('aspen.2026-10-01'), ...settings },
});

/** Advances a millisecond with each reading. */
const tickingClock = (): (() => number) => {
  let ticks = 0;
  return () => closingMs + ticks++;
};

/** The due index, limited to one account's entries, which a sweep writes in every run. */
const buildDue = ({ id }: Account, due: DueIndex): DueIndex => ({
  ...due,
  page: async (shard, upTo, _limit, after) =>
    (await due.page(shard, upTo, 1000, after)).filter(({ account }) => account === id),
  sweep: { read: async () => null, move: async () => true },
});

/** The ports of the real store for a single account, in steps of two entries. */
export const portsFor = (account: Account, changes: Partial<ClosePorts> = {}): ClosePorts => {
  const ports = closePorts(changes.remainingMs ?? (() => 1_000_000));
  return {
    ...ports,
    stepEntriesMax: 2,
    // An entry with two jurisdictions changes two parts of its shard's totals.
    totalsRowsMax: 3,
    // A slow machine must not fail the test.
    inlineMs: 100_000,
    now: tickingClock(),
    // Other tests also have due entries and a sweep, and this account is not stored.
    due: buildDue(account, ports.due),
    accountIds: async () => ({ ids: [account.id], next: null }),
    findAccounts: async () => new Map([[account.id, () => account]]),
    onFailure: (error) => {
      if (!(error instanceof Crash)) throw error;
    },
    ...changes,
    filings: {
      ...(changes.filings ?? ports.filings),
      // Other tests also have unfinished filings.
      unfinished: async () => {
        const own = (await itemsIn('W')).map(({ sk }) => String(sk)).filter((sk) => sk.startsWith(`${account.id}#`));
        return { filings: own.map((sk) => ({ account: account.id, id: sk.split('#')[1] ?? '' })), next: null };
      },
    },
  };
};

/** The amounts of a sale in one jurisdiction: decimal strings, positive even for a credit. */
export type Levy = {
  readonly code: string;
  readonly rate: string;
  readonly taxable: string;
  readonly exempt: string;
  readonly tax: string;
};

export type Posted = {
  readonly stored: StoredTransaction;
  readonly sign: 1 | -1;
  readonly levies: readonly Levy[];
};

const levels = ['state', 'county', 'city', 'district'] as const;

const buildRow = ({ code, rate, taxable, exempt, tax }: Levy): TaxRowResponse => ({
  jurisdiction_code: code,
  jurisdiction_name: `Name of ${code}`,
  jurisdiction_type: levels[code.split('-').length - 2] ?? 'district',
  reporting_code: null,
  tax_type: 'sales',
  rate,
  taxable_amount: taxable,
  exempt_amount: exempt,
  tax_amount: tax,
  taxability_reason: 'standard_rated',
  sourcing: 'destination',
  rule_id: null,
});

type Sale = {
  readonly day: string;
  readonly levies: readonly Levy[];
  readonly type?: 'sale' | 'credit';
  readonly currency?: string;
  readonly id?: string;
};

const getTax = (levies: readonly Levy[]) => levies.reduce((sum, { tax }) => sum.plus(tax), new Decimal(0)).toFixed(2);

const listLines = (levies: readonly Levy[]) => [line({ taxes: levies.map(buildRow), tax_amount: getTax(levies) })];

/** A finalized sale or credit, stored with its open entries. */
export const post = async (
  account: Account,
  { day, levies, type = 'sale', currency = 'USD', id = newTransactionId() }: Sale,
): Promise<Posted> => {
  const head = created({
    ...finalized,
    id,
    type,
    currency,
    tax_date: day,
    tax_amount: getTax(levies),
    calculated_tax_amount: getTax(levies),
    line_items: listLines(levies),
  });
  const openEntries = { post: listLiabilityEntries(head.after), remove: [] };
  expect(await ledger.commit(buildCommit(account.id, head, { openEntries }))).toEqual({ kind: 'committed' });
  return { stored: head.after, sign: type === 'credit' ? -1 : 1, levies };
};

/** The result of changing a finalized transaction, or the refusal because its period is closed. */
const change = async (
  account: Account,
  posted: Posted,
  changes: Partial<Transaction>,
  reposted: boolean,
): Promise<Posted | 'period_closed' | 'stale'> => {
  const stored = (await ledger.find(account.id, posted.stored.transaction.id)) ?? posted.stored;
  const head = changed(stored, changes);
  const openEntries = {
    post: reposted ? listLiabilityEntries(head.after) : [],
    remove: listLiabilityEntries(stored),
  };
  const { kind } = await ledger.commit(buildCommit(account.id, head, { openEntries }));
  if (kind === 'committed') return { ...posted, stored: head.after };
  if (kind === 'period_closed' || kind === 'stale') return kind;
  throw new Error(kind);
};

export const undo = (account: Account, posted: Posted) => change(account, posted, voided, false);

export const retax = async (account: Account, posted: Posted, levies: readonly Levy[]) => {
  const after = await change(
    account,
    posted,
    { tax_amount: getTax(levies), calculated_tax_amount: getTax(levies), line_items: listLines(levies) },
    true,
  );
  return typeof after === 'string' ? after : { ...after, levies };
};

/** A new value of a field that can be changed in any status. */
export const annotate = async (account: Account, { stored }: Posted, metadata: Record<string, string>) => {
  for (;;) {
    const now = (await ledger.find(account.id, stored.transaction.id)) as StoredTransaction;
    const { kind } = await ledger.commit(buildCommit(account.id, changed(now, { metadata })));
    if (kind === 'committed') return;
  }
};

/** Amounts of two levels whose sums a float cannot represent exactly. */
export const levies = (state: string, cents: number): Levy[] => {
  const net = new Decimal(cents).div(100);
  const tax = (rate: string) => net.times(rate).toFixed(2);
  return [
    { code: `US-${state}`, rate: '0.06', taxable: net.toFixed(2), exempt: '0.10', tax: tax('0.06') },
    { code: `US-${state}-COUNTY`, rate: '0.0125', taxable: net.toFixed(2), exempt: '0.10', tax: tax('0.0125') },
  ];
};

const caller = (account: Account) => ({ account, credential: 'key_filer' });

type Wanted = { readonly state?: string; readonly period_end?: string; readonly dry_run?: boolean };

export const close = (account: Account, wanted: Wanted = {}, ports: ClosePorts = portsFor(account)) =>
  createFiling({ state: 'US-MI', period_end: '2026-10-31', dry_run: false, ...wanted }, null, caller(account), ports);

export const fileIt = (account: Account, id: string, ports: ClosePorts = portsFor(account)) =>
  updateFiling(id, { status: 'filed', confirmation_number: 'c-1' }, null, caller(account), ports);

export const cancelIt = (account: Account, id: string, ports: ClosePorts = portsFor(account)) =>
  updateFiling(id, { status: 'canceled' }, null, caller(account), ports);

/** Runs the schedule without due periods to close. */
export const resume = (account: Account, changes: Partial<ClosePorts> = {}): Promise<Closed> => {
  const ports = portsFor(account);
  const due = { ...ports.due, page: async () => [] };
  return closePeriods(portsFor(account, { due, accountIds: async () => ({ ids: [], next: null }), ...changes }));
};

/** Returns the filing of a response that must not be a refusal. */
export const requireFiling = (answered: Awaited<ReturnType<typeof close>>): Filing & { id: string } => {
  if (!answered.ok) throw new Error(JSON.stringify(answered.problems));
  return JSON.parse(answered.value.answer.body);
};

export const listCodes = (answered: { readonly ok: boolean; readonly problems?: readonly { code: string }[] }) =>
  answered.problems?.map(({ code }) => code) ?? [];

export const read = async (account: Account, id: string): Promise<Filing> => {
  const found = await getFiling(id, {}, account, portsFor(account));
  if (!found.ok) throw new Error('No such filing.');
  return found.value;
};

const readMembers = async (account: Account, id: string, limit = 100): Promise<FilingEntry[]> => {
  const members: FilingEntry[] = [];
  let after: string | null = null;
  do {
    const page = { expand: 'entries', limit, starting_after: after ?? undefined } as const;
    const found = await getFiling(id, page, account, portsFor(account));
    if (!found.ok || !found.value.entries) throw new Error('No such page.');
    members.push(...found.value.entries.data);
    after = found.value.entries.next_cursor;
  } while (after !== null);
  return members;
};

/** Reads the items of a partition of the transactions table. */
export const itemsIn = async (pk: string): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await database.send(
      new QueryCommand({
        TableName: environment.tables.transactions,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
};

export const shards = [0, 1, 2, 3, 4, 5, 6, 7];
const transactionsIn = (items: Record<string, unknown>[]) =>
  items.filter(({ sk }) => sk !== '!').map(({ transactionId }) => String(transactionId));

/** Reads an account's items, by keys that are built independently of the service. */
export const readPlaces = async (account: Account, state: string) => {
  const open = (await Promise.all(shards.map((shard) => itemsIn(`O#${account.id}#${state}#${shard}`)))).flat();
  const heads = (await itemsIn(`F#${account.id}`)).filter((head) => head['state'] === state);
  const filings = await Promise.all(
    heads.map(async (head) => {
      const items = (
        await Promise.all(shards.map((shard) => itemsIn(`F#${account.id}#${head['sk']}#${shard}`)))
      ).flat();
      return { head, id: String(head['sk']), members: transactionsIn(items) };
    }),
  );
  const [chain, ...periods] = (await itemsIn(`P#${account.id}#${state}`)).sort((one) =>
    one['sk'] === 'CHAIN' ? -1 : 1,
  );
  return { open: transactionsIn(open), filings, chain, periods };
};

type PostedLevy = { readonly sign: 1 | -1; readonly levy: Levy; readonly id: string };

const getSums = (parts: readonly PostedLevy[]) => {
  const getFigures = ({ sign, levy: { taxable, exempt, tax } }: PostedLevy) => {
    const known: Partial<Record<Part, string>> = { taxable, product: exempt };
    const part = (name: Part) => new Decimal(known[name] ?? 0);
    return { sign, gross: sum([taxable, exempt]), tax: new Decimal(tax), calculated: new Decimal(tax), part };
  };
  // An entry counts once, also with several rates of a jurisdiction.
  const getCount = (some: readonly PostedLevy[]) => new Set(some.map(({ id }) => id)).size;
  const credit_count = getCount(parts.filter(({ sign }) => sign < 0));
  return { ...returnSums(parts.map(getFigures)), credit_count, count: getCount(parts) };
};

// The sales have no origin, so all of their tax is on goods from outside the state.
const noTaxDue = { in_state: '0.00', food_and_drugs: '0.00', fees: '0.00' };

/** Recomputes the totals of these transactions in a state independently. */
const expectedTotals = (members: readonly Posted[], state: string) => {
  const parts = members.flatMap(({ sign, levies: of, stored: { transaction } }) =>
    of
      .filter(({ code }) => code === state || code.startsWith(`${state}-`))
      .map((levy) => ({ sign, levy, currency: transaction.currency, id: transaction.id })),
  );
  return [...Map.groupBy(parts, ({ levy, currency }) => `${currency} ${levy.code}`)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, of]) => ({
      jurisdiction_code: of[0]?.levy.code,
      reporting_code: null,
      currency: of[0]?.currency,
      ...getSums(of),
      tax_due: { ...noTaxDue, out_of_state: getSums(of).tax_amount },
      rates: [...Map.groupBy(of, ({ levy }) => levy.rate)]
        .sort(([one], [other]) => Number(one) - Number(other))
        .map(([rate, ofRate]) => ({ rate, ...getSums(ofRate) })),
    }));
};

const withoutName = ({
  jurisdiction_name: _,
  jurisdiction_type: __,
  ...total
}: NonNullable<Filing['totals']>[number]) => total;

/**
 * Checks an account's filings in a state against its transactions: the entry of each transaction that is not void is
 * open or in exactly one filing that is not canceled, totals are the sums of the members, and heads list exactly the
 * filings that were filed.
 */
export const judge = async (
  account: Account,
  state: string,
  posted: readonly Posted[],
  monthsBetween = 0,
): Promise<void> => {
  const { open, filings, chain, periods } = await readPlaces(account, state);
  const getId = ({ stored }: Posted) => stored.transaction.id;
  const found = await Promise.all(posted.map((one) => ledger.find(account.id, getId(one))));
  const heads = new Map(posted.map((one, at) => [getId(one), found[at]]));
  const isRelevant = ({ levies: of }: Posted) => of.some(({ code }) => code === state || code.startsWith(`${state}-`));
  const live = posted.filter((one) => isRelevant(one) && heads.get(getId(one))?.transaction.status !== 'void');
  const everywhere = [...open, ...filings.flatMap(({ members }) => members)];
  expect(everywhere.sort(), 'each entry is in one place').toEqual(live.map(getId).sort());
  for (const { head, id, members } of filings) {
    const answer = await read(account, id);
    expect(answer.progress.complete, 'finished').toBe(true);
    expect(head['isUnfinished']).toBe(false);
    if (head['status'] === 'canceled') {
      expect(members).toEqual([]);
      continue;
    }
    const of = members.map((member) => live.find((one) => getId(one) === member) as Posted);
    expect(answer.totals?.map(withoutName), 'totals').toEqual(expectedTotals(of, state));
    expect(answer.summary, 'the summary that is kept').toEqual(head['summary']);
    expect(answer.progress.entries_moved, 'moved').toBe(members.length + answer.progress.entries_reopened);
    expect(answer.progress.entries_marked, 'marked').toBe(head['status'] === 'filed' ? members.length : 0);
    expect((await readMembers(account, id, 3)).map(({ transaction_id }) => transaction_id).sort()).toEqual(
      members.sort(),
    );
  }
  // The filings form a chain in which each period follows the previous one, up to the newest.
  const kept = filings.filter(({ head }) => head['status'] !== 'canceled');
  expect(periods.map(({ sk, filing }) => `${sk} ${filing}`)).toEqual(
    kept.map(({ head, id }) => `${head['period_end']} ${id}`),
  );
  // Months between two registrations have no period, so each period can start that many months after the end of the
  // previous one.
  const monthNumber = (day: unknown) => Number(String(day).slice(0, 4)) * 12 + Number(String(day).slice(5, 7));
  const skipped = kept
    .slice(1)
    .map(({ head }, at) => monthNumber(head['period_start']) - monthNumber(kept[at]?.head['period_end']) - 1);
  expect(Math.min(0, ...skipped)).toBe(0);
  expect(
    skipped.reduce((sum, months) => sum + months, 0),
    'months without a period',
  ).toBe(monthsBetween);
  const last = kept.at(-1);
  expect(chain?.['last'] ?? null).toEqual(last ? { period_end: last.head['period_end'], filing: last.id } : null);
  expect(chain?.['isBusy'] ?? false).toBe(false);
  const work = (await itemsIn('W')).filter(({ sk }) => String(sk).startsWith(`${account.id}#`));
  expect(work, 'work').toEqual([]);
  const filed = filings.filter(({ head }) => head['status'] === 'filed');
  for (const { stored } of live) {
    const { transaction } = heads.get(stored.transaction.id) as StoredTransaction;
    const named = transaction.filings.filter((one) => one.state === state);
    expect(named).toEqual(
      filed.filter(({ members }) => members.includes(transaction.id)).map(({ id }) => ({ id, state, status: 'filed' })),
    );
    await judgeHead(account, transaction);
  }
};

/** Checks that a transaction is filed exactly if all of its states are, and that its audit chain is intact. */
const judgeHead = async (account: Account, transaction: Transaction): Promise<void> => {
  const awaited = new Set(
    transaction.line_items.flatMap(({ taxes }) => taxes.map((row) => row.jurisdiction_code.slice(0, 5))),
  );
  const isFiled = [...awaited].every((state) => transaction.filings.some((one) => one.state === state));
  expect(transaction.status).toBe(isFiled ? 'filed' : 'finalized');
  expect(transaction.filed_at === null).toBe(!isFiled);
  const audit = (await itemsIn(`T#${account.id}#${transaction.id}`)).filter(({ sk }) => sk !== 'H');
  expect(audit.map(({ version }) => version)).toEqual(Array.from({ length: transaction.version }, (_, at) => at + 1));
  expect(audit.map((entry) => entry['previousHash'])).toEqual([
    null,
    ...audit.slice(0, -1).map((entry) => entry['hash']),
  ]);
};

/** The error of an interrupted run. */
class Crash extends Error {}

/** Callbacks around each database call of a run, numbered from 1. They can change the call, wait or throw. */
export type Watch = {
  readonly before?: (call: number, input: Input) => void | Promise<void>;
  readonly after?: (call: number, input: Input) => void | Promise<void>;
};

const runs = new AsyncLocalStorage<{ watch: Watch; calls: number; turn: Promise<unknown> }>();

const throughClient = database.send.bind(database);
let send = (command: Command): Promise<unknown> => sendAny(command, throughClient);

/**
 * Uses the memory database for all calls of this file, because runs that are interrupted at each call make thousands of
 * calls.
 */
export const inMemory = (): void => {
  send = new MemoryDatabase().send;
};

// Serializes the calls of a run, so its order is deterministic even with concurrent shards.
answerFrom((command) => {
  const run = runs.getStore();
  if (!run) return send(command);
  const mine = run.turn.then(async () => {
    run.calls += 1;
    const call = run.calls;
    await runs.exit(async () => run.watch.before?.(call, getInput(command)));
    const answer = await send(command);
    await runs.exit(async () => run.watch.after?.(call, getInput(command)));
    return answer;
  });
  run.turn = mine.catch(() => null);
  return mine;
});

/** Runs a function and watches its database calls. Returns the number of calls and the result. */
export const watched = async <Value>(
  watch: Watch,
  work: () => Promise<Value>,
): Promise<{ readonly calls: number; readonly value: Value | null }> => {
  const run = { watch, calls: 0, turn: Promise.resolve() as Promise<unknown> };
  try {
    return { value: await runs.run(run, work), calls: run.calls };
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    await run.turn;
    return { value: null, calls: run.calls };
  }
};

/** Simulates a process that crashes before this database call: later calls fail as well. */
export const crashing = (at: number): Watch => ({
  before: (call) => {
    if (call >= at) throw new Crash('crash');
  },
});

/** Runs a concurrent change to completion before this database call. */
export const racing = (at: number, race: () => Promise<unknown>): Watch => ({
  before: async (call) => {
    if (call === at) await race();
  },
});

/** Simulates a lost reply to this call: its caller fails, but the process continues. */
export const lostReply = (at: number): Watch => ({
  after: (call) => {
    if (call === at) throw new Crash('lost');
  },
});

/** Returns a new transaction id whose entries are in this shard. */
export const idInShard = (shard: number): string => {
  for (;;) {
    const id = newTransactionId();
    if (createHash('sha256').update(id).digest().readUInt32BE() % shards.length === shard) return id;
  }
};

/** Records a late credit in every shard. */
export const creditsEverywhere = (account: Account, day: string): Promise<Posted[]> =>
  Promise.all(
    shards.map((shard) =>
      post(account, { day, levies: levies('MI', 7 + shard), type: 'credit', id: idInShard(shard) }),
    ),
  );

const atATime = 4;

/**
 * Runs a function once for each of its database calls, some concurrently, until a run has no such call. The function
 * receives the number of the call and returns how many calls it made. Returns the number of runs.
 */
export const atEveryCall = async (attempt: (call: number) => Promise<number>): Promise<number> => {
  for (let first = 1; ; first += atATime) {
    const calls = Array.from({ length: atATime }, (_, at) => first + at);
    const counts = await Promise.all(calls.map(attempt));
    const end = counts.findIndex((count, at) => count < first + at);
    if (end !== -1) return first + end - 1;
  }
};
