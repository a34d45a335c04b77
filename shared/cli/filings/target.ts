/** The account, filing or period that a command names, and the use cases' answers. */
import type { Command } from 'commander';
import type { Account } from '../../accounts/account.ts';
import type { Result } from '../../base/result.ts';
import { createFiling } from '../../filings/create-filing.ts';
import { getFiling } from '../../filings/get-filing.ts';
import type { FilingPorts } from '../../filings/ports.ts';
import type { Filing } from '../../filings/response.ts';
import type { Caller, ReplayableResponse } from '../../ledger/ports.ts';
import { filingPorts } from '../../store/filings/filing-ports.ts';
import { filingReadPorts } from '../../store/filings/filing-reads.ts';
import { requireAccount } from '../terminal/accounts.ts';
import { dayOption, stateOption } from '../terminal/arguments.ts';
import { accepted, CommandError } from '../terminal/errors.ts';

/** The options that name a period. */
export type Period = { readonly account: string; readonly state: string; readonly periodEnd: string };

/** The options that name a filing, unless its id is an argument. */
export type FilingName = { readonly account: string; readonly state?: string; readonly periodEnd?: string };

export const addAccount = (command: Command): Command =>
  command.requiredOption('--account <id>', 'the account, such as acct_demo');

const state = ['--state <state>', 'the state, such as MI', stateOption] as const;
const lastDay = [
  '--period-end <day>',
  'the last day of the period, such as 2026-10-31',
  dayOption('--period-end'),
] as const;

export const addPeriod = (command: Command): Command =>
  addAccount(command)
    .requiredOption(...state)
    .requiredOption(...lastDay);

export const addFilingName = (command: Command): Command =>
  addAccount(command)
    .argument('[filing]', 'the id of the filing; default: the filing of --state and --period-end')
    .option(...state)
    .option(...lastDay);

type Operator = { readonly caller: Caller; readonly account: Account; readonly ports: FilingPorts };

/** The caller and the ports of a command, which has no time limit. */
export const operatorFor = async (id: string): Promise<Operator> => {
  const account = await requireAccount(id);
  // Keys are key_…, and subjects of tokens begin with token:, so no other caller has this name.
  return { account, caller: { account, credential: 'operator' }, ports: filingPorts(() => Number.POSITIVE_INFINITY) };
};

/** The filing of this id, or of this state and period. Refuses an unknown one. */
export const requireFiling = async (
  named: string | undefined,
  { account: accountId, state = '', periodEnd = '' }: FilingName,
): Promise<Operator & { readonly filing: Filing; readonly id: string }> => {
  if (named === undefined ? !(state && periodEnd) : state || periodEnd)
    throw new CommandError('Pass the id of a filing, or --state with --period-end.');
  const operator = await operatorFor(accountId);
  const { account, ports } = operator;
  const id = named ?? (await ports.filings.filingOfPeriod(account.id, state, periodEnd));
  if (id === undefined)
    throw new CommandError(
      `No filing of ${state} ends on ${periodEnd}. List the filings with \`npm run filings -- list --account ${account.id}\`.`,
    );
  return { ...operator, id, filing: accepted(await getFiling(id, {}, account, ports)) };
};

/** The filing of a result. Throws a CommandError with the use case's refusal. */
export const repliedFiling = (result: Result<ReplayableResponse>): Filing => JSON.parse(accepted(result).answer.body);

/** The pages of a filing's totals, from the one that was read. `read` returns the page of a cursor. */
export const totalsPages = async function* (
  first: Filing,
  read: (cursor: string) => Promise<Filing>,
): AsyncGenerator<Filing> {
  let page = first;
  yield page;
  while (page.totals_next_cursor !== null) {
    page = await read(page.totals_next_cursor);
    yield page;
  }
};

const withAllTotals = async (first: Filing, read: (cursor: string) => Promise<Filing>): Promise<Filing> => {
  if (first.totals_next_cursor === null) return first;
  const pages = await Array.fromAsync(totalsPages(first, read), ({ totals }) => totals ?? []);
  return { ...first, totals: pages.flat(), totals_next_cursor: null };
};

/** The page of a filing's totals after a cursor. */
export const totalsOf =
  (id: string, account: Account) =>
  async (cursor: string): Promise<Filing> =>
    accepted(await getFiling(id, { totals_starting_after: cursor }, account, filingReadPorts));

/** A filing with all of its totals. */
export const wholeFiling = (first: Filing & { readonly id: string | null }, account: Account): Promise<Filing> =>
  withAllTotals(first, totalsOf(first.id ?? '', account));

/** A page of totals of a dry run; the filing of a period that is closed. */
export const dryRunPage =
  ({ state, periodEnd }: Omit<Period, 'account'>, { caller, ports }: Operator) =>
  async (cursor: string | null): Promise<Filing> => {
    const request = { state, period_end: periodEnd, dry_run: true, totals_starting_after: cursor };
    return repliedFiling(await createFiling(request, null, caller, ports));
  };

/** A dry run with all of its totals. A period that is closed returns its filing. */
export const wholeDryRun = async (period: Omit<Period, 'account'>, operator: Operator): Promise<Filing> => {
  const read = dryRunPage(period, operator);
  const first = await read(null);
  return first.id === null ? withAllTotals(first, read) : wholeFiling(first, operator.account);
};

type Paging = { readonly limit: number; readonly starting_after?: string };
const limit = 100;

/** Every page of a list of the API. */
export const pagesFrom = async function* <Page extends { readonly next_cursor: string | null }>(
  read: (paging: Paging) => Promise<Result<Page>>,
): AsyncGenerator<Page> {
  let paging: Paging | null = { limit };
  while (paging !== null) {
    const page: Page = accepted(await read(paging));
    yield page;
    paging = page.next_cursor === null ? null : { limit, starting_after: page.next_cursor };
  }
};
