/** `npm run orders -- …` and `npm run compare`: compare and import orders of another tax system. */
import type { JsonObject } from '../base/json.ts';
import { mapShipping } from '../calculations/charges.ts';
import type { Calculation } from '../calculations/response.ts';
import { isReviewCode, type WarningCode, warningText } from '../calculations/warning-codes.ts';
import { orThrow } from '../client/client.ts';
import { formatAmount, minorDigits, parseAmount } from '../money/currency.ts';
import { compare } from './orders/compare.ts';
import { describeProblem, type Order, type OrderError } from './orders/read-orders.ts';
import {
  type Client,
  calculated,
  clientFor,
  errorLines,
  fileOptions,
  forEachOrder,
  refusalText,
} from './orders/service.ts';
import { type Columns, counted, formatTable, print, printJson } from './terminal/output.ts';
import { CommandError, createProgram, flag, runCommand, subcommand } from './terminal/run-command.ts';

type Outcome = 'checked' | 'recorded' | 'existing' | 'skipped';

/** Returns the transaction with this reference that is not void, or `undefined`. */
const findRecorded = async (client: Client, reference: string) => {
  const { data } = orThrow(await client.get('/transactions', { query: { reference_id: reference } }));
  return data.find(({ status }) => status !== 'void');
};

const missingSale = ({ line, rows, parent }: Order): OrderError => {
  const detail = `The sale ${parent} is not recorded. Import the sale first, or leave out parent_reference_id.`;
  return { line, error: describeProblem('/parent_reference_id', detail, rows) };
};

type Recorded = Pick<
  NonNullable<Awaited<ReturnType<typeof findRecorded>>>,
  'type' | 'status' | 'tax_amount' | 'tax_date'
>;

const chargedTax = ({ charged, currency }: Order): string => formatAmount(charged.total, minorDigits(currency));

/** Returns whether two dates are the same. A day always matches a timestamp, because the time zones can differ. */
const isSameDate = (a: string, b: string): boolean =>
  a.includes('T') !== b.includes('T') || Date.parse(a) === Date.parse(b);

/**
 * Returns whether an order is already recorded. Another transaction with its reference is an error, because the order is
 * not in the ledger: some systems give a refund the id of its sale, and two shops can use the same ids.
 */
const checkRecorded = (order: Order, { type, status, tax_amount, tax_date }: Recorded): Outcome | OrderError => {
  const { line, rows, body, reference } = order;
  const isSame =
    type === (body['type'] ?? 'sale') &&
    tax_amount === chargedTax(order) &&
    isSameDate(tax_date, String(body['tax_date']));
  if (isSame && status !== 'draft') return 'existing';
  const other = `${reference} is already recorded as a ${status} ${type} of ${tax_date} with the tax ${tax_amount}.`;
  const advice = isSame
    ? 'Finalize or void it.'
    : 'Write a different reference_id, void the recorded transaction, or remove this order.';
  return { line, error: describeProblem('/reference_id', `${other} ${advice}`, rows) };
};

/**
 * Returns a refund that takes its tax from all remaining charges of its sale, or `null` if nothing remains. Levy
 * distributes the tax of a sale over its line items by its own rules, so the tax that was refunded with one line item can
 * exceed the share of that line item.
 */
const withAllCharges = async (client: Client, sale: string, { line_items: lines, shipping, ...body }: JsonObject) => {
  const all = { type: 'credit', parent_transaction_id: sale, credit_remaining: true };
  const found = await client.post('/calculations', { body: all as never });
  if (!found.ok) return null;
  const rest = found.data as unknown as Calculation;
  const sent = lines as readonly JsonObject[];
  const ids = new Set(sent.map(({ id, parent_line_item_id }) => parent_line_item_id ?? id));
  const others = rest.line_items
    .filter(({ id }) => !ids.has(id))
    .map(({ id }) => ({ id, quantity: '1', unit_price: '0' }));
  const charge = (id: string) => ({ id, amount: '0', discount_amount: '0' });
  return {
    ...body,
    line_items: [...sent, ...others.map((line) => ({ ...line, discount_amount: '0' }))],
    shipping: shipping ?? mapShipping(rest.shipping, ({ id }) => charge(id)),
  };
};

/** Returns the problem of a charged tax above tax-inclusive prices, or `null`. A calculation cannot find it. */
const taxAboveTotal = ({ line, rows, charged, currency }: Order, tax: Calculation): OrderError | null => {
  const isAbove = tax.tax_included && charged.total > parseAmount(tax.total_amount, minorDigits(currency));
  const detail = `The prices include the tax and add up to ${tax.total_amount}. Write at most this tax.`;
  return isAbove ? { line, error: describeProblem('/tax_amount', detail, rows) } : null;
};

const isTaxExcess = ({ code, source }: { readonly code: string; readonly source?: object | null }): boolean =>
  code === 'conflict_over_credit' && (source as { readonly pointer?: string } | null)?.pointer === '/tax_amount';

/** For each code of a warning that can change a tax, the references of the orders with this warning. */
type WarnedOrders = Map<WarningCode, Set<string>>;

type Warned = { readonly warnings: readonly { readonly code: WarningCode }[] };

const addWarnings = (warned: WarnedOrders, { reference }: Order, { warnings }: Warned): void => {
  for (const { code } of warnings)
    if (code === 'not_covered' || isReviewCode(code)) warned.set(code, (warned.get(code) ?? new Set()).add(reference));
};

type Run = { readonly client: Client; readonly sales: Map<string, string | null>; readonly warned: WarnedOrders };

/**
 * Records an order, and adds its warnings. `sales` has the ids of the sales of this run by reference, because the list
 * of the API can lag; `null` marks a reference of another transaction, which a refund of this file must not credit.
 */
