import { Command, InvalidArgumentError } from 'commander';
import { allocate } from '../../money/allocate.ts';
import { divideHalfUp } from '../../money/decimal.ts';
import { print, printJson, textTable } from '../terminal/output.ts';
import { charge, type Price, type Prices, pricesWith } from './prices.ts';
import { type CostOptions, deployment, type Usage, usageOf } from './usage.ts';

export type Bill = {
  readonly lines: readonly (Usage & { readonly cents: bigint })[];
  readonly services: readonly { readonly service: string; readonly cents: bigint }[];
  readonly cents: bigint;
};

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

const centsOf = (price: Price, quantity: bigint, isFreeTier: boolean): bigint => {
  const paid = quantity - (isFreeTier ? BigInt(price.free ?? 0) * price.counts : 0n);
  return charge(price, paid < 0n ? 0n : paid);
};

/**
 * The bill of a month. Lines with the same price are charged together, because tiers and free tiers apply to their sum. The
 * charge is split over the lines, so that they add up to the services and the total.
 */
export const billOf = (usage: readonly Usage[], prices: Prices, isFreeTier: boolean): Bill => {
  const cents = new Map<Usage, bigint>();
  for (const [name, group] of Map.groupBy(usage, ({ price }) => price)) {
    const quantities = group.map(({ quantity }) => quantity);
    const parts = allocate(centsOf(prices[name], sum(quantities), isFreeTier), quantities);
    for (const [at, line] of group.entries()) cents.set(line, parts[at] ?? 0n);
  }
  const lines = usage.map((line) => ({ ...line, cents: cents.get(line) ?? 0n }));
  const services = [...Map.groupBy(lines, ({ service }) => service)].map(([service, group]) => ({
    service,
    cents: sum(group.map((line) => line.cents)),
  }));
  return { lines, services, cents: sum(lines.map((line) => line.cents)) };
};

const dollarsText = (cents: bigint): string =>
  `${(cents / 100n).toLocaleString('en-US')}.${String(cents % 100n).padStart(2, '0')}`;
const plainDollars = (cents: bigint): string => dollarsText(cents).replaceAll(',', '');

