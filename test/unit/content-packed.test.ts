import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { generatedFiles, packedFiles } from '../../shared/cli/pack/generated-files.ts';

it.each(generatedFiles)('the generated file $path is up to date (`npm run pack`)', async ({ path, text }) => {
  const bytes = readFileSync(path);
  expect((path.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString() === (await text())).toBe(true);
});

it.each(packedFiles)('a bundle carries the packed file $name', ({ readBy }) => {
  expect(existsSync(new URL(`../../${readBy}`, import.meta.url))).toBe(true);
});
