/** Inputs that once took too long or too much memory. They are the first inputs of their targets, in every seed. */
import { limits } from '../../shared/importers/limits.ts';
import { fixture, packWorkbook, type TestFile } from '../fixtures/imports/harness.ts';
import { getLedger, type Input, ledgerLines } from './texts.ts';
import { getGrid } from './workbooks.ts';

const getText = (name: string): string => fixture(name).content.toString();
/** A fixture with rows at its end. */
const withRows = (name: string, rows: string): Input => [{ name, content: `${getText(name)}\n${rows}\n` }];
const many = (count: number, row: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => row(index)).join('\n');
const blanks = ' '.repeat(90_000);

const wooCommerce = (rows: string): Input => withRows('tax_rates.csv', rows);
const texas = (...names: readonly string[]): Input =>
  withRows(
    'taxrates.txt',
    many(names.length, (at) => `${names[at]}\t${2_000_100 + at}\t.010000${'\tn/a\tn/a\t.0'.repeat(3)}`),
  );
const xlsx = (content: Buffer): Input => [{ name: 'rates.xlsx', content }];
const request = (line1: string, text: string): readonly TestFile[] => {
  const streets = {
    names: { MAIN: text.slice(0, limits.streetTextOfName) },
    sets: [{ from: null, to: null, codes: [] }],
  };
  return [{ name: 'request.json', content: JSON.stringify({ streets, lines: Array(1000).fill(line1) }) }];
};

export const found: Readonly<Record<string, readonly (() => Input)[]>> = {
  woocommerce: [
    // Each row was compared with every city.
    () => wooCommerce(many(30_000, (at) => `US,TX,,City ${at},1.0000,City Tax,2,0,1,`)),
    () => wooCommerce(many(20_000, (at) => `US,TX,78664,City ${at},1.0000,City Tax,2,0,1,`)),
    () => wooCommerce(`US,TX,75001...79999,*,1,Tax,2,0,1,\n${many(20_000, (at) => `US,TX,,C${at},1,Tax,3,0,1,`)}`),
    // The parser created an error with a stack for each row of a different length.
    () => wooCommerce(many(300_000, () => 'US')),
    // For each city, all rows that apply to the whole state were sorted again.
    () =>
      wooCommerce(
        `${many(1000, (at) => `US,TX,*,C${at},1,Tax,2,0,1,`)}\n${many(20_000, () => 'US,TX,*,*,6.25,Tax,1,0,1,')}`,
      ),
    // Patterns took quadratic time.
    () => wooCommerce(`US,TX,78664,*,1${blanks}1,City Tax,2,0,1,`),
    () => wooCommerce(`US,TX,7${blanks}8,*,1,City Tax,2,0,1,`),
  ],
  cdtfa: [
    // Each row was compared with all others of its city.
    () =>
      withRows(
        'cdtfa.csv',
        many(12_000, (at) => `1,ALAMEDA,ALAMEDA,Alameda,${at},0.1075,7/1/2021 12:00:00 AM`),
      ),
  ],
  texas: [() => texas('('.repeat(90_000), `${'CITY'.repeat(20_000)}X`, `A (${'TOWN'.repeat(20_000)}X)`)],
  zip: [
    () => [{ name: 'rates.csv', content: Buffer.from('\u00e9\n'.repeat(400_000), 'latin1') }],
    () => [{ name: 'rates.csv', content: `a,b\n${'"\n'.repeat(400_000)}` }],
  ],
  xlsx: [
    // Tags begin inside of each other.
    () =>
      xlsx(packWorkbook({ sheets: [`<worksheet><sheetData>${'<row a="1" '.repeat(45_000)}</sheetData></worksheet>`] })),
    // The workbook lists its sheet many times.
    () =>
      xlsx(
        packWorkbook({
          sheets: [getGrid(44, 1_500_000, '', '<v>1</v>')],
          directory: '<sheet name="S0" sheetId="1" r:id="rId1"/>'.repeat(5000),
        }),
      ),
    // Cells share a long text.
    () =>
      xlsx(
        packWorkbook({
          strings: `<si><t>${'a '.repeat(15_000)}</t></si>`,
          sheets: [getGrid(10, 7_000_000, ' t="s"', '<v>0</v>')],
        }),
      ),
    () => xlsx(packWorkbook({ sheets: [getGrid(44, 7_500_000, '', '<v>9.9750000000000005E-2</v>')] })),
    () => xlsx(packWorkbook({ sheets: [getGrid(10, 16_000_000, ' t="inlineStr"', '<is><t>a  b</t></is>')] })),
  ],
  ledger: [
    // A line with the right checksum that was not JSON caused an unhandled error.
    () => [{ name: 'ledger.ndjson', content: getLedger([ledgerLines[0] ?? '', '{"kind":}']) }],
  ],
  customers: [
    // Each line copied the certificates of the lines before it.
    () => [
      {
        name: 'customers.csv',
        content: `id,name,states,reason,certificate_number\n${many(30_000, (at) => `acme,Acme,MN,resale,${at}`)}\n`,
      },
    ],
    () => [{ name: 'customers.json', content: `{"id":"a","exemptions":${'['.repeat(10_000)}${']'.repeat(10_000)}}` }],
  ],
  line1: [
    () => request('150 Main St Apt 4', `,ST,|:${'0B100-300/APT,1,10,B '.repeat(1000)}`),
    () => request('150 Main St', Array(2000).fill(',ST,|:0B1-9').join(';')),
    () => request(`1 A ${'#4'.repeat(240)}`, ',ST,|:0B1-9'),
  ],
};
