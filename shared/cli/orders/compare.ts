import { getOrAdd } from '../../base/collections.ts';
import { byteOrderMark, csvText } from '../../base/csv.ts';
import { formatAmount, minorDigits, parseAmount } from '../../money/currency.ts';
import { resolvePath } from '../terminal/arguments.ts';
import { writeAll } from '../terminal/files.ts';
import { type Columns, counted, formatTable, print, printJson } from '../terminal/output.ts';
import { CommandError, optional, subcommand } from '../terminal/run-command.ts';
import type { Order, OrderError } from './read-orders.ts';
import { type Explanation, explainDifference, type Reason, reasons } from './reason.ts';
import { calculated, clientFor, errorLines, fileOptions, forEachOrder } from './service.ts';

/** `orders compare`: compare Levy's tax with the tax that another system charged. */

type Compared = { readonly order: Order; readonly levy: bigint } & Explanation;
type Group = { readonly currency: string; readonly reason: Reason; count: number; charged: bigint; levy: bigint };

/** The columns of the CSV file. */
const columns = [
  ...(['line', 'reference_id', 'tax_date', 'currency', 'charged_tax_amount', 'levy_tax_amount'] as const),
  ...(['difference_amount', 'reason', 'detail'] as const),
];

const formatTaxes = (currency: string, charged: bigint, levy: bigint) => {
  const text = (minor: bigint) => formatAmount(minor, minorDigits(currency));
  return { charged_tax_amount: text(charged), levy_tax_amount: text(levy), difference_amount: text(charged - levy) };
};

/** The sign of an order's taxes: a refund reduces the charged tax. */
const getSign = ({ body }: Order): bigint => (body['type'] === 'credit' ? -1n : 1n);

const toRow = ({ order, levy, reason, detail }: Compared) => {
  const { line, reference, currency, charged, body } = order;
  const sign = getSign(order);
  return {
    line,
    reference_id: reference,
    tax_date: String(body['tax_date']),
    currency,
    reason,
    detail,
    ...formatTaxes(currency, sign * charged.total, sign * levy),
  };
};

const toSummary = ({ currency, reason, count, charged, levy }: Group) => ({
  currency,
  reason,
  count,
  ...formatTaxes(currency, charged, levy),
});

const summaryColumns: Columns<ReturnType<typeof toSummary>> = [
  ['reason', ({ reason }) => reason],
  ['currency', ({ currency }) => currency],
  ['orders', ({ count }) => count],
  ['charged', (row) => row.charged_tax_amount],
  ['Levy', (row) => row.levy_tax_amount],
  ['difference', (row) => row.difference_amount],
];

const report = (groups: readonly Group[], errors: readonly OrderError[]): void => {
  const rows = groups.map(toSummary);
  if (rows.length > 0) print(formatTable(summaryColumns, rows));
  const getCount = (some: readonly Group[]) => some.reduce((sum, { count }) => sum + count, 0);
  const [total, equal] = [groups, groups.filter(({ reason }) => reason === 'equal')].map(getCount) as [number, number];
  print(
    `${counted(total, 'order')} compared: ${equal} equal, ${total - equal} different. ${counted(errors.length, 'order')} with errors.`,
  );
};

export const compare = subcommand({
  name: 'compare',
  summary: "compare Levy's tax with the charged tax",
  description:
    'Calculate the tax of each order and compare it with `tax_amount`, the tax that another system charged. Differences are grouped by reason. Nothing is stored. Set LEVY_API_KEY to a key with the scope read. Exit code 1 if an order has an error.',
  options: { ...fileOptions, out: optional('<file>', 'write a CSV file with a row for each difference', resolvePath) },
  examples: ['compare -- --file orders.ndjson --out differences.csv'],
  run: async ({ file, url, json, out }) => {
    const client = clientFor(url);
    const groups = new Map<string, Group>();
    const errors: OrderError[] = [];
    const compareOrder = async (order: Order): Promise<Compared | OrderError> => {
      const tax = await calculated(client, order);
      if ('error' in tax) return tax;
      const levy = parseAmount(tax.tax_amount, minorDigits(order.currency));
      return { order, levy, ...explainDifference(tax, order.charged, order.currency) };
    };
    const count = ({ order, levy, reason }: Compared): void => {
      const { currency, charged } = order;
      const sign = getSign(order);
      const key = `${currency} ${reason}`;
      const group = getOrAdd(groups, key, () => ({ currency, reason, count: 0, charged: 0n, levy: 0n }));
      group.count += 1;
      group.charged += sign * charged.total;
      group.levy += sign * levy;
    };
    /** Yields the differences as CSV. */
    const differences = async function* () {
      const header = csvText(columns, []);
      yield byteOrderMark + header;
      for await (const compared of forEachOrder(file, compareOrder)) {
        if ('error' in compared) {
          errors.push(compared);
          continue;
        }
        count(compared);
        if (compared.reason !== 'equal') yield csvText(columns, [toRow(compared)]).slice(header.length);
      }
    };
    if (out === undefined) for await (const _ of differences());
    else await writeAll([{ path: out, text: differences() }]);
    const ordered = [...groups.values()].sort(
      (a, b) => a.currency.localeCompare(b.currency) || reasons.indexOf(a.reason) - reasons.indexOf(b.reason),
    );
    if (json) printJson({ reasons: ordered.map(toSummary), errors });
    else report(ordered, errors);
    if (errors.length > 0) throw new CommandError(errorLines(errors).join('\n'));
  },
});
