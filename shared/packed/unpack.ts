import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type PackedName = 'releases' | 'vocabulary' | 'zip-states';

// zlib is loaded when it is first used, as the data is: an instance has found its caller by then.
// In a bundle, which is CommonJS, the packed files lie beside it; import.meta has no folder there.
const folder = import.meta.dirname ?? __dirname;

/** Read a value that `npm run pack` packed. Its shape is the packer's word: tests compare it with the files it came from. */
export const unpack = <Value>(name: PackedName): Value =>
  JSON.parse(
    process
      .getBuiltinModule('node:zlib')
      .brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))
      .toString('utf8'),
  );
