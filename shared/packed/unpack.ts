import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `release-US-NY`, `rates-NY` and `zips-NY` are the release and the local tables of one state. */
export type PackedName =
  | 'compression-dictionary-1'
  | 'vocabulary'
  | 'product-tax-codes'
  | 'code-crosswalk'
  | 'rate-summaries'
  | 'local-names'
  | 'taxjar-openapi'
  | 'docs'
  | 'console'
  | `${'release' | 'rates' | 'zips'}-${string}`;

// zlib and the data are loaded on first use, so a cold start can authenticate the caller first. In the CommonJS
// bundles, the packed files are in the same folder, and import.meta has no dirname.
const folder = import.meta.dirname ?? __dirname;

/** Returns the text of a packed file, by its name without the extension. */
export const readText = (name: string): string =>
  process
    .getBuiltinModule('node:zlib')
    .brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))
    .toString('utf8');

/**
 * Reads a value written by `npm run pack`. The shape is not validated, because tests compare the value with its source
 * files.
 */
export const unpack = <Value>(name: PackedName): Value => JSON.parse(readText(name));

/** Reads values that were packed as one JSON text per line, so callers can parse only the ones they need. */
export const unpackLines = (name: PackedName): readonly string[] => readText(name).split('\n');
