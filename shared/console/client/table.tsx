import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Figures are aligned at the right. */
  readonly isFigure?: boolean;
};

const pageSize = 50;
/** A last page this short is shown with the page before it. */
const shortPage = 10;

/**
 * A table with a caption. Long tables show fifty rows, and more on request. On a phone each row is a block, whose cells
 * have the names of their columns.
 */
export const Table = <Row,>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The text in place of a table without rows. */
  empty: string;
}) => {
  const [shown, setShown] = useState(pageSize);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const rest = rows.length - shown <= shortPage ? 0 : rows.length - shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by keyboard.
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={columns.length === 2 ? 'pairs' : ''}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isFigure }) => (
              <th key={name} scope="col" class={isFigure ? 'figure' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, rest === 0 ? undefined : shown).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isFigure }) => (
                <td key={name} class={isFigure ? 'figure' : ''} data-label={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          Show {Math.min(rest, pageSize)} more of {rest}
        </button>
      )}
    </section>
  );
};
