import { Command, InvalidArgumentError } from 'commander';
import { pageLimitOf } from '../../transactions/page-limit.ts';
import { print, printJson } from '../content/output.ts';
import { billOf } from './bill.ts';
import { deployment } from './deployment.ts';
import { measure } from './measure.ts';
import { pricesWith } from './price-file.ts';
import { billJson, billText } from './print.ts';
import { usageOf } from './usage.ts';

const whole =
  (from: bigint, to: bigint) =>
  (text: string): bigint => {
    const value = /^\d{1,15}$/.test(text) ? BigInt(text) : null;
    if (value === null || value < from || value > to)
      throw new InvalidArgumentError(
        `Give a whole number from ${from.toLocaleString('en-US')} to ${to.toLocaleString('en-US')}, without separators.`,
      );
    return value;
  };
const trillion = 1_000_000_000_000n;
const count = whole(0n, trillion);
const small = (from: bigint, to: bigint) => (text: string) => Number(whole(from, to)(text));

const decimalPattern = /^\d{1,6}(\.\d{1,6})?$/;
const share = (text: string): string => {
  if (!decimalPattern.test(text) || Number(text) > 1)
    throw new InvalidArgumentError('Give a part of one, from 0 to 1, such as 0.05.');
  return text;
};
const each = (text: string): string => {
  if (!decimalPattern.test(text)) throw new InvalidArgumentError('Give a decimal that is not negative, such as 0.5.');
  return text;
};

type Options = {
  readonly calculations: bigint;
  readonly transactions: bigint;
  readonly lines: number;
  readonly drafts: string;
  readonly finalized: string;
  readonly updates: string;
  readonly credits: string;
  readonly gets: string;
  readonly lists: string;
  readonly filings: boolean;
  readonly events: boolean;
  readonly backups: boolean;
  readonly months: number;
  readonly dailyBackups: number;
  readonly monthlyBackups: number;
  readonly memory: number;
  readonly waf?: true;
  readonly ownKey?: true;
  readonly freeTier?: true;
  readonly prices?: string;
  readonly json?: true;
};

const run = async (options: Options): Promise<void> => {
  const prices = pricesWith(options.prices);
  const asked = { ...options, isFiled: options.filings };
  const deployed = {
    ...deployment,
    hasWebAcl: options.waf ?? false,
    hasEvents: options.events,
    hasOwnKey: options.ownKey ?? false,
    dailyBackups: options.backups ? options.dailyBackups : 0,
    monthlyBackups: options.backups ? options.monthlyBackups : 0,
    memoryMb: options.memory,
    rowsOfList: pageLimitOf({}),
  };
  const bill = billOf(await usageOf(asked, deployed, await measure(options.lines)), prices, options.freeTier ?? false);
  if (options.json) printJson(billJson(bill, prices));
  else print(billText(bill, prices));
};

/** `npm run cost`: what a month costs, by service. */
export const costProgram = (): Command =>
  new Command('cost')
    .usage('--calculations <n> --transactions <m> [options]')
    .description(
      'What a month of Levy costs in an AWS account, by service. Units and sizes are measured at once, on paper: the use cases write what they would write, for documents in four jurisdictions with a reference, a customer and an Idempotency-Key. Prices are the list prices of us-east-1. Traffic is taken as even over the month. Nothing is asked of AWS.',
    )
    .requiredOption('--calculations <n>', 'calculations in a month', count)
    .requiredOption('--transactions <m>', 'transactions recorded in a month: sales and credits', count)
    .option('--lines <l>', 'lines of a document', small(1n, 1000n), 3)
    .option('--drafts <share>', 'part of the sales that begin as drafts', share, '0.2')
    .option('--finalized <share>', 'part of the drafts that are finalized; the others expire', share, '0.7')
    .option('--updates <each>', 'changes of a draft before its end', each, '0.5')
    .option('--credits <share>', 'part of the transactions that are credits, of one line each', share, '0.05')
    .option('--gets <each>', 'times that a transaction is retrieved', each, '0.5')
    .option('--lists <each>', 'pages of 25 listed for each transaction', each, '0.05')
    .option('--no-filings', 'without moving what is finalized into filings and marking it')
    .option('--no-events', 'without the pipe and the bus: a deployment with -c events=false')
    .option('--no-backups', 'without the backup plan: a deployment with -c backups=none')
    .option('--months <n>', 'months of transactions in the ledger', small(1n, 240n), 12)
    .option('--daily-backups <n>', 'copies of days that are kept', small(0n, 400n), deployment.dailyBackups)
    .option('--monthly-backups <n>', 'copies of months that are kept', small(0n, 240n), deployment.monthlyBackups)
    .option('--memory <mb>', 'memory of the functions', small(128n, 10_240n), deployment.memoryMb)
    .option('--waf', 'with a web ACL before the API: -c waf=true')
    .option('--own-key', 'with a KMS key of your own on the tables: -c encryption=customer-managed')
    .option('--free-tier', 'less what AWS gives every account each month for ever')
    .option('--prices <file>', 'prices of another region or contract, a JSON object: {"writeUnit": "0.72"}')
    .option('--json', 'one JSON object, with the prices and where each is from')
    .addHelpText(
      'after',
      '\nExample:\n  npm run cost -- --calculations 1000000 --transactions 100000 --lines 3\n\nWhat is assumed, and what is measured: infra/docs/cost.md',
    )
    .showHelpAfterError('See the options with --help.')
    .action(run);
