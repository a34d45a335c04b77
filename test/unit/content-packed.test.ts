import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packedFiles } from '../../shared/packed/pack.ts';
import { textOf } from '../../shared/packed/unpack.ts';

it.each(packedFiles)('the packed file $name is up to date (`npm run pack`), and a bundle carries it', (file) => {
  expect(textOf(file.name) === file.text()).toBe(true);
  expect(existsSync(new URL(`../../${file.readBy}`, import.meta.url))).toBe(true);
});
