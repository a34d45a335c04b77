/** `npm run accounts -- …`: create accounts and their API keys, and change their settings. */
import type { Account } from '../accounts/account.ts';
import { now } from '../config/clock.ts';
import { registrationAdvice } from '../registrations/advice.ts';
import type { MeasuredPeriod, StateAdvice } from '../registrations/response.ts';
import { allAccounts } from '../store/accounts/account-store.ts';
import { reportReads } from '../store/report-store.ts';
import { check } from './accounts/check.ts';
import { close, deleteAccount, reopen } from './accounts/close.ts';
import { create } from './accounts/create.ts';
import { keys } from './accounts/keys.ts';
import { redact } from './accounts/redact.ts';
import { settings } from './accounts/settings.ts';
import { requireAccount } from './terminal/arguments.ts';
import { type Columns, counted, formatTable, instantText, print, printJson } from './terminal/output.ts';
import { account, createProgram, flag, runCommand, subcommand } from './terminal/run-command.ts';

/** Returns an account as JSON output, without the secret that signs its cursors. */
const listed = ({ id, name, created_at, settings_changed_at, closed_at, settings }: Account) => ({
  id,
  name,
  created_at,
  settings_changed_at: settings_changed_at ?? null,
  closed_at: closed_at ?? null,
  settings,
});

const columns: Columns<Account> = [
  ['account', ({ id }) => id],
  ['name', ({ name }) => name],
  ['created (UTC)', ({ created_at }) => instantText(created_at)],
  ['service version', ({ settings }) => settings.service_version],
  ['rate limit', ({ settings }) => settings.rate_limit],
  ['state', ({ closed_at }) => (closed_at === undefined ? 'open' : `closed ${instantText(closed_at)}`)],
];

const list = subcommand({
  name: 'list',
  summary: 'all accounts',
  description: 'List all accounts with their service version and their rate limit per 10 s.',
  options: { json: flag('one JSON array, with all settings') },
  run: async ({ json }) => {
    const accounts = await Array.fromAsync(allAccounts());
    if (json) return printJson(accounts.map(listed));
    print(formatTable(columns, accounts));
    print(`${counted(accounts.length, 'account')}.`);
  },
});

const percent = (share: string): string => `${(Number(share) * 100).toFixed(1)} %`;

const adviceColumns: Columns<StateAdvice & { readonly period: MeasuredPeriod }> = [
  ['state', ({ state, period, periods }) => period === periods[0] && state],
  ['status', ({ status, period, periods }) => period === periods[0] && status],
  [
    'period',
    ({ period: { from, to, counts_from } }) =>
      `${from} to ${to}${counts_from === null ? '' : `, counts from ${counts_from}`}`,
  ],
  ['sales (USD)', ({ period }) => period.sales_amount],
  ['count', ({ period }) => period.transaction_count],
  [
    'threshold',
    ({ period, periods, threshold: { sales_amount, transaction_count, requires } }) =>
      period === periods[0] && [sales_amount, transaction_count ?? []].flat().join(` ${requires} `),
  ],
  ['reached', ({ period }) => percent(period.share_reached)],
];

const advice = subcommand({
  name: 'advice',
  summary: 'states whose economic nexus threshold is reached',
  description:
    "Compare an account's sales in each state with the state's economic nexus threshold, in the state's measuring period. Prints the states with sales, like GET /registrations/advice.",
  options: { account, all: flag('every state'), json: flag('one JSON object, with sources') },
  run: async ({ account: id, all, json }) => {
    const advised = await registrationAdvice(await requireAccount(id), { reports: reportReads, now });
    if (json) return printJson(advised);
    const shown = advised.data.filter(({ status, periods }) => {
      const hasSales = periods.some(({ transaction_count }) => transaction_count > 0);
      return all || hasSales || !['below', 'registered'].includes(status);
    });
    const rows = shown.flatMap((state) => state.periods.map((period) => ({ ...state, period })));
    print(formatTable(adviceColumns, rows));
    print();
    for (const { status, advice: text } of shown) if (!['below', 'registered'].includes(status)) print(text);
    for (const { message } of advised.warnings) print(`Warning: ${message}`);
    print('Credits are not subtracted. Offices, stock and employees require a registration even below a threshold.');
  },
});

export const accountsProgram = () =>
  createProgram(
    'accounts',
    'Accounts, their settings and their API keys, in the Accounts table on AWS, or in the emulator at DYNAMODB_ENDPOINT.',
    'accounts -- create --name "A shop" --key read,write',
    [create, list, settings, check, advice, keys, redact, close, reopen, deleteAccount],
  );

if (import.meta.main) await runCommand(accountsProgram());
