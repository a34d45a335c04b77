import { assert } from './assert.ts';

// Spreadsheets execute text that begins like this as a formula (CSV injection); with East Asian settings, full-width
// signs also count. If the list separator is a semicolon or a tab, a cell can begin inside a quoted value: quotes in
// the middle do not prevent that, and quotes at the start are removed.
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

const guarded = /^("*)'(?=[=+\-@＝＋－＠])/;

/** Removes the `'` that `csvText` writes before the signs of formulas. */
export const unguard = (text: string): string =>
  text
    .split(cellStarts)
    .map((part) => part.replace(guarded, '$1'))
    .join('');

const number = /^-?\d+(\.\d+)?$/;
/** Returns whether a column of a CSV file contains only numbers. */
export const isFigure = (column: string): boolean =>
  /((^|_)amount|^amount_due|_percent|^rate|(^|_)count)$/.test(column);

type Value = string | number | null;

const cell = (column: string, value: Value): string => {
  const text = String(value ?? '');
  if (isFigure(column)) {
    if (value === null) return '';
    // Numbers are validated instead of escaped, because -5.70 must remain a number.
    assert(number.test(text), 'An amount in a CSV file must be a number.');
    return text;
  }
  const guarded = guard(text);
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

/** Excel reads a file that does not begin with this byte order mark in the code page of Windows. */
export const byteOrderMark = '\ufeff';

/**
 * Returns a CSV file with a header (RFC 4180) and CRLF line ends. A `'` before the sign keeps text from being read as a
 * formula with any list separator. The columns `rate`, `amount_due`, `…count`, `…amount` and `…_percent` must be numbers
 * or empty; otherwise it throws.
 */
export const csvText = <Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Value>>[],
): string =>
  [columns, ...rows.map((row) => columns.map((column) => cell(column, row[column])))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');
