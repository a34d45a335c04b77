/** `npm run pack`, which `npm ci` also runs: compress the content, the vocabulary and the docs page for the functions. */
import { writeFileSync } from 'node:fs';
import { packedFiles } from '../packed/pack.ts';

for (const { name, path, pack } of packedFiles) {
  const packed = pack();
  writeFileSync(path, packed);
  console.log(`${name}: ${packed.length} bytes`);
}
