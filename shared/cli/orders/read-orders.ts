import { createReadStream } from 'node:fs';
import { requireUtf8, rewordAdvice } from '../../base/command-error.ts';
import { asObject, type JsonObject } from '../../base/json.ts';
import { identifier } from '../../calculations/fields.ts';
import { formatAmount, isCurrency, minorDigits, parseAmount } from '../../money/currency.ts';
import { decimal, decimalPattern, decimalText } from '../../money/decimal.ts';
import { crosswalkRows, equivalentRow, type System, systemNames } from '../../vocabulary/crosswalk.ts';
import { type CsvRow, csvRows, fileLines } from '../terminal/files.ts';

/** Reads orders of another system as a stream: NDJSON, or CSV with one row for each line item. */

/** The tax that was charged, in minor units of the order's currency. */
export type ChargedTax = {
  readonly total: bigint;
  /** The taxes by line item; `null` unless the file has the tax of every line item. */
  readonly lines: readonly bigint[] | null;
};

export type Order = {
  readonly line: number;
  /** The line of each line item in a CSV file; `null` in NDJSON. */
  readonly rows: readonly number[] | null;
  readonly reference: string;
  readonly currency: string;
  readonly charged: ChargedTax;
  /** The reference of the sale that a credit refunds. */
  readonly parent: string | null;
  /** The body of POST /calculations. */
  readonly body: JsonObject;
};

/** An order that cannot be read, and what to write instead. */
export type OrderError = { readonly line: number; readonly error: string };

class Unreadable extends Error {
  readonly pointer: string;
  constructor(pointer: string, advice: string) {
    super(advice);
    this.pointer = pointer;
  }
}

const refuse = (pointer: string, advice: string): never => {
  throw new Unreadable(pointer, advice);
};

/** The columns of a CSV file whose names differ from the last part of the field's JSON pointer. */
const columnNames: Readonly<Record<string, string>> = {
  '/customer/id': 'customer_id',
  '/customer/address': 'state',
  '/customer/exemption/type': 'exemption',
  '/shipping': 'shipping_amount',
  '/shipping/amount': 'shipping_amount',
  '/line_items/id': 'line_id',
  '/line_items/tax_amount': 'line_tax_amount',
};

/**
 * Describes a problem of an order, with its field: the JSON pointer in NDJSON, the column in a CSV file. For a line
 * item that is not in the first row of its order, adds the line.
 */
export const describeProblem = (pointer: string, detail: string, rows: Order['rows']): string => {
  const text = rewordAdvice(detail, 'Write');
  if (rows === null || pointer === '') return pointer === '' ? text : `${pointer}: ${text}`;
  const row = rows[Number(/^\/line_items\/(\d+)/.exec(pointer)?.[1] ?? 0)];
  const name = pointer.replace(/^\/line_items\/\d+/, '/line_items');
  const column = columnNames[name] ?? name.slice(name.lastIndexOf('/') + 1);
  return `${column}${row === rows[0] ? '' : ` in line ${row}`}: ${text.replaceAll(/,? as a string/g, '')}`;
};

/** Describes the value that the file has instead. */
const insteadOf = (sent: unknown): string => (sent === undefined ? '' : `, not ${JSON.stringify(sent).slice(0, 60)}`);

const taxFrom = (sent: unknown, pointer: string, currency: string): bigint => {
  const digits = minorDigits(currency);
  // Databases of shops return `6.0000`.
  const value = typeof sent === 'string' && /^\d{1,12}\.\d{1,10}$/.test(sent) ? decimalText(decimal(sent)) : sent;
  const isValid =
    typeof value === 'string' && decimalPattern.test(value) && (value.split('.')[1] ?? '').length <= digits;
  const advice = `Write the charged tax as a string such as "${formatAmount(600n, digits)}", with at most ${digits} decimals${insteadOf(sent)}.`;
  const isNegative = String(sent).startsWith('-');
  return isValid
    ? parseAmount(value, digits)
    : refuse(pointer, isNegative ? `${advice} A refund has the type credit and positive amounts.` : advice);
};

