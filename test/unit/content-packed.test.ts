import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packedFiles } from '../../shared/packed/pack.ts';

it.each(packedFiles)('ships what the files say: `npm run pack` has been run for $name', ({ path, pack }) => {
  expect(readFileSync(path).equals(pack())).toBe(true);
});

it.each(packedFiles)('is carried by the bundles of a module that exists: $name', ({ readBy }) => {
  expect(existsSync(new URL(`../../${readBy}`, import.meta.url))).toBe(true);
});
