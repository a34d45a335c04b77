import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packedFiles } from '../../shared/packed/pack.ts';

it.each(packedFiles)('ships what the files say: `npm run pack` has been run for $name', ({ path, pack }) => {
  expect(readFileSync(path).equals(pack())).toBe(true);
});
