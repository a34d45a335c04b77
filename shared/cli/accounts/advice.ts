/** `accounts advice`: the states whose economic nexus threshold an account reaches. */
import { now } from '../../config/clock.ts';
import { registrationAdvice } from '../../registrations/advice.ts';
import type { MeasuredPeriod, StateAdvice } from '../../registrations/response.ts';
import { reportReads } from '../../store/report-store.ts';
import { requireAccount } from '../terminal/arguments.ts';
import { print, printJson, textTable } from '../terminal/output.ts';
import type { LevyCommand } from '../terminal/run-command.ts';

type Options = { readonly account: string; readonly all?: boolean; readonly json?: boolean };

const percent = (share: string): string => `${(Number(share) * 100).toFixed(1)} %`;

const rowsOf = ({ state, status, threshold, periods }: StateAdvice): readonly (readonly string[])[] =>
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

const headings = ['state', 'status', 'period', 'sales (USD)', 'count', 'threshold', 'reached'];

const advise = async ({ account: id, all, json }: Options): Promise<void> => {
  const account = await requireAccount(id);
  const advice = await registrationAdvice(account, { reports: reportReads, now });
  if (json) return printJson(advice);
  const shown = advice.data.filter(({ status, periods }) => {
    const hasSales = periods.some(({ transaction_count }) => transaction_count > 0);
    return all || hasSales || !['below', 'registered'].includes(status);
  });
  print(textTable([headings, ...shown.flatMap(rowsOf)]));
  print();
  for (const { status, advice: text } of shown)
    if (['reached', 'upcoming', 'approaching'].includes(status)) print(text);
  for (const { message } of advice.warnings) print(`Warning: ${message}`);
  print('Credits are not subtracted. Offices, stock and employees require a registration regardless of any threshold.');
};

export const addAdvice = (program: LevyCommand): LevyCommand =>
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
