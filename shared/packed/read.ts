import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// zlib is loaded when it is first used, as the data is: an instance has found its caller by then.
// In a bundle, which is CommonJS, the packed files lie beside it; import.meta has no folder there.
const folder = import.meta.dirname ?? __dirname;

/** The text of a packed file, by its name without the ending. */
export const textOf = (name: string): string =>
  process
    .getBuiltinModule('node:zlib')
    .brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))
    .toString('utf8');
