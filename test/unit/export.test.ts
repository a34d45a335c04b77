import { unzipSync } from 'fflate';
import readExcelFile from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { csvText } from '../../shared/base/csv.ts';
import { exportFile, parseCsv } from '../../shared/console/client/export-file.ts';

const columns = ['id', 'note', 'tax_amount', 'count', 'rate'] as const;
type Row = Record<(typeof columns)[number], string | number | null>;
const row = (values: Partial<Row>): Row => ({
  id: 'a',
  note: null,
  tax_amount: null,
  count: null,
  rate: null,
  ...values,
});

/** Exports pages of rows, and returns the file and the progress. */
const written = async (format: 'CSV' | 'XLSX', ...pages: Row[][]) => {
  const counts: number[] = [];
  const read = async ({ starting_after = '0' }) => {
    const at = Number(starting_after);
    const next = at + 1 < pages.length ? { starting_after: String(at + 1) } : null;
    return { csv: csvText(columns, pages[at] ?? []), next };
  };
  const file = await exportFile(format, { read, onRows: (count) => void counts.push(count) });
  return { bytes: Buffer.from(await file.arrayBuffer()), counts };
};
const sheetOf = (bytes: Buffer) => Buffer.from(unzipSync(bytes)['xl/sheet.xml'] ?? []).toString();

it('parses the cells of CSV text', () => {
  const texts = ['', 'a', 'a,b', '"', 'say ""hi"", or\r\nnot', ' x '];
  const text = csvText(
    columns,
    texts.map((note) => row({ note })),
  );
  expect(parseCsv(text)).toEqual([[...columns], ...texts.map((note) => ['a', note, '', '', ''])]);
});

it('writes a workbook whose cells equal the CSV file, with numbers where a double has all of the digits', async () => {
  const pages = [
    [row({ note: 'Müller & <Söhne>', tax_amount: '-1234.50', count: 3, rate: '0.08875' })],
    [],
    [
      row({ note: '=1+1', tax_amount: '9999999999999.99' }),
      row({ note: '_x0041_\u0001', tax_amount: '12345678901234.56' }),
      row({ note: '0012', tax_amount: '0.00', count: 0 }),
    ],
  ];
  const { bytes, counts } = await written('XLSX', ...pages);
  const [sheet] = (await readExcelFile(bytes)) as unknown as { data: unknown[][] }[];
  expect(sheet?.data).toEqual([
    [...columns],
    ['a', 'Müller & <Söhne>', -1234.5, 3, 0.08875],
    ['a', "'=1+1", 9999999999999.99, null, null],
    ['a', '_x0041_\ufffd', '12345678901234.56', null, null],
    ['a', '0012', 0, 0, null],
  ]);
  expect(counts).toEqual([1, 1, 4]);
  expect(sheetOf(bytes)).toContain('<v>-1234.50</v>');
  const csv = (await written('CSV', ...pages)).bytes.toString();
  expect(csv).toBe(csvText(columns, pages.flat()));
});

it('writes 100,000 rows, with the sum of their amounts', async () => {
  const pages = Array.from({ length: 1000 }, (_, page) =>
    Array.from({ length: 100 }, (_, at) =>
      row({ id: `txn_${page * 100 + at}`, tax_amount: `${page}.${10 + (at % 90)}` }),
    ),
  );
  const { bytes, counts } = await written('XLSX', ...pages);
  expect(counts.at(-1)).toBe(100_000);
  const cents = [...sheetOf(bytes).matchAll(/<v>(\d+)\.(\d\d)<\/v>/g)].map(([, whole, part]) =>
    BigInt(`${whole}${part}`),
  );
  expect(cents).toHaveLength(100_000);
  // 100 rows of each whole amount 0 to 999, and 1,000 times the cents 10 to 99 and 10 to 19.
  const parts = Array.from({ length: 100 }, (_, at) => 10 + (at % 90)).reduce((sum, part) => sum + part, 0);
  expect(cents.reduce((sum, value) => sum + value, 0n)).toBe(BigInt(100 * 100 * ((999 * 1000) / 2) + 1000 * parts));
});
