import { createHash } from 'node:crypto';
import { newAccount } from '../../shared/accounts/account.ts';
import { LineHashChain, noCounts } from '../../shared/cli/ledger/format.ts';
import { type TestFile, zipped } from '../fixtures/imports/harness.ts';
import type { Random } from '../support/seeded.ts';
import pieces from './pieces.json' with { type: 'json' };

/** The total size of an input's files, compressed if the files are. */
export const inputBytesMax = 1_000_000;

export type Input = readonly TestFile[];

/** Code that reads untrusted input. */
export type Target = {
  /** A valid input, which warms up the code before measuring. */
  readonly valid: () => Input;
  readonly make: (random: Random) => Input;
  /** Reads an input. Throws an `Error` with a message for the operator; a subclass of it indicates a bug. */
  readonly run: (input: Input) => unknown;
  /** The unpacked size of an input, which determines its time limit. Default: at most 1 MB. */
  readonly getBytes?: (input: Input) => number;
};

/** Mutated text and bytes, and worst-case tables: long tokens, and repeated rows with one difference. */

/** Returns a text that repeats one character or word, with a different beginning and end. */
export const longText = ({ pick }: Random, lengths: readonly number[] = [1, 30, 1000, 32_000, 99_000]): string => {
  const part = pick([...pieces.signs, ...pieces.words]);
  const end = pick(['', '!', '"', ')', 'a', '2026', '.csv']);
  return pick(['', 'A', '0', '(']) + part.repeat(Math.ceil(pick(lengths) / part.length)) + end;
};

/** Converts an integer to letters: 0 is A, 26 is BA. */
const getLetters = (index: number): string =>
  index < 26
    ? String.fromCharCode(65 + index)
    : getLetters(Math.floor(index / 26)) + String.fromCharCode(65 + (index % 26));

const dayMs = 86_400_000;
const days = Array.from({ length: 2000 }, (_, index) => new Date(Date.UTC(2022, 0, 1) + index * dayMs).toISOString());
const dayAt = (index: number): string => days[index % days.length] ?? '';

/** Ways to make the copies of a cell unique. */
const variants: readonly ((cell: string, index: number) => string)[] = [
  (cell, index) => `${cell}${getLetters(index)}`,
  (cell, index) => `${cell} ${getLetters(index)}`,
  (cell, index) => `${getLetters(index)} ${cell}`,
  (cell, index) =>
    cell.replaceAll(/\d+/g, (digits) =>
      String(Number(digits) + index)
        .padStart(digits.length, '0')
        .slice(-digits.length),
    ),
  (cell, index) => {
    const at = Math.min(index % 97, cell.length);
    return cell.replace(/\d(?=\D*$)/, String(index % 10)).slice(0, at) + cell.slice(at);
  },
  (_, index) => String(index),
  (_, index) => String(index % 100_000).padStart(5, '0'),
  (_, index) => dayAt(index).slice(0, 10).replaceAll('-', ''),
  (_, index) => `${Number(dayAt(index).slice(5, 7))}/${Number(dayAt(index).slice(8, 10))}/${dayAt(index).slice(0, 4)}`,
  (cell, index) => cell.replace(/\d{4}$/, (digits) => String((Number(digits) + index) % 10_000).padStart(4, '0')),
];

/** Copies a row and makes up to three cells unique in each copy. `vary` creates the cell of a copy. */
export function* listCopies<Cell>(
  cells: readonly Cell[],
  { below, pick }: Random,
  vary: (cell: Cell, change: (text: string) => string) => Cell,
): Generator<readonly Cell[]> {
  const changes = Array.from({ length: below(4) }, () => ({ at: below(cells.length), variant: pick(variants) }));
  const step = pick([1, 1, 1, 7, 100]);
  for (let index = 0; ; index += 1) {
    const copy = [...cells];
    for (const { at, variant } of changes)
      if (at < copy.length) copy[at] = vary(copy[at] as Cell, (text) => variant(text, Math.floor(index / step)));
    yield copy;
  }
}

const repeatedRows = (text: string, random: Random): string => {
  const { below, pick } = random;
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const separator = pick([',', ';', '\t'].filter((one) => text.includes(one)).concat(','));
  const templates = Array.from({ length: 1 + below(3) }, () => lines[below(lines.length)] ?? '');
  const sources = templates.map((line) => listCopies(line.split(separator), random, (cell, change) => change(cell)));
  const bytesMax = pick([20_000, 20_000, 200_000, inputBytesMax - text.length - 10_000]);
  const added: string[] = [];
  for (let bytes = 0; bytes < bytesMax; ) {
    const line = pick(sources).next().value.join(separator);
    bytes += Buffer.byteLength(line) + 1;
    added.push(line);
  }
  const before = pick([lines, lines.slice(0, 1)]);
  return `${[...before, ...added].join('\n')}\n`;
};

