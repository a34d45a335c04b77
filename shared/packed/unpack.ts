import { textOf } from './read.ts';

/** `rates-NY@2026-11-22` and `zips-NY@2026-11-22` are the local tables of one state. */
export type PackedName =
  | 'releases'
  | 'older-releases'
  | 'vocabulary'
  | 'product-tax-codes'
  | 'code-crosswalk'
  | 'rate-summaries'
  | `${'rates' | 'zips'}-${string}`;

/** Read a value that `npm run pack` packed. Its shape is the packer's word: tests compare it with the files it came from. */
export const unpack = <Value>(name: PackedName): Value => JSON.parse(textOf(name));

/** Read values that were packed as one JSON text a line, so that only those that are needed are parsed. */
export const unpackLines = (name: PackedName): readonly string[] => textOf(name).split('\n');
