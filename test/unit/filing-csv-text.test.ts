import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from '../../shared/base/csv.ts';

const read = (csv: string): string[][] => parse(csv, { record_delimiter: '\r\n', relax_column_count: false });

describe('a CSV file', () => {
  it('has a header and one line per row, each terminated by CRLF', () => {
    const columns = ['name', 'tax_amount'] as const;
    expect(csvText(columns, [{ name: 'Michigan', tax_amount: '6.00' }])).toBe('name,tax_amount\r\nMichigan,6.00\r\n');
    expect(csvText(columns, [])).toBe('name,tax_amount\r\n');
  });

  it('quotes only values with commas, quotes or line breaks', () => {
    const row = ['a,b', 'a"b', 'a\nb', 'a\rb', 'a b', null];
    expect(csvText([...row.keys()].map(String), [Object.fromEntries(row.entries())])).toContain(
      '\r\n"a,b","a""b","a\nb","a\rb",a b,\r\n',
    );
  });

  it.each(['-5.70', '0', '12345678901234567890.123', '0.0625', 7, -2])(
    'writes the number %s unquoted',
    (tax_amount) => {
      expect(csvText(['tax_amount'], [{ tax_amount }])).toBe(`tax_amount\r\n${tax_amount}\r\n`);
    },
  );

  it('leaves a missing amount empty', () => {
    expect(csvText(['rate', 'tax_amount'], [{ rate: null, tax_amount: '6.00' }])).toBe('rate,tax_amount\r\n,6.00\r\n');
  });

  it.each(['=1', '1e5', '', '1,5', '+1', '1.', Number.NaN, Infinity])('rejects the amount %s', (tax_amount) => {
    expect(() => csvText(['tax_amount'], [{ tax_amount }])).toThrow('must be a number');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', "=cmd|'/C calc'!A0"])('escapes the formula %j', (name) => {
    expect(read(csvText(['name'], [{ name }]))[1]).toEqual([`'${name}`]);
  });

  it.each([
    ['x;=HYPERLINK("https://example.com")', `x;'=HYPERLINK("https://example.com")`],
    ['x\t=1', "x\t'=1"],
    ['x\n+1', "x\n'+1"],
    ['\t=1', "'\t'=1"],
    ['\r=x', "'\r'=x"],
    ['a;;-1;@b', "a;;'-1;'@b"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['x;＝1', "x;'＝1"],
    ['a;"=1;b', `a;"'=1;b`],
    ['a-b; c=d, e@f', 'a-b; c=d, e@f'],
  ])('escapes formulas after any list separator in %j', (name, escaped) => {
    expect(read(csvText(['name'], [{ name }]))[1]).toEqual([escaped]);
  });

  it('round-trips any string', () => {
    const texts = fc.record({ a: fc.string({ unit: 'binary' }), b: fc.string() });
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1 }), (rows) => {
        const guarded = (value: string) =>
          [...value]
            .map((sign, index, all) => {
              const before = all.slice(0, index).findLast((one) => one !== '"') ?? ';';
              const isFirstBlank = index === 0 && (sign === '\t' || sign === '\r');
              return isFirstBlank || (';\t\r\n'.includes(before) && '=+-@＝＋－＠'.includes(sign)) ? `'${sign}` : sign;
            })
            .join('');
        expect(read(csvText(['a', 'b'], rows)).slice(1)).toEqual(rows.map(({ a, b }) => [guarded(a), guarded(b)]));
      }),
    );
  });
});