/** Converts a code such as `taxjar:20010` to the product tax code that has the same scope. */
const levyCode = (value: unknown, pointer: string): unknown => {
  const [, system = '', code = ''] = typeof value === 'string' ? (/^([a-z]+):(.*)$/.exec(value) ?? []) : [];
  if (system === '') return value;
  if (!(system in systemNames))
    return refuse(pointer, `Write a prefix of ${Object.keys(systemNames).join(', ')}, not "${system}".`);
  const row = equivalentRow(system as System, code);
  if (row && row.match !== 'broader') return row.levyCode;
  const isGeneral = crosswalkRows(code).some((each) => each.system === system);
  return refuse(
    pointer,
    isGeneral
      ? `The code ${code} of ${systemNames[system as System]} covers more than one product tax code. Write the code of this product, from GET /product-tax-codes?equivalent=${value}.`
      : `The code ${code} of ${systemNames[system as System]} has no equivalent. Write a product tax code.`,
  );
};

const lineTaxes = (items: readonly JsonObject[], currency: string): readonly bigint[] | null => {
  const withTax = items.filter(({ tax_amount: tax }) => tax !== undefined && tax !== null);
  if (withTax.length === 0) return null;
  return items.map(({ tax_amount: tax }, index) => taxFrom(tax, `/line_items/${index}/tax_amount`, currency));
};

/** Validates what the API does not validate, and removes the fields that the API does not have. */
const orderFrom = ({ value, line, rows }: Parsed): Order => {
  const order = asObject(value) ?? refuse('/', 'Write a JSON object for each order.');
  const { tax_amount, status, reference_id: reference, parent_reference_id: parent, ...sentInput } = order;
  const { currency: sent, line_items, ...input } = sentInput;
  if (typeof reference !== 'string' || reference === '')
    return refuse('/reference_id', `Write the id of the order as a string${insteadOf(reference)}.`);
  const badReference = identifier.safeParse(reference).error;
  if (badReference) return refuse('/reference_id', String(badReference.issues[0]?.message));
  if ((status ?? 'finalized') !== 'finalized')
    return refuse('/status', 'Remove status, and any order that is not finalized.');
  const currency = typeof sent === 'string' && isCurrency(sent) ? sent : 'USD';
  const total = taxFrom(tax_amount, '/tax_amount', currency);
  if (total > 0n && input['collected_by'] === 'marketplace')
    return refuse(
      '/tax_amount',
      'Write "0", because the marketplace pays the tax. A return reports any other amount as tax that you owe.',
    );
  const { tax_date: date } = input;
  if (typeof date !== 'string')
    return refuse('/tax_date', `Write the date of the order as a string${insteadOf(date)}.`);
  if (input['parent_transaction_id'])
    return refuse('/parent_transaction_id', 'Write the reference_id of the sale as parent_reference_id.');
  const isCredit = input['type'] === 'credit';
  if (parent !== undefined && parent !== null && !(isCredit && typeof parent === 'string' && parent !== ''))
    return refuse('/parent_reference_id', 'Write the reference_id of the sale as a string, and set type to credit.');
  const items = (Array.isArray(line_items) ? line_items : []).map((item) => asObject(item) ?? {});
  const body = {
    ...input,
    ...(sent !== undefined && { currency: sent }),
    line_items: items.map(({ tax_amount: __, ...item }, index) => ({
      ...item,
      product_tax_code: levyCode(item['product_tax_code'], `/line_items/${index}/product_tax_code`),
    })),
  };
  return {
    line,
    rows,
    reference,
    currency,
    charged: { total, lines: lineTaxes(items, currency) },
    parent: parent ?? null,
    body,
  };
};

type Parsed = Pick<Order, 'line' | 'rows'> & { readonly value: unknown };

async function* jsonLines(file: string): AsyncGenerator<Parsed | OrderError> {
  for await (const { number: line, bytes } of fileLines(file)) {
    const text = bytes.toString();
    requireUtf8(text, `Line ${line} is`);
    const json = text.replace(/^\uFEFF/, '').trim();
    if (json === '') continue;
    try {
      yield { line, rows: null, value: JSON.parse(json) };
    } catch {
      const advice =
        'Write each order as a JSON object on a separate line, or give a CSV file a name that ends with .csv.';
      yield { line, error: `The line is not JSON. ${advice}` };
    }
  }
}

