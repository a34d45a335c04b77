/**
 * Mutated files for every importer, from a seed: `node test/unit/fuzz-importers.ts [inputs of a format] [seed]`. Prints a line
 * for each input that takes more than 2 s of processor time or throws what is not an `Error` for an operator, and exits with 1 if there is one.
 */
import { CommandError } from '../../shared/command-error.ts';
import type { Format } from '../../shared/content/imports/importers.ts';
import { fixture, importFiles, type TestCell, type TestFile, zipped } from '../fixtures/imports/harness.ts';
import { newMexicoFile } from '../fixtures/imports/new-mexico.ts';
import {
  alaskaFile,
  alaskaRows,
  coloradoFile,
  coloradoRows,
  louisianaFile,
  louisianaRows,
  missouriFile,
  missouriRows,
  virginiaFile,
  virginiaSheets,
} from '../fixtures/imports/workbooks.ts';
import { seeded } from '../support/seeded.ts';

const [count, seed] = [Number(process.argv[2] ?? 25), Number(process.argv[3] ?? 1)];
const random = seeded(seed);
const below = (end: number): number => Math.floor(random() * end);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;

/** Texts of up to 64 kB that slow patterns down, and what ends or opens something. */
const parts = [' ', 'a', '9', '(', ')', '/', ',', ';', '"', '-', '.', '\t', '\n', '\r', '%', 'é', '\\', '[', '{', '0-'];
const words = ['ST ', 'OF ', 'CITY OF ', 'COUNTY ', 'Rate', 'abc2026', '1E9', '=1', '\0', '\ufeff', '﷽', '😀'];
const nasty = (): string => {
  const part = pick([...parts, ...words]);
  return (
    pick(['', 'A', '0']) + part.repeat(Math.ceil(pick([1, 30, 1000, 64_000]) / part.length)) + pick(['', '!', '"'])
  );
};

const mutateText = (text: string): string => {
  const [start, end] = [below(text.length), below(text.length)].toSorted((a, b) => a - b) as [number, number];
  const lines = text.split('\n');
  const kind = below(6);
  if (kind === 0) return text.slice(0, start) + nasty() + text.slice(start);
  if (kind === 1) return text.slice(0, start) + text.slice(end);
  if (kind === 2) return text.slice(0, end);
  if (kind === 3)
    return lines.with(below(lines.length), lines.map(() => pick(lines)).join(pick([',', '', '"']))).join('\n');
  if (kind === 4) {
    const line = pick(lines);
    return `${text}\n${`${line}\n`.repeat(Math.min(5000, Math.floor(900_000 / (line.length + 1))))}`;
  }
  const cells = (lines[below(lines.length)] ?? '').split(/[,;\t"]/);
  return text.replace(pick(cells) || ',', nasty);
};

const mutateBytes = (content: Buffer): Buffer => {
  const changed = Buffer.from(content);
  for (let left = 1 + below(20); left > 0; left -= 1) changed[below(changed.length)] = below(256);
  return random() < 0.2 ? changed.subarray(0, below(changed.length)) : changed;
};

const mutate = ({ name, content }: TestFile): TestFile => {
  if (random() < 0.15) return { name, content: mutateBytes(Buffer.from(content as string)) };
  const text = mutateText(content.toString());
  if (random() < 0.15) return { name, content: mutateBytes(zipped([{ name: `${name}.csv`, content: text }])) };
  return { name, content: text };
};

type Rows = readonly (readonly TestCell[])[];
const mutateRows = (rows: Rows): Rows => {
  const at = below(rows.length);
  const row = rows[at] ?? [];
  if (random() < 0.2) return [...rows, ...Array<typeof row>(2000).fill(row)];
  const long = () => nasty().slice(0, 32_000).replaceAll('\0', '');
  const cell = pick<() => TestCell>([
    long,
    long,
    () => ({ number: long() }),
    () => ({ serial: below(1e9) }),
    () => null,
  ]);
  return rows.with(at, row.length === 0 ? [cell()] : row.with(below(row.length), cell()));
};
const workbookOf =
  (file: (rows: Rows) => TestFile, rows: Rows): (() => readonly TestFile[]) =>
  () => {
    const { name, content } = file(mutateRows(rows));
    return [{ name, content: random() < 0.3 ? mutateBytes(content as Buffer) : content }];
  };
const oneOf = (files: readonly TestFile[]) => (): readonly TestFile[] => {
  const at = below(files.length);
  return files.with(at, mutate(files[at] as TestFile));
};

const rule = { id: 'ia-own', ptcs: ['DIGITAL'], effect: { type: 'exempt' }, from: '2026-01-01', source: 'ruling' };
const rules = { state: 'IA', sources: { ruling: 'Department of Revenue, ruling 7' }, rules: [rule] };
const subjects: readonly (readonly [Format, string, () => readonly TestFile[]])[] = [
  ['sst', 'MN', oneOf(['MNR2026Q4AUG28.csv', 'MNB2026Q4AUG28.csv'].map(fixture))],
  ['zip-rates', 'TX', oneOf([fixture('TAXRATES_ZIP5_TX202611.csv')])],
  ['woocommerce', 'TX', oneOf([fixture('tax_rates.csv')])],
  ['cdtfa', 'CA', oneOf([fixture('cdtfa.csv')])],
  ['texas', 'TX', oneOf([fixture('taxrates.txt')])],
  ['alabama', 'AL', oneOf([fixture('taxrates_current.csv')])],
  ['arizona', 'AZ', oneOf([fixture('TPT_RATETABLE_ALL_11012026.csv')])],
  ['illinois', 'IL', oneOf([fixture('ordmache-current.txt')])],
  ['missouri', 'MO', workbookOf((rows) => missouriFile([...rows]), missouriRows)],
  [
    'virginia',
    'VA',
    workbookOf(
      (rows) => virginiaFile({ A: { title: pick(['1/1/2027 - Present', nasty().slice(0, 32_000)]), rows } }),
      virginiaSheets()['Current']?.rows ?? [],
    ),
  ],
  ['alaska', 'AK', workbookOf((rows) => alaskaFile([...rows]), alaskaRows)],
  ['colorado', 'CO', workbookOf((rows) => coloradoFile([...rows]), coloradoRows)],
  ['louisiana', 'LA', workbookOf((rows) => louisianaFile([...rows]), louisianaRows)],
  ['new-mexico', 'NM', oneOf([newMexicoFile()])],
  ['rules', 'IA', oneOf([{ name: 'own.json', content: JSON.stringify(rules, null, 1) }])],
];

let [inputs, refused, slowest] = [0, 0, 0];
const violated = (format: Format, index: number, what: unknown): void => {
  console.log(`${format}, input ${index} of seed ${seed}:`, what);
  process.exitCode = 1;
};
for (const [format, state, make] of subjects)
  for (let index = 0; index < count; index += 1) {
    const files = make();
    const start = process.cpuUsage();
    try {
      await importFiles(format, state, files);
    } catch (error) {
      refused += 1;
      const isForOperator = error instanceof CommandError || (error as Error).constructor === Error;
      if (!isForOperator) violated(format, index, error);
    }
    // Not the time of a clock: other processes may use the machine.
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000;
    slowest = Math.max(slowest, ms);
    inputs += 1;
    if (ms > 2000) violated(format, index, `${Math.round(ms)} ms`);
  }
console.log(`${inputs} inputs, ${refused} refused, the slowest took ${Math.round(slowest)} ms.`);
