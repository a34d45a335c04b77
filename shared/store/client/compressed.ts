import { dictionaries } from './compression-dictionary.ts';

// Loaded at first use, which keeps it out of the cold start.
const zlib = () => process.getBuiltinModule('node:zlib');

const version = 1;
// The version byte and the CRC-32 of the bytes before compression.
const headLength = 5;

const dictionaryOf = (byte: number | undefined): Buffer => {
  const dictionary = dictionaries.get(byte ?? 0);
  if (!dictionary) throw new RangeError('A compressed attribute has an unknown version.');
  return dictionary;
};

/** Compress bytes: a version byte, a checksum that detects a damaged attribute, and raw deflate with the version's dictionary. */
export const compressBytes = (bytes: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(headLength, version);
  head.writeUInt32BE(zlib().crc32(bytes), 1);
  return Buffer.concat([head, zlib().deflateRawSync(bytes, { dictionary: dictionaryOf(version) })]);
};

/** The inverse of `compressBytes`. Throws if the bytes are damaged. */
export const decompressBytes = (compressed: Uint8Array): Buffer => {
  const head = Buffer.from(compressed.buffer, compressed.byteOffset, compressed.byteLength);
  const dictionary = dictionaryOf(head[0]);
  const bytes = zlib().inflateRawSync(head.subarray(headLength), { dictionary });
  if (zlib().crc32(bytes) !== head.readUInt32BE(1)) throw new RangeError('A compressed attribute is damaged.');
  return bytes;
};

export const compressText = (text: string): Uint8Array => compressBytes(Buffer.from(text));

/** The inverse of `compressText`. Throws if the bytes are damaged. */
export const decompressText = (bytes: Uint8Array): string => decompressBytes(bytes).toString();

export const compress = (value: unknown): Uint8Array => compressText(JSON.stringify(value));

/** The inverse of `compress`. Throws if the bytes are damaged. */
export const decompress = (bytes: Uint8Array): unknown => JSON.parse(decompressText(bytes));
