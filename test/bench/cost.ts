/** `npm run cost -- …`: what a month costs in an AWS account, by service. */
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../../shared/cli/terminal/arguments.ts';
import { print, printJson, textTable } from '../../shared/cli/terminal/output.ts';
import { runCommand } from '../../shared/cli/terminal/run-command.ts';
import { formatAmount } from '../../shared/money/currency.ts';
import { divideHalfUp } from '../../shared/money/decimal.ts';
import { charge, type Price, type PriceName, type Prices, pricesWith } from './cost/prices.ts';
import { type CostOptions, deployment, getUsage, type Usage } from './cost/usage.ts';

type Line = { readonly price: PriceName; readonly service: string; readonly quantity: bigint; readonly cents: bigint };
export type Bill = {
  readonly lines: readonly Line[];
  readonly services: ReadonlyMap<string, bigint>;
  readonly cents: bigint;
};

const sum = (lines: readonly Line[]): bigint => lines.reduce((total, { cents }) => total + cents, 0n);

/** The bill of a month, with one line per price. Each line is rounded once, so the lines add up to the total. */
export const getBill = (usage: Usage, prices: Prices, isFreeTier: boolean): Bill => {
  const lines = Object.entries(prices).map(([name, price]): Line => {
    const quantity = usage[name as PriceName];
    const paid = quantity - (isFreeTier ? BigInt(price.free ?? 0) * price.counts : 0n);
    return { price: name as PriceName, service: price.service, quantity, cents: charge(price, paid < 0n ? 0n : paid) };
  });
  const groups = [...Map.groupBy(lines, ({ service }) => service)];
  return { lines, services: new Map(groups.map(([name, group]) => [name, sum(group)])), cents: sum(lines) };
};

const dollars = (cents: bigint): string => formatAmount(cents, 2);

/** Formats a quantity in the units of its price, with three decimals unless it is an integer. */
const getUnits = (quantity: bigint, { counts }: Price): string =>
  formatAmount(divideHalfUp(quantity * 1000n, counts), 3).replace('.000', '');

const grouped = (number: string): string => number.replace(/\B(?<!\..*)(?=(\d{3})+(?!\d))/g, ',');

const confidence: Readonly<Record<string, string>> = {
  aws: 'text of an AWS page',
  others: 'two other pages agree',
  unconfirmed: 'not confirmed',
  given: '--prices',
};

const billText = ({ lines, services, cents: total }: Bill, prices: Prices): string => {
  const used = lines.filter(({ quantity }) => quantity > 0n);
  const rows = used.map(({ service, price, quantity, cents }) => [
    ...[service, price, grouped(getUnits(quantity, prices[price])).padStart(17), prices[price].unit],
    ...[grouped(dollars(cents)).padStart(13), confidence[prices[price].basis] ?? ''],
  ]);
  const sums = [...services, ['total', total] as const];
  return [
    textTable([
      ['service', 'price', 'used'.padStart(17), 'unit', 'dollars'.padStart(13), 'source of the price'],
      ...rows,
    ]),
    '',
    textTable([
      ['service', 'dollars a month'],
      ...sums.map(([name, cents]) => [name, grouped(dollars(cents)).padStart(15)]),
    ]),
    '',
    'List prices of us-east-1, read on 2026-11-21. `--json` prints their sources, `--prices` replaces them.',
  ].join('\n');
};

const billJson = (bill: Bill, prices: Prices) => ({
  currency: 'USD',
  total: dollars(bill.cents),
  services: [...bill.services].map(([service, cents]) => ({ service, dollars: dollars(cents) })),
  lines: bill.lines.map(({ service, price, quantity, cents }) => ({
    service,
    price,
    used: getUnits(quantity, prices[price]),
    unit: prices[price].unit,
    dollars: dollars(cents),
  })),
  prices: Object.fromEntries(
    Object.entries(prices).map(([name, { counts: _, per, ...price }]) => [name, { ...price, per: String(per) }]),
  ),
});

const count = (text: string): bigint => BigInt(wholeNumber(0, 1e12)(text));
const decimalUpTo =
  (max: number, remedy: string) =>
  (text: string): string => {
    if (!/^\d{1,6}(\.\d{1,6})?$/.test(text) || Number(text) > max) throw new InvalidArgumentError(remedy);
    return text;
  };
const share = decimalUpTo(1, 'Pass a share from 0 to 1, such as 0.05.');
const each = decimalUpTo(Number.POSITIVE_INFINITY, 'Pass a decimal of at least 0, such as 0.5.');

type Options = CostOptions & { readonly freeTier?: true; readonly prices?: string; readonly json?: true };

const run = (options: Options): void => {
  const prices = pricesWith(options.prices);
  const bill = getBill(getUsage(options), prices, options.freeTier ?? false);
  if (options.json) printJson(billJson(bill, prices));
  else print(billText(bill, prices));
};

export const costProgram = (): Command =>
  new Command('cost')
    .usage('--calculations <n> --transactions <m> [options]')
    .description(
      'The monthly bill of Levy in an AWS account, by service: measured units times the list prices of us-east-1, for traffic that is even over the month. Sends nothing to AWS.',
    )
    .requiredOption('--calculations <n>', 'calculations per month', count)
    .requiredOption('--transactions <m>', 'transactions per month: sales and credits', count)
    .option('--lines <l>', 'lines per document', wholeNumber(1, 1000), 3)
    .option('--drafts <share>', 'share of the sales that are created as drafts', share, '0.2')
    .option('--finalized <share>', 'share of the drafts that are finalized; the others expire', share, '0.7')
    .option('--updates <each>', 'updates per draft', each, '0.5')
    .option('--credits <share>', 'share of the transactions that are credits of one line', share, '0.05')
    .option('--gets <each>', 'retrievals per transaction', each, '0.5')
    .option('--lists <each>', 'listed pages of 25 per transaction', each, '0.05')
    .option('--no-filings', 'without filings')
    .option('--no-events', 'without the pipe and the event bus: -c events=false')
    .option('--no-backups', 'without backups: -c backups=none')
    .option('--months <n>', 'months of transactions in the ledger', wholeNumber(1, 240), 12)
    .option('--daily-backups <n>', `${deployment.dailyBackups} with -c backups=daily`, wholeNumber(0, 400), 0)
    .option('--monthly-backups <n>', 'monthly backups kept', wholeNumber(0, 240), deployment.monthlyBackups)
    .option('--memory <mb>', 'memory of the functions in MB', wholeNumber(128, 10_240), deployment.memory)
    .option('--full-metrics', 'with all own metrics: -c metrics=full')
    .option('--method-metrics', "with API Gateway's metrics by method: -c methodMetrics=true")
    .option('--tracing', 'with X-Ray traces: -c tracing=true')
    .option('--waf', 'with a web ACL: -c waf=true')
    .option('--own-key', 'with your own KMS key: -c encryption=customer-managed')
    .option('--free-tier', 'deduct the permanent free tier of AWS')
    .option('--prices <file>', 'JSON file with prices of another region or contract: {"writeUnit": "0.72"}')
    .option('--json', 'print JSON, with prices and their sources')
    .addHelpText(
      'after',
      '\nExample:\n  npm run cost -- --calculations 1000000 --transactions 100000 --lines 3\n\nMeasured and assumed values: infra/docs/cost.md',
    )
    .action(run);

if (import.meta.main) await runCommand(costProgram());
