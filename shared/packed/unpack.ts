import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `rates-NY` and `zips-NY` are the local tables of one state. */
export type PackedName =
  | 'compression-dictionary-1'
  | 'releases'
  | 'vocabulary'
  | 'product-tax-codes'
  | 'code-crosswalk'
  | 'rate-summaries'
  | 'local-names'
  | 'docs'
  | 'console'
  | `${'rates' | 'zips'}-${string}`;

// zlib is loaded when it is first used, as the data is: an instance has found its caller by then.
// In a bundle, which is CommonJS, the packed files lie beside it; import.meta has no folder there.
const folder = import.meta.dirname ?? __dirname;

/** The text of a packed file, by its name without the ending. */
export const textOf = (name: string): string =>
  process
    .getBuiltinModule('node:zlib')
    .brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))
    .toString('utf8');

/** Read a value that `npm run pack` packed. The shape is not validated: tests compare the value with its source files. */
export const unpack = <Value>(name: PackedName): Value => JSON.parse(textOf(name));

/** Read values that were packed as one JSON text a line, so that only those that are needed are parsed. */
export const unpackLines = (name: PackedName): readonly string[] => textOf(name).split('\n');
