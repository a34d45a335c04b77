import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { compareAmounts, getSum } from './format.ts';
import { Amount, Button } from './parts.tsx';

type Value = string | number | null | undefined;

/**
 * `figure` columns are right-aligned. If a cell is not text, its column sorts by `value`. A column of figures with a
 * `value` has a total.
 */
export type Column<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  kind?: 'figure' | '',
  value?: (row: Row) => Value,
];

type GetAmount<Row> = (row: Row) => string | null | undefined;

/** Creates a column of amounts. */
export const amountColumn = <Row,>(name: string, getAmount: GetAmount<Row>): Column<Row> => [
  name,
  (row) => getAmount(row) && <Amount value={getAmount(row) ?? ''} />,
  'figure',
  getAmount,
];

/** Creates amount columns from their names and fields. */
export const amountColumns = <Name extends string>(fields: readonly (readonly [name: string, field: Name])[]) =>
  fields.map(([name, field]) => amountColumn<Readonly<Record<Name, string | null>>>(name, (row) => row[field]));

/** Compares figures by amount and other values as text. Rows without a value are last. */
const compareBy = <Row,>([, , kind, value]: Column<Row>, isDown: boolean, left: Row, right: Row): number => {
  const [a, b] = [left, right].map((row) => String(value?.(row) ?? '')) as [string, string];
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  const order = kind === 'figure' ? compareAmounts(a, b) : a.localeCompare(b, 'en', { numeric: true });
  return isDown ? -order : order;
};

/** Returns the columns, with a `value` added to each column whose cells are all text or empty. */
const withValues = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] =>
  columns.map((column) => {
    const [name, cell, kind = '', value] = column;
    const isText = (row: Row) => ['string', 'number'].includes(typeof (cell(row) ?? ''));
    return value || !rows.every(isText) ? column : [name, cell, kind, (row) => cell(row) as Value];
  });

const pageSize = 50;

/**
 * Returns the first fifty items and a button that shows more. Shows up to `shortPage` remaining items at once instead
 * of on another page.
 */
export const useShown = <Thing,>(things: readonly Thing[], { name = '', shortPage = 0 }) => {
  const [most, setMost] = useState(pageSize);
  const rest = things.length - most <= shortPage ? 0 : things.length - most;
  const button = rest > 0 && (
    <Button onClick={() => setMost(most + pageSize)}>
      Show {Math.min(rest, pageSize)} more of {rest}
      {name}
    </Button>
  );
  return { shown: rest === 0 ? things : things.slice(0, most), button };
};

export type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of a table without rows. Without it, nothing is shown. */
  readonly empty?: string;
  /** Whether the names of columns are buttons that sort the rows. */
  readonly isSortable?: boolean;
  /** The totals: a row for each value of `by`, such as the currency. Rows whose value is `null` are left out. */
  readonly sums?: { readonly by: (row: Row) => string | null; readonly label?: string };
};

type SumsProps<Row> = Required<Pick<TableProps<Row>, 'columns' | 'rows' | 'sums'>>;

const Sums = <Row,>({ columns, rows, sums: { by, label = 'rows' } }: SumsProps<Row>) => {
  const groups = Map.groupBy(rows, by);
  groups.delete(null);
  return (
    <tfoot>
      {[...groups].map(([group, members]) => (
        <tr key={group}>
          {columns.map(([name, , kind, value], at) => {
            const isSummed = kind === 'figure' && value;
            return (
              <td key={name} class={kind} data-label={name}>
                {at === 0 && `Total of ${members.length} ${label}, ${group}`}
                {isSummed && <Amount value={getSum(members.map((row) => String(value(row) ?? 0)))} />}
              </td>
            );
          })}
        </tr>
      ))}
    </tfoot>
  );
};

/**
 * A table with a caption. Long tables show fifty rows and a button for more. On a phone, each row is a block whose
 * cells are labeled with their column names.
 */
export const Table = <Row,>({ caption, columns: given, rows, empty, isSortable, sums }: TableProps<Row>) => {
  const [order, setOrder] = useState<{ name: string; isDown: boolean } | null>(null);
  const columns = isSortable ? withValues(given, rows) : given;
  const chosen = columns.find(([name]) => name === order?.name);
  const sorted = chosen && order ? rows.toSorted((a, b) => compareBy(chosen, order.isDown, a, b)) : rows;
  const { shown, button } = useShown(sorted, { shortPage: 10 });
  if (rows.length === 0) return empty ? <p class="empty">{empty}</p> : null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={isSortable ? 'sortable' : columns.length === 2 ? 'pairs' : ''}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(([name, , kind, value]) => {
              const isDown = order?.name === name && order.isDown;
              const sort = order?.name === name ? (isDown ? 'descending' : 'ascending') : undefined;
              return (
                <th key={name} scope="col" class={kind} aria-sort={sort}>
                  {isSortable && value ? (
                    <button type="button" class="sort" onClick={() => setOrder({ name, isDown: sort === 'ascending' })}>
                      {name}
                    </button>
                  ) : (
                    name
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, at) => (
            <tr key={at}>
              {columns.map(([name, cell, kind]) => (
                <td key={name} class={kind} data-label={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {sums && <Sums columns={columns} rows={rows} sums={sums} />}
      </table>
      {button}
    </section>
  );
};
