import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import type { PackedName } from './unpack.ts';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

const pack = (value: unknown): Buffer =>
  brotliCompressSync(JSON.stringify(value), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });

const releases = (): unknown[] =>
  readdirSync(pathOf('../content/releases'))
    .filter((name) => name.startsWith('US-'))
    .sort()
    .map((name) => read(pathOf(`../content/releases/${name}`)));

const vocabulary = (): unknown => ({
  attributes: read(pathOf('../vocabulary/attributes.json')),
  // Their names are for readers of the file.
  productTaxCodes: (read(pathOf('../vocabulary/product-tax-codes.json')) as { code: string }[]).map(({ code }) => code),
});

/**
 * The data that functions carry, packed: each file is one JSON value, compressed, made of the files that people edit.
 *
 * Releases are 160 KiB and the vocabulary 18; packed they are 8 and 3, and a function may have 320 in all.
 */
export const packedFiles: readonly { readonly name: PackedName; readonly path: string; readonly pack: () => Buffer }[] =
  [
    { name: 'releases', path: pathOf('./releases.br'), pack: () => pack(releases()) },
    { name: 'vocabulary', path: pathOf('./vocabulary.br'), pack: () => pack(vocabulary()) },
    {
      name: 'zip-states',
      path: pathOf('./zip-states.br'),
      pack: () => pack(read(pathOf('../content/zip-states.json'))),
    },
  ];
