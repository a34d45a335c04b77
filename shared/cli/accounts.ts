/** `npm run accounts -- …`: create accounts and their API keys, and change their settings. */
import type { Account } from '../accounts/account.ts';
import { now } from '../config/clock.ts';
import { registrationAdvice } from '../registrations/advice.ts';
import type { MeasuredPeriod, StateAdvice } from '../registrations/response.ts';
import { allAccounts } from '../store/accounts/account-store.ts';
import { reportReads } from '../store/report-store.ts';
import { addCheck } from './accounts/check.ts';
import { addClose, addDelete, addReopen } from './accounts/close.ts';
import { addCreate } from './accounts/create.ts';
import { addKeys } from './accounts/keys.ts';
import { addRedact } from './accounts/redact.ts';
import { addSettings } from './accounts/settings.ts';
import { requireAccount } from './terminal/arguments.ts';
import { counted, instantText, print, printJson, textTable } from './terminal/output.ts';
import { LevyCommand, runCommand, withCommands } from './terminal/run-command.ts';

/** Returns an account as JSON output, without the secret that signs its cursors. */
const listed = ({ id, name, created_at, settings_changed_at, closed_at, settings }: Account) => ({
  id,
  name,
  created_at,
  settings_changed_at: settings_changed_at ?? null,
  closed_at: closed_at ?? null,
  settings,
});

const row = ({ id, name, created_at, settings, closed_at }: Account): readonly string[] => [
  id,
  name,
  instantText(created_at),
  settings.service_version,
  String(settings.rate_limit),
  closed_at === undefined ? 'open' : `closed ${instantText(closed_at)}`,
];
const headings = ['account', 'name', 'created (UTC)', 'service version', 'rate limit', 'state'];

const addList = (program: LevyCommand): LevyCommand =>
  program
    .command('list')
    .summary('all accounts')
    .description('List all accounts with their service version and their rate limit per 10 s.')
    .option('--json', 'one JSON array, with all settings')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await Array.fromAsync(allAccounts());
      if (json) return printJson(accounts.map(listed));
      print(textTable([headings, ...accounts.map(row)]));
      print(`${counted(accounts.length, 'account')}.`);
    });

type AdviceOptions = { readonly account: string; readonly all?: boolean; readonly json?: boolean };

const percent = (share: string): string => `${(Number(share) * 100).toFixed(1)} %`;

const adviceRows = ({ state, status, threshold, periods }: StateAdvice): readonly (readonly string[])[] =>
  periods.map(({ from, to, counts_from, sales_amount, transaction_count, share_reached }: MeasuredPeriod, index) => [
    ...(index === 0 ? [state, status] : ['', '']),
    `${from} to ${to}${counts_from === null ? '' : `, counts from ${counts_from}`}`,
    sales_amount,
    String(transaction_count),
    index === 0
      ? [threshold.sales_amount, threshold.transaction_count ?? []].flat().join(` ${threshold.requires} `)
      : '',
    percent(share_reached),
  ]);

const adviceHeadings = ['state', 'status', 'period', 'sales (USD)', 'count', 'threshold', 'reached'];

const advise = async ({ account: id, all, json }: AdviceOptions): Promise<void> => {
  const account = await requireAccount(id);
  const advice = await registrationAdvice(account, { reports: reportReads, now });
  if (json) return printJson(advice);
  const shown = advice.data.filter(({ status, periods }) => {
    const hasSales = periods.some(({ transaction_count }) => transaction_count > 0);
    return all || hasSales || !['below', 'registered'].includes(status);
  });
  print(textTable([adviceHeadings, ...shown.flatMap(adviceRows)]));
  print();
  for (const { status, advice: text } of shown)
    if (['reached', 'upcoming', 'approaching'].includes(status)) print(text);
  for (const { message } of advice.warnings) print(`Warning: ${message}`);
  print('Credits are not subtracted. Offices, stock and employees require a registration regardless of any threshold.');
};

const addAdvice = (program: LevyCommand): LevyCommand =>
  program
    .command('advice')
    .summary('states whose economic nexus threshold is reached')
    .description(
      "Compare an account's sales in each state with the state's economic nexus threshold, in the state's measuring period. Prints the states with sales, like GET /registrations/advice.",
    )
    .account()
    .option('--all', 'every state')
    .option('--json', 'one JSON object, with sources')
    .action(advise);

export const accountsProgram = (): LevyCommand =>
  withCommands(
    new LevyCommand('accounts').description(
      'Accounts, their settings and their API keys, in the Accounts table on AWS, or in the emulator at DYNAMODB_ENDPOINT.',
    ),
    'accounts -- create --name "A shop" --key read,write',
    [addCreate, addList, addSettings, addCheck, addAdvice, addKeys, addRedact, addClose, addReopen, addDelete],
  );

if (import.meta.main) await runCommand(accountsProgram());
