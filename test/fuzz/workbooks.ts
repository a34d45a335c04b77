import { columnName, packWorkbook, sheetXml, type TestCell, zipped } from '../fixtures/imports/harness.ts';
import type { Random } from '../support/seeded.ts';
import pieces from './pieces.json' with { type: 'json' };
import { inputBytesMax, listCopies, longText, mutateBytes } from './texts.ts';

/** Malicious workbooks, with malformed variants of each part of an XLSX file. */

/** Truncates a text to the maximum length of a cell. */
const cellText = (random: Random): string =>
  longText(random, [1, 30, 1000, 30_000])
    .replaceAll(/[\0&<]/g, ' ')
    .slice(0, 60_000);

/** The cell content with its type. */
const cellForms: readonly ((random: Random) => readonly [type: string, content: string])[] = [
  () => ['', '<v>1</v>'],
  () => [' t="s"', '<v>0</v>'],
  () => [' s="1"', '<v>46113</v>'],
  (random) => [
    '',
    `<v>${random.pick(['9'.repeat(30_000), '1E99', '-0', '1e-99', '0.1'.padEnd(30_000, '3'), 'NaN'])}</v>`,
  ],
  (random) => [' t="inlineStr"', `<is><t>${cellText(random)}</t></is>`],
  (random) => [' t="inlineStr"', `<is>${'<r><t>a</t></r>'.repeat(random.pick([1, 100, 3000]))}</is>`],
  (random) => [' t="str"', `<f>SUM(A1)</f><v>${cellText(random)}</v>`],
  (random) => [' t="d"', `<v>${random.pick(['2026-01-01', '2026-01-01T00:00:00Z', '9'.repeat(3000)])}</v>`],
  () => [' t="e"', '<v>#REF!</v>'],
  () => [' t="b"', '<v>1</v>'],
  (random) => ['', `<v>${'&amp;'.repeat(random.pick([1, 1000, 12_000]))}</v>`],
  (random) => ['', random.pick(['<v/>', '', '<![CDATA[<v>1</v>]]>', '<!-- x -->', '<?pi?>', '<v>1', '<c r="A1">'])],
];

/** Builds a sheet of equal cells with a number of columns, up to a number of bytes. */
export const getGrid = (width: number, bytesMax: number, type: string, content: string): string => {
  const rows: string[] = [];
  for (let [bytes, row] = [0, 1]; bytes < bytesMax; row += 1) {
    const cells = Array.from({ length: width }, (_, at) => `<c r="${columnName(at)}${row}"${type}>${content}</c>`);
    rows.push(`<row r="${row}">${cells.join('')}</row>`);
    bytes += rows.at(-1)?.length ?? 0;
  }
  return sheetXml(rows.join(''));
};

/** Builds rows and columns of random cells, up to a number of bytes. */
const grid = (random: Random, bytesMax: number): string => {
  const { below, pick, chance } = random;
  const width = pick([1, 2, 44, 1000, 16_384]);
  const hasAddress = chance(0.7);
  const rowGap = pick([1, 1, 1, 5, 50]);
  const forms = Array.from({ length: 1 + below(2) }, () => pick(cellForms)(random));
  const rows: string[] = [];
  for (let [bytes, row] = [0, 1]; bytes < bytesMax; row += rowGap) {
    const cells: string[] = [];
    for (let at = 0; at < width && bytes < bytesMax; at += 1) {
      const [type, content] = pick(forms);
      const cell = `<c${hasAddress ? ` r="${columnName(at)}${row}"` : ''}${type}>${content}</c>`;
      bytes += cell.length;
      cells.push(cell);
    }
    const line = `<row${hasAddress ? ` r="${row}"` : ''}>${cells.join('')}</row>`;
    bytes += line.length - cells.length;
    rows.push(line);
  }
  return rows.join('');
};

