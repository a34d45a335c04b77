import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { summarizeRates } from '../content/local/summary.ts';
import { editionsOf, packRates, packZips } from '../content/local/text-tables.ts';
import { docs } from '../docs/docs.ts';
import type { PackedName } from './unpack.ts';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

const packText = (text: string): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } });
const pack = (value: unknown): Buffer => packText(JSON.stringify(value));
const packLines = (values: readonly unknown[]): Buffer =>
  packText(values.map((value) => JSON.stringify(value)).join('\n'));

type Released = { readonly state: string };

/** By their names: the newest of each state, or all the others. */
const releases = (which: 'newest' | 'older'): Released[] => {
  const all = readdirSync(pathOf('../content/releases'))
    .filter((name) => name.startsWith('US-'))
    .sort()
    .map((name) => read(pathOf(`../content/releases/${name}`)) as Released);
  const newest = new Set(new Map(all.map((release) => [release.state, release])).values());
  return all.filter((release) => newest.has(release) === (which === 'newest'));
};

const vocabulary = (): unknown => ({
  attributes: read(pathOf('../vocabulary/attributes.json')),
  // Their names are for readers of the file.
  productTaxCodes: (read(pathOf('../vocabulary/product-tax-codes.json')) as { code: string }[]).map(({ code }) => code),
});

/** One file: what it is called, where it lies, what makes it, and the module whose bundles carry it. */
export type PackedFile = {
  readonly name: PackedName | 'docs';
  readonly path: string;
  readonly pack: () => Buffer;
  readonly readBy:
    | 'shared/packed/unpack.ts'
    | 'shared/content/local/load.ts'
    | 'shared/coverage/rate-summary.ts'
    | 'shared/operations/get-docs.ts';
};

const data = (
  name: PackedName,
  packed: () => Buffer,
  readBy: PackedFile['readBy'] = 'shared/packed/unpack.ts',
): PackedFile => ({ name, path: pathOf(`./${name}.br`), pack: packed, readBy });

const localTables = (kind: 'rates' | 'zips', packEdition: (edition: string) => unknown): PackedFile[] =>
  editionsOf(kind).map((edition) =>
    data(`${kind}-${edition}`, () => pack(packEdition(edition)), 'shared/content/local/load.ts'),
  );

/**
 * The data that functions carry, packed: compressed JSON, made of the files that people edit.
 *
 * Releases are one to a line, and the newest of each state are in a file of their own: calculations read no others, and
 * of those only the states of their addresses. The older ones are there for a replay.
 */
export const packedFiles: readonly PackedFile[] = [
  data('releases', () => packLines(releases('newest'))),
  data('older-releases', () => packLines(releases('older'))),
  data('vocabulary', () => pack(vocabulary())),
  data('zip-states', () => pack(read(pathOf('../content/location/zip-states.json')))),
  data(
    'rate-summaries',
    () => pack(Object.fromEntries(editionsOf('rates').map((edition) => [edition, summarizeRates(edition)]))),
    'shared/coverage/rate-summary.ts',
  ),
  ...localTables('rates', packRates),
  ...localTables('zips', packZips),
  { name: 'docs', path: pathOf('./docs.br'), pack: () => pack(docs()), readBy: 'shared/operations/get-docs.ts' },
];