/** Repeats a text up to about the size of an input. */
const repeated = (text: string, times: number): string =>
  text.repeat(Math.min(times, Math.ceil(inputBytesMax / text.length)));

/** Applies one or several mutations to a text. */
export const mutateText = (text: string, random: Random): string => {
  const { below, pick, chance } = random;
  if (chance(0.35)) return repeatedRows(text, random);
  const [start, end] = [below(text.length), below(text.length)].toSorted((a, b) => a - b) as [number, number];
  const lines = text.split('\n');
  const mutations: readonly (() => string)[] = [
    () => text.slice(0, start) + longText(random) + text.slice(start),
    () => text.slice(0, start) + text.slice(end),
    () => text.slice(0, end),
    () =>
      lines
        .with(
          below(lines.length),
          lines
            .map(() => pick(lines))
            .join(pick([',', '', '"']))
            .slice(0, inputBytesMax),
        )
        .join('\n'),
    () => `${text}${longText(random, [900_000])}`,
    () => {
      const line = `${longText(random, [1, 30, 3000, 90_000])}\n`;
      return text + repeated(line, pick([3, 9, 300, 9000]));
    },
    () => {
      const line = `${pick(lines)}\n`;
      return `${text}${'"'.repeat(1 + below(3))}${repeated(line, pick([10, 1000]))}`;
    },
    () => pick(['\ufeff', '\ufeff\ufeff', '\u200b', '\0']) + text,
    () => {
      const cell = pick((pick(lines) ?? '').split(/[,;\t"]/)) || ',';
      const long = longText(random);
      return long.length * text.split(cell).length > 4 * inputBytesMax
        ? text.replace(cell, long)
        : text.replaceAll(cell, long);
    },
  ];
  const mutated = pick(mutations)();
  return chance(0.3) ? mutateText(mutated.slice(0, 400_000), random) : mutated;
};

export const mutateBytes = (content: Buffer, { below, pick, chance }: Random): Buffer => {
  const changed = Buffer.from(content);
  for (let left = 1 + below(20); left > 0; left -= 1) changed[below(changed.length)] = pick([0, 0xff, below(256)]);
  return chance(0.2) ? changed.subarray(0, below(changed.length)) : changed;
};

/** Wrong encodings, and bytes that are not UTF-8 on every line. */
const encodings: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(text, 'latin1'),
  (text) => Buffer.from(text.replaceAll('\n', '\u00e9\n'), 'latin1'),
  (text) => Buffer.concat([Buffer.from(text), Buffer.from('\u00e9\n'.repeat(200_000), 'latin1')]),
];

/** Mutates a text file, and sometimes compresses or re-encodes it; at most 1 MB. */
const mutateFile = ({ name, content }: TestFile, random: Random): TestFile => {
  const { pick, chance } = random;
  const text = mutateText(content.toString(), random);
  const bytes = Buffer.from(text).subarray(0, inputBytesMax);
  if (chance(0.1)) return { name, content: mutateBytes(bytes, random) };
  if (chance(0.1)) return { name, content: pick(encodings)(text).subarray(0, inputBytesMax) };
  if (chance(0.1)) return { name, content: zipped([{ name: `${name}.csv`, content: bytes }]) };
  return { name, content: bytes };
};

/** Mutates one of the files. */
export const mutateOne = (files: readonly TestFile[], random: Random): readonly TestFile[] => {
  const at = random.below(files.length);
  return files.with(at, mutateFile(files[at] as TestFile, random));
};

/** JSON documents with many copies of an entry, or a deep, long or wide value. */

const getPlace = (value: unknown, random: Random): { readonly parent: object; readonly key: string } | null => {
  if (typeof value !== 'object' || value === null) return null;
  const keys = Object.keys(value);
  const key = keys[random.below(keys.length)];
  if (key === undefined) return null;
  const inner = (value as Record<string, unknown>)[key];
  return (random.chance(0.7) ? getPlace(inner, random) : null) ?? { parent: value, key };
};

/** A placeholder for nested arrays, because `JSON.stringify` cannot serialize deep nesting. */
const deepMark = '@deep';

/** Fills an input with copies of an object or string that have different strings and numbers. */
const copies = (value: unknown, random: Random): readonly unknown[] => {
  const isObject = typeof value === 'object' && value !== null;
  const [keys, cells] = isObject ? [Object.keys(value), Object.values(value)] : [['0'], [value]];
  const varied = listCopies(cells, random, (cell, change) =>
    typeof cell === 'string' ? change(cell) : typeof cell === 'number' ? cell + 1 : cell,
  );
  const room = random.pick([1000, 100_000, 900_000]);
  return [...varied.take(Math.floor(room / (JSON.stringify(value)?.length ?? 4)))].map((copy) =>
    isObject ? Object.fromEntries(keys.map((key, at) => [key, copy[at]])) : copy[0],
  );
};

const values: readonly ((value: unknown, random: Random) => unknown)[] = [
  (value, random) =>
    Array.isArray(value) && value.length > 0 ? copies(random.pick(value), random) : copies(value, random),
  (value, random) => (Array.isArray(value) && value.length > 0 ? copies(random.pick(value), random) : [value, value]),
  (_, random) => longText(random, [30, 3000, 90_000, 900_000]),
  () => deepMark,
  (_, random) => Array(random.pick([10, 100_000])).fill(random.pick([0, null, '', {}, []])),
  (_, random) => Object.fromEntries(Array.from({ length: random.pick([10, 50_000]) }, (_, at) => [`k${at}`, at])),
  (_, random) => random.pick([null, -1, 1e300, 0.1, '', '0'.repeat(90_000), `1${'0'.repeat(5000)}`, '__proto__', true]),
];

/** Replaces one or two values of a JSON file, and sometimes mutates its text. */
export const mutateJson = ({ name, content }: TestFile, random: Random): TestFile => {
  if (random.chance(0.3)) return mutateFile({ name, content }, random);
  let text = content.toString();
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    // Parse again: copies share their nested objects, so a long value in one of them would appear in every copy.
    const value = { root: JSON.parse(text) as unknown };
    const place = getPlace(value, random);
    if (!place) continue;
    const parent = place.parent as Record<string, unknown>;
    parent[place.key] = random.pick(values)(parent[place.key], random);
    text = JSON.stringify(value.root, null, random.pick([0, 0, 1])) ?? 'null';
  }
  const depth = random.pick([10, 1000, 100_000]);
  const nested = text.replace(`"${deepMark}"`, '['.repeat(depth) + ']'.repeat(depth));
  return { name, content: Buffer.from(nested).subarray(0, inputBytesMax) };
};

/** Malicious ledger exports. */

/** Adds valid checksums and a trailer to lines, so the parser reads them. */
export const getLedger = (lines: readonly string[]): string => {
  const chain = new LineHashChain();
  const text = lines.map((line) => `${chain.close(line)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const counts = { ...noCounts(), chain: 1 };
  const trailer = { kind: 'trailer', counts, releases: {}, lines: lines.length, sha256 };
  return `${text}${chain.close(JSON.stringify(trailer))}\n`;
};
const account = newAccount({ id: 'acct_fuzz', name: 'Fuzz', serviceVersion: '2026-08-01', createdMs: 0 });
const header = {
  kind: 'header',
  format: 'levy-ledger',
  format_version: 1,
  account,
  exported_at: '2026-11-22T00:00:00.000Z',
};
export const ledgerLines = [
  JSON.stringify(header),
  '{"kind":"chain","chain":{"state":"US-MN","last":null,"isBusy":false,"isHeld":false,"version":1}}',
];
export const makeLedger = (random: Random): Input => {
  const { pick, chance } = random;
  const deepest = pick([1, 10_000, 100_000]);
  const deep = pick(['[', '{"a":', '"', '{"kind":"chain","chain":"']).repeat(pick([10, 10_000, 150_000]));
  const nested = '['.repeat(deepest) + ']'.repeat(deepest);
  const kinds = ['audit_entry', 'transaction', 'open_entry', 'filing', 'filing_shard', 'chain', 'customer'];
  const field = pick(['entry', 'stored', 'filing', 'progress', 'customer', 'x']);
  const whole = `{"kind":"${pick(kinds)}","${field}":{"a":${nested}}}`;
  const lines = chance(0.3)
    ? [...ledgerLines.slice(0, 1), whole]
    : chance(0.5)
      ? [...ledgerLines, `{${deep}`, longText(random)]
      : mutateText(ledgerLines.join('\n'), random).split('\n');
  // A line is 60 bytes with its checksum.
  const text = chance(0.7) ? getLedger(lines.slice(0, 20_000)) : mutateText(getLedger(ledgerLines), random);
  return [{ name: 'ledger.ndjson', content: Buffer.from(text).subarray(0, 1_000_000) }];
};
