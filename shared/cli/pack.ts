/** `npm run pack`, which `npm ci` runs: write the generated files that are not in git. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { compress, generatedFiles } from './pack/generated-files.ts';

let tables = 0;
for (const { path, text } of generatedFiles) {
  const content = await text();
  const bytes = path.endsWith('.br') ? compress(content) : Buffer.from(content);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  if (/^(rates|zips)-/.test(basename(path))) tables += bytes.length;
  else console.log(`${basename(path)}: ${bytes.length} bytes`);
}
console.log(`local tables of all states: ${tables} bytes`);