/** Repeats a piece of XML up to a number of bytes. */
const repeated = ({ pick }: Random, bytes: number): string => {
  const piece = pick(pieces.xml);
  return piece.repeat(Math.ceil(bytes / piece.length));
};

const strings: readonly ((random: Random) => string)[] = [
  () => '<si><t>a</t></si>',
  (random) => `<si><t>${cellText(random)}</t></si>`.repeat(random.pick([1, 30, 250])),
  (random) =>
    `<si>${'<r><rPr><b/></rPr><t xml:space="preserve"> a </t></r>'.repeat(random.pick([1, 1000, 40_000]))}</si>`,
  (random) => '<si><t>a</t></si>'.repeat(random.pick([10, 100_000, 300_000])),
  (random) => repeated(random, random.pick([1000, 1_000_000])),
];

const styles: readonly ((random: Random) => string)[] = [
  () => '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
  (random) =>
    `<numFmts><numFmt numFmtId="200" formatCode="${random
      .pick(['yyyy', 'm', '[h]', 'yy-mm', '\\', '"'.repeat(2), '[$-409]', ';'])
      .repeat(random.pick([1, 1000, 8000]))
      .replaceAll('"', '&quot;')}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs>`,
  (random) => `<cellXfs>${'<xf numFmtId="14" xfId="0"/>'.repeat(random.pick([10, 100_000]))}</cellXfs>`,
  (random) =>
    `<numFmts>${Array.from({ length: random.pick([10, 60_000]) }, (_, at) => `<numFmt numFmtId="${at}" formatCode="d${at}"/>`).join('')}</numFmts><cellXfs><xf/><xf numFmtId="14"/></cellXfs>`,
  (random) => repeated(random, random.pick([1000, 1_000_000])),
];

const directories: readonly ((random: Random) => string)[] = [
  () => '',
  () => '<workbookPr date1904="1"/>',
  (random) => repeated(random, random.pick([1000, 200_000])),
  (random) => '<sheet name="S0" sheetId="1" r:id="rId1"/>'.repeat(random.pick([10, 5000])),
];

/** Builds a workbook with malformed parts, compressed to at most 1 MB. */
export const makeWorkbook = (random: Random): Buffer => {
  const { pick, chance, below } = random;
  const bytes = pick([10_000, 100_000, 500_000, 3_000_000, 7_500_000]);
  const data = (): string => (chance(0.7) ? grid(random, bytes) : repeated(random, bytes));
  const count = pick([1, 1, 1, 2, 30, 1000]);
  const first = sheetXml(data());
  const content = packWorkbook({
    sheets: [first, ...Array.from({ length: count - 1 }, () => sheetXml(chance(0.01) ? grid(random, 100_000) : ''))],
    strings: (chance(0.6) ? strings[0] : pick(strings))?.(random) ?? '',
    styles: (chance(0.6) ? styles[0] : pick(styles))?.(random) ?? '',
    directory: (chance(0.8) ? directories[0] : pick(directories))?.(random) ?? '',
    others: chance(0.1)
      ? [{ name: `xl/${pick(['comments1', 'A', '../x'])}.xml`, content: repeated(random, below(1e6)) }]
      : [],
  });
  const mutated = chance(0.15) ? mutateBytes(content, random) : content;
  return mutated.length <= inputBytesMax ? mutated : mutated.subarray(0, inputBytesMax);
};

type Cells = readonly TestCell[];
const change = (cell: TestCell, edit: (text: string) => string): TestCell =>
  cell === null || typeof cell === 'string'
    ? edit(cell ?? '').replaceAll('\0', '')
    : { number: edit('number' in cell ? cell.number : String(cell.serial)) };

