import { readText } from '../../packed/unpack.ts';

// Loaded at first use to shorten the cold start.
const zlib = () => process.getBuiltinModule('node:zlib');

const version = 1;
// The version byte and the CRC-32 that precede the compressed data.
const headLength = 5;

let dictionary: Buffer | undefined;
/**
 * The preset zlib dictionary. Stored JSON refers to its strings instead of repeating them: names of fields and states,
 * enum values, and warning messages. The most frequent strings are last, because a reference to nearby data is shorter.
 *
 * It must not change: an attribute can be read only with the dictionary that wrote it. For a new dictionary, add a file
 * and a version, and keep this one. It does not need to follow the API: a field missing from it costs a few bytes.
 */
const findDictionary = (byte: number | undefined): Buffer => {
  if (byte !== version) throw new RangeError('A compressed attribute has an unknown version.');
  dictionary ??= Buffer.from(readText('compression-dictionary-1'));
  return dictionary;
};

/**
 * Compresses bytes: a version byte, a checksum that detects a corrupted attribute, and raw deflate with the version's
 * dictionary.
 */
export const compressBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = Buffer.alloc(headLength, version);
  head.writeUInt32BE(zlib().crc32(bytes), 1);
  return Buffer.concat([head, zlib().deflateRawSync(bytes, { dictionary: findDictionary(version) })]);
};

/** The inverse of `compressBytes`. Throws if the bytes are corrupted. */
export const decompressBytes = (compressed: Uint8Array): Buffer => {
  const stored = Buffer.from(compressed.buffer, compressed.byteOffset, compressed.byteLength);
  const bytes = zlib().inflateRawSync(stored.subarray(headLength), { dictionary: findDictionary(stored[0]) });
  if (zlib().crc32(bytes) !== stored.readUInt32BE(1))
    throw new RangeError('A compressed attribute is corrupted: its checksum does not match.');
  return bytes;
};

export const compressText = (text: string): Uint8Array<ArrayBuffer> => compressBytes(Buffer.from(text));

/** The inverse of `compressText`. Throws if the bytes are corrupted. */
export const decompressText = (bytes: Uint8Array): string => decompressBytes(bytes).toString();

export const compress = (value: unknown): Uint8Array<ArrayBuffer> => compressText(JSON.stringify(value));

/** The inverse of `compress`. Throws if the bytes are corrupted. */
export const decompress = (bytes: Uint8Array): unknown => JSON.parse(decompressText(bytes));
