/** A cell: text, or a figure, which is a decimal string or a count. */
export type Cell = { readonly text: string | null } | { readonly figure: string | number };

export const text = (value: string | null): Cell => ({ text: value });
export const figure = (value: string | number): Cell => ({ figure: value });

// Spreadsheets run text that begins like this as a formula (CSV injection).
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?$/;

const cellText = (cell: Cell): string => {
  if ('text' in cell) return formula.test(cell.text ?? '') ? `'${cell.text}` : (cell.text ?? '');
  const value = String(cell.figure);
  // Figures are not escaped, because -5.70 must stay a number. So they are validated.
  if (!number.test(value)) throw new Error('A figure in a CSV file must be a number.');
  return value;
};

const quoted = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

/** A CSV file with its header (RFC 4180): lines end in CRLF, figures stay numbers, and no text is a formula. */
export const csvText = (header: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [header, ...rows.map((row) => row.map(cellText))].map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