/** Changes a cell of a workbook's rows, or adds many copies of a row. */
export const mutateRows = (rows: readonly Cells[], random: Random): readonly Cells[] => {
  const { below, pick, chance } = random;
  const at = below(rows.length);
  const row = rows[at] ?? [];
  if (chance(0.5) && row.length > 0) {
    const copies = listCopies(row, random, change);
    return [...rows, ...copies.take(pick([10, 300, 1000, 8000]))];
  }
  const long = (): string => longText(random, [1, 30, 1000, 32_000]).replaceAll('\0', '').slice(0, 60_000);
  const cell = pick<() => TestCell>([
    long,
    long,
    () => ({ number: long() }),
    () => ({ serial: below(1e9) }),
    () => null,
  ])();
  const changed = row.length === 0 ? [cell] : row.with(below(row.length), cell);
  return chance(0.3) ? [...rows, ...Array<Cells>(pick([30, 300])).fill(changed)] : rows.with(at, changed);
};

/** Malicious ZIP files. */

const directoryEntry = 'PK\u0001\u0002';

/** Returns the positions of the entries in the directory. */
const listEntries = (zip: Buffer): readonly number[] => {
  const found: number[] = [];
  for (let at = zip.indexOf(directoryEntry, 0, 'latin1'); at !== -1 && found.length < 1000; ) {
    found.push(at);
    at = zip.indexOf(directoryEntry, at + 4, 'latin1');
  }
  return found;
};

/** Changes sizes, methods, flags, lengths and offsets in the directory (APPNOTE.TXT, 4.3.12). */
const withFalseDirectory = (zip: Buffer, { pick }: Random): Buffer => {
  const changed = Buffer.from(zip);
  const entry = pick(listEntries(zip));
  const [offset, bytes] = pick([
    [8, 2],
    [10, 2],
    [20, 4],
    [24, 4],
    [28, 2],
    [30, 2],
    [32, 2],
    [42, 4],
  ] as const);
  if (entry !== undefined)
    changed.writeUIntLE(pick([0, 1, 255, 65_535, 2 ** (8 * bytes) - 1]) % 2 ** (8 * bytes), entry + offset, bytes);
  return changed;
};

const rows = (random: Random): string => {
  const { pick } = random;
  const line = pick([
    'a,b\n',
    '\n',
    ',\n',
    '"a"\n',
    'a\n',
    '"\n',
    '""\n',
    'x',
    ',',
    '"',
    `${longText(random, [1000, 90_000])}\n`,
  ]);
  const text = line.repeat(
    Math.ceil(pick([1000, 1_000_000, 1_000_000, 4_000_000, 8_000_000, 60_000_000]) / line.length),
  );
  return pick(['', 'a,b\n', '"']) + text;
};

/** Returns the largest size of an entry in the directory. */
export const listUnpackedBytes = (zip: Buffer): number =>
  Math.max(0, ...listEntries(zip).map((at) => (at + 28 <= zip.length ? zip.readUInt32LE(at + 24) : 0)));

/** Builds a ZIP file of at most 1 MB with invalid content, an invalid directory or too many entries. */
export const makeZip = (random: Random): Buffer => {
  const { below, pick, chance } = random;
  const isMany = chance(0.2);
  const extension = pick(['csv', 'txt', 'CSV', 'tsv', 'pdf']);
  const others = isMany
    ? Array.from({ length: pick([10, 1000, 8000]) }, (_, at) => ({
        name: `${pick(['', 'a/', '../', '__MACOSX/', '.'])}${at}.${pick([extension, 'pdf'])}`,
        content: '',
      }))
    : [];
  const noise = (): Buffer => Buffer.from(Array.from({ length: pick([10, 200_000]) }, () => below(256)));
  const content = chance(0.1) ? noise() : rows(random);
  const zip = zipped([{ name: `${chance(0.1) ? longText(random, [30, 20_000]) : 'rates'}.csv`, content }, ...others]);
  const changed = chance(0.3) ? withFalseDirectory(zip, random) : chance(0.2) ? mutateBytes(zip, random) : zip;
  return changed.length <= inputBytesMax ? changed : changed.subarray(0, inputBytesMax);
};
