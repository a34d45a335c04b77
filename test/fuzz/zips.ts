/** ZIP files that are made to do harm. */
import { zipped } from '../fixtures/imports/harness.ts';
import type { Random } from './random.ts';
import { inputBytesMax } from './target.ts';
import { longText, mutateBytes } from './texts.ts';

const directoryEntry = 'PK\u0001\u0002';

/** The positions of the entries in the directory. */
const entriesOf = (zip: Buffer): readonly number[] => {
  const found: number[] = [];
  for (let at = zip.indexOf(directoryEntry, 0, 'latin1'); at !== -1 && found.length < 1000; ) {
    found.push(at);
    at = zip.indexOf(directoryEntry, at + 4, 'latin1');
  }
  return found;
};

/** Other sizes, methods, flags, lengths and offsets in the directory (APPNOTE.TXT, 4.3.12). */
const withFalseDirectory = (zip: Buffer, { pick }: Random): Buffer => {
  const changed = Buffer.from(zip);
  const entry = pick(entriesOf(zip));
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

/** The largest size of an entry in the directory. */
export const unpackedBytesOf = (zip: Buffer): number =>
  Math.max(0, ...entriesOf(zip).map((at) => (at + 28 <= zip.length ? zip.readUInt32LE(at + 24) : 0)));

/** A ZIP file of at most 1 MB whose content, directory or number of entries is bad. */
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
