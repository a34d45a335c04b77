/** `npm run content:pack`: make shared/content/packed-releases.json from shared/content/releases. */
import { readFileSync, writeFileSync } from 'node:fs';
import { manifestPath, packedPath, packReleases } from '../content/pack.ts';

const { text, releases } = packReleases();
writeFileSync(packedPath, text);
const manifest: unknown = JSON.parse(readFileSync(manifestPath, 'utf8'));
console.log(
  `${releases} releases of ${Object.keys(manifest as object).length} in the manifest, ${text.length} bytes packed`,
);
