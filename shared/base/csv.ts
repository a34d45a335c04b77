import { assert } from './assert.ts';

// Spreadsheets run text that begins like this as a formula (CSV injection), with East Asian settings even after
// full-width signs. Where the list separator is a semicolon or a tab, a cell also begins inside of a text: quotes in
// the middle do not stop that, and quotes at its start are removed.
const cellStarts = /(?<=[;\t\r\n])/;
const formula = /^"*[=+\-@＝＋－＠]/;
const quotes = /^"*/;
const firstBlank = /^[\t\r]/;

const guard = (text: string): string =>
  text
    .replace(firstBlank, "'$&")
    .split(cellStarts)
    .map((part) => (formula.test(part) ? part.replace(quotes, "$&'") : part))
    .join('');

const number = /^-?\d+(\.\d+)?$/;
const isFigure = (column: string): boolean => /(_amount|^rate|^count)$/.test(column);

type Value = string | number | null;

const cell = (column: string, value: Value): string => {
  const text = String(value ?? '');
  if (isFigure(column)) {
    if (value === null) return '';
    // Figures are not escaped, because -5.70 must stay a number. So they are validated.
    assert(number.test(text), 'A figure in a CSV file must be a number.');
    return text;
  }
  const guarded = guard(text);
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

/**
 * A CSV file with its header (RFC 4180): lines end in CRLF, and no text is a formula, whichever list separator the
 * spreadsheet has: `'` is put before the sign. Columns `rate`, `count` and `…_amount` are numbers, or empty. Throws
 * where one of them is not.
 */
export const csvText = <Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Value>>[],
): string =>
  [columns, ...rows.map((row) => columns.map((column) => cell(column, row[column])))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');