/** A quantity in the units of its price, with three decimals unless it is whole. */
const unitsOf = (quantity: bigint, { counts }: Price): string => {
  const thousandths = divideHalfUp(quantity * 1000n, counts);
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, '0')}`.replace('.000', '');
};

const alignRight = (rows: readonly (readonly string[])[], column: number): readonly (readonly string[])[] => {
  const width = Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) => row.map((cell, at) => (at === column ? cell.padStart(width) : cell)));
};

const confidence = {
  aws: 'In the text of AWS pages',
  others: 'Shown by AWS by script only; two other pages agree',
  unconfirmed: 'Not confirmed',
  given: 'Given by --prices',
};

const billText = (bill: Bill, prices: Prices): string => {
  const used = bill.lines.filter(({ quantity }) => quantity > 0n);
  const rows = used.map(({ service, item, price, quantity, cents }) => [
    ...[service, item, unitsOf(quantity, prices[price]).replace(/\B(?<!\..*)(?=(\d{3})+(?!\d))/g, ',')],
    ...[prices[price].unit, dollarsText(cents)],
  ]);
  const services = bill.services.map(({ service, cents }) => [service, dollarsText(cents)]);
  const names = [...new Set(used.map(({ price }) => price))];
  const groups = Object.entries(confidence).map(([basis, words]) => {
    const group = names.filter((name) => prices[name].basis === basis);
    return group.length > 0 ? [`  ${words}: ${group.join(', ')}.`] : [];
  });
  return [
    textTable(alignRight(alignRight([['service', 'item', 'used', 'unit', 'dollars'], ...rows], 2), 4)),
    '',
    textTable(alignRight([['service', 'dollars a month'], ...services, ['total', dollarsText(bill.cents)]], 1)),
    '',
    'List prices of us-east-1, read on 2026-11-21. `--json` prints their sources, `--prices` replaces them.',
    ...groups.flat(),
  ].join('\n');
};

const billJson = (bill: Bill, prices: Prices) => ({
  currency: 'USD',
  total: plainDollars(bill.cents),
  services: bill.services.map(({ service, cents }) => ({ service, dollars: plainDollars(cents) })),
  lines: bill.lines.map(({ service, item, price, quantity, cents }) => ({
    ...{ service, item, price, used: unitsOf(quantity, prices[price]), unit: prices[price].unit },
    dollars: plainDollars(cents),
  })),
  prices: Object.fromEntries(
    Object.entries(prices).map(([name, { counts: _, free: __, per, ...price }]) => [
      name,
      { ...price, per: String(per) },
    ]),
  ),
});

const whole =
  (from: bigint, to: bigint) =>
  (text: string): bigint => {
    const value = /^\d{1,15}$/.test(text) ? BigInt(text) : null;
    if (value === null || value < from || value > to)
      throw new InvalidArgumentError(
        `Send a whole number from ${from.toLocaleString('en-US')} to ${to.toLocaleString('en-US')}, without separators.`,
      );
    return value;
  };
const trillion = 1_000_000_000_000n;
const count = whole(0n, trillion);
const small = (from: bigint, to: bigint) => (text: string) => Number(whole(from, to)(text));

const decimalPattern = /^\d{1,6}(\.\d{1,6})?$/;
const share = (text: string): string => {
  if (!decimalPattern.test(text) || Number(text) > 1)
    throw new InvalidArgumentError('Send a share from 0 to 1, such as 0.05.');
  return text;
};
const each = (text: string): string => {
  if (!decimalPattern.test(text)) throw new InvalidArgumentError('Send a decimal of at least 0, such as 0.5.');
  return text;
};

type Options = CostOptions & { readonly freeTier?: true; readonly prices?: string; readonly json?: true };

const run = (options: Options): void => {
  const prices = pricesWith(options.prices);
  const bill = billOf(usageOf(options), prices, options.freeTier ?? false);
  if (options.json) printJson(billJson(bill, prices));
  else print(billText(bill, prices));
};

/** `npm run cost`: the monthly bill by service. */
export const costProgram = (): Command =>
  new Command('cost')
    .usage('--calculations <n> --transactions <m> [options]')
    .description(
      'The monthly bill of Levy in an AWS account, by service: measured units times the list prices of us-east-1, for traffic that is even over the month. Sends nothing to AWS.',
    )
    .requiredOption('--calculations <n>', 'calculations per month', count)
    .requiredOption('--transactions <m>', 'transactions per month: sales and credits', count)
    .option('--lines <l>', 'lines per document', small(1n, 1000n), 3)
    .option('--drafts <share>', 'share of the sales that are created as drafts', share, '0.2')
    .option('--finalized <share>', 'share of the drafts that are finalized; the others expire', share, '0.7')
    .option('--updates <each>', 'updates per draft', each, '0.5')
    .option('--credits <share>', 'share of the transactions that are credits of one line', share, '0.05')
    .option('--gets <each>', 'retrievals per transaction', each, '0.5')
    .option('--lists <each>', 'listed pages of 25 per transaction', each, '0.05')
    .option('--no-filings', 'without filings')
    .option('--no-events', 'without the pipe and the event bus: -c events=false')
    .option('--no-backups', 'without the backup plan: -c backups=none')
    .option('--months <n>', 'months of transactions in the ledger', small(1n, 240n), 12)
    .option('--daily-backups <n>', 'daily backups kept', small(0n, 400n), deployment.dailyBackups)
    .option('--monthly-backups <n>', 'monthly backups kept', small(0n, 240n), deployment.monthlyBackups)
    .option('--memory <mb>', 'memory of the functions in MB', small(128n, 10_240n), deployment.memory)
    .option('--waf', 'with a web ACL: -c waf=true')
    .option('--own-key', 'with your own KMS key: -c encryption=customer-managed')
    .option('--free-tier', 'deduct the permanent free tier of AWS')
    .option('--prices <file>', 'JSON file with prices of another region or contract: {"writeUnit": "0.72"}')
    .option('--json', 'print JSON, with prices and their sources')
    .addHelpText(
      'after',
      '\nExample:\n  npm run cost -- --calculations 1000000 --transactions 100000 --lines 3\n\nMeasured and assumed values: infra/docs/cost.md',
    )
    .showHelpAfterError('Run with --help to see the options.')
    .action(run);
