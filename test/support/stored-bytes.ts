import { readFileSync } from 'node:fs';

// Does not use the store's code, so a bug in both writing and reading is found. Looks up the functions on each call,
// because the simulation replaces them.
const zlib = () => process.getBuiltinModule('node:zlib');
const file = new URL('../../shared/store/client/compression-dictionary-1.txt', import.meta.url);
/** The compression dictionary of version 1. */
export const dictionary = Buffer.from(readFileSync(file, 'utf8').replaceAll(/\r?\n/g, ''));
const options = { dictionary };

/** Decompresses an attribute: its version, the CRC-32 of the data, then raw deflate with the dictionary. */
export const storedBytes = (attribute: unknown): Buffer => {
  const compressed = Buffer.from(attribute as Uint8Array);
  const bytes = zlib().inflateRawSync(compressed.subarray(5), options);
  if (compressed[0] !== 1 || compressed.readUInt32BE(1) !== zlib().crc32(bytes))
    throw new Error('A compressed attribute has another version or checksum.');
  return bytes;
};

export const storedText = (attribute: unknown): string => storedBytes(attribute).toString();

/** Compresses a string to an attribute. */
export const getAttribute = (text: string): Buffer => {
  const head = Buffer.alloc(5, 1);
  head.writeUInt32BE(zlib().crc32(text), 1);
  return Buffer.concat([head, zlib().deflateRawSync(text, options)]);
};
