/** `npm run pack`: make the packed files of the built-in releases and the vocabulary from the files that people edit. */
import { writeFileSync } from 'node:fs';
import { packedFiles } from '../packed/pack.ts';

for (const { name, path, pack } of packedFiles) {
  const packed = pack();
  writeFileSync(path, packed);
  console.log(`${name}: ${packed.length} bytes`);
}
