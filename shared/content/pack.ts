import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = pathOf('./releases');
export const manifestPath = pathOf('./releases/manifest.json');
export const packedPath = pathOf('./packed-releases.json');

/**
 * Pack the release files into one compressed JSON string, in the order of their names.
 *
 * Together they are 160 KiB, which every function that calculates would carry; packed they are a tenth of it.
 */
export const packReleases = (): { readonly text: string; readonly releases: number } => {
  const names = readdirSync(folder)
    .filter((name) => name.startsWith('US-'))
    .sort();
  const releases = names.map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as unknown);
  const packed = brotliCompressSync(JSON.stringify(releases), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
  return { text: `${JSON.stringify({ brotli: packed.toString('base64') })}\n`, releases: releases.length };
};