/** The columns of fields with the same name: of the order, the address and the line item. */
const fieldColumns = [
  ...(['reference_id', 'parent_reference_id', 'type', 'tax_date', 'tax_amount', 'currency', 'collected_by'] as const),
] as const;
const addressColumns = ['line1', 'city', 'county', 'state', 'postal_code', 'country'] as const;
const lineColumns = ['product_tax_code', 'fulfillment', 'quantity', 'unit_price', 'discount_amount'] as const;
const orderColumns = [...fieldColumns, ...addressColumns, 'customer_id', 'exemption', 'shipping_amount'] as const;
/** The columns of a CSV file, in any order. */
const csvColumns = [...orderColumns, ...lineColumns, 'line_id', 'line_tax_amount'] as const;
const requiredColumns = [
  'reference_id',
  'tax_date',
  'tax_amount',
  'state',
  'postal_code',
  'quantity',
  'unit_price',
] as const;

type Row = CsvRow<(typeof csvColumns)[number]>;

/** Returns the cells that are not empty, by column. */
const pickFilled = <Column extends keyof Row['record']>(record: Row['record'], columns: readonly Column[]) =>
  Object.fromEntries(columns.flatMap((name) => (record[name] ? [[name, record[name]]] : [])));

const fromRows = (rows: readonly Row[]): Parsed | OrderError => {
  const [{ record: first, line: firstLine }] = rows as [Row];
  const differing = rows.flatMap(({ record, line }) =>
    orderColumns
      .filter((column) => record[column] && record[column] !== first[column])
      .map((column) => ({ line, error: `${column} differs from the first row of the order. Use one value.` })),
  );
  if (differing[0]) return differing[0];
  const { customer_id, exemption, shipping_amount } = first;
  const value = {
    ...pickFilled(first, fieldColumns),
    customer: {
      ...(customer_id && { id: customer_id }),
      ...(exemption && { exemption: exemption === 'none' ? exemption : { type: exemption } }),
      address: { country: 'US', ...pickFilled(first, addressColumns) },
    },
    ...(shipping_amount && { shipping: { amount: shipping_amount } }),
    line_items: rows.map(({ record }) => ({
      ...(record.line_id && { id: record.line_id }),
      ...pickFilled(record, lineColumns),
      ...(record.line_tax_amount && { tax_amount: record.line_tax_amount }),
    })),
  };
  return { line: firstLine, rows: rows.map(({ line }) => line), value };
};

/** Consecutive rows with the same `reference_id` are one order. */
async function* csvOrders(file: string): AsyncGenerator<Parsed | OrderError> {
  let rows: Row[] = [];
  for await (const row of csvRows(createReadStream(file), csvColumns, requiredColumns)) {
    if (rows[0] && rows[0].record.reference_id !== row.record.reference_id) {
      yield fromRows(rows);
      rows = [];
    }
    rows.push(row);
  }
  if (rows.length > 0) yield fromRows(rows);
}

/**
 * Reads the orders of a file, `.csv` or NDJSON, in order. Memory grows only by the references, which must be unique. An
 * order with an error does not stop the others.
 */
export async function* readOrders(file: string): AsyncGenerator<Order | OrderError> {
  const references = new Map<string, number>();
  for await (const parsed of file.toLowerCase().endsWith('.csv') ? csvOrders(file) : jsonLines(file)) {
    if ('error' in parsed) {
      yield parsed;
      continue;
    }
    const { line, rows } = parsed;
    try {
      const order = orderFrom(parsed);
      const earlier = references.get(order.reference);
      if (earlier !== undefined)
        refuse(
          '/reference_id',
          `${order.reference} is also the reference_id of line ${earlier}. ${rows ? 'Put all rows of an order next to each other, or write' : 'Write'} a different one.`,
        );
      references.set(order.reference, line);
      yield order;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      yield { line, error: describeProblem(error.pointer, error.message, rows) };
    }
  }
}