const record = async (order: Order, { client, sales, warned }: Run): Promise<Outcome | OrderError> => {
  const { line, rows, body, reference, parent } = order;
  // For a repeated refund, the service could report the exceeded remainder of its sale, not the repeated reference.
  const recorded = parent === null ? undefined : await findRecorded(client, reference);
  if (recorded) return checkRecorded(order, recorded);
  const known = parent === null ? null : sales.get(parent);
  const sale = known === undefined ? (await findRecorded(client, String(parent)))?.id : (known ?? undefined);
  if (parent !== null && sale === undefined) return missingSale(order);
  const sent = {
    ...body,
    ...(sale !== undefined && { parent_transaction_id: sale }),
    status: 'finalized',
    reference_id: reference,
    tax_amount: chargedTax(order),
  };
  const post = async (body: object) => client.post('/transactions', { body: body as never });
  const first = await post(sent);
  const isExcess = sale !== undefined && !first.ok && first.refusal.errors.some(isTaxExcess);
  const wide = isExcess ? await withAllCharges(client, sale, sent) : null;
  const result = wide ? await post(wide) : first;
  const isExisting = !result.ok && (result.refusal.code as string) === 'conflict_duplicate_reference_id';
  if (!result.ok && !isExisting) return { line, error: refusalText(result.refusal, rows) };
  const id = String(result.ok ? result.data.id : result.refusal.errors[0].meta?.['transaction_id']);
  if (result.ok) addWarnings(warned, order, result.data);
  const outcome = isExisting
    ? checkRecorded(order, orThrow(await client.get('/transactions/{id}', { path: { id } })))
    : 'recorded';
  if (parent === null) sales.set(reference, typeof outcome === 'string' ? id : null);
  return outcome;
};

const warningColumns: Columns<readonly [code: WarningCode, count: number]> = [
  ['warning', ([code]) => code],
  ['orders', ([, count]) => count],
  ['meaning', ([code]) => warningText(code)],
];

type Check = Pick<Run, 'client' | 'warned'> & {
  readonly dryRun: boolean | undefined;
  readonly run: (work: (order: Order) => Promise<Outcome | OrderError>) => Promise<OrderError[]>;
};

/** Checks all orders of a file, and adds the warnings of their calculations. Returns the errors. */
const checkAll = async ({ client, run, warned, dryRun }: Check): Promise<readonly OrderError[]> => {
  const sales = new Set<string>();
  const errors = await run(async (order) => {
    if (order.parent === null) sales.add(order.reference);
    const tax = await calculated(client, order);
    if ('error' in tax) return tax;
    const excess = taxAboveTotal(order, tax);
    if (excess) return excess;
    addWarnings(warned, order, tax);
    return 'checked';
  });
  // An import reports a refund without its sale after it has recorded the other orders.
  if (errors.length > 0 || !dryRun) return errors;
  // The sale of a refund can be later in the file.
  return run(async (order) => {
    const isElsewhere = order.parent !== null && !sales.has(order.parent);
    return isElsewhere && !(await findRecorded(client, order.parent)) ? missingSale(order) : 'skipped';
  });
};

const importCommand = subcommand({
  name: 'import',
  summary: 'record orders with the tax that was charged',
  description:
    'Record each order as a finalized transaction with its `tax_amount`. All orders are checked first: if one has an error, nothing is recorded. An order whose `reference_id` is recorded already is counted and not changed if its type, date and tax are the same, so an interrupted import can be run again. Set LEVY_API_KEY to a key with the scopes read and write.',
  options: { ...fileOptions, dryRun: flag('check all orders and record nothing') },
  examples: ['orders -- import --file orders.ndjson --dry-run', 'orders -- import --file orders.ndjson'],
  run: async ({ file, url, json, dryRun }) => {
    const client = clientFor(url);
    const counts = { checked: 0, recorded: 0, existing: 0 };
    const run = async (work: (order: Order) => Promise<Outcome | OrderError>) => {
      const errors: OrderError[] = [];
      for await (const outcome of forEachOrder(file, work)) {
        if (typeof outcome === 'object') errors.push(outcome);
        else if (outcome !== 'skipped') counts[outcome] += 1;
      }
      return errors;
    };

    const warned: WarnedOrders = new Map();
    const invalid = await checkAll({ client, run, warned, dryRun });
    if (invalid.length > 0) throw new CommandError([...errorLines(invalid), 'Nothing was recorded.'].join('\n'));

    // Refunds need the ids of their sales, which can be later in the file.
    const refused: OrderError[] = [];
    const sales = new Map<string, string | null>();
    if (!dryRun)
      for (const isRefund of [false, true])
        refused.push(
          ...(await run(async (order) =>
            (order.parent !== null) === isRefund ? record(order, { client, sales, warned }) : 'skipped',
          )),
        );
    const warnings = [...warned].map(([code, { size }]) => [code, size] as const);
    if (json) printJson({ ...counts, warnings: Object.fromEntries(warnings), errors: refused });
    else {
      print(
        `${counted(counts.checked, 'order')} checked. ${dryRun ? 'Nothing was recorded.' : `${counts.recorded} recorded, ${counts.existing} existed already.`}`,
      );
      if (warnings.length > 0)
        print(`Orders with warnings that can change the tax:\n${formatTable(warningColumns, warnings)}`);
    }
    if (refused.length > 0) throw new CommandError(errorLines(refused).join('\n'));
  },
});

export const ordersProgram = () =>
  createProgram(
    'orders',
    'Compare and import the orders of another tax system through a running service. Only `import` writes.',
    'orders -- import --file orders.ndjson --dry-run',
    [compare, importCommand],
  );

if (import.meta.main) await runCommand(ordersProgram());
