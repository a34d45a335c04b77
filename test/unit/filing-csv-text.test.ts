import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText, figure, text } from '../../shared/filings/csv-text.ts';

const read = (csv: string): string[][] => parse(csv, { record_delimiter: '\r\n', relax_column_count: false });

describe('a CSV file', () => {
  it('has its header, and one line for each row, each ended by CRLF', () => {
    expect(csvText(['name', 'tax'], [[text('Michigan'), figure('6.00')]])).toBe('name,tax\r\nMichigan,6.00\r\n');
    expect(csvText(['name'], [])).toBe('name\r\n');
  });

  it('quotes what would end a cell or a line, and nothing else', () => {
    const row = [text('a,b'), text('a"b'), text('a\nb'), text('a\rb'), text('a b'), text(null)];
    expect(csvText(['1', '2', '3', '4', '5', '6'], [row])).toBe('1,2,3,4,5,6\r\n"a,b","a""b","a\nb","a\rb",a b,\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=x', "=cmd|'/C calc'!A0"])('guards the text %j', (value) => {
    expect(read(csvText(['name'], [[text(value)]]))[1]).toEqual([`'${value}`]);
  });

  it.each(['-5.70', '0', '12345678901234567890.123', '0.0625', 7, -2])('leaves the figure %s a number', (value) => {
    expect(csvText(['tax'], [[figure(value)]])).toBe(`tax\r\n${value}\r\n`);
  });

  it.each(['=1', '1e5', '', '1,5', '+1', '1.', Number.NaN, Infinity])('has no figure that is none: %s', (value) => {
    expect(() => csvText(['tax'], [[figure(value)]])).toThrow('must be a number');
  });

  it('is read back as it was written, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string()), { minLength: 1 }), (rows) => {
        const csv = csvText(
          ['one', 'other'],
          rows.map((row) => row.map(text)),
        );
        const guarded = (value: string) => (/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
        expect(read(csv).slice(1)).toEqual(rows.map((row) => row.map(guarded)));
      }),
    );
  });
});
