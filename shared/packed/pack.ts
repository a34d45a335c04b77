import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { writeRates } from '../content/local/packed-table.ts';
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

const productTaxCodes = () => read(pathOf('../vocabulary/product-tax-codes.json')) as { code: string }[];

const vocabulary = (): unknown => ({
  attributes: read(pathOf('../vocabulary/attributes.json')),
  productTaxCodes: productTaxCodes().map(({ code }) => code),
});

// The catalog is paged by code.
const catalog = (): unknown => productTaxCodes().sort((a, b) => (a.code < b.code ? -1 : 1));

/** The first four columns, without the header: confidence and source are for readers of the file, which has no quotes. */
const crosswalk = (): string =>
  readFileSync(pathOf('../vocabulary/code-crosswalk.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').slice(0, 4).join(','))
    .join('\n');

/** One file: what it is called, where it lies, what makes it, and the module whose bundles carry it. */
export type PackedFile = {
  readonly name: PackedName | 'docs';
  readonly path: string;
  readonly pack: () => Buffer;
  readonly readBy: string;
};

const data = (name: PackedFile['name'], readBy: string, packed: () => Buffer): PackedFile => ({
  name,
  path: pathOf(`./${name}.br`),
  pack: packed,
  readBy,
});

const localTables = (kind: 'rates' | 'zips', textOfEdition: (edition: string) => string): PackedFile[] =>
  editionsOf(kind).map((edition) =>
    data(`${kind}-${edition}`, 'shared/content/local/load.ts', () => packText(textOfEdition(edition))),
  );

/**
 * The data that functions carry, packed: compressed JSON, made of the files that people edit.
 *
 * Releases are one to a line, and the newest of each state are in a file of their own: calculations read no others, and
 * of those only the states of their addresses. The older ones are there for a replay.
 */
export const packedFiles: readonly PackedFile[] = [
  data('releases', 'shared/content/built-in.ts', () => packLines(releases('newest'))),
  data('older-releases', 'shared/content/built-in.ts', () => packLines(releases('older'))),
  data('vocabulary', 'shared/vocabulary/vocabulary.ts', () => pack(vocabulary())),
  data('product-tax-codes', 'shared/vocabulary/catalog.ts', () => pack(catalog())),
  data('code-crosswalk', 'shared/vocabulary/crosswalk.ts', () => packText(crosswalk())),
  data('rate-summaries', 'shared/coverage/rate-summary.ts', () =>
    pack(Object.fromEntries(editionsOf('rates').map((edition) => [edition, summarizeRates(edition)]))),
  ),
  ...localTables('rates', (edition) => writeRates(packRates(edition))),
  ...localTables('zips', packZips),
  data('docs', 'functions/get-docs.ts', () => pack(docs())),
];
