/** `npm run pack`, which `npm ci` also runs: compress the content, the vocabulary and the docs page for the functions. */
import { writeFileSync } from 'node:fs';
import { compress, packedFiles } from '../packed/pack.ts';

let tables = 0;
for (const { name, path, text } of packedFiles) {
  const packed = compress(text());
  writeFileSync(path, packed);
  if (/^(rates|zips)-/.test(name)) tables += packed.length;
  else console.log(`${name}: ${packed.length} bytes`);
}
console.log(`local tables of all states: ${tables} bytes`);
