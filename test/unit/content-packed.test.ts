import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builtInReleases } from '../../shared/content/built-in.ts';
import { packedPath, packReleases } from '../../shared/content/pack.ts';

it('ships exactly the release files: `npm run content:pack` has been run', () => {
  expect(readFileSync(packedPath, 'utf8')).toBe(packReleases().text);
  expect(builtInReleases()).toHaveLength(52);
});
